"""Options of quantiles, and quantiles read from noisy counts of bins."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from math import ceil
from typing import Any

from dprelease.mechanisms import Mechanism
from dprelease.model.column import ORDERED
from dprelease.model.column_options import ColumnName, ColumnNames
from dprelease.model.options import Flag, Values, Whole, option
from dprelease.model.plan import Expected
from dprelease.model.release import Axis, Estimates
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Key, TallyQuery
from dprelease.statistics.algebra.cumulated import cumulated, even_half_widths, quantile
from dprelease.statistics.algebra.grouping import GROUPING, axes, check_cells, group_keys
from dprelease.statistics.algebra.rank_interval import cells_between
from dprelease.statistics.key_levels import Levelled
from dprelease.statistics.tabulated import ExpectedError
from dprelease.words import phrase, quoted

CELLS = 65_536
CELLS_BY = 4_096
MAX_SCORES = 8_000_000


@dataclass(frozen=True, kw_only=True)
class Ranks(Levelled):
    """Values below which given shares of the rows lie: what may be asked of them, and what counts of bins tell of them.

    Each value is where the shares that are fitted to the counts reach α, even within its bin, and its interval follows
    from theirs: from the first bin that may hold it to the last.
    """

    column: str = option(ColumnName(ORDERED))
    """An integer, number or date column."""
    by: tuple[str, ...] = option(ColumnNames(GROUPING), default=())
    """Groups: quantiles for each combination of their declared values."""
    cells: int | None = option(Whole(2, 2**20), default=None)
    """Number of equal cells to choose among: by default 65,536, by groups 4,096, at most one a value."""
    candidates: tuple[Any, ...] = option(Values(1000), default=())
    """Instead of cells: the declared values to choose among."""
    interval: bool = option(Flag(), default=False)
    """An interval for each value, for a fifth of the share."""

    @abstractmethod
    def probabilities(self) -> tuple[Decimal, ...]:
        """Return the α of each answer, increasing."""

    @abstractmethod
    def answer_axes(self) -> tuple[Axis, ...]:
        """Return the key of the published table that tells the answers apart, if there are several."""

    def group_keys(self, schema: Schema) -> tuple[Key, ...]:
        """Return one key a column of `by`."""
        return group_keys(schema, self.by, levels=dict(self.levels), partial=self.partial, missing=self.missing)

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
        """Return the public cells. With candidates: each candidate, and the values between two of them, is a cell."""
        column = schema[self.column]
        if not self.candidates:
            most = self.cells or (CELLS_BY if self.by else CELLS)
            return Key(column.name, min(most, column.codes), column.codes)
        edges = {0, column.codes}
        for code in self.candidate_codes(schema):
            edges |= {code, code + 1}
        ordered = tuple(sorted(edges))
        return Key(column.name, len(ordered) - 1, column.codes, ordered)

    def candidate_codes(self, schema: Schema) -> list[int]:
        """Return the codes of the candidates, in order."""
        codes = (schema[self.column].code(candidate) for candidate in self.candidates)
        return [code for code in codes if code is not None]

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        return (TallyQuery((*self.group_keys(schema), self.key(schema))),)

    def groups(self, schema: Schema) -> int:
        """Return the number of groups that `by` declares."""
        return TallyQuery(self.group_keys(schema)).cells

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        return (*axes(schema, self.group_keys(schema)), *self.answer_axes())

    def size(self, schema: Schema) -> int:
        return self.groups(schema) * len(self.probabilities())

    @property
    def is_free(self) -> bool:
        """True if any values of all rows may be published, and not only of groups or among candidates."""
        return not self.by and not self.candidates

    def firsts(self, schema: Schema, bins: int) -> list[int]:
        """Return the first code of each of so many bins, and the one after the last."""
        key = self.key(schema)
        run = -(-key.cells // bins)
        return [*(key.first_code(cell) for cell in range(0, key.cells, run)), key.span]

    def of_counts(
        self,
        schema: Schema,
        firsts: Sequence[int],
        drawn: Sequence[Any],
        mechanisms: Sequence[Mechanism],
        confidence: float = 0.95,
    ) -> Estimates:
        """Return the table by noisy counts of bins at their levels, given their first codes and the one after the last.

        The interval of a value: from the first bin that may hold it to the last, by the intervals of the shares.
        """
        column = schema[self.column]
        shares, below, above, _ = (part.tolist() for part in cumulated(drawn, mechanisms, confidence))
        rows = []
        for alpha in self.probabilities():
            code = quantile(shares, alpha, firsts)
            first, last = cells_between(below, above, alpha)
            ends = (min(firsts[first], code), max(firsts[last + 1] - 1, code)) if confidence else (code, code)
            rows.append((code, *ends))
        value, lower, upper = ([column.value(code) for code in part] for part in zip(*rows, strict=True))
        return Estimates(axes=self.axes(schema), value=value, lower95=lower, upper95=upper)

    def error_of_counts(
        self,
        schema: Schema,
        firsts: Sequence[int],
        mechanisms: Sequence[Mechanism],
        expected: Expected | None,
        confidence: float = 0.95,
    ) -> ExpectedError | None:
        """Return the answers' largest error: that of the shares where rows are spread evenly, and a bin more,
        for within it they need not be."""
        if expected is None:
            return None
        lattice, cells = schema[self.column].lattice, len(firsts) - 1
        halves = even_half_widths(cells, expected.rows, tuple(mechanisms), confidence)
        own = [halves[min(cells - 1, int(alpha * cells))] for alpha in self.probabilities()]
        width = max(after - first for first, after in pairwise(firsts)) - 1
        return ExpectedError(ceil(max(own) * lattice.steps + width) * float(lattice.resolution), "expected")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        lattice = schema[self.column].lattice
        return lattice.steps * float(lattice.resolution)
