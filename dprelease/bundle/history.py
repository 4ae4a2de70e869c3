"""Signed checkpoint of a publisher's ledger, with the one before it and the keys before its signer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Any

from dprelease.bundle.signing import PublicKey, SigningKey
from dprelease.errors import IntegrityError
from dprelease.model import merkle
from dprelease.model.checkpoint import HASH, Checkpoint, SignedCheckpoint, is_whole
from dprelease.model.encoding import canonical
from dprelease.words import phrase, quoted

VERSION = 1
SIGNED = re.compile(r"[0-9a-f]{128}")
BARE_KEYS = {"checkpoint", "signer", "signature"}
PUBLIC_KEYS = BARE_KEYS | {"rotations"}
LINES = {"charge", "published", "superseded", "run"}
KEYS = PUBLIC_KEYS | LINES | {"dprelease_ledger", "previous", "consistency"}


def sign(checkpoint: Checkpoint, key: SigningKey) -> SignedCheckpoint:
    """Return a checkpoint with a key's signature."""
    return SignedCheckpoint(checkpoint, key.fingerprint, key.sign(checkpoint.message).hex())


@dataclass(frozen=True, slots=True)
class Rotation:
    """Handover of a signing key to another one, signed by the old key."""

    old: PublicKey
    new: PublicKey
    on: str
    """Day of the handover."""
    signature: str
    """Signature by the old key, in hexadecimal."""

    @classmethod
    def make(cls, old: SigningKey, new: PublicKey, on: str) -> Rotation:
        return cls(old.public, new, on, old.sign(_handover(old.public, new, on)).hex())

    def check(self) -> None:
        """Raise IntegrityError unless the old key signed exactly this."""
        self.old.check(bytes.fromhex(self.signature), _handover(self.old, self.new, self.on))

    def to_mapping(self) -> dict[str, Any]:
        return {
            "old_pem": self.old.pem.decode(),
            "new_pem": self.new.pem.decode(),
            "on": self.on,
            "signature": self.signature,
        }

    @classmethod
    def from_mapping(cls, value: object) -> Rotation:
        """Read a rotation. Raises IntegrityError where it is none. The signature is not checked here."""
        match value:
            case {"old_pem": str(old), "new_pem": str(new), "on": str(on), "signature": str(signature), **more} if (
                not more and is_day(on) and SIGNED.fullmatch(signature)
            ):
                return cls(_key(old), _key(new), on, signature)
        raise IntegrityError(phrase("bundle.rotations_hand_overs_keys"))


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Signed checkpoint with links to the one before it, and from its signer to earlier keys."""

    signed: SignedCheckpoint
    previous: tuple[int, bytes] | None = None
    consistency: tuple[bytes, ...] = ()
    rotations: tuple[Rotation, ...] = ()
    chained: bool = False
    """True if `rotations` cover all earlier keys, as in ledger.json. A checkpoint by itself names none."""

    @classmethod
    def read(cls, value: Mapping[str, Any]) -> History:
        """Read ledger.json or checkpoint.json, or a signed checkpoint by itself; else raise IntegrityError."""
        if value.keys() not in (BARE_KEYS, PUBLIC_KEYS) and not is_entry(value):
            raise IntegrityError(phrase("bundle.keys_either_another_version"))
        try:
            signed = SignedCheckpoint.from_mapping(value)
        except IntegrityError as cause:
            raise IntegrityError(phrase("bundle.checkpoint", cause=cause)) from None
        if value.keys() == BARE_KEYS:
            return cls(signed=signed)
        rotations = value["rotations"]
        if not isinstance(rotations, list):
            raise IntegrityError(phrase("bundle.rotations_list"))
        chain = tuple(Rotation.from_mapping(rotation) for rotation in rotations)
        if value.keys() == PUBLIC_KEYS:
            return cls(signed=signed, rotations=chain, chained=True)
        return cls(
            signed=signed,
            previous=_previous(value["previous"]),
            consistency=proof_of(value["consistency"], "consistency"),
            rotations=chain,
            chained=True,
        )

    def to_mapping(self) -> dict[str, Any]:
        """Return the content of checkpoint.json: the signed checkpoint and the keys before its signer."""
        return {**self.signed.to_mapping(), "rotations": [rotation.to_mapping() for rotation in self.rotations]}

    @property
    def checkpoint(self) -> Checkpoint:
        return self.signed.checkpoint

    @property
    def signers(self) -> tuple[str, ...]:
        """Fingerprints of the keys that signed one after the other, the checkpoint's signer last."""
        return (*(rotation.old.fingerprint for rotation in self.rotations), self.signed.signer)

    @property
    def roots(self) -> dict[int, str]:
        """Roots of the ledger by its size, as the signer states them."""
        previous = {} if self.previous is None else {self.previous[0]: self.previous[1].hex()}
        return {**previous, self.checkpoint.size: self.checkpoint.root}

    def check(self) -> None:
        """Raise IntegrityError unless signature, consistency and handovers hold."""
        self.check_rotations()
        self.check_signature()
        self.check_consistency()

    def check_rotations(self) -> None:
        """Raise IntegrityError unless each key handed over to the next one, and the last one to the signer."""
        news = [rotation.new.fingerprint for rotation in self.rotations]
        if news != list(self.signers[1:]):
            raise IntegrityError(phrase("bundle.rotations_key_follows_no"))
        if len(set(self.signers)) != len(self.signers):
            raise IntegrityError(phrase("bundle.rotations_key_comes_twice"))
        days = [*(rotation.on for rotation in self.rotations), self.checkpoint.on]
        if any(later < earlier for earlier, later in pairwise(days)):
            raise IntegrityError(phrase("bundle.rotations_their_days_order"))
        for rotation in self.rotations:
            try:
                rotation.check()
            except IntegrityError:
                raise IntegrityError(
                    phrase(
                        "bundle.rotations_did_sign_follows",
                        fingerprint=rotation.old.fingerprint,
                        fingerprint_2=rotation.new.fingerprint,
                    )
                ) from None

    def check_signature(self) -> None:
        """Raise IntegrityError unless the checkpoint is what its signer signed."""
        signature = self.signed.signature
        if not SIGNED.fullmatch(signature):
            raise IntegrityError(phrase("bundle.checkpoint_signature_written_program"))
        try:
            PublicKey.of(self.signed.signer).check(bytes.fromhex(signature), self.checkpoint.message)
        except IntegrityError as cause:
            raise IntegrityError(phrase("bundle.checkpoint", cause=cause)) from None

    def check_consistency(self) -> None:
        """Raise IntegrityError unless the ledger of the checkpoint begins with that of the previous one."""
        size, root = self.checkpoint.size, bytes.fromhex(self.checkpoint.root)
        if self.previous is None:
            if self.consistency:
                raise IntegrityError(phrase("bundle.consistency_proof_no_checkpoint"))
        elif not merkle.extends(*self.previous, size, root, self.consistency):
            raise IntegrityError(phrase("bundle.consistency_ledger_does_continue"))

    def knows(self, other: History) -> bool:
        """Return True if the signer of one history is among the signers of the other."""
        return other.signed.signer in self.signers or self.signed.signer in other.signers

    def continues(self, other: History) -> bool:
        """Return True if both are shown to be of one ledger, the shorter one being the beginning of the longer one.

        Raises IntegrityError where they cannot both be true; False where these two alone do not tell. A longer
        checkpoint that names no earlier keys may be by a key that took over since.
        """
        if self.checkpoint.workspace != other.checkpoint.workspace:
            raise IntegrityError(phrase("bundle.other_checkpoint_another_workspace"))
        later = not other.chained and other.checkpoint.size > self.checkpoint.size
        if not self.knows(other) and not later:
            raise IntegrityError(phrase("bundle.other_checkpoint_signed_foreign", signer=quoted(other.signed.signer)))
        for size in self.roots.keys() & other.roots.keys():
            if self.roots[size] != other.roots[size]:
                raise IntegrityError(phrase("bundle.two_different_ledgers_entries", size=size))
        shorter, longer = sorted((self.checkpoint, other.checkpoint), key=lambda checkpoint: checkpoint.size)
        spent = {standing.population.name: standing.spent for standing in longer.populations}
        for standing in shorter.populations:
            name = standing.population.name
            if name not in spent or not standing.spent.within(spent[name]):
                raise IntegrityError(phrase("bundle.later_checkpoint_states_less", name=quoted(name)))
        return shorter.size in self.roots and shorter.size in other.roots


def is_entry(value: Mapping[str, Any]) -> bool:
    """Return True if a mapping has the keys of a ledger.json of this version."""
    version = value.get("dprelease_ledger")
    return value.keys() == KEYS and type(version) is int and version == VERSION


def _handover(old: PublicKey, new: PublicKey, on: str) -> bytes:
    """Return the bytes that the old key signs in a handover."""
    return canonical({"dprelease_key_rotation": 1, "old": old.fingerprint, "new": new.fingerprint, "on": on})


def _key(pem: str) -> PublicKey:
    """Read a key. Raises IntegrityError unless it is written in its one canonical way."""
    try:
        key = PublicKey(pem.encode())
    except (IntegrityError, UnicodeEncodeError):
        raise IntegrityError(phrase("bundle.rotations_pem_public_key")) from None
    if PublicKey.of(key.fingerprint) != key:
        raise IntegrityError(phrase("bundle.rotations_key_written_program"))
    return key


def is_day(text: str) -> bool:
    """Return True if a text is a day written as 2026-01-31."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def proof_of(value: object, name: str) -> tuple[bytes, ...]:
    """Return the hashes of a proof. Raises IntegrityError where it is none."""
    if isinstance(value, list) and all(isinstance(part, str) and HASH.fullmatch(part) for part in value):
        return tuple(bytes.fromhex(part) for part in value)
    raise IntegrityError(phrase("bundle.list_hashes", name=name))


def _previous(value: object) -> tuple[int, bytes] | None:
    match value:
        case None:
            return None
        case {"size": int(size), "root": str(root), **more} if (
            not more and is_whole(size) and size >= 1 and HASH.fullmatch(root)
        ):
            return size, bytes.fromhex(root)
    raise IntegrityError(phrase("bundle.consistency_previous_checkpoint_one"))
