"""Ledgers written by hand, and what stands in ledger.json of a release that is in them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from dprelease.bundle.history import Rotation, entry, sign
from dprelease.bundle.listing import Content, facts_of
from dprelease.bundle.outputs import outputs_hash
from dprelease.bundle.signing import SigningKey
from dprelease.model import merkle
from dprelease.model.checkpoint import Checkpoint, Standing
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

    def checkpoint(self, *, size: int | None = None, standings: Sequence[Standing] = (), on: str = DAY) -> Checkpoint:
        size = len(self.hashes) if size is None else size
        return Checkpoint(
            workspace=self.hashes[0], size=size, root=self.root(size), on=on, populations=tuple(standings)
        )

    def enter(
        self,
        certificate: Mapping[str, Any],
        contents: Mapping[str, Content],
        key: SigningKey,
        *,
        previous: Checkpoint | None = None,
        rotations: Sequence[Rotation] = (),
        change: Change = keep,
        change_body: Change = keep,
        standings: Sequence[Standing] | None = None,
    ) -> dict[str, Any]:
        """Publishes a release, and returns its ledger.json. `change` and `change_body` change the event before that."""
        charge = certificate["ledger"]
        self.grow(charge["seq"] - 1)
        if len(self.hashes) < charge["seq"]:
            self.hashes.append(charge["hash"])
        event = {
            "seq": len(self.hashes) + 1,
            "at": f"{DAY}T10:00:00.000000Z",
            "actor": "owner",
            "population": certificate["population"]["name"],
            "kind": "published",
            "body": {
                "release": certificate["id"],
                "charge": charge["seq"],
                "charge_hash": charge["hash"],
                "published_on": certificate["published"],
                "signer": key.fingerprint,
                "outputs": outputs_hash(facts_of(contents)),
                "version": certificate["versions"]["dprelease"],
            },
            "epsilon_nano": 0,
            "delta_atto": 0,
            "previous_hash": self.hashes[-1],
        }
        change(event)
        change_body(event["body"])
        event["hash"] = digest(event)
        self.hashes.append(event["hash"])
        size = len(self.hashes)
        checkpoint = self.checkpoint(standings=[standing(certificate)] if standings is None else standings)
        return entry(
            event,
            [part.hex() for part in merkle.inclusion(size - 1, size, self.subtree)],
            sign(checkpoint, key),
            previous,
            [part.hex() for part in merkle.consistency(previous.size, size, self.subtree)] if previous else [],
            [rotation.to_mapping() for rotation in rotations],
        )


def standing(certificate: Mapping[str, Any], **changes: Any) -> Standing:
    """The certificate's population, with its cap and what it says was spent."""
    declared, cumulative = certificate["population"], certificate["cumulative"]
    facts = {
        "name": declared["name"],
        "unit": declared["unit"],
        "neighbors": NeighboringRelation(declared["neighbors"]),
        "currency": Currency(declared["currency"]),
        "cap": PrivacyLoss(
            epsilon_nano=round(declared["epsilon_cap"] * NANO), delta_atto=round(declared["delta_cap"] * ATTO)
        ),
        "size": declared["size"],
        "period": declared.get("period"),
    }
    spent = PrivacyLoss(**cumulative.get("loss", certificate["loss"]))
    return Standing(Population(**{**facts, **changes}), spent, cumulative["releases"])
