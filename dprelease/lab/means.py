"""Means of bounded numbers as they are often printed, and what each really loses: closed forms, natural logarithms.

Rows lie from l to u, one row a unit, which is added or removed. Noise is Laplace and continuous, as where they are
printed. Li, Lyu, Su, Yang 2016, "Differential Privacy: From Theory to Practice", chapter 2.
"""

from __future__ import annotations

from math import exp, expm1, log, log1p


def noisy_parts(epsilon: float, lower: float, upper: float) -> float:
    """The real ε of a sum with noise of scale 2 (u − l) / ε over a count with noise of scale 2 / ε.

    The sum moves by max(|l|, |u|), which is more than u − l where 0 is not among the values: ε (max(|l|, |u|) / (2 (u −
    l)) + 1/2). Scaled by max(|l|, |u|), it is ε.
    """
    return epsilon * (max(abs(lower), abs(upper)) / (2 * (upper - lower)) + 0.5)


def printed_count(epsilon: float) -> float:
    """The real ε of a centred sum with noise of scale (u − l) / ε and a count with noise of scale ε/2, not 2/ε."""
    return epsilon / 2 + 2 / epsilon


def resampled_at(epsilon: float, rows: int) -> float:
    """ln of the ratio of densities at −1, where noise is drawn anew until the mean lies from −1 to 1.

    The tables: n rows of −1, and those with a row of 1. With noise of scale b = 2 / ε on the sum, the ratio is n / (n +
    1) · e^ε · Z' / Z, Z = (1 − e^(−2n/b)) / 2 and Z' = 1 − (e^(−2/b) + e^(−2n/b)) / 2: how often a draw is kept.
    """
    kept = -expm1(-rows * epsilon) / 2
    other = 1 - (exp(-epsilon) + exp(-rows * epsilon)) / 2
    return log(rows / (rows + 1)) + epsilon + log(other / kept)


def resampled(epsilon: float) -> float:
    """Its limit for many rows: ln(2e^ε − 1), which is more than ε."""
    return epsilon + log1p(-expm1(-epsilon))


def clamped_at(epsilon: float, rows: int) -> float:
    """ln of the ratio of densities at the second mean, where it is published as the nearest of the bounds if outside.

    The tables: n rows of u, and those with a row of l. The mean's noise has a scale of (u − l) / (ε rows), so that the
    ratio at the mean of the second is ln((n + 1) / n) + ε n / (n + 1).
    """
    return log1p(1 / rows) + epsilon * rows / (rows + 1)


def clamped(epsilon: float) -> float:
    """What it really loses: max(ε, ln 2 + ε/2), more than ε up to 2 ln 2."""
    return max(epsilon, log(2) + epsilon / 2)
