"""Could a difference be noise? The answers against the distributions themselves, summed term by term."""

from __future__ import annotations

from itertools import pairwise
from math import exp, tanh

import pytest

from dprelease.bundle.compare import Comparable, apart, comparable, reach
from dprelease.model.release import Release


def laplace(scale: float, most: int) -> list[float]:
    """P(X = k) for k from -most to most."""
    return [tanh(1 / scale / 2) * exp(-abs(k) / scale) for k in range(-most, most + 1)]


def gaussian(scale: float, most: int) -> list[float]:
    weights = [exp(-(k * k) / (2 * scale * scale)) for k in range(-most, most + 1)]
    return [weight / sum(weights) for weight in weights]


def beyond(terms: list[float], half: int) -> float:
    """P(|X - Y| > half) of two independent draws."""
    size = len(terms)
    total = 0.0
    for shift in range(half + 1):
        same = sum(terms[place] * terms[place + shift] for place in range(size - shift))
        total += same if shift == 0 else 2 * same
    return 1 - total


@pytest.mark.parametrize("scale", [0.3, 1.0, 4.5, 12.25])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99, 0.9995])
def test_an_interval_of_a_difference_holds_and_is_hardly_wider_than_needed(scale: float, confidence: float) -> None:
    risk = 1 - confidence
    half = apart("discrete_laplace", scale, confidence)
    terms = laplace(scale, int(40 * scale) + 5)
    assert beyond(terms, half) <= risk + 1e-9
    assert half == 0 or beyond(terms, half - 1) > risk
    wide = apart("discrete_gaussian", scale, confidence)
    terms = gaussian(scale, int(10 * scale) + 5)
    assert beyond(terms, wide) <= risk
    assert wide < 3 or beyond(terms, wide - 3) > risk


@pytest.mark.parametrize("name", ["discrete_laplace", "discrete_gaussian"])
def test_higher_levels_are_wider(name: str) -> None:
    for near, far in pairwise([reach(name, 7.5, level) for level in (0.9, 0.95, 0.99)]):
        assert near < far


def test_the_usual_level_is_that_of_the_table(release: Release) -> None:
    """The noise's step is found from the margins that are published."""
    table = comparable(release, "region_sex")
    assert table.noise == "discrete_laplace"
    estimates = release.tables["region_sex"]
    for place, (lower, upper) in enumerate(zip(estimates.lower95, estimates.upper95, strict=True)):
        assert table.interval(place, 0.95) == pytest.approx((lower, upper))
        low, high = table.interval(place, 0.99) or (0, 0)
        assert low < float(lower or 0)
        assert high > float(upper or 0)


def test_many_at_once_share_the_risk(release: Release) -> None:
    table = comparable(release, "region_sex")
    (alone,) = table.differences([(0, 1)], 0.95)
    trend = table.differences(table.pairs("next", 0, 0), 0.95)
    assert len(trend) == 9
    assert (trend[0].first, trend[0].second) == (1, 0)
    assert trend[0].upper - trend[0].lower > alone.upper - alone.lower
    (ninth,) = table.differences([(0, 1)], 1 - 0.05 / 9)
    assert trend[0].upper - trend[0].lower == pytest.approx(ninth.upper - ninth.lower)
    assert [pair for pair in table.pairs("all", 3, 0) if 3 not in pair] == []


def test_a_plain_answer(release: Release) -> None:
    table = comparable(release, "region_sex")
    verdicts = {
        (found.first, found.second): found.verdict for found in table.differences(table.pairs("all", 0, 0), 0.95)
    }
    assert verdicts[0, 8] == "more"
    assert verdicts[0, 1] == "noise"
    assert next(iter(table.differences([(8, 0)], 0.95))).verdict == "less"


def test_numbers_without_known_noise_have_their_intervals_only(release: Release) -> None:
    means = comparable(release, "income_by_region")
    assert (means.noise, means.possible, means.interval(0, 0.99)) == ("", True, None)
    assert means.level(0.95) == pytest.approx(0.9)
    (found,) = means.differences([(4, 2)], 0.95)
    assert (found.lower, found.verdict) == (pytest.approx(13600 - 2 * 1840.5), "more")
    assert not comparable(release, "income_quartiles").possible


def test_cells_without_a_value_are_left_out() -> None:
    table = Comparable(("a", "b", "c"), (1, None, 9), (0, None, 8), (2, None, 10), "", 0, 1)
    assert [(each.first, each.second) for each in table.differences(table.pairs("all", 0, 0), 0.95)] == [(0, 2)]
