"""Bounds on the losses of a mechanism: at most, of the worst unit, and of one whose changes are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np

from dprelease.accounting import pld
from dprelease.adversaries.losses import COARSE, LatticeTerm, Losses, NormalTerm, Term, composed
from dprelease.mechanisms import (
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Mechanism,
    NoisyTopK,
    PermuteAndFlip,
    ResidualGaussian,
)

SMOOTH = 5.0
"""Steps: discrete Gaussian noise of a σ from here on tells as much as continuous noise, to a thousandth."""
MAX_CELLS = 200
"""Maximum different changes of one person; beyond, they are taken as one change in one cell, which tells no less."""


@dataclass(frozen=True, slots=True)
class ComposedTerms:
    """Terms, and how often each: what somebody learns from mechanisms at most."""

    terms: Counter[Term]
    deltas: tuple[float, ...] = ()

    def losses(self, points: int) -> Losses:
        return composed(self.terms, delta=self.deltas, points=points)

    @property
    def advantage(self) -> float:
        """Advantage of an adversary who sees these alone."""
        return self.losses(COARSE).advantage


def together(parts: Sequence[ComposedTerms]) -> ComposedTerms:
    """All of them, whose noise is independent. Their ρ add up: of Gaussian noise, and of whatever is ρ-zCDP."""
    terms: Counter[Term] = Counter()
    normal = bounded = 0.0
    for each in parts:
        for term, times in each.terms.items():
            if isinstance(term, NormalTerm):
                normal += term.rho * times
            elif isinstance(term, pld.GaussianTerm):
                bounded += term.rho * times
            else:
                terms[term] += times
    terms.update([NormalTerm(normal)] if normal else [])
    terms.update([pld.GaussianTerm(bounded)] if bounded else [])
    return ComposedTerms(terms, tuple(delta for each in parts for delta in each.deltas))


def at_most(mechanism: Mechanism) -> ComposedTerms:
    """Return the losses that any mechanism with its ε or ρ, and its δ, may have: a guarantee, whatever it is."""
    delta = (float(mechanism.delta),) if mechanism.delta else ()
    if mechanism.epsilon is None or mechanism.rho < mechanism.epsilon**2 / 2:
        return ComposedTerms(Counter([pld.GaussianTerm(float(mechanism.rho))]), delta)
    return ComposedTerms(Counter([pld.PureTerm(float(mechanism.epsilon))]), delta)


def at_worst(mechanism: Mechanism) -> ComposedTerms:
    """Return the losses of the unit that changes most: the whole L1 distance in one cell with Laplace noise, the L2
    distance with Gaussian noise. Of other mechanisms that is not known, and they stay `at_most`."""
    match mechanism:
        case DiscreteLaplace():
            return ComposedTerms(Counter([pld.LaplaceTerm(float(mechanism.epsilon), mechanism.sensitivity.l1)]))
        case DiscreteGaussian():
            return _gaussian(mechanism) or at_most(mechanism)
        case ResidualGaussian() if mechanism.scale >= SMOOTH:
            return ComposedTerms(Counter([NormalTerm(float(mechanism.rho))]))
    return at_most(mechanism)


def _gaussian(mechanism: DiscreteGaussian) -> ComposedTerms | None:
    """A shift of one cell, or the same in two, which units that are exchanged come to."""
    if mechanism.scale >= SMOOTH:
        return ComposedTerms(Counter([NormalTerm(float(mechanism.rho))]))
    square = mechanism.sensitivity.l2_squared
    for cells in (1, 2):
        shift = isqrt(square // cells)
        if cells * shift * shift == square:
            return ComposedTerms(Counter({LatticeTerm(mechanism.scale, shift): cells}))
    return None


def of_person(mechanism: Mechanism, change: Any) -> ComposedTerms:
    """Return the losses of a person by whom the integers differ so; where these say nothing of them, `at_worst`."""
    if change is None:
        return at_worst(mechanism)
    moved = np.abs(np.asarray(change, dtype=np.int64))
    match mechanism:
        case DiscreteLaplace():
            return _by_cell(moved, lambda shift: pld.LaplaceTerm(shift / mechanism.scale, shift))
        case DiscreteGaussian() if mechanism.scale >= SMOOTH:
            return _normal(float((moved.astype(np.float64) ** 2).sum()) / (2 * mechanism.scale**2))
        case DiscreteGaussian():
            return _by_cell(moved, lambda shift: LatticeTerm(mechanism.scale, shift))
        case ResidualGaussian() if mechanism.scale >= SMOOTH:
            return _normal(_residual_rho(mechanism, moved))
        case PermuteAndFlip() | ExponentialMechanism() | NoisyTopK():
            return _selection(mechanism, np.asarray(change, dtype=np.int64))
    return at_worst(mechanism)


def _by_cell(moved: Any, term: Callable[[int], Term]) -> ComposedTerms:
    shifts = Counter(moved[moved > 0].tolist())
    if len(shifts) > MAX_CELLS:
        shifts = Counter([int(moved.sum())])
    return ComposedTerms(Counter({term(shift): times for shift, times in shifts.items()}))


def _normal(rho: float) -> ComposedTerms:
    return ComposedTerms(Counter([NormalTerm(rho)]) if rho > 0 else Counter())


def _residual_rho(mechanism: ResidualGaussian, moved: Any) -> float:
    """ρ = Σ_B |change of B|² / (2 s_B²), of the residuals one set after the other."""
    shape, start, rho = tuple(map(int, mechanism.cells.split())), 0, 0.0
    for places, scale in mechanism.by_set.items():
        size = int(np.prod([shape[place] for place in places], dtype=np.int64))
        rho += float((moved[start : start + size].astype(np.float64) ** 2).sum()) / (2 * scale**2)
        start += size
    return rho


def _selection(mechanism: Mechanism, change: Any) -> ComposedTerms:
    """Its ε, or the root of its ρ, in proportion to how far scores move: in each row by the largest move, where they
    all move the same way, else by twice that."""
    rows = change.reshape(-1, change.shape[-1])
    own = sum(int(np.abs(row).max()) * (1 if row.min() >= 0 or row.max() <= 0 else 2) for row in rows)
    most = mechanism.sensitivity.linf * (1 if mechanism.sensitivity.monotone else 2)
    part = min(1.0, own / most)
    if part == 0:
        return ComposedTerms(Counter())
    (term,) = at_most(mechanism).terms
    if isinstance(term, pld.GaussianTerm):
        return ComposedTerms(Counter([pld.GaussianTerm(term.rho * part**2)]))
    assert mechanism.epsilon is not None
    return ComposedTerms(Counter([pld.PureTerm(float(mechanism.epsilon) * part)]))
