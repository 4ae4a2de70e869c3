"""Bounds of quantiles by cumulative shares of the same plan, at no cost.

The shares are of the same rows: `where` and the rows that are kept of a unit are the plan's, and both leave out the
rows that have no value in the column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dprelease.mechanisms.mechanism import Noise
from dprelease.model.release import Estimates
from dprelease.model.schema import Schema
from dprelease.model.statistic import Statistic
from dprelease.statistics.algebra.rank_interval import cells_between
from dprelease.statistics.kinds.cdf import Cdf
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.statistics.ranked import QuantileTable
from dprelease.statistics.tabulated import TallyStatistic


def bounds(shares: Statistic, statistic: Statistic) -> bool:
    """Return True if shares bound the values of a statistic: quantiles of their rows that pay for no interval."""
    if not isinstance(shares, Cdf) or not isinstance(statistic, QuantileTable):
        return False
    return shares.column == statistic.column and not statistic.by and not statistic.interval


def with_bounds(items: Sequence[StatisticPrice], schema: Schema) -> tuple[StatisticPrice, ...]:
    """Return the statistics, those that shares bound with the finest of these: of several the first in the plan."""
    shares = [item.statistic for item in items if isinstance(item.statistic, Cdf)]
    return tuple(
        item if _is_counted(item) else replace(item, bounded_by=_finest(item.statistic, shares, schema))
        for item in items
    )


def _is_counted(item: StatisticPrice) -> bool:
    """Return True if counts give it, and its intervals with it."""
    return isinstance(item.derivation.measurement.mechanisms[0], Noise)


def _finest(statistic: TallyStatistic, shares: Sequence[Cdf], schema: Schema) -> str | None:
    if not isinstance(statistic, QuantileTable):
        return None
    found = [each for each in shares if bounds(each, statistic)]
    return max(found, key=lambda each: each.size(schema)).id if found else None


def bounded(
    statistic: TallyStatistic, table: Estimates, by: TallyStatistic, shares: Estimates, schema: Schema
) -> Estimates:
    """Return the table of quantiles with the interval of each by published shares; the value lies in it always.

    Raises TypeError where these shares do not bound it.
    """
    if not isinstance(by, Cdf) or not isinstance(statistic, QuantileTable) or not bounds(by, statistic):
        raise TypeError(f"{by.id} bounds no {statistic.id}")
    column, key = schema[statistic.column], by.key(schema)
    firsts = [*map(key.first_code, range(key.cells)), column.codes]
    rows = []
    for alpha, value in zip(statistic.probabilities(), table.value, strict=True):
        code = column.code(value)
        assert code is not None, "a published value is on the lattice"
        first, last = cells_between(shares.lower95, shares.upper95, alpha)
        rows.append((min(firsts[first], code), max(firsts[last + 1] - 1, code)))
    lower, upper = ([column.value(code) for code in ends] for ends in zip(*rows, strict=True))
    return replace(table, lower95=lower, upper95=upper)
