"""Masks that add up to nothing: each pair of sites shares one, which one adds and the other subtracts, modulo 2^64."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from numpy.typing import NDArray

from dprelease.errors import IntegrityError
from dprelease.words import phrase

Words64 = NDArray[np.uint64]
LABEL = b"dprelease mask 1"
WORD = 8
"""Bytes of a number modulo 2^64, the least significant first."""


@dataclass(frozen=True, slots=True)
class RoundKey:
    """The secret half of an X25519 key that serves one round and is then destroyed."""

    _secret: X25519PrivateKey = field(default_factory=X25519PrivateKey.generate, repr=False)

    @property
    def public(self) -> str:
        return self._secret.public_key().public_bytes_raw().hex()

    def to_bytes(self) -> bytes:
        """Return the secret itself, of 32 bytes."""
        return self._secret.private_bytes_raw()

    @classmethod
    def from_bytes(cls, secret: bytes) -> RoundKey:
        return cls(X25519PrivateKey.from_private_bytes(secret))

    def mask(self, other: str, round_id: str, cells: int) -> Words64:
        """Return the mask shared with another's public key: ChaCha20 keyed by HKDF-SHA256(X25519) with the round id.

        RFC 7748, RFC 5869 (salt: the round id; info: a label and both public keys, the lesser first), RFC 8439 (nonce
        and counter 0, since each key makes one stream). Raises IntegrityError where the key is of low order.
        """
        try:
            shared = self._secret.exchange(X25519PublicKey.from_public_bytes(bytes.fromhex(other)))
        except ValueError:
            raise IntegrityError(phrase("federation.weak_key", key=other)) from None
        pair = b"".join(sorted((bytes.fromhex(self.public), bytes.fromhex(other))))
        key = HKDF(algorithm=SHA256(), length=32, salt=bytes.fromhex(round_id), info=LABEL + pair).derive(shared)
        stream = Cipher(algorithms.ChaCha20(key, bytes(16)), mode=None).encryptor().update(bytes(WORD * cells))
        return np.frombuffer(stream, dtype="<u8")


def masked(values: NDArray[np.int64], own: RoundKey, place: int, keys: Mapping[int, str], round_id: str) -> Words64:
    """Return the values plus the masks shared with later sites, less those shared with earlier ones, modulo 2^64.

    `place`: of this site in the roster. `keys`: the public keys of all sites by their places.
    """
    total = np.ascontiguousarray(values, dtype=np.int64).view(np.uint64).copy()
    for other, key in keys.items():
        if other > place:
            total += own.mask(key, round_id, total.size)
        elif other < place:
            total -= own.mask(key, round_id, total.size)
    return total


def to_bytes(vector: Words64) -> bytes:
    """Write each number in 8 bytes, the least significant first."""
    return vector.astype("<u8", copy=False).tobytes()


def from_bytes(data: bytes) -> Words64:
    return np.frombuffer(data, dtype="<u8").astype(np.uint64, copy=False)
