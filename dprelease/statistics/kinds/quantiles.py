"""Below which value a share of the rows lies."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from dprelease.mechanisms import SELECTION, Mechanism
from dprelease.model.column import ORDERED
from dprelease.model.column_options import ColumnName, ColumnNames
from dprelease.model.options import Probabilities, Values, Whole, option
from dprelease.model.plan import Expected
from dprelease.model.presentation import Answers, Look, Presentation, Quantity, Trait
from dprelease.model.privacy import Terms
from dprelease.model.release import Axis, Estimates
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Key, Sensitivity, Shape, TallyQuery
from dprelease.statistics.algebra.grouping import GROUPING, axes, check_cells, group_keys
from dprelease.statistics.algebra.selection import even_spread_error
from dprelease.statistics.levelled import Levelled
from dprelease.statistics.tabulated import ExpectedError, Integers, Measurement, Pick
from dprelease.words import phrase, quoted

CELLS = 65_536
CELLS_BY = 4_096
MAX_SCORES = 8_000_000


@dataclass(frozen=True, kw_only=True)
class QuantileTable(Levelled):
    """Quantiles of a column, each chosen privately among public cells of its lattice.

    The score of a cell for α is −max(n_below − αn, n_above − (1 − α)n), where rows inside the cell count for neither
    side, so ties are no trouble; for α = p/q it is multiplied by q to be whole. Permute-and-flip (in zcdp the
    exponential mechanism) chooses a cell, then a lattice point in it is taken uniformly. L∞ sensitivity, before the
    factor q: m·max(α, 1 − α) under add_remove, jointly over all groups; under substitute m, and 2m·max(α, 1 − α)
    jointly over groups. Several quantiles share the tally, split the budget by max(α, 1 − α) and are sorted afterwards.
    No interval for the value is published.
    """

    column: str = option(ColumnName(ORDERED))
    """An integer, number or date column."""
    by: tuple[str, ...] = option(ColumnNames(GROUPING), default=())
    """Groups: quantiles for each combination of their declared values."""
    cells: int | None = option(Whole(2, 2**20), default=None)
    """How many equal cells to choose among: by default 65,536, by groups 4,096, at most one a value."""
    candidates: tuple[Any, ...] = option(Values(1000), default=())
    """Instead of cells: the declared values to choose among."""

    @abstractmethod
    def probabilities(self) -> tuple[Decimal, ...]:
        """The α of each answer, increasing."""

    @abstractmethod
    def answer_axes(self) -> tuple[Axis, ...]:
        """The key of the published table that tells the answers apart, if there are several."""

    def group_keys(self, schema: Schema) -> tuple[Key, ...]:
        """One key a column of `by`."""
        return group_keys(schema, self.by, levels=dict(self.levels), partial=self.partial)

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        before = len(report.problems)
        column = schema[self.column]
        codes = [column.code(candidate) for candidate in self.candidates]
        if self.cells is not None and self.candidates:
            report.add(path, found=phrase("statistics.both_cells_candidates"), allowed=phrase("model.one_them"))
        for index, code in enumerate(codes):
            if code is None:
                report.add(
                    f"{path}.candidates[{index}]",
                    found=self.candidates[index],
                    allowed=phrase("statistics.value_between_bounds_lattice", column=quoted(column.name)),
                )
        known = [code for code in codes if code is not None]
        if known != sorted(set(known)):
            report.add(
                f"{path}.candidates",
                found=phrase("statistics.candidates_out_order"),
                allowed=phrase("statistics.increasing_values"),
            )
        if len(report.problems) == before:
            groups = self.group_keys(schema)
            check_cells(
                (*groups, self.key(schema)),
                f"{path}.by" if self.by else f"{path}.cells",
                report,
                most=MAX_SCORES,
            )

    def key(self, schema: Schema) -> Key:
        """The public cells. With candidates: each candidate, and the values between two of them, is a cell."""
        column = schema[self.column]
        if not self.candidates:
            most = self.cells or (CELLS_BY if self.by else CELLS)
            return Key(column.name, min(most, column.codes), column.codes)
        edges = {0, column.codes}
        for code in self._candidate_codes(schema):
            edges |= {code, code + 1}
        ordered = tuple(sorted(edges))
        return Key(column.name, len(ordered) - 1, column.codes, ordered)

    def _candidate_codes(self, schema: Schema) -> list[int]:
        codes = (schema[self.column].code(candidate) for candidate in self.candidates)
        return [code for code in codes if code is not None]

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        return (TallyQuery((*self.group_keys(schema), self.key(schema))),)

    def groups(self, schema: Schema) -> int:
        """Tells how many groups `by` declares."""
        return TallyQuery(self.group_keys(schema)).cells

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        return (*axes(schema, self.group_keys(schema)), *self.answer_axes())

    def size(self, schema: Schema) -> int:
        return self.groups(schema) * len(self.probabilities())

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        mechanism, shape = SELECTION[terms.currency], self._shape(schema)
        return tuple(
            Measurement(mechanism, shape, self._sensitivity(alpha, terms, shape), Fraction(max(alpha, 1 - alpha)))
            for alpha in self.probabilities()
        )

    def _shape(self, schema: Schema) -> Shape:
        """Of the scores: a row for each group, an entry for each cell that may be chosen."""
        return (self.groups(schema), len(self.candidates) or self.key(schema).cells)

    def _sensitivity(self, alpha: Decimal, terms: Terms, shape: Shape) -> Sensitivity:
        p, q = alpha.as_integer_ratio()
        if not terms.substitute:
            linf = terms.max_rows * max(p, q - p)
        else:
            linf = 2 * terms.max_rows * max(p, q - p) if shape[0] > 1 else terms.max_rows * q
        return Sensitivity(l1=0, linf=linf, shape=shape)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        counts = tallies[0].reshape(self.groups(schema), -1).astype(np.int64)
        upto = np.cumsum(counts, axis=1)
        rows = upto[:, -1:]
        below, above = upto - counts, rows - upto
        if self.candidates:
            edges = self.key(schema).edges
            chosen = [edges.index(code) for code in self._candidate_codes(schema)]
            below, above = below[:, chosen], above[:, chosen]
        ratios = (alpha.as_integer_ratio() for alpha in self.probabilities())
        return tuple(-np.maximum(q * below - p * rows, q * above - (q - p) * rows) for p, q in ratios)

    def drawn(self, schema: Schema, noisy: Sequence[Integers], pick: Pick) -> tuple[Integers, ...]:
        key = self.key(schema)
        if self.candidates:
            candidates = np.array(self._candidate_codes(schema))
            return tuple(candidates[cells] for cells in noisy)
        if key.cells == key.span:
            return tuple(noisy)
        return tuple(
            np.array([pick(key.first_code(cell), key.first_code(cell + 1) - 1) for cell in cells.tolist()])
            for cells in noisy
        )

    def estimates(
        self, schema: Schema, drawn: Sequence[Integers], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        codes = np.sort(np.stack(drawn, axis=-1), axis=-1).ravel()
        column = schema[self.column]
        nothing = [None] * len(codes)
        values = [column.value(int(code)) for code in codes]
        return Estimates(axes=self.axes(schema), value=values, lower95=nothing, upper95=nothing)

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        codes = [schema[self.column].code(value) for value in table.value]
        known = [code for code in codes if code is not None]
        answers = len(self.probabilities())
        groups = [known[first : first + answers] for first in range(0, len(known), answers)]
        return (
            not table.extra
            and len(known) == len(codes)
            and all(group == sorted(group) for group in groups)
            and all(bound is None for bound in (*table.lower95, *table.upper95))
            and (not self.candidates or set(known) <= set(self._candidate_codes(schema)))
        )

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError | None:
        """The largest of the answers' errors for rows spread evenly over the bounds and the groups."""
        if expected is None:
            return None
        lattice, key = schema[self.column].lattice, self.key(schema)
        cells = len(self.candidates) or key.cells
        points = cells == key.span or bool(self.candidates)
        rows = expected.rows / self.groups(schema)
        errors = [
            even_spread_error(cells, alpha, rows, mechanism, points, confidence)
            for alpha, mechanism in zip(self.probabilities(), mechanisms, strict=True)
        ]
        return ExpectedError(max(errors) * lattice.steps * float(lattice.resolution), "expected")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        lattice = schema[self.column].lattice
        return lattice.steps * float(lattice.resolution)


@dataclass(frozen=True, kw_only=True)
class Quantiles(QuantileTable):
    """The values below which given shares of the rows lie, in all or in each group."""

    kind: ClassVar[str] = "quantiles"
    presentation: ClassVar[Presentation] = Presentation(
        measure=Quantity.COLUMN,
        error=Quantity.COLUMN,
        values=Answers.GRADED,
        look=Look.MARKS,
        traits=(Trait.UNLIKE,),
    )
    probs: tuple[Decimal, ...] = option(Probabilities())
    """Shares of the rows, strictly between 0 and 1."""

    def probabilities(self) -> tuple[Decimal, ...]:
        return self.probs

    def answer_axes(self) -> tuple[Axis, ...]:
        return (Axis(("probability",), tuple((float(alpha),) for alpha in self.probs)),)


@dataclass(frozen=True, kw_only=True)
class Median(QuantileTable):
    """The value in the middle, in all or in each group."""

    kind: ClassVar[str] = "median"
    presentation: ClassVar[Presentation] = Presentation(
        measure=Quantity.COLUMN,
        error=Quantity.COLUMN,
        values=Answers.GRADED,
        look=Look.MARKS,
        traits=(),
    )

    def probabilities(self) -> tuple[Decimal, ...]:
        return (Decimal("0.5"),)

    def answer_axes(self) -> tuple[Axis, ...]:
        return ()


@dataclass(frozen=True, kw_only=True)
class FiveNumbers(QuantileTable):
    """The numbers of a box plot: quartiles, median, and two outer quantiles for the whiskers.

    The smallest and the largest value of all would be one person's: the whiskers end at declared quantiles instead.
    """

    kind: ClassVar[str] = "five_numbers"
    presentation: ClassVar[Presentation] = Presentation(
        measure=Quantity.COLUMN,
        error=Quantity.COLUMN,
        values=Answers.GRADED,
        look=Look.BOXES,
        traits=(Trait.UNLIKE,),
    )
    whiskers: tuple[Decimal, ...] = option(Probabilities(), default=(Decimal("0.05"), Decimal("0.95")))
    """The outer two shares of the rows: 0.05 and 0.95 by default."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        super().check_together(path, schema, report)
        if len(self.whiskers) != 2 or not self.whiskers[0] < Decimal("0.25") < Decimal("0.75") < self.whiskers[1]:
            report.add(
                f"{path}.whiskers",
                found=", ".join(map(str, self.whiskers)),
                allowed=phrase("statistics.two_shares_one_below"),
            )

    def probabilities(self) -> tuple[Decimal, ...]:
        return (self.whiskers[0], Decimal("0.25"), Decimal("0.5"), Decimal("0.75"), self.whiskers[1])

    def answer_axes(self) -> tuple[Axis, ...]:
        return (Axis(("probability",), tuple((float(alpha),) for alpha in self.probabilities())),)
