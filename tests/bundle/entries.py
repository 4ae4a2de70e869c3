"""Ledgers written by hand, and what stands in ledger.json of a release that is in them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from dprelease.accounting.rho_conversion import with_rho
from dprelease.bundle.entry import ProvenLine, entry
from dprelease.bundle.history import Rotation, sign
from dprelease.bundle.listing import Content, facts_of
from dprelease.bundle.outputs import outputs_hash
from dprelease.bundle.signing import SigningKey
from dprelease.model import merkle
from dprelease.model.checkpoint import Checkpoint, SpentTotals
from dprelease.model.encoding import digest
from dprelease.model.population import Population
from dprelease.model.privacy import ATTO, NANO, Currency, NeighboringRelation, PrivacyLoss

Change = Callable[[dict[str, Any]], Any]
DAY = "2025-11-21"
MOST = 10_000
"""Events of a ledger."""


def keep(value: dict[str, Any]) -> None:
    """Changes nothing."""


def key_of(number: int) -> SigningKey:
    """The same key each time."""
    return SigningKey(Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32))


def hash_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass
class Ledger:
    """The hashes of a ledger's events: of all but the publication only these count."""

    name: str = "one"
    hashes: list[str] = field(default_factory=list)

    def grow(self, size: int) -> None:
        """Appends events until there are so many. Raises ValueError where that would take long."""
        if size > MOST:
            raise ValueError(size)
        self.hashes += [hash_of(f"{self.name} {seq}") for seq in range(len(self.hashes), size)]

    @property
    def subtree(self) -> merkle.Subtree:
        return merkle.over([merkle.leaf_hash(bytes.fromhex(each)) for each in self.hashes])

    def root(self, size: int) -> str:
        return merkle.root(size, self.subtree).hex()

    def checkpoint(
        self,
        *,
        size: int | None = None,
        standings: Sequence[SpentTotals] = (),
        on: str = DAY,
        notices: Mapping[str, tuple[str, ...]] = {},
    ) -> Checkpoint:
        size = len(self.hashes) if size is None else size
        return Checkpoint(
            workspace=self.hashes[0],
            size=size,
            root=self.root(size),
            on=on,
            populations=tuple(standings),
            notices=notices,
        )

    def line(self, event: Mapping[str, Any], size: int) -> ProvenLine:
        return ProvenLine(event, tuple(merkle.inclusion(event["seq"] - 1, size, self.subtree)))

    def enter(
        self,
        certificate: Mapping[str, Any],
        contents: Mapping[str, Content],
        key: SigningKey,
        *,
        previous: Checkpoint | None = None,
        rotations: Sequence[Rotation] = (),
        change: Change = keep,
        change_facts: Change = keep,
        change_charge: Change = keep,
        standings: Sequence[SpentTotals] | None = None,
        between: int = 1,
        after: int = 0,
        on: str | None = None,
        superseded: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Publishes a release, and returns its ledger.json. `change…` change its events before that.

        `between`, `after`: how many events stand between the charge and the publication, and after that.
        """
        charge = charge_event(certificate)
        change_charge(charge)
        older = None
        if superseded is not None:
            self.grow(superseded["seq"] - 1)
            self.hashes.append(digest(superseded))
            older = superseded
        self.grow(charge["seq"] - 1)
        if len(self.hashes) < charge["seq"]:
            self.hashes.append(digest(charge))
        self.grow(charge["seq"] + between)
        facts = {
            "release": certificate["id"],
            "charge": charge["seq"],
            "charge_hash": certificate["ledger"]["hash"],
            "published_on": certificate["published"],
            "signer": key.fingerprint,
            "outputs": outputs_hash(facts_of(contents)),
            "version": certificate["versions"]["dprelease"],
        }
        event = event_of(
            "published", len(self.hashes) + 1, certificate, day=charge["day"], facts=facts, previous=self.hashes[-1]
        )
        change(event)
        change_facts(event["facts"])
        self.hashes.append(digest(event))
        self.grow(len(self.hashes) + after)
        size = len(self.hashes)
        day = max(DAY, str(certificate["published"])) if on is None else on
        known = [standing(certificate)] if standings is None else standings
        checkpoint = self.checkpoint(standings=known, on=day)
        return entry(
            charge=self.line(charge, size),
            published=self.line(event, size),
            superseded=None if older is None else self.line(older, size),
            run=None,
            signed=sign(checkpoint, key),
            previous=previous,
            consistency=[part.hex() for part in merkle.consistency(previous.size, size, self.subtree)]
            if previous
            else [],
            rotations=[rotation.to_mapping() for rotation in rotations],
        )


def event_of(
    kind: str, seq: int, certificate: Mapping[str, Any], *, day: str, facts: Mapping[str, Any], previous: str
) -> dict[str, Any]:
    """The public part of an event that spends nothing."""
    cumulative = certificate["cumulative"]
    return {
        "seq": seq,
        "day": day,
        "kind": kind,
        "population": certificate["population"]["name"],
        "facts": dict(facts),
        "loss": amounts({}),
        "spent": amounts(cumulative["loss"]),
        "charges": cumulative["releases"],
        "previous_hash": previous,
        "rest": hash_of(f"{kind} {seq}"),
    }


def charge_event(certificate: Mapping[str, Any]) -> dict[str, Any]:
    """The public part of the charge of a release, as its certificate has it."""
    declared, cumulative, seq = certificate["population"], certificate["cumulative"], certificate["ledger"]["seq"]
    own = standing(certificate)
    before = PrivacyLoss(**(cumulative["period"] or {"before": {}})["before"])
    facts = {
        "plan_hash": certificate["plan_hash"],
        "cap": replace(own.population.cap, rho_nano=own.population.rho_nano).to_mapping(),
        "period": declared["period"],
        "before": before.to_mapping(),
        "two_people": certificate["approval"]["workspace"] == "team",
    }
    if certificate["supersedes"] is not None:
        facts["supersedes"] = certificate["supersedes"]
    event = event_of("charge", seq, certificate, day=certificate["published"], facts=facts, previous=hash_of("before"))
    return event | {"loss": amounts(certificate["loss"])}


def amounts(loss: Mapping[str, Any]) -> dict[str, Any]:
    return dict.fromkeys(("epsilon_nano", "rho_nano", "delta_atto"), 0) | dict(loss)


def charged(certificate: dict[str, Any]) -> dict[str, Any]:
    """The certificate with the hash of the charge that a forger's ledger has for it."""
    certificate["ledger"]["hash"] = digest(charge_event(certificate))
    return certificate


def standing(certificate: Mapping[str, Any], **changes: Any) -> SpentTotals:
    """The certificate's population, with its cap and what it says was spent."""
    declared, cumulative = certificate["population"], certificate["cumulative"]
    facts = {
        "name": declared["name"],
        "unit": declared["unit"],
        "neighbors": NeighboringRelation(declared["neighbors"]),
        "currency": Currency(declared["currency"]),
        "cap": PrivacyLoss(
            # A forger's list has no sign: times 10^9 it would be a list that fills the memory.
            epsilon_nano=round(+declared["epsilon_cap"] * NANO),
            delta_atto=round(+declared["delta_cap"] * ATTO),
        ),
        "size": declared["size"],
        "period": declared["period"],
    }
    spent = PrivacyLoss(**cumulative["loss"])
    population = with_rho(Population(**{**facts, **changes}))
    releases, seq = cumulative["releases"], certificate["ledger"]["seq"]
    return SpentTotals(population, spent, releases, 1, seq if releases else None)
