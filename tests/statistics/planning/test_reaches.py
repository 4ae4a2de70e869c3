"""How far standardised rates may be off: every sum of discrete noises is enumerated, so nothing here is by chance."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from numpy.typing import NDArray

from dprelease.errors import PlanError
from dprelease.model.plan import Plan
from dprelease.model.privacy import Currency
from dprelease.statistics.planning.price import Price, price

WEIGHTS = [(1,), (1, 1), (5, 3), (7, 2, 10), (30, 29), (60, 29, 29), (31, 1, 31, 4), (1, 60), (13, 11, 7, 5, 3, 2, 1)]


def priced(weights: tuple[int, ...], epsilon: float, currency: Currency) -> Price:
    """One rate of everybody, of groups with one person each: what counts are multiplied by are the weights."""
    groups = range(len(weights))
    plan = {
        "dprelease": 1,
        "dataset": "t",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": epsilon}
        | ({"delta": "1e-6"} if currency is Currency.ZCDP else {}),
        "columns": {"band": {"type": "integer", "lower": 0, "upper": len(weights)}},
        "public": {
            name: {"keys": ["band"], "value": "n", "source": "s", "content": f"band,n\n{lines}{len(weights)},0\n"}
            for name, lines in (
                ("people", "".join(f"{group},1\n" for group in groups)),
                ("standard", "".join(f"{group},{weight}\n" for group, weight in zip(groups, weights, strict=True))),
            )
        },
        "statistics": [{"id": "n", "kind": "count", "by": ["band"]}],
        "derived": [
            {
                "id": "rate",
                "of": "n",
                "per": "people",
                "times": sum(weights),
                "standardise": {"over": "band", "weights": "standard"},
            }
        ],
    }
    return price(Plan.parse(plan), currency=currency)


def covered(reach: float, weights: tuple[int, ...], one: NDArray[np.float64]) -> float:
    """P(|Σ weight · noise| <= reach), by the chances of the noises from −k to k."""
    whole = np.ones(1)
    for weight in weights:
        spread = np.zeros((len(one) - 1) * weight + 1)
        spread[::weight] = one
        whole = np.convolve(whole, spread)
    places = np.arange(len(whole)) - len(whole) // 2
    return float(whole[np.abs(places) <= reach + 1e-9].sum())


@pytest.mark.one_in(3)
@pytest.mark.parametrize("weights", WEIGHTS, ids=str)
@pytest.mark.parametrize("epsilon", [8, 4, 1.5, 1, 0.7, 0.4, 0.2])
def test_intervals_cover_at_least_95_and_hardly_more_where_noise_is_wide(
    weights: tuple[int, ...], epsilon: float
) -> None:
    bill = priced(weights, epsilon, Currency.PURE)
    (reach,) = bill.reaches["rate"]
    assert reach is not None
    scale = float(bill.measurements[0].stated().mechanisms[0].scale)
    size = int(scale * 24) + 3
    chances = np.array([exp(-abs(k) / scale) for k in range(-size, size + 1)])
    found = covered(reach, weights, chances / chances.sum())
    assert found >= 0.95
    if scale >= 4:
        assert found <= 0.96


@pytest.mark.parametrize("weights", WEIGHTS[1:6], ids=str)
@pytest.mark.parametrize("epsilon", [40, 8, 2, 0.6])
def test_intervals_of_gaussian_noise_cover_at_least_95(weights: tuple[int, ...], epsilon: float) -> None:
    bill = priced(weights, epsilon, Currency.ZCDP)
    (reach,) = bill.reaches["rate"]
    assert reach is not None
    scale = float(bill.measurements[0].stated().mechanisms[0].scale)
    size = int(scale * 7) + 3
    chances = np.array([exp(-(k**2) / (2 * scale**2)) for k in range(-size, size + 1)])
    found = covered(reach, weights, chances / chances.sum())
    assert found >= 0.95
    if scale >= 4:
        assert found <= 0.965


def test_counts_that_are_rounded_quotients_are_not_standardised() -> None:
    """They follow from one-sided sums of ages, whose noise they share."""
    plan = priced((1, 2), 1, Currency.PURE).plan.to_mapping()
    plan["columns"]["age"] = {"type": "integer", "lower": 0, "upper": 99}
    mean = {"id": "ages", "kind": "mean", "column": "age", "by": ["band"], "weight": 9}
    count = {"id": "n", "kind": "count", "column": "age", "by": ["band"]}
    with pytest.raises(PlanError, match="n that follow from ages by division") as caught:
        price(Plan.parse(plan | {"statistics": [mean, count]}))
    assert "n an `epsilon` of its own" in str(caught.value)
    assert price(Plan.parse(plan | {"statistics": [mean, count | {"epsilon": 0.5}]})).reaches["rate"]
