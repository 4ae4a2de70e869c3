"""A mechanism's two distributions, on one table and on a neighbour, and what follows for whoever tells them apart.

Where outputs are without end they are cut where less than 10^-19 is left, and what lies beyond counts at the ends.
Continuous noise, as in textbooks, is shown in cells of one width; its losses have closed forms, for cells lose a part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import permutations
from math import ceil, erfc, exp, expm1, inf, log, pi, prod, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

FAR = 44.0
"""Largest exponent: of e^−44, 10^-19 is left."""
SIGMAS = 9.5
FINE, COARSE = 0.25, 0.5
"""The width of the cells of continuous noise, up to a scale of 2 and beyond."""
SAME = 1e-9
"""Losses closer than that are the same loss, up to rounding."""
STEPS = 200
"""Steps of bisection."""


class EventSide(Enum):
    """Outputs of an event, from its place: that and what is above, that and what is below, that alone."""

    LEAST = "ge"
    MOST = "le"
    ALONE = "is"


@dataclass(frozen=True, slots=True)
class Event:
    """A set of outputs: their place is counted from 0."""

    place: int
    side: EventSide = EventSide.LEAST


@dataclass(frozen=True)
class OutputPair:
    """Outputs, and their probabilities on a table and on a neighbour."""

    values: tuple[float, ...]
    p: Floats
    q: Floats
    bounded: bool = True
    """True if the loss has a bound: Gaussian noise has none, though every cut of it has."""
    width: float = 1.0
    """Width of a cell; 0 where outputs are no numbers."""
    continuous: bool = False
    """True if values are the middles of cells."""

    @property
    def advantage(self) -> float:
        """The total variation: the largest difference of an event's two probabilities."""
        return float(np.maximum(self.p - self.q, 0).sum())

    @property
    def right(self) -> float:
        """Returns the probability of a right guess after the toss of a coin."""
        return (1 + self.advantage) / 2

    def delta(self, epsilon: float) -> float:
        """Return the least δ at this ε: the sum of what p has above e^ε q, or q above e^ε p, whichever is more."""
        rate = exp(min(epsilon, 700.0))
        one, other = np.maximum(self.p - rate * self.q, 0).sum(), np.maximum(self.q - rate * self.p, 0).sum()
        return float(max(one, other))

    @cached_property
    def losses(self) -> Floats:
        """ln(p / q) of each output, infinite where one of them cannot be."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.where(self.p == self.q, 0.0, np.log(self.p) - np.log(self.q)), dtype=np.float64)

    @property
    def epsilon(self) -> float:
        """The pure ε: the largest loss, either way; infinite where an output is impossible on one side, or beyond all
        bounds."""
        return float(np.abs(self.losses).max()) if self.bounded else inf

    @property
    def sides(self) -> tuple[EventSide, ...]:
        """Returns those of the events that are looked at: outputs that are no numbers stand alone."""
        return (EventSide.LEAST, EventSide.MOST) if self.width else (EventSide.ALONE,)

    def probabilities(self, event: Event) -> tuple[float, float]:
        """Return the probabilities of an event on the table, and on its neighbour."""
        ends = {EventSide.LEAST: (event.place, None), EventSide.MOST: (None, event.place + 1)}
        kept = slice(*ends.get(event.side, (event.place, event.place + 1)))
        return float(self.p[kept].sum()), float(self.q[kept].sum())

    def worst_event(self, epsilon: float, places: Sequence[int] | None = None) -> Event:
        """Return the event that shows most: of those with the largest ratio of probabilities the likeliest.

        Without a bound of the loss: the largest p − e^ε q, which is what δ has to allow. `places`: those where it may
        begin; all of them, where nothing is said.
        """
        looked_at = range(len(self.values)) if places is None else places
        sums = {side: (_sums(self.p, side), _sums(self.q, side)) for side in self.sides}
        events = [Event(place, side) for place in looked_at for side in self.sides]

        def shows(event: Event) -> tuple[float, float]:
            p, q = (float(each[event.place]) for each in sums[event.side])
            if not self.bounded:
                return p - exp(epsilon) * q, p
            if p == 0 or q == 0:
                return (inf if p > 0 else -inf), p
            return round(log(p / q) / SAME) * SAME, p

        return max(events, key=shows)

    def roc(self) -> tuple[Floats, Floats]:
        """Return false alarms, and the most hits at each, of the tests that call by the likelihood ratio alone."""
        order = np.argsort(-self.losses, kind="stable")
        wrong, right = np.cumsum(self.q[order]), np.cumsum(self.p[order])
        return np.concatenate([[0.0], np.minimum(wrong, 1.0)]), np.concatenate([[0.0], np.minimum(right, 1.0)])


def integer_laplace(epsilon: float, value: int = 1, other: int = 0) -> OutputPair:
    """Return discrete Laplace noise, P(k) = (1 − r) / (1 + r) r^|k|, for counts of `value` here and `other` there.

    r = e^−ε. Ghosh, Roughgarden, Sundararajan 2009. An end holds all that lies beyond.
    """
    far = ceil(FAR / epsilon) if FAR / epsilon < 200 else 200
    ks = np.arange(min(value, other) - far, max(value, other) + far + 1)
    return OutputPair(tuple(map(float, ks)), _integer(ks, value, epsilon), _integer(ks, other, epsilon))


def _integer(ks: NDArray[np.int64], value: int, epsilon: float) -> Floats:
    ratio = exp(-epsilon)
    masses = -expm1(-epsilon) / (1 + ratio) * np.exp(-epsilon * np.abs(ks - value))
    for end in (0, -1):
        masses[end] = exp(-epsilon * abs(int(ks[end]) - value)) / (1 + ratio)
    return np.asarray(masses, dtype=np.float64)


def discrete_gaussian(scale: float, value: int = 1, other: int = 0) -> OutputPair:
    """Return discrete Gaussian noise, P(k) ∝ e^(−k² / 2σ²). Canonne, Kamath, Steinke 2020."""
    far = ceil(SIGMAS * scale) + abs(value - other)
    ks = np.arange(min(value, other) - far, max(value, other) + far + 1)
    wide = np.arange(-2 * far, 2 * far + 1)
    whole = float(np.exp(-(wide**2) / (2 * scale**2)).sum())
    p, q = (np.exp(-((ks - each) ** 2) / (2 * scale**2)) / whole for each in (value, other))
    return OutputPair(tuple(map(float, ks)), p, q, bounded=False)


def laplace(epsilon: float, value: float = 1, other: float = 0) -> OutputPair:
    """Return continuous Laplace noise of scale 1/ε, in cells. Dwork, McSherry, Nissim, Smith 2006."""
    far = min(FAR / epsilon, 200.0)
    edges, values, width = _cells(min(value, other) - far, max(value, other) + far, 1 / epsilon)
    p, q = (_laplace_cells(epsilon * (edges - each)) for each in (value, other))
    return OutputPair(values, p, q, width=width, continuous=True)


def _laplace_cells(edges: Floats) -> Floats:
    """Return the masses between edges and beyond, for noise of scale 1, each from its own side, where it is exact."""
    lower, upper = np.exp(np.minimum(edges, 0)) / 2, np.exp(-np.maximum(edges, 0)) / 2
    return np.where(
        np.append(edges, 1) > 0, -np.diff(upper, prepend=0.5, append=0), np.diff(lower, prepend=0, append=0.5)
    )


def gaussian(scale: float, value: float = 1, other: float = 0) -> OutputPair:
    """Return continuous Gaussian noise, in cells. Its δ at ε is `gaussian_delta`."""
    far = SIGMAS * scale
    edges, values, width = _cells(min(value, other) - far, max(value, other) + far, scale)
    p, q = (
        np.diff([erfc(-(edge - each) / (scale * sqrt(2))) / 2 for edge in edges], prepend=0, append=1)
        for each in (value, other)
    )
    return OutputPair(values, p, q, bounded=False, width=width, continuous=True)


def _cells(low: float, high: float, scale: float) -> tuple[Floats, tuple[float, ...], float]:
    """Return the edges between cells, what lies in the middle of each cell, and how wide they are."""
    width = FINE if scale <= 2 else COARSE
    edges = np.arange(np.floor(low), np.ceil(high) + width / 2, width)
    return edges, (*(edges - width / 2).tolist(), float(edges[-1] + width / 2)), width


def _sums(masses: Floats, side: EventSide) -> Floats:
    """Return the probability of the event on that side of each place, the smallest ends first."""
    if side is EventSide.LEAST:
        return np.cumsum(masses[::-1])[::-1]
    return np.cumsum(masses) if side is EventSide.MOST else masses


def randomised_response(epsilon: float) -> OutputPair:
    """Return a yes or a no, true with probability e^ε / (e^ε + 1). Warner 1965."""
    truth = 1 / (1 + exp(-epsilon))
    return OutputPair((0.0, 1.0), np.array([1 - truth, truth]), np.array([truth, 1 - truth]), width=0)


def uniform(reach: int, value: int = 1, other: int = 0) -> OutputPair:
    """Return noise of −reach to reach, each as likely: what one side cannot give, tells all."""
    ks = np.arange(min(value, other) - reach, max(value, other) + reach + 1)
    p, q = (np.where(np.abs(ks - each) <= reach, 1 / (2 * reach + 1), 0.0) for each in (value, other))
    return OutputPair(tuple(map(float, ks)), p, q)


def exponential(scores: Sequence[float], others: Sequence[float], epsilon: float) -> OutputPair:
    """Return one of some candidates, P(i) ∝ e^(ε score_i / 2), scores change by at most 1. McSherry, Talwar 2007."""
    return OutputPair(_places(scores), _chosen(scores, epsilon / 2), _chosen(others, epsilon / 2), width=0)


def permute_and_flip(scores: Sequence[float], others: Sequence[float], epsilon: float) -> OutputPair:
    """Return the first in random order that a coin of e^(ε (score − best) / 2) takes. McKenna, Sheldon 2020."""
    return OutputPair(_places(scores), _flipped(scores, epsilon / 2), _flipped(others, epsilon / 2), width=0)


def _places(scores: Sequence[float]) -> tuple[float, ...]:
    return tuple(map(float, range(len(scores))))


def _chosen(scores: Sequence[float], rate: float) -> Floats:
    weights = np.exp(rate * (np.array(scores) - max(scores)))
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def _flipped(scores: Sequence[float], rate: float) -> Floats:
    """Return the masses by all orders, of which there are few. A best one always takes, so that each order ends."""
    coins = [exp(rate * (score - max(scores))) for score in scores]
    masses = np.zeros(len(scores))
    orders = list(permutations(range(len(scores))))
    for order in orders:
        for place, candidate in enumerate(order):
            masses[candidate] += coins[candidate] * prod(1 - coins[before] for before in order[:place])
    return np.asarray(masses / len(orders), dtype=np.float64)


def gaussian_delta(distance: float, epsilon: float) -> float:
    """δ of Gaussian noise: Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), μ the distance in σ. Balle, Wang 2018, theorem 8."""
    upper, lower = distance / 2 - epsilon / distance, -distance / 2 - epsilon / distance
    tail = normal(lower)
    return max(0.0, normal(upper) - (exp(epsilon + log(tail)) if tail > 0 else 0.0))


def gaussian_epsilon(distance: float, delta: float) -> float:
    """Return the ε at which that is δ, by bisection: ε falls as δ grows."""
    low, high = 0.0, distance * distance / 2 + distance * SIGMAS
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if gaussian_delta(distance, middle) > delta else (low, middle)
    return high


def gaussian_scale(epsilon: float, delta: float) -> float:
    """Return the least σ, in distances, with that δ at ε, by bisection. Balle, Wang 2018."""
    low, high = 0.0, 10 * sqrt(log(1.25 / delta)) / epsilon + 1
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if middle == 0 or gaussian_delta(1 / middle, epsilon) > delta else (low, middle)
    return high


def normal(x: float) -> float:
    """Return the distribution function of the standard normal."""
    return erfc(-x / sqrt(2)) / 2


def log_tail(x: float) -> float:
    """Return ln P(a standard normal number is above x); beyond 10 by the asymptotic series, to 10^-7."""
    if x < 10:
        return log(erfc(x / sqrt(2)) / 2)
    square = x * x
    series = 1 - 1 / square + 3 / square**2 - 15 / square**3 + 105 / square**4
    return -square / 2 - log(x * sqrt(2 * pi)) + log(series)
