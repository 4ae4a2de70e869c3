"""Noise from a seed has the law of the mechanism it stands for, and is the same each time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from scipy import stats

from dprelease.mechanisms import library
from tests.mechanisms import exact
from tests.mechanisms.seeded import restart, seeded_noise

pytestmark = pytest.mark.quick
DRAWS = 4_000


@pytest.fixture(autouse=True)
def _seeded() -> Iterator[None]:
    with seeded_noise():
        yield


def unlikely(drawn: list[int], chances: list[float]) -> float:
    """The p-value of frequencies; the seed is fixed, so it passes for ever or never."""
    return float(stats.chisquare(np.bincount(drawn, minlength=len(chances)), np.array(chances) * DRAWS).pvalue)


@pytest.mark.parametrize("name", ["laplace", "gaussian"])
def test_noise_has_its_law(name: str) -> None:
    pmf = (exact.laplace_pmf if name == "laplace" else exact.gaussian_pmf)(1.5, 60)
    drawn = np.clip(np.abs(getattr(library, name)(1.5)(np.zeros(DRAWS, dtype=np.int64))), 0, 6)
    inner = [pmf[0], *(2 * pmf[1:6])]
    assert unlikely(drawn.tolist(), [*inner, 1 - sum(inner)]) > 0.001


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["permute_and_flip", "exponential"])
def test_a_choice_has_its_law(name: str) -> None:
    scores = [3, 2, 0]
    drawn = [getattr(library, name)(1.5, False)(scores) for _ in range(DRAWS)]
    assert unlikely(drawn, list(getattr(exact, name)(scores, 1.5))) > 0.001
    both = [library.top_k(1.5, 2, False, name == "exponential")(scores) for _ in range(DRAWS)]
    assert unlikely([one for one, _ in both], list(getattr(exact, name)(scores, 1.5))) > 0.001
    assert all(one != other for one, other in both)


def test_coins_have_their_chance() -> None:
    bits = np.unpackbits(np.frombuffer(library.coins(0.3)(bytes(DRAWS // 8)), dtype=np.uint8))
    assert unlikely(bits.tolist(), [0.7, 0.3]) > 0.001


def test_names_stay_from_the_threshold_on() -> None:
    noisy = [library.laplace_threshold(1.5, 5)({"a": 5}) for _ in range(DRAWS)]
    least = [each["a"] for each in noisy if each]
    assert min(least) == 5
    assert (
        unlikely(
            [bool(each) for each in noisy],
            [0.5 - exact.laplace_pmf(1.5, 60)[0] / 2, 0.5 + exact.laplace_pmf(1.5, 60)[0] / 2],
        )
        > 0.001
    )


def test_a_draw_is_the_same_after_a_restart_and_another_one_before() -> None:
    many = np.zeros(100, dtype=np.int64)
    first, second = (library.laplace(10.0)(many).tolist() for _ in range(2))
    restart()
    library.gaussian(10.0)(many)
    assert first != second
    assert library.laplace(10.0)(many).tolist() == first
    assert library.laplace(10.0).map(20) == pytest.approx(2)
