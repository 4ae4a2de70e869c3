"""Intervals of a line by a region, where noise leaves no one clear solution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest

from dprelease.model.privacy import Currency
from tests.statistics.kinds.test_linear import drawn, plan, rows


def least_squares(table: pandas.DataFrame) -> list[float]:
    """The coefficients without noise."""
    columns: list[Any] = [np.ones(len(table)), table["age"], table["region"] == "south", table["region"] == "west"]
    found, *_ = np.linalg.lstsq(np.column_stack([*columns, table["member"]]).astype(float), table["pay"], rcond=None)
    return [float(number) for number in found]


@pytest.mark.parametrize(("currency", "epsilon"), [(Currency.PURE, 1), (Currency.ZCDP, 0.5)])
def test_where_one_solution_is_not_clear_all_that_noise_leaves_are_told(currency: Currency, epsilon: float) -> None:
    """Of 40 releases nearly all have an interval by the region, though none by one solution, and all of its intervals
    hold as often as is said, or oftener: 13 misses of 40 releases are a false alarm below 1e-7 even at 5 %."""
    table = rows(4000)
    expected, missed, given = least_squares(table), 0, 0
    for model in drawn(table, plan(epsilon), currency, 40):
        own, told = model.parts["coefficients"], model.facts["function"]
        if told["intervals"] != "region":
            continue
        given += 1
        ends: list[Any] = list(zip(own.lower95, own.upper95, strict=True))
        missed += any(not low <= number <= high for (low, high), number in zip(ends, expected, strict=True))
        values: list[Any] = list(own.value)
        assert all(low < value < high for (low, high), value in zip(ends, values, strict=True))
        wider: Any = zip(own.extra["lower95_both"], own.lower95, strict=True)
        assert all(one is None or one <= other for one, other in wider)
        assert "covariance" not in told
    assert given >= 30
    assert missed < 13
