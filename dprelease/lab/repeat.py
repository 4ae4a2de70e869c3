"""A question asked again and again: how soon its answers tell what one of them hides. Natural logarithms; no draws."""

from __future__ import annotations

from math import exp, pi

import numpy as np

from dprelease.accounting import pld
from dprelease.lab.losses import Losses, composed

MOST = 10**6


def repeated(epsilon: float, copies: int, *, continuous: bool = False) -> float:
    """The most that anybody guesses right of two neighbouring tables by k answers at ε each.

    With integer Laplace noise on a count each answer is as good as a randomised response with this ε, which is the
    bound; with continuous noise by the ratio of likelihoods.
    """
    return (1 + _losses(epsilon, copies, continuous).advantage) / 2


def _losses(epsilon: float, copies: int, continuous: bool) -> Losses:
    term: pld.Term = pld.LaplaceTerm(epsilon, 10**9) if continuous else pld.PureTerm(epsilon)
    return composed({term: copies})


def by_mean(epsilon: float, copies: int) -> float:
    """The same where the mean of k answers with continuous Laplace noise is compared with what lies between.

    P(S <= k/2) = 1/2 + ∫ sin(tk/2) φ(t) / (πt) dt over t > 0 with φ(t) = (1 + t²/ε²)^−k. Gil-Pelaez 1951.
    """
    nodes, weights = np.polynomial.legendre.leggauss(8)
    width = min(epsilon / 4, 2 / copies)
    end = 40 * epsilon if copies >= 8 else 2e5 * width
    low = np.arange(0, end, width)[:, np.newaxis]
    t = low + (nodes + 1) * width / 2
    inner = np.sin(t * copies / 2) * np.exp(-copies * np.log1p((t / epsilon) ** 2)) / (pi * t)
    return 0.5 + float((inner * weights * width / 2).sum())


def averaged(epsilon: float, copies: int) -> float:
    """The probability that the mean of k answers with integer Laplace noise, rounded, is the truth.

    The noise of k answers has the transform ((1 − r)² / (1 − 2r cos t + r²))^k, r = e^−ε; a half is rounded up.
    """
    ratio = exp(-epsilon)
    size = 1 << int(80 / epsilon * max(1.0, copies**0.5) + 2 * copies + 64).bit_length()
    t = 2 * pi * np.arange(size // 2 + 1) / size
    transform = np.exp(copies * (2 * np.log1p(-ratio) - np.log(1 - 2 * ratio * np.cos(t) + ratio**2)))
    masses = np.fft.irfft(transform, size)
    upper = (copies - 1) // 2
    lower = copies // 2
    return float(masses[: upper + 1].sum() + (masses[-lower:].sum() if lower else 0.0))


def first_averaged(epsilon: float, wanted: float = 0.95) -> int:
    """The least k from which on `averaged` is at least that, by doubling and halving."""
    high = 1
    while averaged(epsilon, high) < wanted and high < MOST:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if averaged(epsilon, middle) >= wanted else (middle, high)
    return high


def differenced(epsilon: float) -> float:
    """The right guesses by the difference of two noisy answers alone: (1 + P(S = 0)) / 2.

    S is the difference of two draws of integer Laplace noise: P(S = 0) = ((1 − r) / (1 + r))² (1 + r²) / (1 − r²).
    """
    r = exp(-epsilon)
    return (1 + ((1 - r) / (1 + r)) ** 2 * (1 + r * r) / (1 - r * r)) / 2


def uniform_best(reach: int, copies: int) -> float:
    """The right guesses by k answers with noise of −reach to reach: (2 − (1 − 1/w)^k) / 2, w = 2 reach + 1."""
    return (2 - (1 - 1 / (2 * reach + 1)) ** copies) / 2


def uniform_left(reach: int, copies: int) -> tuple[float, float]:
    """The probability that k answers leave one number, 1 − 2(1 − 1/w)^k + (1 − 2/w)^k, and how many they leave.

    On average w − E(max − min), where the least and the greatest of k draws lie that far apart.
    """
    wide = 2 * reach + 1
    pinned = 1 - 2 * (1 - 1 / wide) ** copies + (1 - 2 / wide) ** copies
    apart = sum(1 - 2 * (place / wide) ** copies for place in range(1, wide))
    return pinned, wide - apart


def success_bound(epsilon: float, answers: int = 2) -> float:
    """The most that anybody guesses right among so many equally likely answers: e^ε / (answers − 1 + e^ε)."""
    return 1 / (1 + (answers - 1) * exp(-epsilon))
