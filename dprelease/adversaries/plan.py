"""Attack a plan: how well the strongest adversary tells whether somebody is in the table, from its mechanisms alone.

The adversary knows every mechanism and all rows but those of one unit, which are there or not by the toss of a coin. So
they guess right with probability (1 + advantage) / 2 at best. Four figures, each no more than the one before:

- `bound`: what ε and δ alone allow, (e^ε − 1 + 2δ) / (e^ε + 1);
- `any`: what any mechanisms with the losses of these allow together. A guarantee, rounded outward;
- `worst`: what these mechanisms tell of the unit that changes most. Computed, not guaranteed: that all of the change
  lies in one cell is the worst that we know of;
- `ordinary`: what they tell of one unit that is stated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, sqrt
from typing import Any

import numpy as np

from dprelease.accounting import pld
from dprelease.adversaries.losses import FINE
from dprelease.adversaries.population import advantage_of
from dprelease.adversaries.terms import ComposedTerms, at_most, at_worst, of_person, together
from dprelease.mechanisms import Mechanism

FALSE_ALARMS: tuple[float, ...] = tuple(float(f"{10 ** (place / 20):.6g}") for place in range(-60, 1))
"""The rates of a curve, from 0.1 % to 1."""
OUTWARD = 1e-12
"""Beyond the rounding of a convolution."""
FAR = 700.0
DIGITS = 9


@dataclass(frozen=True, slots=True)
class Attacked:
    """One mechanism of a statistic, and by how much its integers differ with one stated unit; None where that is not
    known."""

    statistic: str
    mechanism: Mechanism
    change: Any = None


@dataclass(frozen=True, slots=True)
class Adversary:
    """Best success of somebody who tells whether a unit is in the table."""

    advantage: float
    """The largest difference of hits and false alarms: 0 is guessing, 1 is knowing."""
    hits: tuple[float, ...]
    """The most hits at each rate of `FALSE_ALARMS`."""

    @property
    def right(self) -> float:
        """Probability of a right guess after the toss of a coin."""
        return (1 + self.advantage) / 2

    def hits_at(self, false_alarms: float) -> float:
        """Return the most hits at one of these rates."""
        return self.hits[FALSE_ALARMS.index(false_alarms)]

    def to_mapping(self) -> dict[str, Any]:
        return {"advantage": self.advantage, "right": self.right, "hits": list(self.hits)}


@dataclass(frozen=True, slots=True)
class PlanPart:
    """Advantage of an adversary who sees one statistic alone."""

    statistic: str
    worst: float
    ordinary: float


@dataclass(frozen=True, kw_only=True)
class PlanAttack:
    """The adversaries of a plan, the strongest first. No row was read for it."""

    bound: Adversary
    any: Adversary
    worst: Adversary
    ordinary: Adversary
    parts: tuple[PlanPart, ...]
    """Statistics, the one that gives most away first."""

    @cached_property
    def adversaries(self) -> dict[str, Adversary]:
        """Adversaries by name."""
        return {"bound": self.bound, "any": self.any, "worst": self.worst, "ordinary": self.ordinary}

    def to_mapping(self) -> dict[str, Any]:
        return {
            "false_alarms": list(FALSE_ALARMS),
            **{name: each.to_mapping() for name, each in self.adversaries.items()},
            "statistics": [
                {"statistic": part.statistic, "worst": part.worst, "ordinary": part.ordinary} for part in self.parts
            ],
        }


def attack(attacked: Sequence[Attacked], epsilon: float, delta: float) -> PlanAttack:
    """Return the adversaries of some mechanisms whose release is (ε, δ)-private."""
    bound = _bound(epsilon, delta)
    most = _least([bound, *_any([each.mechanism for each in attacked])])
    worst = _least([most, _of(together([at_worst(each.mechanism) for each in attacked]))])
    ordinary = _least([worst, _of(together([of_person(each.mechanism, each.change) for each in attacked]))])
    return PlanAttack(bound=bound, any=most, worst=worst, ordinary=ordinary, parts=_parts(attacked))


def _parts(attacked: Sequence[Attacked]) -> tuple[PlanPart, ...]:
    found = []
    for name in dict.fromkeys(each.statistic for each in attacked):
        own = [each for each in attacked if each.statistic == name]
        worst = together([at_worst(each.mechanism) for each in own]).advantage
        ordinary = together([of_person(each.mechanism, each.change) for each in own]).advantage
        found.append(PlanPart(name, _told(worst), _told(min(worst, ordinary))))
    return tuple(sorted(found, key=lambda part: (-part.worst, -part.ordinary)))


def _any(mechanisms: Sequence[Mechanism]) -> list[Adversary]:
    """Several bounds, each of which holds: by all losses, by all of ρ as one, and by Pinsker's inequality."""
    known = together([at_most(mechanism) for mechanism in mechanisms])
    rho = float(sum(mechanism.rho for mechanism in mechanisms))
    found = [_of(known, OUTWARD), _pinsker(rho, known.deltas)]
    if any(isinstance(term, pld.GaussianTerm) for term in known.terms):
        found.append(_of(ComposedTerms(Counter([pld.GaussianTerm(rho)]), known.deltas), OUTWARD))
    return found


def _of(known: ComposedTerms, outward: float = 0.0) -> Adversary:
    losses = known.losses(FINE)
    hits = np.minimum(1.0, losses.hits(np.array(FALSE_ALARMS)) + outward)
    return Adversary(_told(min(1.0, losses.advantage + outward)), tuple(map(_told, hits.tolist())))


def _bound(epsilon: float, delta: float) -> Adversary:
    """Hits of no more than e^ε f + δ and 1 − e^−ε (1 − δ − f) at a rate f of false alarms (Kairouz, Oh, Viswanath)."""
    rate = exp(min(epsilon, FAR))
    hits = [min(1.0, rate * f + delta, 1 - (1 - delta - f) / rate) for f in FALSE_ALARMS]
    return Adversary(_told(advantage_of(epsilon, delta)), tuple(map(_told, hits)))


def _pinsker(rho: float, deltas: Sequence[float]) -> Adversary:
    advantage = min(1.0, sqrt(rho / 2) + sum(deltas))
    return Adversary(_told(advantage), tuple(_told(min(1.0, f + advantage)) for f in FALSE_ALARMS))


def _least(adversaries: Sequence[Adversary]) -> Adversary:
    """Combine bounds that all hold: the least at each rate."""
    hits = zip(*(each.hits for each in adversaries), strict=True)
    return Adversary(min(each.advantage for each in adversaries), tuple(map(min, hits)))


def _told(figure: float) -> float:
    return float(f"{figure:.{DIGITS}g}")
