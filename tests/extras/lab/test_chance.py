"""Chance for pictures: the same for ever, and distributed as it says."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from scipy import stats

from dprelease.extras.lab import chance
from dprelease.extras.lab.defences import laplace_chances
from tests.extras.lab.oracle import ORACLE

FALSE_ALARM = 1e-9
"""Of each test here, which has a seed of its own: it passes for ever or never."""


@pytest.mark.parametrize("seed", ORACLE["uniforms"])
def test_uniforms_stay_what_they_are(seed: str) -> None:
    assert chance.uniforms(seed, 3).tolist() == ORACLE["uniforms"][seed]


def test_uniforms_are_uniform_and_inside() -> None:
    found = chance.uniforms("many", 500, 200)
    assert found.shape == (500, 200)
    assert 0 < found.min() < found.max() < 1
    assert stats.kstest(found.ravel(), "uniform").pvalue > FALSE_ALARM
    assert abs(np.corrcoef(found[:-1].ravel(), found[1:].ravel())[0, 1]) < 7 / 100_000**0.5
    assert (chance.uniforms("other", 500, 200) != found).all()


@pytest.mark.parametrize("scale", [0.3, 1.0, 7.0])
def test_integer_laplace(scale: float) -> None:
    found = chance.integer_laplace(chance.uniforms(f"laplace {scale}", 100_000), scale)
    expected = laplace_chances(scale) * len(found)
    middle, reach = len(expected) // 2, int(6 * scale) + 1
    counts = [int((found == k).sum()) for k in range(-reach, reach + 1)]
    wanted = expected[middle - reach : middle + reach + 1]
    rest = len(found) - sum(counts), len(found) - float(wanted.sum())
    kept = wanted > 5
    observed = [*np.array(counts)[kept], rest[0] + int(np.array(counts)[~kept].sum())]
    predicted = [*wanted[kept], rest[1] + float(wanted[~kept].sum())]
    assert stats.chisquare(observed, predicted).pvalue > FALSE_ALARM


def test_inverse_of_laplace_at_its_steps() -> None:
    q = exp(-1)
    edge = q / (1 + q)
    u = np.array([1e-300, edge * (1 - 1e-9), edge * (1 + 1e-9), 0.5, 1 - edge * (1 + 1e-9), 1 - edge * (1 - 1e-9)])
    assert chance.integer_laplace(u, 1.0).tolist() == [-690, -1, 0, 0, 0, 1]
    assert chance.integer_laplace(u, 0.0).tolist() == [0] * 6


def test_integers_and_normals() -> None:
    found = chance.integers(chance.uniforms("integers", 50_000), 2)
    assert stats.chisquare(np.bincount(found + 2, minlength=5)).pvalue > FALSE_ALARM
    assert stats.kstest(chance.normals("normal", 50_000), "norm").pvalue > FALSE_ALARM
    assert chance.bits("bits", 100_000, chance=0.3).mean() == pytest.approx(0.3, abs=7 * (0.21 / 100_000) ** 0.5)
