"""Tables of counts and sums: integers by declared cells with noise added, and what is computed of the noisy ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import isclose, prod
from typing import Any, TypeGuard

import numpy as np
from msgspec import structs

from dprelease.mechanisms import Mechanism
from dprelease.model.encoding import plain
from dprelease.model.plan import Expected, Plan
from dprelease.model.presentation import Presentation, Quantity, Trait
from dprelease.model.privacy import Terms
from dprelease.model.release import Axis, Cell, Estimates
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.stated import Caveat
from dprelease.model.tally import DiscoveryQuery, Key, Measure, Query, TallyQuery
from dprelease.statistics import bounded_contribution, discovery, margins, shares
from dprelease.statistics.algebra import moments
from dprelease.statistics.algebra.grouping import axes, group_keys
from dprelease.statistics.algebra.linear import IntegerSource, MeasuredSource
from dprelease.statistics.algebra.sensitivity import once, simplex, spread
from dprelease.statistics.algebra.unanswered import left_out
from dprelease.statistics.noise import half_width
from dprelease.statistics.tabulated import ExpectedError, Integers, Measurement, TallyStatistic
from dprelease.statistics.weighted import check_weights, typical_weight, weight_factors, weight_step
from dprelease.words import phrase, quoted


@dataclass(frozen=True, kw_only=True)
class NoisyTable(TallyStatistic):
    """A table of integers on a lattice, one in each cell of its keys, published with noise and the same half-width.

    Usually rows are counted: a row lies in one cell. Sensitivity L1 m under add_remove, 2m under substitute. With
    survey weights up to W, in steps, each row adds at most W to one cell: m·W; under substitute L1 2m·W and L2 √2·m·W,
    or m·W where there is only one cell. Where a unit counts once in a cell, and where categories are discovered:
    `bounded_contribution`, `discovery`. Totals (`margins`) and shares (`shares`) are of the same noisy integers.

    """

    shares: tuple[str, ...] = ()
    """Parts of the table that each cell is given as a share of: an option of cross tables."""

    def key_columns(self) -> tuple[str, ...]:
        """Return the columns of its keys."""
        return self.by

    def declared_key(self, schema: Schema, column: str) -> Key:
        """Return the key of a column with declared values."""
        return group_keys(schema, (column,), levels=dict(self.levels), partial=self.partial, missing=self.missing)[0]

    def keys(self, schema: Schema) -> tuple[Key, ...]:
        """Return the keys of its cells; none of a column whose categories are discovered."""
        return tuple(self.declared_key(schema, name) for name in self.key_columns() if not schema[name].discover)

    def discovers(self, schema: Schema) -> bool:
        return any(schema[name].discover for name in self.key_columns())

    @property
    def once(self) -> bool:
        """True if at most one row of a unit counts in a cell."""
        return self.max_rows_per_cell is not None

    def is_plain(self, schema: Schema) -> bool:
        """Return True if it publishes the number of rows in each declared cell."""
        if not counts_rows(self):
            return False
        others = self.margins or self.shares or self.survey_weights is not None or self.once
        return not (others or self.discovers(schema)) and all(key.whole for key in self.keys(schema))

    def integers(self, schema: Schema) -> MeasuredSource | None:
        if not self.is_plain(schema):
            return None
        return MeasuredSource((self.noise, self.null_rule(schema)), self.keys(schema), 1, (1,))

    def follows_from(self, schema: Schema, given: MeasuredSource) -> IntegerSource | None:
        own = self.integers(schema)
        return None if own is None or own.rule != given.rule else given.source(own.keys, given.counts)

    def identity(self, schema: Schema) -> Any:
        own = self.integers(schema)
        is_bins = own is not None and {key.column for key in own.keys} >= own.rule[1]
        return ("counts", self.noise, own.keys) if own is not None and is_bins else None

    @property
    def presented(self) -> Presentation:
        """A total has the noise of several draws; of units that count once in a cell no rows are told."""
        own = self.presentation
        if self.margins:
            own = structs.replace(own, traits=tuple(each for each in own.traits if each is not Trait.OWN_NOISE))
        return structs.replace(own, measure=Quantity.UNITS, error=Quantity.UNITS) if self.once else own

    def caveats(self, schema: Schema, terms: Terms, mechanisms: Sequence[Mechanism]) -> Iterator[Caveat]:
        if self.once:
            percent = round(100 * bounded_contribution.gain(self, schema, terms))
            yield Caveat.of("once_a_cell", statistic=self.id, rows=terms.max_rows, percent=percent)

    def check(self, path: str, schema: Schema, report: Report) -> None:
        before = len(report.problems)
        super().check(path, schema, report)
        for check in (_check_weights, margins.check, shares.check, bounded_contribution.check):
            if len(report.problems) == before:
                check(self, path, schema, report)

    def check_plan(self, path: str, plan: Plan, terms: Terms, report: Report) -> None:
        for each in (discovery, margins, shares, bounded_contribution):
            each.check_plan(self, path, plan, terms, report)

    def rows_with(self, schema: Schema) -> tuple[str, ...]:
        """Return columns that a row must have a code in to be counted, beside those of the keys."""
        return ()

    def null_rule(self, schema: Schema) -> frozenset[str]:
        """Return the columns with nulls that a row must have a code in to be counted."""
        weight = () if self.survey_weights is None else (self.survey_weights,)
        needed = moments.with_nulls((*self.rows_with(schema), *weight), schema)
        return left_out(self.keys(schema), schema).union(needed)

    def count_query(self, schema: Schema) -> TallyQuery:
        """Return the counts that it publishes."""
        keys = self.keys(schema)
        told = {key.column for key in keys if not key.missing}
        others = [name for name in self.rows_with(schema) if name not in told]
        return TallyQuery(keys, Measure((), moments.with_nulls(others, schema)), units=self.once)

    def _sums(self, schema: Schema) -> tuple[TallyQuery, ...]:
        present = self.count_query(schema).measure.present
        return moments.queries(self.keys(schema), weight_factors(self, schema), schema, present)

    def queries(self, schema: Schema) -> tuple[Query, ...]:
        if self.survey_weights is not None:
            return self._sums(schema)
        if not self.discovers(schema):
            return (self.count_query(schema),)
        parts = (name if schema[name].discover else self.declared_key(schema, name) for name in self.key_columns())
        return (DiscoveryQuery(tuple(parts)),)

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        if not self.once and self.survey_weights is None and self.discovers(schema):
            return (discovery.measurement(terms),)
        shape = self.count_query(schema).shape
        if self.once:
            stated = once(terms, shape)
        elif self.survey_weights is not None:
            stated = spread(terms, shape, *moments.ends(weight_factors(self, schema)))
        else:
            stated = simplex(terms, shape)
        return (Measurement(self.noise_for(terms), shape, stated),)

    def exact(self, schema: Schema, tallies: Sequence[Any]) -> tuple[Any, ...]:
        if self.survey_weights is None:
            return (tallies[0],)
        return (moments.total(weight_factors(self, schema), self._sums(schema), tallies),)

    def step(self, schema: Schema) -> Decimal:
        """Return the data units of one lattice step."""
        return weight_step(self, schema)

    def lattice_step(self, schema: Schema, place: int) -> Decimal:
        return self.step(schema)

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        """Return the magnitude of a cell, totals apart; as if one category were discovered."""
        cells = 1 if self.discovers(schema) else TallyQuery(self.keys(schema)).cells
        return expected.rows / cells * typical_weight(self, schema)

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        if self.discovers(schema):
            return discovery.axes_of(self, schema)
        own = axes(schema, self.keys(schema))
        return tuple(map(margins.with_total, own)) if self.margins else own

    def size(self, schema: Schema) -> int:
        if self.discovers(schema):
            return 0
        return prod(key.cells + self.margins for key in self.keys(schema))

    def estimates(
        self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        if self.discovers(schema):
            return discovery.estimates(self, schema, drawn[0], mechanisms[0], confidence)
        if self.margins:
            values, halves = margins.summed(self, schema, drawn[0], mechanisms[0], confidence)
        else:
            values = drawn[0].ravel().tolist()
            halves = [half_width(mechanisms[0], confidence)] * len(values)
        step = self.step(schema)
        table = Estimates(
            axes=self.axes(schema),
            value=[scaled(value, step) for value in values],
            lower95=[scaled(value - half, step) for value, half in zip(values, halves, strict=True)],
            upper95=[scaled(value + half, step) for value, half in zip(values, halves, strict=True)],
        )
        if not self.shares:
            return table
        return replace(table, extra=dict(shares.told(self, schema, drawn[0], mechanisms[0], confidence)))

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        """Check only that shares are there: whether they follow is for `verdict.shares`."""
        if self.discovers(schema):
            return discovery.could_be(self, schema, table, mechanisms)
        if list(table.extra) != [name for word in self.shares for name in shares.columns(word)]:
            return False
        table = replace(table, extra={})
        steps = self.in_steps(schema, table.without_totals() if self.margins else table)
        plain = replace(self, shares=()) if self.shares else self
        return steps is not None and alike(table, plain.estimates(schema, [steps], mechanisms))

    def in_steps(self, schema: Schema, table: Estimates) -> Integers | None:
        """Return the nearest whole steps to its values; None where something is no number, or more is told."""
        step = self.step(schema)
        numbers = [value for value in table.value if isinstance(value, int | float)]
        if len(numbers) < len(table) or table.extra:
            return None
        return np.array([round(Decimal(str(number)) / step) for number in numbers], dtype=object)

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError:
        return ExpectedError(float(half_width(mechanisms[0], confidence) * self.step(schema)), "mechanism")


def _check_weights(table: NoisyTable, path: str, schema: Schema, report: Report) -> None:
    if table.survey_weights is None or not counts_rows(table):
        return
    check_weights(table, path, schema, report)
    if table.discovers(schema):
        allowed = phrase("statistics.nothing_where_categories_discovered")
        report.add(f"{path}.survey_weights", found=quoted(table.survey_weights), allowed=allowed)


def counts_rows(statistic: TallyStatistic) -> TypeGuard[NoisyTable]:
    """Return True if the cells of a statistic's only table count rows, or add up their weights."""
    return isinstance(statistic, NoisyTable) and statistic.presentation.has(Trait.COUNTS_ROWS)


def alike(table: Estimates, again: Estimates) -> bool:
    """Return True if the numbers of two tables are equal, up to the last digits of floats beyond 2^53 steps."""
    return all(
        _equal(one, other)
        for name, cells in table.numbers.items()
        for one, other in zip(cells, again.numbers[name], strict=True)
    )


def _equal(one: Cell, other: Cell) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=1e-14)
    return one == other


def scaled(value: int, step: Decimal) -> int | float:
    """Return so many steps in units of the data."""
    return value if step == 1 else plain(value * step)
