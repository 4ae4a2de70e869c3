"""Figures that textbooks print, or should: noise scales of means, sensitivities of sums, tails and variances of noise.

From C. Pinto, *Privacidad diferencial en Ciencia de los Datos* (Seville, 2018); where its print differs from what
follows from its own theorems, the exact value stands here.
"""

from __future__ import annotations

from decimal import Decimal
from math import exp, log
from typing import Any

import pytest

from dprelease.mechanisms import DiscreteLaplace, RandomizedResponse
from dprelease.model.plan import Plan
from dprelease.model.privacy import NANO, PrivacyLoss
from dprelease.model.tally import Sensitivity
from dprelease.statistics.algebra.share import weighted_tail
from dprelease.statistics.planning.price import price


def priced(statistic: dict[str, Any], lower: float, upper: float, epsilon: float, neighbors: str = "add_remove") -> Any:
    column = {"type": "number", "lower": lower, "upper": upper, "resolution": 1}
    privacy = {"unit": "row", "neighbors": neighbors, "epsilon": epsilon}
    plan = {"dprelease": 1, "dataset": "d", "privacy": privacy, "columns": {"x": column}}
    return price(Plan.parse({**plan, "statistics": [{"id": "s", "column": "x", **statistic}]}))["s"]


@pytest.mark.parametrize(
    ("lower", "upper", "epsilon", "plain", "count", "centred"),
    [(0, 100, 1.0, 200.0, 2.0, 100.0), (0, 100, 0.1, 2000.0, 20.0, 1000.0), (50, 60, 1.0, 120.0, 2.0, 10.0)],
)
def test_the_textbooks_means_have_the_scales_that_they_need(
    lower: float, upper: float, epsilon: float, plain: float, count: float, centred: float
) -> None:
    """Algorithm 1 needs max(|l|, |u|), not u − l; algorithm 4 a count noise of 2/ε (printed: ε/2, really ε = 20.05)."""
    first = priced({"kind": "mean", "method": "sum_and_count"}, lower, upper, epsilon).mechanisms
    assert [mechanism.scale for mechanism in first] == pytest.approx([plain, count])
    fourth = priced({"kind": "mean", "method": "centred"}, lower, upper, epsilon).mechanisms
    assert [mechanism.scale / step for mechanism, step in zip(fourth, (2, 1), strict=True)] == pytest.approx(
        [centred, count]
    )  # the centred sum is counted in half steps


@pytest.mark.parametrize(
    ("lower", "upper", "added", "exchanged"), [(50, 60, 60, 60), (-5, 10, 10, 15), (0, 100, 100, 100)]
)
def test_sensitivities_of_sums(lower: int, upper: int, added: int, exchanged: int) -> None:
    """Where rows may also appear or vanish, as under a filter, u − l is not enough."""
    for neighbors, expected in (("add_remove", added), ("substitute", exchanged)):
        (mechanism,) = priced({"kind": "sum"}, lower, upper, 1, neighbors).mechanisms
        assert mechanism.sensitivity.l1 == expected


@pytest.mark.parametrize(
    ("t", "chance"), [(0, 1.0), (0.5, 0.6065306597126334), (2, 0.1353352832366127), (10, 4.5399929762484854e-05)]
)
def test_the_tail_of_laplace_noise(t: float, chance: float) -> None:
    assert weighted_tail(t, 1.0, 1e-301) == pytest.approx(chance, rel=1e-9)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("epsilon", "variance", "m", "beyond"),
    [
        (0.1, 199.8334166336092, 10, 0.3862581002327806),
        (0.5, 7.835396178065527, 5, 0.1021891466902744),
        (1, 1.8413471884155848, 5, 0.009851667912071456),
    ],
)
def test_the_variance_and_tail_of_discrete_laplace_noise(
    epsilon: float, variance: float, m: int, beyond: float
) -> None:
    share = PrivacyLoss(epsilon_nano=int(Decimal(str(epsilon)) * NANO))
    noise = DiscreteLaplace.calibrate(Sensitivity(l1=1, linf=1), share)
    assert noise.variance == pytest.approx(variance, rel=1e-9)
    assert noise.half_width(1 - beyond * 1.000001) == m - 1
    assert noise.half_width(1 - beyond * 0.999999) == m


@pytest.mark.parametrize(
    ("truth", "factor"),
    [(0.55, 24.749999999999957), (0.6, 6.000000000000003), (0.75, 0.75), (0.9, 0.14062499999999994)],
)
def test_the_variance_of_randomized_response(truth: float, factor: float) -> None:
    """p(1 − p) / (2p − 1)² a row, given the true answers; at ε = ln 3 the truth is told three times in four."""
    epsilon = log(truth / (1 - truth))
    share = PrivacyLoss(epsilon_nano=int(epsilon * NANO) + 1)
    mechanism = RandomizedResponse.calibrate(Sensitivity(l1=2, linf=1, l2_squared=2), share, answers=2)
    assert mechanism.truth == pytest.approx(truth, rel=1e-8)
    assert mechanism.truth * mechanism.lie / (mechanism.truth - mechanism.lie) ** 2 == pytest.approx(factor, rel=1e-6)
    assert exp(epsilon) == pytest.approx(truth / (1 - truth))
