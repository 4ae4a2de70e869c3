"""Tables of counts in which a unit counts at most once in each cell, so that units spread over cells cost less."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import sqrt

from msgspec import structs

from dprelease.mechanisms import DiscreteGaussian, Mechanism
from dprelease.model.options import Only, option
from dprelease.model.plan import Plan
from dprelease.model.presentation import Presentation, Quantity
from dprelease.model.privacy import Terms
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.stated import Caveat
from dprelease.model.tally import TallyQuery
from dprelease.statistics.algebra.sensitivity import once, simplex
from dprelease.statistics.counted import CountTable
from dprelease.statistics.tabulated import Measurement
from dprelease.words import phrase, quoted

BESIDE = ("survey_weights", "margins", "shares")
"""Options that take cells for rows that can be added up."""


@dataclass(frozen=True, kw_only=True)
class OnceACell(CountTable):
    """A table of counts of which each cell may count at most one row of a unit: after `max_rows`, units by cell.

    A unit then changes at most g = min(max_rows, max_groups) cells by 1: L1 g, L2 √g under add_remove; 2g, √(2g) under
    substitute. Sums of cells count a unit several times, so nothing else is computed of it, and it of nothing else.
    """

    max_rows_per_cell: int | None = option(Only(1), default=None)
    """1: of the rows of a unit at most one counts in a cell. Less noise where ρ is counted; not with totals."""

    @property
    def presented(self) -> Presentation:
        """Units are counted, not rows."""
        own = super().presented
        if self.max_rows_per_cell is None:
            return own
        return structs.replace(own, measure=Quantity.UNITS, error=Quantity.UNITS)

    def caveats(self, schema: Schema, terms: Terms, mechanisms: Sequence[Mechanism]) -> Iterator[Caveat]:
        if self.max_rows_per_cell is not None:
            percent = round(100 * self.gain(schema, terms))
            yield Caveat.of("once_a_cell", statistic=self.id, rows=terms.max_rows, percent=percent)

    def check(self, path: str, schema: Schema, report: Report) -> None:
        before = len(report.problems)
        super().check(path, schema, report)
        if self.max_rows_per_cell is None or len(report.problems) > before:
            return
        at, beside = f"{path}.max_rows_per_cell", [n for n in BESIDE if getattr(self, n, None)]
        for name in beside:
            found = phrase("statistics.once_a_cell_beside", name=quoted(name))
            report.add(at, found=found, allowed=phrase("model.one_them"))
        if self.discovers(schema):
            allowed = phrase("statistics.nothing_where_categories_discovered")
            report.add(at, found=self.max_rows_per_cell, allowed=allowed)

    def check_plan(self, path: str, plan: Plan, terms: Terms, report: Report) -> None:
        super().check_plan(path, plan, terms, report)
        if self.max_rows_per_cell is not None and self.gain(plan.schema, terms) == 1:
            report.add(
                f"{path}.max_rows_per_cell",
                found=phrase("statistics.once_a_cell_gains_nothing"),
                allowed=phrase("statistics.once_a_cell_where_it_gains"),
                remedy=phrase("statistics.leave_out_once_a_cell"),
            )

    def gain(self, schema: Schema, terms: Terms) -> float:
        """Return the scale of its noise in that of a table that counts all rows of a unit; 1 where it is the same."""
        shape = self.count_query(schema).shape
        own, every = once(terms, shape), simplex(terms, shape)
        if self.noise_for(terms) is DiscreteGaussian:
            return sqrt(own.l2_squared / every.l2_squared)
        return own.l1 / every.l1

    def is_plain(self, schema: Schema) -> bool:
        return self.max_rows_per_cell is None and super().is_plain(schema)

    def count_query(self, schema: Schema) -> TallyQuery:
        return replace(super().count_query(schema), units=self.max_rows_per_cell is not None)

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        if self.max_rows_per_cell is None:
            return super().measurements(schema, terms)
        shape = self.count_query(schema).shape
        return (Measurement(self.noise_for(terms), shape, once(terms, shape)),)
