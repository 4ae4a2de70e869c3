"""Thresholds of noise: reference values to the digit, and every formula beside an enumeration."""

from __future__ import annotations

import json
from fractions import Fraction
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dprelease.model.noise import Drawn, IntervalNoise
from dprelease.statements import tails
from dprelease.statements.tails import combined_tail, difference, difference_tail, quotient_tail
from dprelease.verdict import claims

ORACLE: dict[str, list[dict[str, Any]]] = json.loads((Path(__file__).parent / "oracle.json").read_text())
LAPLACE, GAUSSIAN = "discrete_laplace", "discrete_gaussian"


@pytest.mark.parametrize(
    "row", ORACLE["difference"], ids=lambda row: f"{row['noise']}-{row['scale']}-{row['beta']:.1e}"
)
def test_differences_are_those_of_the_reference(row: dict[str, Any]) -> None:
    """By the closed form, by the sum over the second number, and by that of the second program over the first."""
    one, other = (Drawn(row["noise"], row[key]) for key in ("scale", "scale2"))
    assert difference(one, other, row["beta"]) == row["d"]
    assert tails.least(lambda d: quotient_tail(one, other, 1, 1, d), row["beta"]) == row["d"]
    laws = [(each.name, each.scale, 1) for each in (one, other)]
    assert tails.least(lambda d: claims._difference(*laws, d), row["beta"]) == row["d"]


@pytest.mark.parametrize("row", ORACLE["stretch"], ids=str)
def test_stretches_are_those_of_the_reference(row: dict[str, Any]) -> None:
    num, den, scale = row["num"], row["den"], row["laplace_scale"]
    own = ((den - num, Drawn(LAPLACE, scale, row["inside"])), (-num, Drawn(LAPLACE, scale, row["outside"])))
    assert tails.least(lambda t: combined_tail(own, t), row["beta"]) == row["t"]
    laws = ((den - num, (LAPLACE, scale, row["inside"])), (num, (LAPLACE, scale, row["outside"])))
    assert tails.least(lambda t: claims._combined(laws, t), row["beta"]) == row["t"]


def enumerated(noise: Drawn) -> dict[int, float]:
    """P(k) of a sum of draws, by convolving one after the other."""
    k = np.arange(-int(60 * noise.scale) - 20, int(60 * noise.scale) + 21)
    own = np.exp(-np.abs(k) / noise.scale) if noise.name == LAPLACE else np.exp(-((k / noise.scale) ** 2) / 2)
    own, found = own / own.sum(), np.ones(1)
    for _ in range(noise.draws):
        found = np.convolve(found, own)
    top = len(found) // 2
    return dict(zip(range(-top, top + 1), found.tolist(), strict=True))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", [LAPLACE, GAUSSIAN])
@pytest.mark.parametrize(("a", "b"), [(1, 1), (100, 137), (1000, 250), (3, 1000)])
@pytest.mark.parametrize(("scale", "draws"), [(0.2, 1), (1.3, 1), (4.5, 1), (2.0, 3)])
def test_a_quotient_is_left_out_as_often_as_it_says(name: str, a: int, b: int, scale: float, draws: int) -> None:
    noise = Drawn(name, scale, draws)
    every = enumerated(noise)
    for t in (1, a, 5 * (a + b), int(12 * scale * a)):
        tail = {k: sum(p for n, p in every.items() if a * n >= t + b * k) for k in every if every[k] > 1e-18}
        expected = sum(every[k] * rest for k, rest in tail.items())
        assert quotient_tail(noise, noise, a, b, t) == pytest.approx(expected, rel=1e-8, abs=1e-14)
        law = (name, scale, draws)
        assert claims._pair(law, law, a, b, t) == pytest.approx(expected, rel=1e-8, abs=1e-14)


@pytest.mark.parametrize("name", [LAPLACE, GAUSSIAN])
@pytest.mark.parametrize(("a", "b"), [(1, 1), (100, 137), (1250, 1000)])
def test_beyond_a_scale_of_1000_noise_is_never_taken_for_less(name: str, a: int, b: int) -> None:
    """A continuous noise and one step, or a coarser lattice and one step a draw, are at most some per mille more."""
    scale = 1900.0
    k = np.arange(-int(45 * scale), int(45 * scale) + 1)
    own = np.exp(-np.abs(k) / scale) if name == LAPLACE else np.exp(-((k / scale) ** 2) / 2)
    own /= own.sum()
    beyond = np.append(np.cumsum(own[::-1])[::-1], 0)
    for t in (int(2 * scale * a), int(7 * scale * (a + b) / 2)):
        exact = float(own @ beyond[np.clip(-((-t - b * k) // a) - k[0], 0, len(own))])
        single = quotient_tail(Drawn(name, scale), Drawn(name, scale), a, b, t)
        assert exact * (1 - 1e-9) <= single <= exact * 1.01
        if a == b:
            coarse = combined_tail(((a, Drawn(name, scale)), (-b, Drawn(name, scale))), t)
            assert exact * (1 - 1e-9) <= coarse <= exact * 1.05


def test_bounded_noise_needs_a_larger_difference_and_never_a_smaller_one() -> None:
    """Of discrete Laplace and Gaussian noise: with r the reach of the interval and one step."""
    from dprelease.mechanisms.half_width import half_width

    for name in (LAPLACE, GAUSSIAN):
        for scale in (0.2, 0.7, 3.0, 40.0):
            known, bound = Drawn(name, scale), IntervalNoise(half_width(name, scale) + 1)
            for beta in (0.025, 0.0016, 1e-5):
                assert difference(bound, bound, beta) >= difference(known, known, beta)
            assert difference_tail(bound, bound, int(2 * bound.reach)) == pytest.approx(0.05)
            assert difference_tail(bound, bound, Fraction(1, 3)) == 1


def test_the_closed_form_does_not_lose_its_digits_where_scales_are_nearly_alike() -> None:
    for other in (20.0, 20.0 * (1 + 1e-9), 20.019, 20.021):
        one, two = Drawn(LAPLACE, 20.0), Drawn(LAPLACE, other)
        assert difference_tail(one, two, 150) == pytest.approx(quotient_tail(one, two, 1, 1, 150), rel=1e-9)
    assert difference_tail(Drawn(LAPLACE, 1e6), Drawn(LAPLACE, 1e6), 10) == pytest.approx(0.5, rel=1e-4)
    assert difference_tail(Drawn(LAPLACE, 0.05), Drawn(LAPLACE, 0.05), 1) == pytest.approx(2 * exp(-20), rel=1e-6)
