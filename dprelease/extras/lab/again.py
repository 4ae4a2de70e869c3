"""A question asked again and again: how soon its answers tell what each of them hides. Exact; nothing is drawn."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, pi

import numpy as np

from dprelease.extras.lab.worlds import HIGHEST, STEP

MOST = 10**6
SALARY = HIGHEST // STEP
"""Steps of a salary by which one of them moves a sum."""


def by_mean(epsilon: float, copies: int) -> float:
    """Return how often the mean of k answers with continuous Laplace noise is on its own side of the middle.

    P(S <= k/2) = 1/2 + ∫ sin(tk/2) φ(t) / (πt) dt over t > 0 with φ(t) = (1 + t²/ε²)^−k. Gil-Pelaez 1951.
    """
    nodes, weights = np.polynomial.legendre.leggauss(8)
    width = min(epsilon / 4, 2 / copies)
    end = 40 * epsilon if copies >= 8 else 2e5 * width
    low = np.arange(0, end, width)[:, np.newaxis]
    t = low + (nodes + 1) * width / 2
    inner = np.sin(t * copies / 2) * np.exp(-copies * np.log1p((t / epsilon) ** 2)) / (pi * t)
    return 0.5 + float((inner * weights * width / 2).sum())


def within(rate: float, draws: int, below: float) -> float:
    """Return P(|S| < below) + P(|S| = below) / 2, S the sum of draws of integer Laplace noise, P(k) ∝ e^(−rate |k|).

    Its transform is ((1 − r)² / (1 − 2r cos t + r²))^draws, r = e^−rate, on a ring so large that 10^-19 is left out.
    """
    ratio = exp(-rate)
    size = 1 << int(80 / rate * max(1.0, draws**0.5) + 2 * below + 64).bit_length()
    t = 2 * pi * np.arange(size // 2 + 1) / size
    transform = np.exp(draws * (2 * np.log1p(-ratio) - np.log(1 - 2 * ratio * np.cos(t) + ratio**2)))
    masses = np.fft.irfft(transform, size)
    far = int(np.ceil(below)) - 1
    tie = float(masses[far + 1]) if below == far + 1 else 0.0
    return float(masses[: far + 1].sum() + (masses[-far:].sum() if far else 0.0)) + tie


def salary_told(epsilon: float, tries: int) -> float:
    """Return how often the mean of k differences of two sums, ε each, is nearest to the true one of eleven salaries.

    Beyond the first and the last salary a mean counts as these: (9 P(|S| < k/2) + 2 (1 + P(|S| < k/2)) / 2) / 11.
    """
    inner = within(epsilon / SALARY, 2 * tries, tries / 2)
    return ((SALARY - 1) * inner + (1 + inner)) / (SALARY + 1)


def first(told: Callable[[int], float], wanted: float = 0.95) -> int:
    """Return the least k from which on that is at least as much as wanted, by doubling and halving."""
    high = 1
    while told(high) < wanted and high < MOST:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if told(middle) >= wanted else (middle, high)
    return high


def uniform_left(reach: int, copies: int) -> tuple[float, float]:
    """Return the probability that k answers leave one number, 1 − 2(1 − 1/w)^k + (1 − 2/w)^k, and how many they leave.

    On average w − E(max − min), where the least and the greatest of k draws lie that far apart; w = 2 reach + 1.
    """
    wide = 2 * reach + 1
    pinned = 1 - 2 * (1 - 1 / wide) ** copies + (1 - 2 / wide) ** copies
    apart = sum(1 - 2 * (place / wide) ** copies for place in range(1, wide))
    return pinned, wide - apart
