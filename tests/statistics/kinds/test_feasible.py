"""A ratio, or a rate of a column, never is what the bounds of the columns rule out; nor do intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from dprelease.model.plan import Expected
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.statistic import read_statistic
from dprelease.statistics import TallyStatistic
from dprelease.statistics.answer import draw, table
from dprelease.statistics.kit.check import plan_of
from dprelease.statistics.planning.price import price
from tests.statistics.ready import ready

GROUPS = 2000
CASES = [
    ((0, 50), (1, 10), (0.0, 50.0)),
    ((-20, 50), (2, 10), (-10.0, 25.0)),
    ((5, 50), (2, 10), (0.5, 25.0)),
    ((-50, -5), (2, 10), (-25.0, -0.5)),
    ((0, 50), (0, 10), (0.0, np.inf)),
    ((-50, 0), (0, 10), (-np.inf, 0.0)),
    ((-50, 50), (0, 10), (-np.inf, np.inf)),
]


def published(rows: int, x: tuple[int, int], y: tuple[int, int], **declared: Any) -> tuple[np.ndarray[Any, Any], ...]:
    """2,000 groups of rows at the lower ends of both columns but one at the upper ends: value, lower and upper."""
    columns: dict[str, Any] = {"copy": {"type": "integer", "lower": 0, "upper": GROUPS - 1}}
    columns |= {
        name: {"type": "integer", "lower": low, "upper": high} for name, (low, high) in {"x": x, "y": y}.items()
    }
    columns["f"] = {"type": "category", "categories": ["no", "yes"]}
    schema = Schema.parse(columns)
    read = read_statistic({"id": "s", "by": ["copy"], **declared}, "s", Report())
    assert isinstance(read, TallyStatistic)
    priced = price(plan_of(read, epsilon=0.3, schema=schema, expected=Expected(max(1, rows) * GROUPS)))
    one = min(rows, 1)
    sums = {(): rows, ("x",): one * (x[1] - x[0]), ("y",): one * (y[1] - y[0])}
    tallies = [
        np.full(GROUPS, one if query.measure.where else sums[query.measure.factors]) for query in read.queries(schema)
    ]
    found = table(priced["s"], schema, draw(priced, ready(priced, read.exact(schema, tallies))))
    assert priced["s"].could_answer(schema, found)
    return tuple(np.array(column, dtype=float) for column in (found.value, found.lower95, found.upper95))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("rows", [0, 1, 3, 40])
@pytest.mark.parametrize(("x", "y", "possible"), CASES)
def test_ratios(x: tuple[int, int], y: tuple[int, int], possible: tuple[float, float], rows: int) -> None:
    """Where it is defined, 95 % hold it: fewer by chance in 1e-8 of runs a case."""
    value, lower, upper = published(rows, x, y, kind="ratio", numerator="x", denominator="y")
    told = value[~np.isnan(value)]
    assert ((possible[0] <= told) & (told <= possible[1])).all()
    for ends in (lower, upper):
        assert ((possible[0] <= ends) | np.isnan(ends)).all()
        assert ((ends <= possible[1]) | np.isnan(ends)).all()
    there = ~np.isnan(value)
    if np.isfinite(possible).all():
        assert not np.isnan(lower[there]).any()
        assert not np.isnan(upper[there]).any()
    bottom = rows * y[0] + min(rows, 1) * (y[1] - y[0])
    if bottom:
        true = (rows * x[0] + min(rows, 1) * (x[1] - x[0])) / bottom
        missed = (lower > true + 1e-9) | (upper < true - 1e-9)
        assert missed.sum() <= stats.binom.isf(1e-8, GROUPS, 0.05)


@pytest.mark.parametrize(("low", "most"), [(0, np.inf), (2, 500.0)])
def test_rates_of_a_column(low: int, most: float) -> None:
    value, lower, upper = published(
        3, (0, 9), (low, 10), kind="rate", column="y", where=[{"column": "f", "equals": "yes"}]
    )
    for part in (value, lower, upper):
        assert (np.isnan(part) | ((part >= 0) & (part <= most))).all()
    assert not (np.isnan(upper) & ~np.isnan(value)).any() or most == np.inf
