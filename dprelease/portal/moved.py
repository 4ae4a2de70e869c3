"""Differences of published numbers from a release to the one that replaces it, beyond what noise explains.

The differences of all cells that both have hold together with 95 % (Bonferroni). They are of published numbers: that
costs nothing. `verdict.moved` works them out again.
"""

from __future__ import annotations

from statistics import median
from typing import Any

from dprelease.model.release import Release, alone
from dprelease.portal.compare import USUAL
from dprelease.portal.trend import Point, Trend
from dprelease.statements.counts import copies
from dprelease.statements.tails import difference

LARGEST = 10_000
"""Largest number of cells of a table that is compared."""
ENDS = ("difference", "lower", "upper")
DIGITS = 3
"""Significant digits of the median."""


def moved(before: Release, after: Release) -> dict[str, Any]:
    """Return how much the numbers of a release moved to those of the next, as values.

    `cells`: how many are in both, of the tables named in `tables`; `moved`: of how many the difference is beyond noise;
    `most`: the largest of these, with its interval; `median`: the middle difference by the width of the published
    interval, both as texts, for signed JSON has whole numbers only; `differ`: tables that do not measure the same, with
    what differs first; `untested`: tables whose noise is not one draw a cell in the same steps, or that are too large.
    """
    twice = {*copies(before.certificate), *copies(after.certificate)}
    tested: list[Trend] = []
    differ, untested = [], []
    for name in after.tables:
        if name in twice or name not in before.tables:
            continue
        trend = Trend([_point(each, name) for each in (before, after)])
        if trend.breaks[-1] is not None:
            differ.append({"table": name, "what": trend.breaks[-1].path})
        elif _is_tested(trend):
            tested.append(trend)
        else:
            untested.append(name)
    count = sum(len(trend.pairs) for trend in tested)
    most: dict[str, Any] | None = None
    beyond, shares = 0, []
    for trend in tested:
        half = _half(trend, count)
        for now, value, width in _differences(trend):
            shares += [abs(value) / width] if width else []
            if abs(value) > half:
                beyond += 1
                if most is None or abs(value) > abs(most["difference"]):
                    most = {"table": trend.points[-1].table, "keys": [*map(str, trend.keys[now])], "difference": value}
                    most |= {"lower": value - half, "upper": value + half}
    middle = f"{median(shares):.{DIGITS}g}" if shares else None
    if most is not None:
        most |= {end: repr(most[end]) for end in ENDS}
    names = [trend.points[-1].table for trend in tested]
    told = {"cells": count, "moved": beyond, "most": most, "median": middle}
    return {**told, "tables": names, "differ": differ, "untested": untested}


def _point(release: Release, table: str) -> Point:
    return Point("", alone(release.certificate, table, release.tables[table]), table)


def _is_tested(trend: Trend) -> bool:
    if any(len(point.release.tables[point.table]) > LARGEST for point in trend.points):
        return False
    noises, steps = zip(*((point.compared.noise, point.compared.step) for point in trend.points), strict=True)
    return None not in noises and len({*steps}) == 1


def _half(trend: Trend, pairs: int) -> float:
    before, after = (point.compared for point in trend.points)
    assert before.noise is not None and after.noise is not None
    return (difference(after.noise, before.noise, (1 - USUAL) / max(1, pairs) / 2) - 1) * after.step


def _differences(trend: Trend) -> list[tuple[int, float, float]]:
    """Return of each cell in both its row, its difference and the width of its published interval."""
    before, after = (point.compared for point in trend.points)
    found = []
    for _, now, then in trend.pairs:
        value, old, low, high = after.value[now], before.value[then], after.lower[now], after.upper[now]
        if value is not None and old is not None:
            width = 0.0 if low is None or high is None else high - low
            found.append((now, value - old, width))
    return found
