"""Defences of an answer before it is published: none, the customary ones, and this product's.

Each defence of a single count is a distribution over what is published, exactly; `publish` draws from it for many sums
at once, by the lab's own chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, exp
from typing import TypeAlias

import numpy as np

from dprelease.adversaries.suppression import Suppressed
from dprelease.extras.lab.chance import Floats, integer_laplace, integers, uniforms

FAR = 45.0
"""Scales of noise, beyond which 10^-19 is left out."""


@dataclass(frozen=True, slots=True)
class NoDefence:
    """Nothing is done."""


@dataclass(frozen=True, slots=True)
class Minimum:
    """A question about fewer people than that is refused; `both`: one about all but so few as well."""

    least: int
    both: bool = False

    def allows(self, asked: int, everybody: int) -> bool:
        return asked >= self.least and (not self.both or asked <= everybody - self.least)


@dataclass(frozen=True, slots=True)
class Rounded:
    """Counts are rounded to the nearest multiple, halves up."""

    base: int


@dataclass(frozen=True, slots=True)
class RandomlyRounded:
    """Counts are rounded to one of the multiples beside them, the more likely the nearer, right on average."""

    base: int


@dataclass(frozen=True, slots=True)
class Swapped:
    """Each record exchanges its value with another's with this chance."""

    share: float


@dataclass(frozen=True, slots=True)
class Uniform:
    """An integer from −reach to reach is added, each as likely."""

    reach: int


@dataclass(frozen=True, slots=True)
class Private:
    """The discrete Laplace noise of this product: an answer costs ε, and one person moves it by no more than that."""

    epsilon: float
    sensitivity: int = 1

    @property
    def scale(self) -> float:
        return self.sensitivity / self.epsilon


Defence: TypeAlias = NoDefence | Minimum | Suppressed | Rounded | RandomlyRounded | Swapped | Uniform | Private


@dataclass(frozen=True, slots=True)
class Published:
    """A distribution over integers from `first` on; or the count is hidden."""

    first: int
    chances: Floats
    hidden: bool = False

    def less(self, other: Published) -> Published:
        """Return the difference of two independent answers."""
        last = other.first + len(other.chances) - 1
        return Published(self.first - last, np.convolve(self.chances, other.chances[::-1]))


def told_apart(one: Published, other: Published) -> float:
    """Return the success of the better guess between two distributions: ½ Σ max."""
    if one.hidden or other.hidden:
        return 0.5 if one.hidden and other.hidden else 1.0
    first = min(one.first, other.first)
    size = max(each.first + len(each.chances) for each in (one, other)) - first
    both = np.zeros((2, size))
    for place, each in enumerate((one, other)):
        both[place, each.first - first : each.first - first + len(each.chances)] = each.chances
    return float(both.max(axis=0).sum()) / 2


def published(truth: int, defence: Defence) -> Published:
    """Return the distribution of a published count. Swaps keep totals; a minimum group is about the question."""
    match defence:
        case Suppressed(least) if 0 < truth < least:
            return Published(truth, np.ones(1), hidden=True)
        case Rounded(base):
            return Published(base * ((2 * truth + base) // (2 * base)), np.ones(1))
        case RandomlyRounded(base):
            over = truth % base
            chances = np.zeros(base + 1)
            chances[0], chances[base] = 1 - over / base, over / base
            return Published(truth - over, chances)
        case Uniform(reach):
            return Published(truth - reach, np.full(2 * reach + 1, 1 / (2 * reach + 1)))
        case Private():
            noise = laplace_chances(defence.scale)
            return Published(truth - len(noise) // 2, noise)
    return Published(truth, np.ones(1))


def laplace_chances(scale: float) -> Floats:
    """Return the chances of −r, …, r, as far as they count."""
    reach = ceil(FAR * scale) + 1
    chances = np.exp(-np.abs(np.arange(-reach, reach + 1)) / scale)
    return np.asarray(chances / chances.sum(), dtype=np.float64)


def laplace_difference(scale: float) -> Published:
    """The difference of two draws: P(d) = ((1 − q) / (1 + q))² q^|d| (|d| + (1 + q²) / (1 − q²)), q = e^(−1/scale)."""
    reach, q = 2 * (ceil(FAR * scale) + 1), exp(-1 / scale)
    far = np.abs(np.arange(-reach, reach + 1))
    chances = np.exp(-far / scale) * (far + (1 + q * q) / (1 - q * q))
    return Published(-reach, np.asarray(chances / chances.sum(), dtype=np.float64))


def variance(defence: Defence) -> float:
    """Return the variance of what is added to a sum, as an attacker takes it to be."""
    match defence:
        case Rounded(base):
            return (base * base - 1) / 12
        case RandomlyRounded(base):
            return (base * base - 1) / 6
        case Uniform(reach):
            return reach * (reach + 1) / 3
        case Private():
            q = exp(-1 / defence.scale)
            return 2 * q / (1 - q) ** 2
    return 0.0


def publish(sums: Floats, defence: Defence, seed: str) -> Floats:
    """Publish many sums at once, for a picture."""
    match defence:
        case Rounded(base):
            return np.asarray(base * np.floor(sums / base + 0.5), dtype=np.float64)
        case RandomlyRounded(base):
            lower = base * np.floor(sums / base)
            return np.asarray(lower + base * (uniforms(seed, *sums.shape) < (sums - lower) / base), dtype=np.float64)
        case Uniform(reach):
            return sums + integers(uniforms(seed, *sums.shape), reach)
        case Private():
            return sums + integer_laplace(uniforms(seed, *sums.shape), defence.scale)
    return sums
