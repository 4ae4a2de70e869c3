"""One case at a time: which events are watched, what the draws prove, and how surely weaker noise would be seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from math import inf
from typing import Any

import numpy as np

from dprelease.accounting.zcdp import epsilon_of
from dprelease.mechanisms import Mechanism
from dprelease.model.privacy import ATTO, NANO, Currency
from tests.privacy.cases import Case
from tests.privacy.evidence import (
    Reals,
    epsilon_bound,
    epsilon_power,
    pure_of,
    rho_bound,
    rho_power,
)
from tests.privacy.model import Draws, likelihood, names, simulate, weaker
from tests.privacy.publishing import Pair, pair, without_sharing

OBSERVED_DELTA = 0.01
"""The δ at which an ε is watched where ρ is declared."""
LARGE, SMALL = Decimal("0.009"), Decimal("1e-6")
"""Where a copy has a δ above the small one, plans may declare up to the large one (2^53 atto), so that it is seen."""
MODELLED = 100_000
"""Draws of the model, by which events are chosen and power is computed."""


POWER = 0.99
IMPOSSIBLE = 100.0
"""The logarithm of the ratio from which on a draw cannot come from the other table: what a δ is for."""


@dataclass(frozen=True)
class Finding:
    """What is claimed of a loss, and the lower bound that the draws put on it."""

    claim: str
    """`ε`, `ε at δ`, or `ρ`."""
    declared: float
    observed: float
    power: float = 0.0

    @property
    def refuted(self) -> bool:
        return self.observed > self.declared


@dataclass(frozen=True)
class Claim:
    """A bound to be tried: (ε, δ) or, with δ None, ρ."""

    name: str
    declared: float
    delta: float | None


def claims(case: Case, mechanisms: Sequence[Mechanism], declared: Any) -> list[Claim]:
    """What the charge of a draw claims; in zcdp also the pure ε for which ρ = ε²/2 was charged."""
    delta = declared.delta_atto / ATTO
    if case.currency is Currency.PURE:
        return [Claim("ε", declared.epsilon_nano / NANO, delta)]
    rho = declared.rho_nano / NANO
    found = []
    if delta == 0:
        at = float(epsilon_of(declared.rho_nano, int(OBSERVED_DELTA * ATTO))) if declared.rho_nano else 0.0
        found = [Claim("ρ", rho, None), Claim("ε at δ", at, OBSERVED_DELTA)]
    (first, *others) = mechanisms
    if not others and first.epsilon is not None and first.rho == first.epsilon**2 / 2:
        found.append(Claim("ε", pure_of(rho), delta))
    return found


def ratios(pair: Pair, mechanisms: Sequence[Mechanism], drawn: Sequence[Draws]) -> Reals:
    """For each draw the logarithm of how much likelier the first table makes it than the second, by honest noise."""
    result = np.zeros(len(drawn[0]))
    for mechanism, first, second, part in zip(mechanisms, *pair.given, drawn, strict=True):
        known = names(first, second)
        result += likelihood(mechanism, first, part, known) - likelihood(mechanism, second, part, known)
    return result


@lru_cache(maxsize=8)
def _sampled(model: Model, factor: float) -> tuple[Reals, Reals]:
    return model._sample(factor)


@dataclass(frozen=True, eq=False)
class Model:
    """What honest mechanisms would do with the pair's inputs, and weaker ones."""

    pair: Pair
    honest: tuple[Mechanism, ...]

    def sample(self, factor: float) -> tuple[Reals, Reals]:
        """Likelihood ratios of draws on both tables with noise times a factor."""
        return _sampled(self, factor)

    def _sample(self, factor: float) -> tuple[Reals, Reals]:
        many = max((np.size(given) for given in self.pair.given[0] if not isinstance(given, dict)), default=1)
        rng = np.random.default_rng(20250101)
        sides = []
        for inputs in self.pair.given:
            drawn = [
                simulate(weaker(mechanism, factor), given, MODELLED if many < 20 else MODELLED // 4, rng, names(*both))
                for mechanism, given, both in zip(self.honest, inputs, zip(*self.pair.given, strict=True), strict=True)
            ]
            sides.append(ratios(self.pair, self.honest, drawn))
        return sides[0], sides[1]

    def events(self, claim: Claim, draws: int, factor: float) -> tuple[float, float]:
        """For each direction the least likelihood ratio of the event that shows most of noise times a factor."""
        if self.pair.case.delta > SMALL:
            return IMPOSSIBLE, IMPOSSIBLE
        here, there = self.sample(factor)
        return (
            _event(here, there, claim, draws),
            _event(-there, -here, claim, draws),
        )

    def power(self, claim: Claim, draws: int, factor: float) -> float:
        """The chance that the better direction refutes the claim where noise is so much weaker."""
        here, there = self.sample(factor)
        both = ((here, there), (-there, -here))
        if claim.delta is None:
            return max(rho_power(first, second, draws, claim.declared) for first, second in both)
        found = []
        for (first, second), least in zip(both, self.events(claim, draws, factor), strict=True):
            p, q = float(np.mean(first >= least)), float(np.mean(second >= least))
            found.append(epsilon_power(p, q, draws, claim.declared, claim.delta))
        return max(found)


def _event(here: Reals, there: Reals, claim: Claim, draws: int) -> float:
    """The least ratio at which the expected bound is furthest above the claim, in deviations."""
    assert claim.delta is not None
    tried = np.unique(np.round(np.quantile(here, np.linspace(0, 0.999, 200)), 9)) - 1e-6
    first, second = np.sort(here), np.sort(there)
    p = 1 - np.searchsorted(first, tried) / len(here)
    q = 1 - np.searchsorted(second, tried) / len(there)
    q = np.maximum(q, 1 / len(there))
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = np.log((p - claim.delta) / q) - claim.declared
        deviation = np.sqrt((1 - p) * p / (p - claim.delta) ** 2 / draws + (1 - q) / q / draws)
        score = np.where(p > claim.delta, gain - 6 * deviation, -inf)
    return float(tried[int(np.argmax(score))])


def audit(case: Case, draws: int, *, copies: int, factor: float, pairs: Pair | None = None) -> list[Finding]:
    """Publishes until there are so many draws of each table; what they prove of each claim, with its power."""
    large = case.delta > SMALL
    with without_sharing(LARGE if large else None):
        both = pairs or pair(case, min(copies, int(LARGE / case.delta)) if large else copies)
        model = Model(both, both.mechanisms)
        first, second = both.draws(draws)
        here, there = (ratios(both, both.mechanisms, drawn) for drawn in (first, second))
        count = min(len(here), len(there))
        here, there = here[:count], there[:count]
        return [
            Finding(
                claim.name,
                claim.declared,
                observed(claim, here, there, model, factor),
                model.power(claim, count, factor),
            )
            for claim in claims(case, both.mechanisms, both.declared)
        ]


def observed(claim: Claim, here: Reals, there: Reals, model: Model, factor: float) -> float:
    """The lower bound in the worse direction."""
    both = ((here, there), (-there, -here))
    if claim.delta is None:
        return max(rho_bound(first, second) for first, second in both)
    found = []
    for (first, second), least in zip(both, model.events(claim, len(here), factor), strict=True):
        often, seldom = int((first >= least).sum()), int((second >= least).sum())
        found.append(float(epsilon_bound(often, seldom, len(here), claim.delta)))
    return max(found)


DRAWS = 50_000
"""Of each table, in the full run: 100,000 a case."""
