"""One message of one site, signed: the same bytes for the same message, in a file or on a wire."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dprelease.bundle.signing import PublicKey, SigningKey
from dprelease.errors import IntegrityError
from dprelease.model.encoding import canonical, digest, read_json
from dprelease.words import phrase

HASH = re.compile(r"[0-9a-f]{64}")
SIGNATURE = re.compile(r"[0-9a-f]{128}")
MAX_BYTES = 1_000_000
"""Maximum size of an envelope in bytes; the longest holds a roster."""


@dataclass(frozen=True, slots=True)
class Signed:
    """A message, the fingerprint of the key that signed it, and the Ed25519 signature of its canonical JSON."""

    message: Mapping[str, Any] = field(hash=False)
    signer: str
    signature: str

    @classmethod
    def by(cls, key: SigningKey, message: Mapping[str, Any]) -> Signed:
        """Sign a message. Ed25519 is deterministic: the same key and message give the same bytes."""
        return cls(dict(message), key.fingerprint, key.sign(canonical(message)).hex())

    @property
    def hash(self) -> str:
        """SHA-256 of the message, in hexadecimal; the signature is no part of it."""
        return digest(self.message)

    def to_bytes(self) -> bytes:
        """Return canonical JSON."""
        return canonical({"message": self.message, "signer": self.signer, "signature": self.signature})

    @classmethod
    def from_bytes(cls, data: bytes, name: str) -> Signed:
        """Read what `to_bytes` wrote, and check its signature. `name`: of the file, for the error.

        Raises IntegrityError where a byte is another one.
        """
        if len(data) > MAX_BYTES:
            raise IntegrityError(phrase("federation.no_message", name=name))
        value = read_json(data, name, whole=True)
        message, signer, signature = (value.get(part) for part in ("message", "signer", "signature"))
        if not (isinstance(message, dict) and isinstance(signer, str) and isinstance(signature, str)):
            raise IntegrityError(phrase("federation.no_message", name=name))
        found = cls(message, signer, signature)
        try:
            written = found.to_bytes()
        except ValueError:  # a number that canonical JSON does not hold, or half of a surrogate pair
            raise IntegrityError(phrase("federation.no_message", name=name)) from None
        if written != data:
            raise IntegrityError(phrase("federation.no_message", name=name))
        found.check(name)
        return found

    def check(self, name: str) -> None:
        """Raises IntegrityError unless the signer's key made the signature of exactly this message."""
        if not SIGNATURE.fullmatch(self.signature):
            raise IntegrityError(phrase("federation.signature", name=name))
        try:
            PublicKey.of(self.signer).check(bytes.fromhex(self.signature), canonical(self.message))
        except IntegrityError:
            raise IntegrityError(phrase("federation.signature", name=name)) from None
