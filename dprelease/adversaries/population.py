"""Advantage that (ε, δ) allow the strongest adversary, of one release and of all ever published of a population."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt, tanh

from dprelease.accounting import pld
from dprelease.adversaries.losses import FINE
from dprelease.adversaries.terms import ComposedTerms
from dprelease.model.privacy import Currency, PrivacyLoss, total


@dataclass(frozen=True, slots=True, kw_only=True)
class OverAll:
    """The advantage of whoever sees all releases of a population."""

    releases: int
    """Number of charged releases, with the one that is planned."""
    cap: float
    """Advantage that the cap allows, whoever chose what to ask and when: the guarantee."""
    charged: float
    """Advantage that mechanisms with these charges allow, if all were fixed before the first: no guarantee else."""

    def to_mapping(self) -> dict[str, float | int]:
        return {"releases": self.releases, "cap": self.cap, "charged": self.charged}


def over_all(cap: PrivacyLoss, charges: Sequence[PrivacyLoss], currency: Currency) -> OverAll:
    """Return the advantages for a population with these charges. `cap`: in its currency."""
    return OverAll(
        releases=len(charges),
        cap=round(advantage_of_loss(cap, currency), 9),
        charged=round(_charged(charges, currency), 9),
    )


def advantage_of(epsilon: float, delta: float) -> float:
    """Return the most that ε and δ alone allow: (e^ε − 1 + 2δ) / (e^ε + 1), which is tanh(ε/2) without δ."""
    half = tanh(epsilon / 2)
    return min(1.0, half + delta * (1 - half))


def advantage_of_loss(loss: PrivacyLoss, currency: Currency) -> float:
    """The same of what was spent, or may be: of ρ, √(ρ/2) (Pinsker), or what ε(δ) allows where that is less."""
    epsilon, rho, delta = float(loss.epsilon), float(loss.rho), float(loss.delta)
    if currency is Currency.PURE:
        return advantage_of(epsilon, delta)
    if rho == 0:
        return min(1.0, delta)
    as_one = ComposedTerms(Counter([pld.GaussianTerm(rho)]), (delta,)).losses(FINE).advantage
    return min(1.0, sqrt(rho / 2) + delta, as_one)


def _charged(charges: Sequence[PrivacyLoss], currency: Currency) -> float:
    whole = total(charges)
    most = advantage_of_loss(whole, currency)
    if currency is Currency.ZCDP:
        return most
    terms: Counter[pld.Term] = Counter(pld.PureTerm(float(each.epsilon)) for each in charges if each.epsilon_nano)
    return min(most, ComposedTerms(Counter(terms), (float(whole.delta),)).losses(FINE).advantage)
