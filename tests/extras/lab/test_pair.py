"""Two distributions beside closed forms, and what holds of every pair."""

from __future__ import annotations

from math import exp, inf, log, sqrt, tanh

import numpy as np
import pytest

from dprelease.extras.lab import pair
from dprelease.extras.lab.pair import Event, EventSide, OutputPair
from tests.extras.lab.figures import EXACT, FIGURES, FIVE, SIX

pytestmark = pytest.mark.quick

EPSILONS = (0.1, 0.5, 0.67, 1.0, 2.0, 3.0, 5.0)
DOWN, UP = (3.0, 2.0, 2.0, 0.0), (2.0, 2.0, 2.0, 1.0)


def every(epsilon: float) -> dict[str, OutputPair]:
    return {
        "laplace": pair.integer_laplace(epsilon, 108, 107),
        "laplace_real": pair.laplace(epsilon, 108, 107),
        "gaussian": pair.discrete_gaussian(1 / epsilon, 108, 107),
        "gaussian_real": pair.gaussian(1 / epsilon, 108, 107),
        "response": pair.randomised_response(epsilon),
        "exponential": pair.exponential(DOWN, UP, epsilon),
        "permute_and_flip": pair.permute_and_flip(DOWN, UP, epsilon),
        "uniform": pair.uniform(2, 6, 5),
    }


PURE = ("laplace", "laplace_real", "response", "exponential", "permute_and_flip")
ALL = tuple(every(1.0))


@pytest.mark.parametrize("row", FIGURES["guess"], ids=lambda row: row["epsilon"])
def test_right_guesses(row: dict[str, float]) -> None:
    pairs = every(row["epsilon"])
    assert pairs["laplace"].right == pytest.approx(row["integer"], abs=EXACT)
    assert pairs["laplace_real"].right == pytest.approx(row["continuous"], abs=EXACT)
    assert pairs["gaussian_real"].right == pytest.approx(row["gaussian"], abs=EXACT)


@pytest.mark.parametrize("row", FIGURES["advantage"], ids=lambda row: row[0])
def test_advantages(row: list[float]) -> None:
    epsilon, integer, _, normal = row
    assert every(epsilon)["laplace"].advantage == pytest.approx(integer, abs=SIX)
    if normal is not None:
        assert pair.gaussian_delta(epsilon, 0.0) == pytest.approx(normal, abs=SIX)


@pytest.mark.parametrize("row", FIGURES["sigma"], ids=lambda row: row[0])
def test_what_a_deviation_of_1_over_epsilon_really_loses(row: list[float]) -> None:
    claimed, delta, epsilon = row
    assert pair.gaussian_delta(claimed, claimed) == pytest.approx(delta, abs=SIX)
    assert pair.gaussian_epsilon(claimed, 1e-5) == pytest.approx(epsilon, abs=FIVE)
    scale = pair.gaussian_scale(claimed, 1e-5)
    assert pair.gaussian_delta(1 / scale, claimed) == pytest.approx(1e-5, abs=1e-14)


@pytest.mark.parametrize("row", FIGURES["chosen"], ids=str)
def test_candidates_are_chosen_as_enumerated(row: list[list[float]]) -> None:
    scores, epsilon, exponential, flipped = row
    assert pair.exponential(scores, scores, epsilon).p.tolist() == pytest.approx(exponential, abs=EXACT)  # type: ignore[arg-type]
    assert pair.permute_and_flip(scores, scores, epsilon).p.tolist() == pytest.approx(flipped, abs=EXACT)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_what_holds_of_every_pair(name: str, epsilon: float) -> None:
    found = every(epsilon)[name]
    assert found.p.sum() == pytest.approx(1, abs=EXACT)
    assert found.q.sum() == pytest.approx(1, abs=EXACT)
    wrong, hits = found.roc()
    assert (np.diff(hits) >= 0).all()
    assert (np.diff(wrong) >= 0).all()
    assert (hits - wrong).max() == pytest.approx(found.advantage, abs=EXACT)
    if name in PURE:
        assert found.epsilon <= epsilon * (1 + 1e-9) + 1e-12
        assert found.advantage <= tanh(epsilon / 2) + EXACT
        assert found.delta(epsilon) <= EXACT
        assert (hits <= np.minimum(exp(epsilon) * wrong, 1 - exp(-epsilon) * (1 - wrong)) + EXACT).all()


@pytest.mark.parametrize("name", ALL)
def test_the_worst_event_is_not_beaten_by_any_other(name: str) -> None:
    found = every(1.0)[name]
    p, q = found.probabilities(found.worst_event(1.0))
    for place in range(len(found.values)):
        for side in found.sides:
            other, beside = found.probabilities(Event(place, side))
            if not found.bounded:
                assert p - exp(1) * q >= other - exp(1) * beside
            elif q > 0 and beside > 0 and other > 0:
                assert log(p / q) >= log(other / beside) - 1e-8


def test_the_worst_event_of_integer_noise_is_the_true_count_or_more() -> None:
    found = every(1.0)["laplace"]
    event = found.worst_event(1.0)
    assert (found.values[event.place], event.side) == (108, EventSide.LEAST)
    p, q = found.probabilities(event)
    assert p / q == pytest.approx(exp(1), rel=EXACT)


def test_uniform_noise_tells_all_at_every_epsilon() -> None:
    found = every(1.0)["uniform"]
    assert found.epsilon == inf
    assert [found.delta(each) for each in (0.1, 1.0, 9.0)] == pytest.approx([0.2, 0.2, 0.2])
    assert found.probabilities(found.worst_event(1.0)) == pytest.approx((0.2, 0.0))


def test_coarse_gaussian_noise_tells_more_than_continuous_noise() -> None:
    pairs = [(0.4, 0.9192, 0.7887), (1.0, 0.3989, 0.3829), (5.0, 0.0798, 0.0797)]
    for scale, integer, continuous in pairs:
        assert pair.discrete_gaussian(scale).advantage == pytest.approx(integer, abs=6e-5)
        assert pair.gaussian_delta(1 / scale, 0) == pytest.approx(continuous, abs=6e-5)


def test_a_group_is_a_count_that_lies_further_off() -> None:
    assert pair.integer_laplace(0.5, 3, 0).epsilon == pytest.approx(1.5, rel=EXACT)
    assert pair.gaussian(2.0, 4, 0).advantage == pytest.approx(pair.gaussian_delta(2.0, 0.0), abs=EXACT)
    assert pair.gaussian_epsilon(sqrt(2 * 0.5), 1e-5) == pytest.approx(4.3771780956812245, abs=EXACT)
