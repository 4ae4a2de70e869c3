"""Consistency of statistics of one draw: numbers computed of the same noisy integers fit one another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import accumulate, permutations
from math import isclose

from dprelease.model.release import Estimates
from dprelease.statistics.planning.price import Price

NEAR = 1e-9
"""Relative: values are published as floats."""
Numbers = Sequence[float]


def misfits(price: Price, tables: Mapping[str, Estimates]) -> Iterator[tuple[str, str]]:
    """Yield pairs of statistics of one measurement whose numbers cannot both be of one draw.

    Of one draw, a variance is the square of its standard deviation, cumulative shares are the counts up to each end,
    divided by all, and a mean times the number of rows is the sum (rows and sums are rounded to whole steps).
    """
    drawn: dict[str, dict[str, str]] = {}
    for item in price.statistics:
        if item.id in tables:
            drawn.setdefault(item.derivation.measurement.id, {})[item.id] = item.kind
    for kinds in drawn.values():
        for one, other in permutations(kinds, 2):
            fits = PAIRS.get((kinds[one], kinds[other]))
            is_cdf = kinds[one] == "cdf" != kinds[other]
            if fits is None or not _comparable(tables[one], tables[other], is_cdf=is_cdf):
                continue
            if not fits(_drawn(tables[one]), _drawn(tables[other])):
                yield one, other
        for three in permutations(kinds, 3):
            if [kinds[each] for each in three] == ["mean", "sum", "count"] and not _averages(price, tables, *three):
                yield three[:2]


def _comparable(one: Estimates, other: Estimates, *, is_cdf: bool) -> bool:
    """Return True if both have the same groups; cumulative shares name the ends of the bins only."""
    return len(one) == len(other) if is_cdf else one.axes == other.axes


def _drawn(table: Estimates) -> Numbers:
    """Return the numbers as drawn, before they were adjusted to others."""
    cells = table.extra.get("raw", table.value)
    return [float(cell) if isinstance(cell, int | float) else float("nan") for cell in cells]


def _equal(one: Numbers, other: Numbers) -> bool:
    return all(isclose(left, right, rel_tol=NEAR) for left, right in zip(one, other, strict=True))


def _squares(deviations: Numbers, variances: Numbers) -> bool:
    return _equal([deviation**2 for deviation in deviations], variances)


def _cumulate(shares: Numbers, counts: Numbers) -> bool:
    below = list(accumulate(counts))
    return below[-1] <= 0 or _equal(shares, [part / below[-1] for part in below])


PAIRS: Mapping[tuple[str, str], Callable[[Numbers, Numbers], bool]] = {
    **{(kind, kind): _equal for kind in ("mean", "sum", "std", "variance", "cdf")},
    ("std", "variance"): _squares,
    ("cdf", "histogram"): _cumulate,
    ("cdf", "count"): _cumulate,
    ("cdf", "crosstab"): _cumulate,
}
"""Relation between the numbers of two statistics of one measurement, by their kinds."""


def _averages(price: Price, tables: Mapping[str, Estimates], mean: str, total: str, count: str) -> bool:
    """Return True if mean · rows is the sum, where the three are by the same groups and the mean is within bounds."""
    if not tables[mean].axes == tables[total].axes == tables[count].axes:
        return True
    column = price.plan.schema[price[mean].statistic.column]  # type: ignore[attr-defined]
    step, low, high = (float(each) for each in (column.lattice.resolution, column.lower, column.upper))  # type: ignore[arg-type]
    rows = zip(*(_drawn(tables[each]) for each in (mean, total, count)), strict=True)
    return all(
        abs(value * number - added) <= (step + abs(value)) / 2 + NEAR * abs(added)
        for value, added, number in rows
        if number > 1 and low < value < high
    )
