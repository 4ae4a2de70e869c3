"""Intervals of quotients of two noisy counts: how often they hold, by enumeration, and what they say of little."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import cache
from math import exp

import numpy as np
import pytest

from dprelease.bundle.compared import ENDS, CountNoise, PublishedQuotient
from dprelease.statistics.algebra.combination import Noises, fieller

SCALES = (0.1, 0.3, 0.6, 1.0, 2.0)
TRUE = ((0, 5), (5, 5), (7, 60), (60, 7), (40, 60), (0, 40), (1, 1), (9, 1))


def chances(scale: float, *, is_normal: bool) -> dict[int, float]:
    """The discrete noise, but for 1e-9 of it."""
    most = int(scale * (7 if is_normal else 22)) + 2
    weights = {k: exp(-((k / scale) ** 2) / 2 if is_normal else -abs(k) / scale) for k in range(-most, most + 1)}
    whole = sum(weights.values())
    return {k: weight / whole for k, weight in weights.items()}


@pytest.mark.one_in(18)
@pytest.mark.parametrize("is_normal", [False, True], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("scale", SCALES)
def test_intervals_hold_as_often_as_they_say(scale: float, is_normal: bool) -> None:
    """Every pair of noises, weighted by its chance: no chance in it. What has no ends rules out nothing."""
    noise, each = CountNoise(Decimal(repr(scale)), is_normal), chances(scale, is_normal=is_normal)
    found = cache(noise.quotient)
    for count, by in TRUE:
        truth, held = Fraction(count, by), 0.0
        for first, chance in each.items():
            for second, other in each.items():
                quotient = found(count + first, by + second)
                lower, upper = (quotient.lower, quotient.upper) if quotient else (None, None)
                if lower is None or upper is None or lower <= truth <= upper:
                    held += chance * other
        assert held >= 0.95, (count, by, held)


@pytest.mark.parametrize("is_normal", [False, True], ids=["laplace", "gaussian"])
@pytest.mark.parametrize(
    ("scale", "count", "by"),
    [(20, 1200, 1000), (20, 1000, 1000), (20, 90, 5000), (300, 5000, 4999), (300, 60_000, 5000)],
)
def test_ends_are_fiellers_but_for_the_half_steps(scale: float, count: int, by: int, is_normal: bool) -> None:
    """Another implementation, in floats, of the same sets, which takes half a step of both counts."""
    own = Noises((), scale) if is_normal else Noises(((scale, 1),))
    found = CountNoise(Decimal(repr(scale)), is_normal).quotient(count, by)
    lower, upper = (float(end[0]) for end in fieller(np.array([1.0 * count]), np.array([1.0 * by]), own, own))
    assert found is not None
    assert found.lower is not None
    assert found.upper is not None
    assert lower <= float(found.lower) or lower < 0 == found.lower
    assert float(found.upper) <= upper
    assert float(found.lower) - max(lower, 0) <= 2 * (1 + upper) / by
    assert upper - float(found.upper) <= 2 * (1 + upper) / by


@pytest.mark.parametrize("is_normal", [False, True], ids=["laplace", "gaussian"])
def test_where_little_is_known_little_is_said(is_normal: bool) -> None:
    noise = CountNoise(Decimal(2), is_normal)
    assert noise.quotient(5, 0) is None
    assert noise.quotient(5, -1) is None
    assert noise.quotient(100, 3) == PublishedQuotient(Fraction(100, 3), None, None), "3 is not told apart from 0"
    assert noise.quotient(-100, 300) == PublishedQuotient(Fraction(0), None, None), "not even 0 is left"
    none = noise.quotient(0, 300)
    assert none is not None
    assert (none.value, none.lower) == (0, 0)
    assert none.upper is not None
    assert 0 < none.upper < Decimal("0.1")


def test_ends_do_not_depend_on_the_guess(monkeypatch: pytest.MonkeyPatch) -> None:
    """Floats of another machine may differ: they only say where to look."""
    noise = CountNoise(Decimal("20.7"), is_normal=False)
    asked = ((120, 100), (100, 100), (5000, 4000), (100_000, 100_001), (3, 100_000))
    before, guess = [noise.quotient(*each) for each in asked], CountNoise._guess
    monkeypatch.setattr(CountNoise, "_guess", lambda *a, **k: guess(*a, **k) * (1 + 3e-8))
    assert [noise.quotient(*each) for each in asked] == before


@pytest.mark.parametrize("is_normal", [False, True], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("scale", ["0.3", "20.7"])
@pytest.mark.parametrize(
    ("count", "by"),
    [(10**9, 10**9 + 7), (10**15, 3 * 10**14 + 1), (2**53, 2**53 - 1), (9, 2**53), (2**53, 999), (62, 10**12)],
)
def test_counts_of_any_size_have_ends_at_once(count: int, by: int, scale: str, is_normal: bool) -> None:
    """Also where no number of nine digits is nearer to the quotient than its ends."""
    noise = CountNoise(Decimal(scale), is_normal)
    found = noise.quotient(count, by)
    assert found is not None
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower <= found.value <= found.upper
    for end, inwards in ((found.lower, ENDS.next_plus), (found.upper, ENDS.next_minus)):
        if not end:
            continue
        assert noise._rejected(count, by, end)
        before = inwards(end)
        is_beyond = Fraction(before) > found.value if end == found.lower else Fraction(before) < found.value
        assert is_beyond or not noise._rejected(count, by, before)
