"""Checkpoint of a ledger: its length and Merkle root, the losses spent, and the statements about releases."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from dprelease.errors import InputError, IntegrityError
from dprelease.model.encoding import canonical, digest
from dprelease.model.population import MIN_ZCDP_DELTA_ATTO, Population
from dprelease.model.privacy import Currency, PrivacyLoss
from dprelease.words import phrase

VERSION = 1
HASH = re.compile(r"[0-9a-f]{64}")
KEYS = {"dprelease_checkpoint", "workspace", "size", "root", "on", "populations", "notices"}
MOST = 2**53 - 1
"""The largest whole number in canonical JSON."""


@dataclass(frozen=True, slots=True)
class SpentTotals:
    """A population with all that it has spent, in all periods together."""

    population: Population
    spent: PrivacyLoss
    charges: int
    cap_event: int
    """The event since which its cap holds."""
    last_charge: int | None
    """The event that spent last; None before any did."""

    def to_mapping(self) -> dict[str, Any]:
        return {
            **self.population.to_mapping(),
            "spent": self.spent.to_mapping(),
            "charges": self.charges,
            "cap_event": self.cap_event,
            "last_charge": self.last_charge,
        }

    @classmethod
    def from_mapping(cls, value: Mapping[str, Any]) -> SpentTotals:
        """Raise ValueError, KeyError or TypeError where it is not as `to_mapping` writes it."""
        spent = value["spent"]
        texts = (value["name"], value["unit"], value.get("period", ""))
        size = 0 if value["size"] is None else value["size"]
        cap = (value["epsilon_nano"], value["delta_atto"], value.get("rho_nano", 0))
        if not all(isinstance(text, str) for text in texts):
            raise ValueError
        charges, cap_event, last = value["charges"], value["cap_event"], value["last_charge"]
        numbers = (*cap, size, charges, cap_event, 0 if last is None else last, *spent.values())
        if not all(map(is_whole, numbers)) or cap_event < 1 or (charges == 0) != (last is None) or last == 0:
            raise ValueError
        found = cls(Population.from_mapping(value), PrivacyLoss(**spent), charges, cap_event, last)
        in_rho = found.population.currency is Currency.ZCDP
        if value.get("discovers", False) is not False or not (found.population.discovers or in_rho):
            raise ValueError
        if found.to_mapping() != dict(value) or (in_rho and found.population.cap.delta_atto < MIN_ZCDP_DELTA_ATTO):
            raise ValueError
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The first `size` events of one ledger. Signed, and kept where the ledger is not, it shows what was changed."""

    workspace: str
    """The hash of the first event: whose ledger it is."""
    size: int
    root: str
    """Root of the Merkle tree (RFC 6962) whose leaves are the 32 bytes of each event's hash."""
    on: str
    """A day: a time would tell how long a release took."""
    populations: tuple[SpentTotals, ...] = ()
    notices: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    """Digests of the statements about each release, by release, in the order of their events: what is withheld shows.
    """

    def to_mapping(self) -> dict[str, Any]:
        return {
            "dprelease_checkpoint": VERSION,
            "workspace": self.workspace,
            "size": self.size,
            "root": self.root,
            "on": self.on,
            "populations": [standing.to_mapping() for standing in self.populations],
            "notices": {release: list(digests) for release, digests in self.notices.items()},
        }

    @property
    def message(self) -> bytes:
        """Message that is signed: the canonical JSON of the checkpoint."""
        return canonical(self.to_mapping())

    @property
    def hash(self) -> str:
        return digest(self.to_mapping())

    @classmethod
    def from_mapping(cls, value: object) -> Checkpoint:
        """Raise IntegrityError where it is not a checkpoint of this version."""
        try:
            if not isinstance(value, Mapping) or set(value) != KEYS or not _is_version(value["dprelease_checkpoint"]):
                raise IntegrityError(phrase("model.checkpoint_version_program_knows"))
            populations: Sequence[Any] = value["populations"]
            found = cls(
                workspace=value["workspace"],
                size=value["size"],
                root=value["root"],
                on=date.fromisoformat(value["on"]).isoformat(),
                populations=tuple(SpentTotals.from_mapping(each) for each in populations),
                notices={release: tuple(digests) for release, digests in value["notices"].items()},
            )
            if not all(digests and all(map(HASH.fullmatch, digests)) for digests in found.notices.values()):
                raise ValueError
            if not (HASH.fullmatch(found.workspace) and HASH.fullmatch(found.root)):
                raise ValueError
            if not (is_whole(found.size) and found.size >= 1 and found.to_mapping() == dict(value)):
                raise ValueError
            events = (number for each in found.populations for number in (each.cap_event, each.last_charge or 1))
            if any(number > found.size for number in events):
                raise ValueError
            if len({standing.population.name for standing in found.populations}) != len(found.populations):
                raise ValueError
            canonical(value)
        except (KeyError, TypeError, ValueError, AttributeError, InputError):
            raise IntegrityError(phrase("model.whole_checkpoint")) from None
        return found


@dataclass(frozen=True, slots=True)
class SignedCheckpoint:
    """A checkpoint with the signature of its message; who signed is known by the key's fingerprint."""

    checkpoint: Checkpoint
    signer: str
    signature: str
    """Ed25519, 64 bytes in hexadecimal."""

    def to_mapping(self) -> dict[str, Any]:
        return {"checkpoint": self.checkpoint.to_mapping(), "signer": self.signer, "signature": self.signature}

    @classmethod
    def from_mapping(cls, value: object) -> SignedCheckpoint:
        """Raise IntegrityError. The signature is not checked here."""
        if not isinstance(value, Mapping) or not value.keys() >= {"checkpoint", "signer", "signature"}:
            raise IntegrityError(phrase("model.signed_checkpoint"))
        signer, signature = value["signer"], value["signature"]
        if not (isinstance(signer, str) and isinstance(signature, str)):
            raise IntegrityError(phrase("model.signed_checkpoint"))
        return cls(Checkpoint.from_mapping(value["checkpoint"]), signer, signature)


def is_whole(value: object) -> bool:
    """Return True if a value is a whole number that canonical JSON can hold, not below 0."""
    return type(value) is int and 0 <= value <= MOST


def _is_version(value: object) -> bool:
    """Return True if a value is the version of checkpoints that this program writes."""
    return type(value) is int and value == VERSION
