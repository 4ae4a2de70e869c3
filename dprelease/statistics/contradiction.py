"""Published numbers that noise cannot explain: beyond what was declared, or other than what the same rows have beside.

Every statistic of a release counts the same rows, after `where` and `max_rows`. Two tables are compared only where
the columns without which a row is left out are the same ones, or those of one are among those of the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from itertools import permutations
from math import log, prod
from typing import Any, Literal, TypeGuard

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms.mechanism import Noise
from dprelease.model.encoding import plain
from dprelease.model.presentation import Quantity
from dprelease.model.release import Estimates
from dprelease.model.schema import Schema
from dprelease.model.tally import Key
from dprelease.statistics.algebra.claim import EXACT, Claim, Draws
from dprelease.statistics.algebra.moments import with_nulls
from dprelease.statistics.algebra.unanswered import left_out
from dprelease.statistics.counted import CountTable
from dprelease.statistics.grouped import Grouped
from dprelease.statistics.kinds.mean import ONE_SIDED, Mean
from dprelease.statistics.kinds.sum import Sum
from dprelease.statistics.kinds.units import Units
from dprelease.statistics.planning.price import Price
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.statistics.tabulated import Tabulated
from dprelease.words import Figure

RISK = 1e-9
"""At most the probability that anything is said of the tables of an honest release, for all claims together."""
COUNTS = ("count", "histogram", "crosstab")
Measure = Literal["total", "mean", "units"]
Compared = CountTable | Units | Sum | Mean
Values = Mapping[str, int | str]
FLOATS = 1e-12
"""Relative: a mean is published as a float."""


@dataclass(frozen=True, slots=True)
class Table:
    """The numbers of one statistic by its keys, in lattice steps; each noisy by itself, or a mean of two that are."""

    id: str
    measure: Measure
    mechanism: Noise
    keys: tuple[Key, ...]
    rule: frozenset[str]
    """The columns that a row must have a value in to be counted."""
    values: NDArray[Any]
    step: Decimal
    """What one lattice step is in units of the data."""
    low: int
    high: int
    """What one row adds, at least and at most."""
    column: str
    """What is added up; empty for rows."""
    margins: dict[tuple[Key, ...], NDArray[Any]] = field(default_factory=dict)

    def margin(self, keys: tuple[Key, ...]) -> NDArray[Any]:
        """The cells added up to those of some of its keys, in their order."""
        if keys not in self.margins:
            others = tuple(place for place, key in enumerate(self.keys) if key not in keys)
            left = [key for key in self.keys if key in keys]
            added = np.asarray(self.values.sum(axis=others) if others else self.values, dtype=object)
            self.margins[keys] = np.transpose(added, [left.index(key) for key in keys])
        return self.margins[keys]

    def draws(self, keys: tuple[Key, ...], weight: float = 1) -> Draws:
        """The noise of one cell of a margin."""
        return Draws(self.mechanism, prod(key.cells for key in self.keys if key not in keys), weight)

    def common(self, other: Table) -> tuple[Key, ...]:
        """The keys that both have."""
        return tuple(key for key in self.keys if key in other.keys)

    def number(self, value: Any) -> int | Figure:
        """A number in units of the data."""
        exact = plain(Decimal(value) * self.step)
        return exact if isinstance(exact, int) else Figure(exact)


def contradictions(price: Price, tables: Mapping[str, Estimates], size: int | None) -> list[Claim]:
    """Returns what the tables of a release say that noise of their scales makes less likely than `RISK`, once each.

    `size`: how many units the population was declared to have. Every claim gets the same part of the risk, and shares
    it among the places where it was looked for.
    """
    read = [table for item in price.statistics if (table := _read(item, price.plan.schema, tables))]
    added = [table for table in read if table.measure == "total"]
    rows = _most_rows(price, size)
    claims = [
        *(claim for table in added for claim in _declared(table, rows)),
        *(claim for table in read if table.measure == "units" for claim in _declared(table, size)),
        *(claim for pair in permutations(added, 2) for claim in _compared(*pair)),
        *(claim for table in read if table.measure == "mean" for claim in _averaged(table, added)),
    ]
    limit = log(RISK / max(1, len(claims)))
    found = {(claim.code, *claim.values.items()): claim for claim in claims if claim.is_beyond(limit)}
    return list(found.values())


def _most_rows(price: Price, size: int | None) -> int | None:
    """How many rows a population of so many units can have in the tables."""
    return None if size is None else size * (price.plan.unit.max_rows if price.plan.unit.column else 1)


def _declared(table: Table, most: int | None) -> Iterator[Claim]:
    """No count is below nothing, and nothing is beyond what so many rows or units can come to."""
    one, cells = (table.draws(table.keys),), table.values.size
    least, largest, total = min(table.values.flat), max(table.values.flat), table.margin(()).item()
    lowest, highest = ({"table": table.id, "value": table.number(value)} for value in (least, largest))
    if table.low >= 0:
        yield Claim("finding.below_zero", lowest, -least, one, cells)
    if most is None:
        return
    low, high = min(0, table.low) * most, max(0, table.high) * most
    bound = {"most": table.number(high)}
    yield Claim("finding.above_population", highest | bound, largest - high, one, cells)
    if table.low < 0:
        values = lowest | {"least": table.number(low)}
        yield Claim("finding.below_population", values, low - least, one, cells)
    if table.measure == "total" and cells > 1:
        values = {"table": table.id, "sum": table.number(total), **bound}
        yield Claim("finding.sum_above_population", values, total - high, (table.draws(()),))


def _compared(parts: Table, whole: Table) -> Iterator[Claim]:
    """Along the keys that both totals have: parts are no more than their whole, and sums within their bounds."""
    keys = parts.common(whole)
    if not whole.rule <= parts.rule:
        return
    if parts.column == whole.column and (parts.rule == whole.rule or parts.low >= 0):
        yield _more("finding.more_than_whole", parts, whole, keys, 1, 1)
    if parts.column and not whole.column:
        if parts.high >= 0 or parts.rule == whole.rule:
            yield _more("finding.more_than_rows", parts, whole, keys, 1, parts.high)
        if parts.low <= 0 or parts.rule == whole.rule:
            yield _more("finding.less_than_rows", parts, whole, keys, -1, -parts.low)


def _more(code: str, parts: Table, whole: Table, keys: tuple[Key, ...], sign: int, each: int) -> Claim:
    """That sign · parts are above each · whole, in the cell where they are furthest above."""
    one, other = parts.margin(keys).ravel(), whole.margin(keys).ravel()
    above = sign * one - each * other
    place = int(np.argmax(above))
    noise = (parts.draws(keys), whole.draws(keys, each))
    values = {"parts": parts.id, "sum": parts.number(one[place]), "whole": whole.id}
    values["total" if parts.column == whole.column else "count"] = whole.number(other[place])
    return Claim(*_in_cell(code, values, place, keys), above[place], noise, above.size)


def _in_cell(code: str, values: Values, place: int, keys: tuple[Key, ...]) -> tuple[str, Values]:
    """The sentence that names the cell as well, where there are several."""
    if not keys:
        return code, values
    return f"{code}_in_cell", {**values, "cell": place + 1, "columns": ", ".join(key.column for key in keys)}


def _averaged(mean: Table, added: Sequence[Table]) -> Iterator[Claim]:
    """A mean times a count is the sum, all three of the same rows.

    With noise Z₁, Z₂ on its two sums, the mean M of n rows that add up to S has |S − n·M| <= max(|Z₁|, |Z₂|): where
    their share is r in (0, 1), S − n·M = r·Z₂ − (1 − r)·Z₁; where it was cut to 0 or 1, or set to the middle, S − n·M
    is nearer to 0 than one of the two.
    """
    same = [table for table in added if table.rule == mean.rule and set(mean.keys) <= set(table.keys)]
    sums = [table for table in same if table.column == mean.column]
    for total, count in ((one, other) for one in sums for other in same if not other.column):
        yield _product(mean, total, count)


def _product(mean: Table, total: Table, count: Table) -> Claim:
    """In the cell that is furthest off, beside its noise."""
    averages, parts = mean.values.ravel(), [each.margin(mean.keys).ravel() for each in (total, count)]
    weights, (sums, rows) = averages.astype(float), [part.astype(float) for part in parts]
    spread = [table.draws(mean.keys).spread for table in (total, count)]
    off = np.abs(sums - rows * weights) / np.hypot(spread[0], spread[1] * weights)
    place = int(np.argmax(off))
    average, (whole, number) = averages[place], [int(part[place]) for part in parts]
    rounding = FLOATS * (abs(whole) + abs(number) * max(abs(mean.low), abs(mean.high)))
    values = {
        "mean": mean.id,
        "average": mean.number(average),
        "count": number,
        "rows": count.id,
        "sum": total.number(whole),
        "total": total.id,
    }
    excess = float(abs(whole - number * Fraction(average))) - rounding
    noise = (total.draws(mean.keys), count.draws(mean.keys, float(average)))
    said = _in_cell("finding.mean_not_sum", values, place, mean.keys)
    return Claim(*said, excess, noise, 2 * averages.size, Draws(mean.mechanism, 2))


def _read(item: StatisticPrice, schema: Schema, tables: Mapping[str, Estimates]) -> Table | None:
    """The table of a statistic that is compared; None of others."""
    statistic, table = item.statistic, tables.get(item.id)
    if table is None or len(item.mechanisms) != 1 or not isinstance(item.mechanisms[0], Noise):
        return None
    if not _is_compared(statistic, schema):
        return None
    keys = statistic.keys(schema)
    table = table.without_totals() if getattr(statistic, "margins", False) else table
    numbers = table.extra.get("raw", table.value)
    known = [number for number in numbers if isinstance(number, int | float)]
    shape = tuple(key.cells for key in keys)
    if len(set(keys)) < len(keys) or not known or not len(known) == len(numbers) == prod(shape):
        return None
    step, low, high, column, rule = Decimal(1), 0, 1, "", frozenset[str]()
    if isinstance(statistic, CountTable):
        rule = statistic.null_rule(schema)
    elif isinstance(statistic, Sum | Mean):
        lattice = schema[statistic.column].lattice
        low, high, step, column = lattice.start, lattice.start + lattice.steps, lattice.resolution, statistic.column
        rule = left_out(keys, schema).union(with_nulls((column,), schema))
    by_unit = statistic.presented.measure is Quantity.UNITS
    measure: Measure = "mean" if isinstance(statistic, Mean) else "units" if by_unit else "total"
    steps = [Decimal(repr(number)) / step for number in known]
    if any(abs(number) >= EXACT for number in steps):
        return None
    values = np.array(steps if measure == "mean" else [round(number) for number in steps], dtype=object)
    return Table(item.id, measure, item.mechanisms[0], keys, rule, values.reshape(shape), step, low, high, column)


def _is_compared(statistic: Tabulated, schema: Schema) -> TypeGuard[Compared]:
    """Numbers of declared cells, not weighted, each of noise of its own that adds up."""
    if statistic.discovers(schema) or getattr(statistic, "survey_weights", None) is not None:
        return False
    if isinstance(statistic, Grouped | CountTable) and not all(key.whole for key in statistic.keys(schema)):
        return False
    one_sided = isinstance(statistic, Mean) and statistic.method == ONE_SIDED
    counts = isinstance(statistic, CountTable) and statistic.kind in COUNTS
    return counts or one_sided or isinstance(statistic, Units | Sum)
