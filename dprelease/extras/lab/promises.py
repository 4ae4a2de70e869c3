"""The two curves that a mechanism is promised by: Rényi divergence by order, and δ by ε, of two neighbouring tables.

Beside each curve stands what a pure ε alone allows. Where outputs can be counted, both are sums over them; continuous
noise has closed forms, for cells lose a part.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, expm1, isinf
from typing import TypeAlias

import numpy as np

from dprelease.accounting import renyi
from dprelease.extras.lab.pair import Floats, OutputPair, gaussian_delta
from dprelease.extras.lab.two_tables import NORMAL, NUMBERS, pair_of

ORDERS: tuple[float, ...] = tuple(1 + place / 4 for place in range(37))
"""From 1 to 10."""
POINTS = 40
REACH = 2
"""A curve of δ ends at so many times the ε."""
FAR = 700.0
ROUNDING = 1e-12
"""Tolerance of a δ: no more than what is left where there is none."""
HEAD = "curve,at,own,allowed"
Point: TypeAlias = tuple[float, float, float | None]
"""An order or an ε, the curve's value there, and what ε alone allows; None of Gaussian noise, which has no pure ε."""


@dataclass(frozen=True, slots=True)
class Promises:
    """The curves of one mechanism."""

    mechanism: str
    epsilon: float
    people: int

    @property
    def pure(self) -> float:
        """Returns the ε of so many people; Gaussian noise is drawn with σ = 1/ε and has none."""
        return self.epsilon * (self.people if self.mechanism in NUMBERS else 1)

    def divergence(self, order: float) -> float:
        """Return D_α of the two tables, whichever way round is more."""
        if self.mechanism in NORMAL:
            # Exact of continuous noise. Of discrete noise no less holds at whole orders, and no more ever does
            # (Canonne, Kamath, Steinke 2020, proposition 5).
            return renyi.Gaussian(self.pure**2 / 2).divergence(order)
        if self.mechanism == "laplace_real":
            return renyi.Laplace(self.pure).divergence(order)
        return divergence(pair_of(self.mechanism, self.epsilon, self.people), order)

    def delta(self, epsilon: float) -> float:
        """Return the least δ at this ε. Of Laplace noise 1 − e^((ε − pure)/2): Balle, Barthe, Gaboardi 2020."""
        if self.mechanism == "gaussian_real":
            return gaussian_delta(self.pure, epsilon)
        if self.mechanism == "laplace_real":
            return max(0.0, -expm1((epsilon - self.pure) / 2))
        found = pair_of(self.mechanism, self.epsilon, self.people).delta(epsilon)
        return found if found > ROUNDING else 0.0

    def orders(self) -> tuple[Point, ...]:
        """Return the curve of Rényi divergence."""
        most = None if self.mechanism in NORMAL else renyi.RandomizedResponseCurve(self.pure)
        return tuple(
            (order, self.divergence(order), None if most is None else most.divergence(order)) for order in ORDERS
        )

    def deltas(self) -> tuple[Point, ...]:
        """Return the curve of δ."""
        normal = self.mechanism in NORMAL
        epsilons = [self.pure * REACH * place / POINTS for place in range(POINTS + 1)]
        return tuple((each, self.delta(each), None if normal else most_delta(self.pure, each)) for each in epsilons)

    def csv(self) -> str:
        """Return both curves as CSV, a line a point, with all digits."""
        found = [("renyi", *point) for point in self.orders()] + [("delta", *point) for point in self.deltas()]
        lines = (",".join("" if each is None else str(each) for each in point) for point in found)
        return "".join(f"{line}\n" for line in (HEAD, *lines))


def most_delta(pure: float, epsilon: float) -> float:
    """Bound the δ of any mechanism of that pure ε at a smaller one: (e^pure − e^ε) / (1 + e^pure)."""
    return max(0.0, -expm1(epsilon - pure)) / (1 + exp(-min(pure, FAR)))


def divergence(pair: OutputPair, order: float) -> float:
    """Return ln Σ p^α q^(1−α) / (α − 1), at 1 Σ p ln(p/q), at ∞ the largest loss; whichever way round is more.

    Of outputs that either table may have; infinite where one of them has an output that the other has not.
    """
    kept = (pair.p > 0) | (pair.q > 0)
    losses = pair.losses[kept]
    if np.isinf(losses).any():
        return float("inf")
    return max(_one_way(pair.p[kept], losses, order), _one_way(pair.q[kept], -losses, order))


def _one_way(p: Floats, losses: Floats, order: float) -> float:
    if isinf(order):
        return float(losses.max())
    extra = order - 1
    if extra == 0:
        return float((p * losses).sum())
    most = float(losses.max())  # taken out, so that no power overflows
    return most + float(np.log((p * np.exp(extra * (losses - most))).sum())) / extra
