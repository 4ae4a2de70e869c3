"""Noise from a seed in place of OpenDP's, for tests whose subject is not its law: what they compare never changes.

Each draw depends on what is drawn, on the values it is drawn for, and on how often the same was drawn since `restart`,
so not on which other tests run before it. The laws are written with numpy; scales and losses stay the same.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import NDArray

from dprelease.mechanisms import library, permute_and_flip, randomized_response, threads
from tests.mechanisms.exact import gaussian_pmf

Integers = NDArray[np.int64]
TABLED = 2000.0
"""A discrete Gaussian of a larger scale is a rounded one, to 10^-7 of its chances."""
_drawn = Counter[bytes]()


def restart() -> None:
    """Begin again, so that the next test has the same noise whatever ran before it."""
    _drawn.clear()


def generator(*what: Any) -> Generator:
    """Return the generator of the next draw of this."""
    seed = sha256(repr(what).encode()).digest()
    _drawn[seed] += 1
    return np.random.default_rng([int.from_bytes(seed[:16], "big"), _drawn[seed]])


def laplace(rng: Generator, values: Integers, scale: float) -> Integers:
    """Add the difference of two geometric numbers to each."""
    chance = -np.expm1(-1 / scale)
    return values + rng.geometric(chance, values.shape) - rng.geometric(chance, values.shape)


def gaussian(rng: Generator, values: Integers, scale: float) -> Integers:
    """Add discrete Gaussian noise to each."""
    if scale > TABLED:
        return values + np.rint(rng.normal(0, scale, values.shape)).astype(np.int64)
    whole = _cumulated(scale)
    return values + np.searchsorted(whole, rng.random(values.shape) * whole[-1]) - len(whole) // 2


@lru_cache(maxsize=256)
def _cumulated(scale: float) -> NDArray[np.float64]:
    half = gaussian_pmf(scale, int(12 * scale) + 12)
    return np.cumsum(np.concatenate([half[:0:-1], half]))


def first(rng: Generator, scores: Integers, scale: float, monotone: bool, *, gumbel: bool) -> int:
    """Choose the largest score with Gumbel or exponential noise."""
    return int(np.argmax(scores + scale * _race(rng, scores, gumbel)))


def several(rng: Generator, scores: Integers, scale: float, k: int, monotone: bool, gumbel: bool) -> list[int]:
    """Choose the largest so often, each time of those that are left."""
    left = scores.astype(float)
    chosen: list[int] = []
    for _ in range(min(k, len(left))):
        chosen.append(int(np.argmax(left + scale * _race(rng, left, gumbel))))
        left[chosen[-1]] = -np.inf
    return chosen


def _race(rng: Generator, scores: NDArray[Any], gumbel: bool) -> NDArray[np.float64]:
    return rng.gumbel(size=scores.shape) if gumbel else rng.exponential(size=scores.shape)


def coins(rng: Generator, zeros: bytes, chance: float) -> bytes:
    """Bits that are 1 with this chance."""
    return np.packbits(rng.random(8 * len(zeros)) < chance).tobytes()


def thresholded(rng: Generator, counts: Mapping[str, int], scale: float, threshold: int) -> dict[str, int]:
    """Add Laplace noise to counts and keep those that reach the threshold."""
    noisy = laplace(rng, np.array(list(counts.values()), dtype=np.int64), scale).tolist()
    return {name: count for name, count in zip(counts, noisy, strict=True) if count >= threshold}


def below(bound: int) -> int:
    """A whole number from 0 to below the bound, in place of `secrets.randbelow`."""
    return int.from_bytes(generator("below", bound).bytes(32), "big") % bound


LAWS: dict[str, Callable[..., Any]] = {
    "laplace": laplace,
    "gaussian": gaussian,
    "permute_and_flip": lambda *given: first(*given, gumbel=False),
    "exponential": lambda *given: first(*given, gumbel=True),
    "top_k": several,
    "coins": coins,
    "laplace_threshold": thresholded,
}
REAL = {name: getattr(library, name) for name in LAWS}


def _seeded(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
    """Return what makes a measurement whose map is OpenDP's, and whose draws are from here."""

    @lru_cache(maxsize=4096)
    def make(*settings: Any) -> Any:
        measurement = real(*settings)

        class Seeded:
            map = measurement.map

            def __call__(self, values: Any) -> Any:
                if isinstance(values, bytes | Mapping):
                    return LAWS[name](generator(name, settings, values), values, *settings)
                numbers = np.asarray(values, dtype=np.int64)
                return LAWS[name](generator(name, settings, numbers.tobytes()), numbers, *settings)

        return Seeded()

    return make


@contextmanager
def real_noise() -> Iterator[None]:
    """Draw as production does, where noise is from a seed around it."""
    with pytest.MonkeyPatch.context() as patch:
        for name, real in REAL.items():
            patch.setattr(library, name, real)
        for module in (permute_and_flip, randomized_response):
            patch.setattr(module, "secrets", secrets)
        yield


@contextmanager
def seeded_noise() -> Iterator[None]:
    """Draw from here, in one thread, so that draws keep their order; beginning again, and none of what is around it."""
    before = _drawn.copy()
    restart()
    with pytest.MonkeyPatch.context() as patch:
        for name in LAWS:
            patch.setattr(library, name, _seeded(name, getattr(library, name)))
        for module in (permute_and_flip, randomized_response):
            patch.setattr(module, "secrets", SimpleNamespace(randbelow=below))
        patch.setattr(threads, "LARGE", 2**62)
        try:
            yield
        finally:
            restart()
            _drawn.update(before)
