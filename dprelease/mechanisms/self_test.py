"""A quick test of the noise library itself (OpenDP), before a workspace trusts it with a first charge.

Its privacy maps are compared with their closed forms, which they may exceed by 10^-12 of them and never fall below. A
few thousand draws are counted and compared with limits that an exact law leaves with a chance of at most 10^-9 at
either end: twelve counts, which together refuse a right library with a chance of 2·10^-8. It catches a map, a
version or a constant that is wrong, and noise that is missing or grossly too small or too large. It proves nothing
about small errors: the laws themselves are tested with millions of draws before a version is admitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from importlib.metadata import version
from math import log, nextafter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.errors import NoiseLibraryError
from dprelease.mechanisms import library
from dprelease.words import Phrase, phrase
from dprelease.words.phrases import Figure

LIBRARY = "opendp"
TRIED = "0.16.0"
"""The version that its laws were tested with."""
RANGE = ((0, 16), (0, 17))
"""From which version on, and below which; `pyproject.toml` has the same."""
TOLERANCE = Fraction(1, 10**12)
SCALE = 3.0
"""Scale of drawn noise: P(0) = tanh(1/6) = .1651 for discrete Laplace noise, .1330 for discrete Gaussian."""
DRAWS, CHOICES, BITS = 1024, 300, 4096
WORSE = np.array([0, 3], dtype=np.int64)
"""Two scores: at scale 2 Gumbel noise chooses the worse one with 1/(1 + e^1.5) = .1824, exponential with e^−1.5/2."""
LIMITS: Mapping[tuple[str, str], tuple[int, int]] = {
    ("discrete_laplace", "zeros"): (102, 244),
    ("discrete_laplace", "above"): (334, 523),
    ("discrete_laplace", "squares"): (11905, 27967),
    ("discrete_gaussian", "zeros"): (76, 205),
    ("discrete_gaussian", "above"): (350, 540),
    ("discrete_gaussian", "squares"): (6979, 11872),
    ("thresholded_laplace", "names"): (DRAWS, DRAWS),
    ("thresholded_laplace", "zeros"): (102, 244),
    ("thresholded_laplace", "above"): (334, 523),
    ("thresholded_laplace", "squares"): (11905, 27967),
    ("exponential", "worse"): (19, 98),
    ("permute_and_flip", "worse"): (6, 70),
    ("randomized_response", "ones"): (861, 1193),
}
"""Least and greatest value of each count, beyond which the exact law goes with at most 10^-9 a side."""


class _NotPassedError(Exception):
    """The first check that was not passed: its name, what was found, what is allowed."""

    def __init__(self, check: Phrase, found: str, allowed: Phrase) -> None:
        self.values: dict[str, Phrase | str] = {"check": check, "found": found, "allowed": allowed}
        super().__init__(self.values)


def installed() -> str:
    """Return the version of the library."""
    return version(LIBRARY)


def require(*, charged: bool) -> None:
    """Test the library, once a process and version.

    Raises NoiseLibraryError where it does not pass. `charged`: noise is to be drawn for a charge that stands already.
    """
    found = installed()
    try:
        _passed(found)
    except _NotPassedError as failed:
        code = "mechanisms.self_test_failed_charged" if charged else "mechanisms.self_test_failed"
        told = phrase(code, version=found, tried=TRIED, **failed.values)
        raise NoiseLibraryError(told) from None


@cache
def _passed(found: str) -> None:
    """Raise _NotPassedError unless all checks pass; so only a pass is remembered."""
    if not RANGE[0] <= _numbers(found) < RANGE[1]:
        least, below = (".".join(map(str, each)) for each in RANGE)
        allowed = phrase("mechanisms.self_test_versions", least=least, below=below)
        raise _NotPassedError(phrase("mechanisms.self_test_version"), found, allowed)
    from opendp.mod import OpenDPException

    try:
        _check_maps()
        _check_draws()
    except OpenDPException as cause:
        ran, nothing = phrase("mechanisms.self_test_run"), phrase("mechanisms.self_test_no_error")
        raise _NotPassedError(ran, str(cause.variant), nothing) from cause


def _numbers(found: str) -> tuple[int, ...]:
    """Return the first two numbers of a version."""
    parts = found.split(".")[:2]
    return tuple(int(part) if part.isdecimal() else -1 for part in parts)


def _check_maps() -> None:
    for mechanism, stated, least in _maps():
        if not least <= Fraction(stated) <= least * (1 + TOLERANCE):
            allowed = phrase("mechanisms.self_test_loss", least=Figure(repr(float(least))))
            raise _NotPassedError(
                phrase("mechanisms.self_test_map", mechanism=mechanism), Figure(repr(stated)), allowed
            )


def _check_draws() -> None:
    for (mechanism, counted), count in _counts():
        low, high = LIMITS[mechanism, counted]
        if not low <= count <= high:
            check = phrase(f"mechanisms.self_test_{counted}", mechanism=mechanism)
            raise _NotPassedError(check, str(count), phrase("mechanisms.from", least=low, most=high))


def _maps() -> Iterator[tuple[str, float, Fraction]]:
    """Losses that the library states at scale 7 for a change of 3, with what they are."""
    scale, by = 7.0, 3
    once, squared = Fraction(by, 7), Fraction(by, 7) ** 2
    yield "discrete_laplace", float(library.laplace(scale).map(by)), once
    yield "discrete_gaussian", float(library.gaussian(scale).map(float(by))), squared / 2
    yield "thresholded_laplace", float(library.laplace_threshold(scale, 10).map((1, by, by))[0]), once
    for monotone, times in ((True, 1), (False, 2)):
        flips, gumbel = times * once, times**2 * squared / 8
        yield "permute_and_flip", float(library.permute_and_flip(scale, monotone).map(by)), flips
        yield "exponential", float(library.exponential(scale, monotone).map(by)), gumbel
        yield "noisy_top_k", float(library.top_k(scale, 2, monotone, False).map(by)), 2 * flips
        yield "noisy_top_k", float(library.top_k(scale, 2, monotone, True).map(by)), 2 * gumbel
    # Not below the logarithm, which is not rational: two floats below the nearest one are.
    coin = Fraction(nextafter(nextafter(log(3), 0), 0))
    yield "randomized_response", float(library.randomized_response(2, 0.75).map(1)), coin


def _counts() -> Iterator[tuple[tuple[str, str], int]]:
    zeros = np.zeros(DRAWS, dtype=np.int64)
    yield from _noise("discrete_laplace", library.laplace(SCALE)(zeros))
    yield from _noise("discrete_gaussian", library.gaussian(SCALE)(zeros))
    kept = library.laplace_threshold(SCALE, 1)({str(name): 1000 for name in range(DRAWS)})
    yield ("thresholded_laplace", "names"), len(kept)
    yield from _noise("thresholded_laplace", np.array(list(kept.values())) - 1000)
    selections: tuple[tuple[str, Callable[..., Any]], ...] = (
        ("exponential", library.exponential),
        ("permute_and_flip", library.permute_and_flip),
    )
    for mechanism, selection in selections:
        choose = selection(2.0, True)
        yield (mechanism, "worse"), sum(int(choose(WORSE)) == 0 for _ in range(CHOICES))
    ones = np.unpackbits(np.frombuffer(library.coins(0.25)(bytes(BITS // 8)), dtype=np.uint8))
    yield ("randomized_response", "ones"), int(ones.sum())


def _noise(mechanism: str, drawn: Any) -> Iterator[tuple[tuple[str, str], int]]:
    noise: NDArray[np.int64] = np.array(drawn, dtype=np.int64)
    yield (mechanism, "zeros"), int((noise == 0).sum())
    yield (mechanism, "above"), int((noise > 0).sum())
    yield (mechanism, "squares"), int((noise**2).sum())
