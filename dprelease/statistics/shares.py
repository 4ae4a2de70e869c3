"""Tables of counts with the share that each cell has of its row, its column or the whole table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from dprelease.mechanisms import Mechanism
from dprelease.model.options import Choices, option
from dprelease.model.plan import Plan
from dprelease.model.privacy import Terms
from dprelease.model.release import Cell, Estimates
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Key
from dprelease.statistics.algebra.combination import part_interval
from dprelease.statistics.algebra.reach import noises
from dprelease.statistics.margins import with_sums
from dprelease.statistics.noisy import NoisyTable
from dprelease.statistics.tabulated import Integers
from dprelease.words import phrase

ROW, COLUMN, TABLE = "row", "column", "table"
WORDS = (ROW, COLUMN, TABLE)


@dataclass(frozen=True, kw_only=True)
class TableWithShares(NoisyTable):
    """A table of counts with shares of rows, columns or the table: quotients of the same noisy counts.

    A row has all cells of the last key, a column all of the first. What is measured, and so its sensitivity and its
    noise, is that of the table without shares. The interval of a share is that of the cell beside the rest of its row,
    whose noises are independent (`part_interval`).
    """

    shares: tuple[str, ...] = option(Choices(WORDS), default=())
    """The share of each cell in its row, its column or the table, with intervals: of the noisy counts, at no cost."""

    if TYPE_CHECKING:
        margins: bool

        def keys(self, schema: Schema) -> tuple[Key, ...]: ...

    def check(self, path: str, schema: Schema, report: Report) -> None:
        before = len(report.problems)
        super().check(path, schema, report)
        if not self.shares or len(report.problems) > before:
            return
        if self.discovers(schema):
            allowed = phrase("statistics.margins_of_declared")
            report.add(f"{path}.shares", found=phrase("statistics.shares_discovered"), allowed=allowed)
            return
        for word in self.shares:
            if self._cells(schema, word) == 1:
                report.add(
                    f"{path}.shares",
                    found=phrase("statistics.shares_of_one_cell", word=word),
                    allowed=phrase("statistics.shares_of_several_cells"),
                    remedy=phrase("statistics.leave_out_shares"),
                )

    def check_plan(self, path: str, plan: Plan, terms: Terms, report: Report) -> None:
        super().check_plan(path, plan, terms, report)
        if self.shares and plan.postprocess:
            report.add(
                f"{path}.shares",
                found=phrase("statistics.shares_beside_postprocess"),
                allowed=phrase("model.one_them"),
                remedy=phrase("statistics.leave_out_shares_or_postprocess"),
            )

    def is_plain(self, schema: Schema) -> bool:
        return not self.shares and super().is_plain(schema)  # type: ignore[misc]

    def estimates(
        self, schema: Schema, drawn: Sequence[Integers], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        table = super().estimates(schema, drawn, mechanisms, confidence)
        if not self.shares:
            return table
        return replace(table, extra=dict(self._columns(schema, drawn[0], mechanisms[0], confidence)))

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        """Check only that shares are there: whether they follow is for `verdict.shares`."""
        named = list(table.extra) == [name for word in self.shares for name in columns(word)]
        return named and super().could_be(schema, replace(table, extra={}), mechanisms)

    def _along(self, word: str, axes: int) -> tuple[int, ...]:
        """Return the places of the keys along which the cells of a row, a column or the table lie."""
        return {ROW: (axes - 1,), COLUMN: (0,), TABLE: tuple(range(axes))}[word]

    def _cells(self, schema: Schema, word: str) -> int:
        """Return the number of cells of a row, a column or the table."""
        keys = self.keys(schema)
        return prod(keys[axis].cells for axis in self._along(word, len(keys)))

    def _columns(
        self, schema: Schema, counts: Integers, mechanism: Mechanism, confidence: float
    ) -> Iterator[tuple[str, list[Cell]]]:
        """Yield the names of the further columns with their cells: empty of totals along what is shared out."""
        shape = tuple(key.cells for key in self.keys(schema))
        own = np.asarray(counts, dtype=object).reshape(shape)
        terms = np.ones(shape, dtype=np.int64)
        if self.margins:
            own, terms = with_sums(own), with_sums(terms)
        for word in self.shares:
            along, cells = self._along(word, len(shape)), self._cells(schema, word)
            parts = tuple(slice(size) if axis in along else slice(None) for axis, size in enumerate(shape))
            part, each = own[parts].astype(np.float64), terms[parts]
            rest = part.sum(axis=along, keepdims=True) - part
            found = np.full((3, *own.shape), np.nan)
            into = found[(slice(None), *parts)]
            for count in np.unique(each).tolist():
                here = each == count
                own_noise, rest_noise = noises(mechanism, count), noises(mechanism, count * (cells - 1))
                into[:, here] = part_interval(part[here], rest[here], own_noise, rest_noise, confidence)
            for name, column in zip(columns(word), found, strict=True):
                yield name, [None if np.isnan(number) else number for number in column.ravel().tolist()]


def columns(word: str) -> tuple[str, str, str]:
    """Return the names of a share and of the ends of its interval."""
    return f"{word}_share", f"{word}_share_lower95", f"{word}_share_upper95"
