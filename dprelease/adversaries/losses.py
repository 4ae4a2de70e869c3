"""The privacy losses of some mechanisms together, and the best that anybody can do who has to tell two tables apart.

Each mechanism is replaced by a pair of distributions P and Q of a loss x = ln P/Q on one grid, the same both ways:
Q(x) = P(−x) = e^−x P(x). What lies between two points of the grid goes to both so that the sums of P and of Q stay, and
so is at least as bad (`accounting.pld`). Losses of independent mechanisms add up: their distributions are convolved,
all at once by a Fourier transform, whose rounding stays below 10^-12. Of all tests, those that call P wherever the loss
is above some x have the most hits at any rate of false alarms (Neyman and Pearson).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, pi, prod, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dprelease.accounting import pld, renyi

Floats: TypeAlias = NDArray[np.float64]

FINE, COARSE = 2**14, 2**10
"""Points of a grid from 0 to the sum of the largest losses: of a curve, and of a single figure."""
TAIL = 9.0
"""Standard deviations, beyond which 10^-19 of a normal distribution is left out: far below the rounding."""
NODES = 8


@dataclass(frozen=True, slots=True)
class NormalTerm:
    """Gaussian noise on one number or a vector, ρ = (L2 distance)² / (2σ²): a loss that is N(ρ, 2ρ) distributed."""

    rho: float

    @property
    def reach(self) -> float:
        return self.rho + TAIL * sqrt(2 * self.rho)


@dataclass(frozen=True, slots=True)
class LatticeTerm:
    """Discrete Gaussian noise of σ on one integer that is `shift` off, by its own probabilities.

    With a σ of a few steps it loses more than continuous noise: at σ = 1 and a shift of 1 the advantage is 0.3989
    against 0.3829.
    """

    scale: float
    shift: int

    @property
    def reach(self) -> float:
        ratio = self.shift / self.scale
        return ratio * ratio / 2 + TAIL * ratio


Term: TypeAlias = pld.Term | NormalTerm | LatticeTerm


@dataclass(frozen=True, slots=True)
class Losses:
    """P's masses at losses of …, −1, 0, 1, … steps, and what it has at an infinite loss."""

    masses: Floats
    infinite: float

    @property
    def advantage(self) -> float:
        """The largest difference of hits and false alarms, which is the total variation of P and Q.

        Whoever tosses a coin between two tables is guessed right with probability (1 + advantage) / 2.
        """
        above = self.masses[len(self.masses) // 2 + 1 :]
        below = self.masses[: len(self.masses) // 2]
        return min(1.0, max(0.0, float(above.sum() - below.sum()) + self.infinite))

    def hits(self, false_alarms: Floats) -> Floats:
        """Return the most hits at each rate of false alarms: between two tests, one of them by the toss of a coin."""
        told = np.concatenate([[0.0, 0.0], np.cumsum(self.masses[::-1])]) + self.infinite
        told[0] = 0.0
        wrong = np.concatenate([[0.0, 0.0], np.cumsum(self.masses)])
        return np.asarray(np.minimum(1.0, np.interp(false_alarms, wrong, told)), dtype=np.float64)


def composed(terms: Mapping[Term, int], *, delta: Sequence[float] = (), points: int = FINE) -> Losses:
    """Return the losses of so many of each term together; with each δ something is told outright that often.

    `delta`: of mechanisms that are (ε, δ)-private, beside the term of their ε: at worst the result tells all with
    probability δ, and else no more than ε (Kairouz, Oh, Viswanath 2015).
    """
    infinite = 1 - prod(1 - each for each in delta)
    if not terms:
        return Losses(np.array([1 - infinite]), infinite)
    reaches = {term: _reach(term) for term in terms}
    whole = sum(reaches[term] * times for term, times in terms.items())
    step = _step(terms, max(pld.MIN_STEP, whole / points))
    parts = {term: _grid(term, reaches[term], step) for term in terms}
    half = sum((len(part) - 1) * terms[term] for term, part in parts.items())
    size = 1 << (2 * half + 1).bit_length()
    product = np.ones(size // 2 + 1, dtype=np.complex128)
    certain = 1 - infinite
    for term, part in parts.items():
        both = np.concatenate([part, np.zeros(size - 2 * len(part) + 1), pld.reflected(part, step)[:0:-1]])
        lost = max(0.0, 1 - float(both.sum()))
        certain *= (1 - lost) ** terms[term]
        product *= np.fft.rfft(both) ** terms[term]
    cycle = np.maximum(0.0, np.fft.irfft(product, size)) * (1 - infinite)
    return Losses(np.concatenate([cycle[-half:], cycle[: half + 1]]), 1 - certain)


def _step(terms: Iterable[Term], most: float) -> float:
    """At most that, and such that the losses of one term, those closest to one another, lie on the grid."""
    apart = [each for each in map(_apart, terms) if each >= most]
    return min(apart) / ceil(min(apart) / most) if apart else most


def _apart(term: Term) -> float:
    """Return the number that all losses of a term are whole multiples of; 0 where there is none."""
    match term:
        case pld.PureTerm(epsilon):
            return epsilon
        case pld.LaplaceTerm(epsilon, shift):
            return epsilon / shift
        case LatticeTerm(scale, shift):
            return shift / scale * shift / scale / 2
    return 0.0


def _reach(term: Term) -> float:
    """Return the largest loss that the grid holds; what lies beyond counts as infinite."""
    match term:
        case pld.GaussianTerm(rho):
            return renyi.epsilon_of(renyi.Gaussian(rho), pld.CUT).epsilon
        case NormalTerm() | LatticeTerm():
            return term.reach
        case _:
            return term.epsilon


def _grid(term: Term, reach: float, step: float) -> Floats:
    """P's masses at losses of 0, 1, 2, … steps."""
    match term:
        case pld.GaussianTerm(rho):
            return pld.gaussian_losses(rho, reach, step)
        case NormalTerm(rho):
            return _normal(rho, ceil(reach / step) + 1, step)
        case LatticeTerm():
            return _lattice(term, ceil(reach / step) + 1, step)
        case _:
            return pld.pure_losses(term, step)


def _normal(rho: float, points: int, step: float) -> Floats:
    """P's loss is N(ρ, 2ρ) distributed; each stretch of the grid by Gauss and Legendre."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    inside = (nodes + 1) * step / 2
    losses = step * np.arange(points - 1)[:, np.newaxis] + inside
    density = np.exp(-((losses - rho) ** 2) / (4 * rho)) * (weights * step / 2 / sqrt(4 * pi * rho))
    return _placed(density.sum(axis=1), (density * np.exp(-inside)).sum(axis=1), step)


def _lattice(term: LatticeTerm, points: int, step: float) -> Floats:
    """P(k) ∝ e^(−k²/2σ²) and Q(k) = P(k − shift): a loss of (shift² − 2k·shift) / (2σ²)."""
    variance, shift = term.scale**2, term.shift
    far = ceil(2 * TAIL * term.scale) + 1
    k = np.arange(-far, far + 1, dtype=np.float64)
    weights = np.exp(-(k**2) / (2 * variance))
    weights /= weights.sum()
    loss = (shift - 2 * k) * shift / (2 * variance)
    kept = (loss > 0) & (loss < step * (points - 1))
    place = np.minimum(np.floor(loss[kept] / step).astype(np.int64), points - 2)  # of a loss that rounds to the end
    own, other = np.zeros(points - 1), np.zeros(points - 1)
    np.add.at(own, place, weights[kept])
    np.add.at(other, place, weights[kept] * np.exp(step * place - loss[kept]))
    return _placed(own, other, step)


def _placed(own: Floats, other: Floats, step: float) -> Floats:
    """Put P's mass between two grid points on these two so that both sums stay; the rest of P lies at 0.

    `other`: what Q has there, times e^x at the lower point x.
    """
    to_upper = np.clip((own - other) / -np.expm1(-step), 0, own)
    masses = np.append(own - to_upper, 0.0)
    masses[1:] += to_upper
    masses[0] = max(0.0, 1 - float(masses[1:].sum() + pld.reflected(masses, step)[1:].sum()))
    return masses
