"""Published numbers that noise cannot explain: beyond what was declared, or other than what the same rows have beside.

Every statistic of a release counts the same rows, after `where` and `max_rows`. Two tables are compared only where
the columns without which a row is left out are the same ones, or those of one are among those of the other. Numbers
are compared as they were drawn: before any adjustment, and of means and shares the two noisy sums beside the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from itertools import permutations
from math import log, prod
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms.mechanism import Noise
from dprelease.model.encoding import plain
from dprelease.model.measured import measured_each
from dprelease.model.presentation import Quantity, Trait
from dprelease.model.privacy import significant
from dprelease.model.release import Estimates
from dprelease.model.schema import Schema
from dprelease.model.tally import Key
from dprelease.statistics.algebra.moments import with_nulls
from dprelease.statistics.algebra.unanswered import left_out
from dprelease.statistics.kinds.answered import Answered
from dprelease.statistics.kinds.mean import ONE_SIDED, Mean
from dprelease.statistics.kinds.proportion import Proportion
from dprelease.statistics.kinds.sum import Sum
from dprelease.statistics.kinds.units import Units
from dprelease.statistics.noisy import counts_rows
from dprelease.statistics.planning.price import Price
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.statistics.tabulated import TallyStatistic
from dprelease.verdict.tails import Draws, is_rarer
from dprelease.words import Figure

RISK = 1e-6
"""At most the probability that anything is said of the tables of an honest release; all comparisons share it alike."""
EXACT = 2**53
SHOWN = 6
"""Digits of a number that is a quotient."""
Measure = Literal["rows", "sum", "units"]
MORE: Mapping[Measure, str] = {"rows": "finding.more_rows", "sum": "finding.more_sum", "units": "finding.more_units"}
Values = Mapping[str, int | str]


@dataclass(frozen=True, slots=True)
class Claim:
    """Claim that combined noisy numbers are as if their noise had reached `excess`, at the worst of `ways` places."""

    code: str
    """Code of the sentence that says it, in the catalogue `verdict`."""
    values: Values
    """Values in the sentence."""
    excess: int
    noise: tuple[Draws, ...]
    ways: int = 1


@dataclass(frozen=True, slots=True)
class LatticeTable:
    """Numbers by keys: each `times` as much as it stands for, and a sum of noisy integers of one scale."""

    id: str
    measure: Measure
    mechanism: Noise
    keys: tuple[Key, ...]
    rule: frozenset[str]
    """The columns that a row must have a value in to be counted."""
    values: NDArray[Any]
    weights: tuple[int, ...] = (1,)
    """Weights of the noisy integers that each number is a sum of."""
    times: int = 1
    step: Decimal = Decimal(1)
    """Size of one lattice step in units of the data."""
    low: int = 0
    high: int = 1
    """Bounds `low` and `high` of what one row adds."""
    column: str = ""
    """Column that is added up; empty for rows. Of units what is asked, for they are the same only where that is."""
    margins: dict[tuple[Key, ...], NDArray[Any]] = field(default_factory=dict, init=False)

    def margin(self, keys: tuple[Key, ...]) -> NDArray[Any]:
        """Return the cells added up to those of some of its keys, in their order."""
        if keys not in self.margins:
            others = tuple(place for place, key in enumerate(self.keys) if key not in keys)
            left = [key for key in self.keys if key in keys]
            added = np.asarray(self.values.sum(axis=others) if others else self.values, dtype=object)
            self.margins[keys] = np.transpose(added, [left.index(key) for key in keys])
        return self.margins[keys]

    def noise(self, keys: tuple[Key, ...], weight: int = 1) -> tuple[Draws, ...]:
        """Return the noise of one cell of a margin."""
        cells = prod(key.cells for key in self.keys if key not in keys)
        return tuple(Draws(self.mechanism.name, self.mechanism.scale, cells, weight * each) for each in self.weights)

    def number(self, value: int) -> int | Figure:
        """Return a number in units of the data."""
        exact = Fraction(value, self.times) * Fraction(self.step)
        if (told := plain(Decimal(exact.numerator) / exact.denominator)) and Fraction(str(told)) != exact:
            return Figure(significant(float(exact), SHOWN))
        return told if isinstance(told, int) else Figure(told)


def contradictions(price: Price, tables: Mapping[str, Estimates], size: int | None) -> list[Claim]:
    """Return what the tables of a release say that noise of their scales makes less likely than `RISK`, once each.

    `size`: how many units the population was declared to have. Each place that is looked at, in each claim, gets the
    same part of the risk.
    """
    asked = dict(zip((each.id for each in price.plan.statistics), measured_each(price.plan), strict=True))
    read = [table for item in price.statistics for table in _read(item, price.plan.schema, tables, asked[item.id])]
    rows = None if size is None else size * (price.plan.unit.max_rows if price.plan.unit.column else 1)
    claims = [claim for table in read for claim in _declared(table, size if table.measure == "units" else rows)]
    claims += [claim for pair in permutations(read, 2) for claim in _compared(*pair)]
    limit = log(RISK / max(1, sum(claim.ways for claim in claims)))
    told = [claim for claim in claims if is_rarer(claim.excess, claim.noise, limit)]
    return list({(claim.code, *claim.values.items()): claim for claim in told}.values())


def _declared(table: LatticeTable, most: int | None) -> Iterator[Claim]:
    """Yield claims: no count is below nothing, and nothing is beyond what so many rows or units can come to."""
    one, cells = table.noise(table.keys), table.values.size
    least, largest, total = min(table.values.flat), max(table.values.flat), table.margin(()).item()
    lowest, highest = ({"table": table.id, "value": table.number(value)} for value in (least, largest))
    if table.low >= 0:
        yield Claim("finding.below_zero", lowest, -least, one, cells)
    if most is None:
        return
    low, high = (end * most * table.times for end in (min(0, table.low), max(0, table.high)))
    bound = {"most": table.number(high)}
    yield Claim("finding.above_population", highest | bound, largest - high, one, cells)
    if table.low < 0:
        values = lowest | {"least": table.number(low)}
        yield Claim("finding.below_population", values, low - least, one, cells)
    if table.measure != "units" and cells > 1:
        values = {"table": table.id, "sum": table.number(total), **bound}
        yield Claim("finding.sum_above_population", values, total - high, table.noise(()))


def _compared(parts: LatticeTable, whole: LatticeTable) -> Iterator[Claim]:
    """Yield claims along the keys that both have: parts are no more than their whole, and sums within their bounds."""
    if parts.id == whole.id or not whole.rule <= parts.rule:
        return
    same = parts.rule == whole.rule
    if (parts.measure, parts.column) == (whole.measure, whole.column) and (same or parts.low >= 0):
        yield _more(MORE[parts.measure], parts, whole, 1, 1)
    if parts.measure == "sum" and whole.measure == "rows":
        if parts.high >= 0 or same:
            yield _more("finding.more_than_rows", parts, whole, 1, parts.high)
        if parts.low <= 0 or same:
            yield _more("finding.less_than_rows", parts, whole, -1, -parts.low)


def _more(code: str, parts: LatticeTable, whole: LatticeTable, sign: int, each: int) -> Claim:
    """Claim that sign · parts are above each · whole, in the cell where they are furthest above."""
    keys = tuple(key for key in parts.keys if key in whole.keys)
    one, other = parts.margin(keys).ravel(), whole.margin(keys).ravel()
    above = sign * whole.times * one - each * parts.times * other
    place = int(np.argmax(above))
    noise = (*parts.noise(keys, whole.times), *whole.noise(keys, each * parts.times))
    values: Values = {"parts": parts.id, "sum": parts.number(one[place]), "whole": whole.id}
    told = whole.number(other[place])
    values = {**values, "total" if parts.measure == whole.measure else "count": told}
    if keys:
        code, values = f"{code}_in_cell", {**values, "cell": place + 1, "columns": ", ".join(k.column for k in keys)}
    return Claim(code, values, int(above[place]), noise, above.size)


def _read(item: StatisticPrice, schema: Schema, tables: Mapping[str, Estimates], asked: str) -> Iterator[LatticeTable]:
    """Yield a statistic's numbers that are compared; none of others, nor of one that follows from another's noise."""
    statistic, table = item.statistic, tables.get(item.id)
    if table is None or len(item.mechanisms) != 1 or not _is_compared(statistic, schema):
        return
    keys, (mechanism,) = statistic.keys(schema), item.mechanisms
    if not isinstance(mechanism, Noise) or len(set(keys)) < len(keys):
        return
    rule, shape = left_out(keys, schema), tuple(key.cells for key in keys)
    if isinstance(statistic, Mean | Proportion):
        yield from _quotient(
            statistic, schema, table, LatticeTable(item.id, "rows", mechanism, keys, rule, np.zeros(shape))
        )
        return
    table = table.without_totals() if getattr(statistic, "margins", False) else table
    step = schema[statistic.column].lattice.resolution if isinstance(statistic, Sum) else Decimal(1)
    steps = [_steps(number, step) for number in table.extra.get("raw", table.value)]
    answers = 2 if isinstance(statistic, Answered) else 1
    if None in steps or len(steps) != answers * prod(shape) or not steps:
        return
    values = np.array(steps, dtype=object).reshape((*shape, answers))
    own = LatticeTable(item.id, "rows", mechanism, keys, rule, np.asarray(values.sum(axis=-1), dtype=object))
    if isinstance(statistic, Answered):
        yield replace(own, weights=(1, 1))
        yield replace(
            own, values=np.asarray(values[..., 0], dtype=object), rule=rule.union(with_nulls(statistic.columns, schema))
        )
    elif isinstance(statistic, Sum):
        rule, (low, high) = rule.union(with_nulls((statistic.column,), schema)), _ends(schema, statistic)
        yield replace(own, measure="sum", rule=rule, step=step, column=statistic.column, low=low, high=high)
    elif statistic.presented.measure is Quantity.UNITS:
        yield replace(own, measure="units", column=asked)
    else:
        yield replace(own, rule=statistic.null_rule(schema))  # type: ignore[attr-defined]


def _quotient(
    statistic: Mean | Proportion, schema: Schema, table: Estimates, own: LatticeTable
) -> Iterator[LatticeTable]:
    """Yield rows, and of a mean the sum as well, by the two noisy sums y and z beside the table of each group.

    Of a share, y + z are the rows. Of a mean y = Σ(x − l) and z = Σ(u − x) in steps: y + z are u − l times the rows,
    and u·y + l·z is u − l times the sum.
    """
    if list(map(len, table.integers)) != [2 * own.values.size] or not own.values.size:
        return
    pairs = np.array(table.integers[0], dtype=object).reshape((*own.values.shape, 2))
    own = replace(own, values=np.asarray(pairs.sum(axis=-1), dtype=object), weights=(1, 1))
    if isinstance(statistic, Proportion):
        yield replace(own, rule=own.rule.union(with_nulls([each.column for each in statistic.where], schema)))
        return
    low, high = _ends(schema, statistic)
    own = replace(own, rule=own.rule.union(with_nulls((statistic.column,), schema)), times=high - low)
    yield own
    added = np.asarray(high * pairs[..., 0] + low * pairs[..., 1], dtype=object)
    own = replace(own, measure="sum", values=added, weights=(high, low), column=statistic.column)
    yield replace(own, step=schema[statistic.column].lattice.resolution, low=low, high=high)


def _ends(schema: Schema, statistic: Sum | Mean) -> tuple[int, int]:
    """Return the least and the most that one row adds, in steps."""
    lattice = schema[statistic.column].lattice
    return lattice.start, lattice.start + lattice.steps


def _steps(number: Any, step: Decimal) -> int | None:
    """Return the lattice steps of a published number; None where it is none, or beyond what floats hold exactly."""
    steps = Decimal(repr(number)) / step if isinstance(number, int | float) else None
    return None if steps is None or abs(steps) >= EXACT else round(steps)


def _is_compared(statistic: TallyStatistic, schema: Schema) -> bool:
    """Return True for numbers of declared cells, not weighted, each of noise of its own that adds up."""
    if statistic.discovers(schema) or getattr(statistic, "survey_weights", None) is not None:
        return False
    if counts_rows(statistic):
        kinds = statistic.presentation.has(Trait.COUNTS_ROWS)
    elif isinstance(statistic, Mean):
        kinds = statistic.method == ONE_SIDED
    elif isinstance(statistic, Answered):
        kinds = not statistic.detail
    else:
        kinds = isinstance(statistic, Units | Sum | Proportion)
    return kinds and all(key.whole for key in statistic.keys(schema))
