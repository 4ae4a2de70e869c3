"""Sums of independent noises: how far they reach, and the ratios of two noisy numbers that they do not reject."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import erfc, exp, isfinite, log, pi, sqrt
from statistics import NormalDist

import numpy as np
from numpy.polynomial import Chebyshev
from numpy.typing import NDArray

from dprelease.errors import InternalError
from dprelease.statistics.algebra.share import weighted_tail

FloatArray = NDArray[np.float64]
Laplaces = tuple[tuple[float, int], ...]
"""Continuous Laplace noises: (scale, how many of that scale)."""

FEW = 16
"""Cells."""
DEGREE = 40
"""Degree of the polynomial that stands for the reach of all ratios of two noises."""
MARGIN = 28.0
"""e^−28: what the quadrature leaves out by its step, relative to the tail."""
ROUGH = 14.0
"""The same where 1e-6 of the tail is near enough."""
REST = 1e-7
"""Largest size of its last terms; since they alternate, the rest left out is far smaller."""
SLACK = 1 + 1e-6
"""Factor on the noise of `fieller` for the error of the numbers above."""


@dataclass(frozen=True, slots=True)
class Noises:
    """A sum of independent noises: continuous Laplace ones, and a normal one of standard deviation `sigma`."""

    laplaces: Laplaces = ()
    sigma: float = 0.0

    def __post_init__(self) -> None:
        numbers = (self.sigma, *(scale for scale, _ in self.laplaces), *(count for _, count in self.laplaces))
        if not all(isfinite(number) and number >= 0 for number in numbers):
            raise InternalError("a noise with a scale, a number or a sigma that is not finite or below 0")

    @property
    def standard_deviation(self) -> float:
        """√(Σ 2·count·scale² + sigma²)."""
        return sqrt(sum(2 * count * scale**2 for scale, count in self.laplaces) + self.sigma**2)

    def scaled(self, factor: float) -> Noises:
        """Return the noise of a multiple."""
        return Noises(tuple((abs(factor) * scale, count) for scale, count in self.laplaces), abs(factor) * self.sigma)

    def plus(self, other: Noises) -> Noises:
        """Return the noise of the sum of two independent ones."""
        return Noises(self.laplaces + other.laplaces, sqrt(self.sigma**2 + other.sigma**2))


def tail(t: float, laplaces: Laplaces, sigma: float = 0.0, margin: float = MARGIN) -> float:
    """Return P(|Σ noise| > t), t >= 0, to about nine digits however small; with the margin ROUGH to about six.

    In closed form for one or two Laplaces (`weighted_tail`) and for a normal alone; otherwise the inversion integral
    of the moment generating function M(s) = e^(sigma²s²/2) Π (1 − scale²s²)^(−count),

        P(X > t) = (1/π) ∫₀^∞ Re[M(s) e^(−st) / s] du,  s = θ + iu,

    by the trapezoidal rule along the line through the saddle point θ, where nothing cancels (Gil-Pelaez's integral,
    moved off the axis). The error of the step is e^(−margin) of the tail, that of the end about 1e-9.
    """
    laplaces, sigma = _distinct(laplaces, sigma)
    if not laplaces:
        return erfc(t / (sigma * sqrt(2))) if sigma else float(t < 0)
    if not sigma and sum(count for _, count in laplaces) <= 2:
        first, second, *_ = (*(np.array(scale) for scale, count in laplaces for _ in range(count)), np.array(0.0))
        return float(weighted_tail(np.array(t), first, second))
    return _beyond(t, laplaces, sigma, margin)[0]


@lru_cache(maxsize=4096)
def quantile(confidence: float, laplaces: Laplaces, sigma: float = 0.0) -> float:
    """Return the smallest t with P(|Σ noise| > t) <= 1 − confidence, for a confidence below 1."""
    laplaces, sigma = _distinct(laplaces, sigma)
    alpha = 1 - confidence
    if alpha >= 1 or not (laplaces or sigma):
        return 0.0
    if not laplaces:
        return -sigma * NormalDist().inv_cdf(alpha / 2)
    if not sigma and sum(count for _, count in laplaces) == 1:
        return -laplaces[0][0] * log(alpha)
    # The tail is log-concave: Newton's method on its logarithm comes down to the answer from above.
    t = Noises(laplaces, sigma).standard_deviation * -NormalDist().inv_cdf(alpha / 2)
    for _ in range(100):
        beyond, density = _beyond(t, laplaces, sigma)
        step = log(beyond / alpha) * beyond / density
        t = max(t + step, t / 2)
        if abs(step) <= 1e-11 * t:
            break
    return t


def _distinct(laplaces: Laplaces, sigma: float) -> tuple[Laplaces, float]:
    """Return each scale once, the largest first, without noises whose variance does not matter at double precision."""
    counts: dict[float, int] = {}
    for scale, count in laplaces:
        counts[scale] = counts.get(scale, 0) + count
    least = 1e-15 * Noises(laplaces, sigma).standard_deviation ** 2
    kept = {scale: count for scale, count in counts.items() if 2 * count * scale**2 > least}
    return tuple(sorted(kept.items(), reverse=True)), sigma if sigma**2 > least else 0.0


def _beyond(t: float, laplaces: Laplaces, sigma: float, margin: float = MARGIN) -> tuple[float, float]:
    """Return P(|Σ noise| > t) and its density, as −d/dt."""
    scales = np.array([scale for scale, _ in laplaces])
    counts = np.array([count for _, count in laplaces], dtype=np.float64)
    if counts[0] == 1:
        # Closing the contour on the right, the first pole alone gives e^(−t/b) M_rest(1/b), b the largest scale.
        alone = _cumulant(1 / scales[0], scales[1:], counts[1:], sigma) - t / scales[0]
        ends = 1.5 / scales[0] * 1.5 ** np.arange(80)
        ends = ends[ends < 0.99 / scales[1]] if len(scales) > 1 else ends
        if (_cumulants(ends, scales[1:], counts[1:], sigma) - ends * t < alone - MARGIN).any():
            return exp(alone), exp(alone) / float(scales[0])
    return _inverted(t, scales, counts, sigma, margin)


def _inverted(t: float, scales: FloatArray, counts: FloatArray, sigma: float, margin: float) -> tuple[float, float]:
    """Return the same from the inversion integral."""
    end = 1 / float(scales[0])
    theta = _saddle(t, scales, counts, sigma)
    squares = (scales * theta) ** 2
    curvature = float((2 * counts * scales**2 * (1 + squares) / (1 - squares) ** 2).sum()) + sigma**2 + theta**-2
    guess = _cumulant(theta, scales, counts, sigma) - theta * t - log(theta * sqrt(2 * pi * curvature))
    # The trapezoidal rule of step 2π/period adds copies of the tail, moved by multiples of the period.
    below = (margin - guess) / theta
    moved = theta + (end - theta) * np.ldexp(1.0, -np.arange(1, 40))
    above = float(((margin + _cumulants(moved, scales, counts, sigma) - moved * t - guess) / (moved - theta)).min())
    step = 2 * pi / max(below, above)
    last = step
    while _decay(last, theta, scales, counts, sigma) > log(REST):
        last *= 1.5
    s = theta + 1j * step * np.arange(int(last / step) + 2)
    logarithm = sigma**2 * s**2 / 2 - s * t
    factors = counts[:, None] * np.log(1 - (scales[:, None] * s) ** 2)
    logarithm = np.subtract.reduce(np.concatenate([logarithm[None], factors]))
    terms = np.exp(logarithm - logarithm[0].real)
    terms[0] /= 2
    height = exp(logarithm[0].real) * 2 * step / pi
    return height * float((terms / s).real.sum()), height * float(terms.real.sum())


def _cumulant(s: float, scales: FloatArray, counts: FloatArray, sigma: float) -> float:
    """Return ln M(s)."""
    return float(_cumulants(np.array([s]), scales, counts, sigma)[0])


def _cumulants(s: FloatArray, scales: FloatArray, counts: FloatArray, sigma: float) -> FloatArray:
    """Return ln M at several s."""
    logarithms = np.log1p(-((scales * s[:, None]) ** 2))
    return np.asarray(-(counts * logarithms).sum(axis=-1) + sigma**2 * s**2 / 2)


def _saddle(t: float, scales: FloatArray, counts: FloatArray, sigma: float) -> float:
    """Return the s on the real axis where M(s) e^(−st) / s is smallest."""
    end = 1 / float(scales[0])
    low, high = 0.0, end
    for _ in range(200):
        middle = (low + high) / 2
        slope = float((2 * counts * scales**2 * middle / (1 - (scales * middle) ** 2)).sum()) + sigma**2 * middle
        low, high = (middle, high) if slope < t + 1 / middle else (low, middle)
        if high - low < 1e-2 * min(low, end - high):
            break
    return (low + high) / 2


def _decay(u: float, theta: float, scales: FloatArray, counts: FloatArray, sigma: float) -> float:
    """Return ln(|M(θ + iu)| / M(θ))."""
    wide, left, right = (scales * u) ** 2, 1 - scales * theta, 1 + scales * theta
    return float(-(counts * (np.log1p(wide / left**2) + np.log1p(wide / right**2)) / 2).sum()) - sigma**2 * u**2 / 2


def fieller(
    numerator: FloatArray,
    denominator: FloatArray,
    numerator_noise: Noises,
    denominator_noise: Noises,
    confidence: float = 0.95,
    *,
    halvings: int = 64,
) -> tuple[FloatArray, FloatArray]:
    """The ratios r = A / B that noisy integers A + η and B + ζ do not reject, each cell for itself (Fieller 1954).

    If r is the true ratio, numerator − r·denominator is η − r·ζ alone. So r is kept where that is within the central
    `confidence` of its own distribution, which is exact, and then half a step of each of the two for the noise being
    discrete. Where the denominator is not clearly above 0, by the same measure, the interval is (−∞, ∞). Bounds err
    outwards by about 1e-6 of the noise; with fewer `halvings`, by as much as is left of the first guess.
    """
    reach = quantile(confidence, denominator_noise.laplaces, denominator_noise.sigma) * SLACK
    floor = reach + _half_step(denominator_noise)
    clear = denominator > floor
    below = np.where(clear, denominator, floor + 1)
    centre = numerator / below
    wide = quantile(confidence, numerator_noise.laplaces, numerator_noise.sigma) * SLACK + _half_step(numerator_noise)
    # |A − rB| <= wide + |r| floor holds for all that is kept, as the reach of a sum is at most the sum of reaches.
    reach_of = _reach(numerator_noise, denominator_noise, confidence)
    signs = np.array([-1.0, 1.0]).reshape(2, *(1 for _ in np.shape(centre)))
    inside = np.stack([centre, centre])
    outside = centre + signs * (1.001 * (wide + np.abs(centre) * floor) / (below - floor))
    for _ in range(halvings):
        middle = (inside + outside) / 2
        kept = np.abs(numerator - middle * below) <= reach_of(middle)
        inside, outside = np.where(kept, middle, inside), np.where(kept, outside, middle)
    bounds = np.where(clear, outside, signs * np.inf)
    return bounds[0], bounds[1]


def part_interval(
    part: FloatArray, rest: FloatArray, part_noise: Noises, rest_noise: Noises, confidence: float = 0.95
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return shares of a whole that a noisy part and the noisy rest have: each value, and the r in [0, 1] not rejected.

    If r is the true share, (1 − r)·part − r·rest is noise alone: (1 − r)·η − r·ζ. So r is kept where that is within the
    central `confidence` of its own distribution, and half of max(r, 1 − r) for the noise being discrete: by enumeration
    that never holds less often. What is kept is one piece, or has an end of [0, 1] in it, which then is the end; where
    the value itself is not kept, nothing is ruled out. No value (NaN) where part and rest together are not above 0.
    """
    whole = part + rest
    some = whole > 0
    value = np.where(some, np.clip(part / np.where(some, whole, 1.0), 0, 1), np.nan)
    if confidence == 0:
        return value, value, value
    reach = parts_reach(part_noise, rest_noise, confidence)

    def kept(r: FloatArray) -> NDArray[np.bool_]:
        return np.asarray(np.abs((1 - r) * part - r * rest) <= reach(r))

    centre = np.where(some, value, 0.5)
    unclear, bounds = ~kept(centre), []
    for end in (0.0, 1.0):
        inside, outside = centre, np.full_like(centre, end)
        at_end = kept(outside) | unclear
        for _ in range(60):
            middle = (inside + outside) / 2
            near = kept(middle)
            inside, outside = np.where(near, middle, inside), np.where(near, outside, middle)
        bounds.append(np.where(some, np.where(at_end, end, outside), np.nan))
    return value, bounds[0], bounds[1]


def parts_reach(part: Noises, rest: Noises, confidence: float) -> Callable[[FloatArray], FloatArray]:
    """Return the reach of (1 − r)·η − r·ζ and its discreteness, as a function of r from 0 to 1.

    The quantile of the continuous noise, and half of the larger of the two factors for the noise being discrete.
    """
    top, bottom = part.standard_deviation, rest.standard_deviation
    shape = _shape(_unit(part), _unit(rest), confidence)

    def reach(r: FloatArray) -> FloatArray:
        large, small = ((1 - r) * top) ** 2, (r * bottom) ** 2
        whole = large + small
        cosine = (large - small) / np.where(whole > 0, whole, 1.0)
        return np.asarray(np.sqrt(whole) * _at(shape, cosine) * SLACK + np.maximum(r, 1 - r) / 2)

    return reach


def _half_step(noise: Noises) -> float:
    return 0.5 if noise.standard_deviation else 0.0


def _reach(numerator: Noises, denominator: Noises, confidence: float) -> Callable[[FloatArray], FloatArray]:
    """Return the reach of η − r·ζ and its discreteness, as a function of r."""
    top, deviation = numerator.standard_deviation**2, denominator.standard_deviation
    shape = _shape(_unit(numerator), _unit(denominator), confidence)
    steps = _half_step(numerator), _half_step(denominator)

    def reach(r: FloatArray) -> FloatArray:
        bottom = (r * deviation) ** 2
        whole = top + bottom
        cosine = (top - bottom) / np.where(whole > 0, whole, 1.0)
        return np.asarray(np.sqrt(whole) * _at(shape, cosine) * SLACK + steps[0] + np.abs(r) * steps[1])

    return reach


def _at(shape: Chebyshev, cosine: FloatArray) -> FloatArray:
    """Return the polynomial's value: Σ cₖ cos(k arccos x), which for few numbers is quicker than its recurrence."""
    if cosine.size > FEW:
        return np.asarray(shape(cosine))
    degrees = np.arange(len(shape.coef))
    return np.asarray(np.cos(np.multiply.outer(np.arccos(np.clip(cosine, -1, 1)), degrees)) @ shape.coef)


def _unit(noise: Noises) -> Noises:
    """Return the noise brought to variance 1; equal for noises that differ in scale only."""
    deviation = noise.standard_deviation
    if not deviation:
        return noise
    laplaces = tuple((round(scale / deviation, 12), count) for scale, count in noise.laplaces)
    return Noises(laplaces, round(noise.sigma / deviation, 12))


@lru_cache(maxsize=256)
def _shape(numerator: Noises, denominator: Noises, confidence: float) -> Chebyshev:
    """Return the quantile of cos(φ)·η + sin(φ)·ζ, both of variance 1, as a function of cos(2φ), of which it is smooth.

    Interpolated at Chebyshev's points.
    """
    if not (numerator.standard_deviation and denominator.standard_deviation):
        only = numerator.plus(denominator)
        return Chebyshev([quantile(confidence, only.laplaces, only.sigma) / (only.standard_deviation or 1.0)])

    def at(cosine: float) -> float:
        both = numerator.scaled(sqrt((1 + cosine) / 2)).plus(denominator.scaled(sqrt((1 - cosine) / 2)))
        return quantile(confidence, both.laplaces, both.sigma)

    return Chebyshev.interpolate(lambda cosines: np.array([at(cosine) for cosine in cosines.tolist()]), DEGREE)
