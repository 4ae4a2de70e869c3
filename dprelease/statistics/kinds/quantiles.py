"""Below which value a share of the rows lies."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from dprelease.mechanisms import NOISE, SELECTION, Mechanism
from dprelease.model.column import ORDERED, Column
from dprelease.model.column_options import ColumnName, ColumnNames
from dprelease.model.options import Flag, Probabilities, Values, Whole, option
from dprelease.model.plan import Expected
from dprelease.model.presentation import Answers, Look, Presentation, Quantity, Trait
from dprelease.model.privacy import Terms
from dprelease.model.release import Axis, Estimates
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Key, Sensitivity, Shape, TallyQuery
from dprelease.statistics.algebra.grouping import GROUPING, axes, check_cells, group_keys
from dprelease.statistics.algebra.rank_interval import bins, counted, edges, interval
from dprelease.statistics.algebra.selection import even_spread_error
from dprelease.statistics.algebra.sensitivity import simplex
from dprelease.statistics.levelled import Levelled
from dprelease.statistics.tabulated import ExpectedError, Integers, Measurement, Pick
from dprelease.words import phrase, quoted

CELLS = 65_536
CELLS_BY = 4_096
MAX_SCORES = 8_000_000
INTERVAL = Fraction(1, 5)
"""Of the share, where intervals are asked for."""


@dataclass(frozen=True, kw_only=True)
class QuantileTable(Levelled):
    """Quantiles of a column, each chosen privately among public cells of its lattice.

    The score of a cell for α is −max(n_below − αn, n_above − (1 − α)n), where rows inside the cell count for neither
    side, so ties are no trouble; for α = p/q it is multiplied by q to be whole. Permute-and-flip (in zcdp the
    exponential mechanism) chooses a cell, then a lattice point in it is taken uniformly. L∞ sensitivity, before the
    factor q: m·max(α, 1 − α) under add_remove, jointly over all groups; under substitute m, and 2m·max(α, 1 − α)
    jointly over groups. Several quantiles share the tally, split the budget by max(α, 1 − α) and are sorted afterwards.

    With `interval`, a fifth of the share counts rows between edges around each published value, in a second round, with
    discrete Laplace noise, or Gaussian in zcdp (sensitivity m, under substitute 2m, L1), from which its interval
    follows (`rank_interval`). Without, no interval for the value is published.
    """

    column: str = option(ColumnName(ORDERED))
    """An integer, number or date column."""
    by: tuple[str, ...] = option(ColumnNames(GROUPING), default=())
    """Groups: quantiles for each combination of their declared values."""
    cells: int | None = option(Whole(2, 2**20), default=None)
    """How many equal cells to choose among: by default 65,536, by groups 4,096, at most one a value."""
    candidates: tuple[Any, ...] = option(Values(1000), default=())
    """Instead of cells: the declared values to choose among."""
    interval: bool = option(Flag(), default=False)
    """An interval for each value, for a fifth of the share."""

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
        alphas = self.probabilities()
        weights = [Fraction(max(alpha, 1 - alpha)) for alpha in alphas]
        chosen = tuple(
            Measurement(mechanism, shape, self._sensitivity(alpha, terms, shape), weight)
            for alpha, weight in zip(alphas, weights, strict=True)
        )
        if not self.interval:
            return chosen
        part = sum(weights) * INTERVAL / (1 - INTERVAL) / len(alphas)
        around = (self.groups(schema), bins(self.key(schema).cells))
        counted = Measurement(NOISE[terms.currency], around, simplex(terms, around), part, round=1)
        return (*chosen, *(counted for _ in alphas))

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

    def exact_after(
        self, schema: Schema, tallies: Sequence[Integers], drawn: Sequence[Integers]
    ) -> tuple[Integers, ...]:
        rows = tallies[0].reshape(self.groups(schema), -1).astype(np.int64)
        return tuple(counted(rows, between) for between in self._edges(schema, drawn))

    def _edges(self, schema: Schema, drawn: Sequence[Integers]) -> list[Integers]:
        """Of each answer: the edges around its published values."""
        key = self.key(schema)
        firsts = np.array([key.first_code(cell) for cell in range(key.cells)])
        codes = np.sort(np.stack(drawn[: len(self.probabilities())], axis=-1), axis=-1)
        return [edges(np.searchsorted(firsts, answer, side="right") - 1, key.cells) for answer in codes.T]

    def drawn(self, schema: Schema, noisy: Sequence[Integers], pick: Pick) -> tuple[Integers, ...]:
        key = self.key(schema)
        if np.ndim(noisy[0]) == 2:
            return tuple(noisy)
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
        answers = len(self.probabilities())
        codes = np.sort(np.stack(drawn[:answers], axis=-1), axis=-1)
        column = schema[self.column]
        values = [column.value(int(code)) for code in codes.ravel()]
        if not self.interval:
            nothing = [None] * len(values)
            return Estimates(axes=self.axes(schema), value=values, lower95=nothing, upper95=nothing)
        ends = self._ends(schema, codes, drawn, mechanisms[answers:], confidence) if confidence else (codes, codes)
        lower, upper = ([column.value(int(code)) for code in part.ravel()] for part in ends)
        return Estimates(axes=self.axes(schema), value=values, lower95=lower, upper95=upper)

    def _ends(
        self,
        schema: Schema,
        codes: Integers,
        drawn: Sequence[Integers],
        mechanisms: Sequence[Mechanism],
        confidence: float,
    ) -> tuple[Integers, Integers]:
        """The codes that each answer lies between; the published one lies between them always."""
        key, alphas = self.key(schema), self.probabilities()
        firsts = np.array([key.first_code(cell) for cell in range(key.cells + 1)])
        firsts[-1] = schema[self.column].codes
        found = []
        counts = zip(alphas, drawn[len(alphas) :], self._edges(schema, drawn), mechanisms, strict=True)
        for alpha, noisy, between, mechanism in counts:
            low, high = interval(noisy.astype(np.float64), between, float(alpha), mechanism, confidence)
            found.append((firsts[low], firsts[high] - 1))
        lower, upper = (np.stack(part, axis=-1) for part in zip(*found, strict=True))
        return np.minimum(lower, codes), np.maximum(upper, codes)

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        column = schema[self.column]
        codes = [column.code(value) for value in table.value]
        known = [code for code in codes if code is not None]
        answers = len(self.probabilities())
        groups = [known[first : first + answers] for first in range(0, len(known), answers)]
        return (
            not table.extra
            and len(known) == len(codes)
            and all(group == sorted(group) for group in groups)
            and self._could_be_between(column, table)
            and (not self.candidates or set(known) <= set(self._candidate_codes(schema)))
        )

    def _could_be_between(self, column: Column, table: Estimates) -> bool:
        if not self.interval:
            return all(bound is None for bound in (*table.lower95, *table.upper95))
        ends = zip(table.lower95, table.value, table.upper95, strict=True)
        rows = ([column.code(each) for each in row] for row in ends)
        return all(None not in row and row == sorted(row) for row in rows)  # type: ignore[type-var]

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
            for alpha, mechanism in zip(self.probabilities(), mechanisms, strict=False)
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
