"""Key that signs releases, and the check of its signatures."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from dprelease.errors import InputError, IntegrityError
from dprelease.model.run import WINDOWS
from dprelease.words import phrase

FINGERPRINT = re.compile(r"ed25519:[0-9a-f]{64}")
MAX_PEM = 10_000
"""Largest size in bytes; a PEM file of an Ed25519 key has about 120."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """Public half of the Ed25519 key that signed."""

    pem: bytes

    def __post_init__(self) -> None:
        self._loaded()

    @classmethod
    def of(cls, fingerprint: str) -> PublicKey:
        """Return the key that has this fingerprint. Raises IntegrityError where the text is none."""
        if not FINGERPRINT.fullmatch(fingerprint):
            raise IntegrityError(phrase("bundle.fingerprint_ed25519_key"))
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(fingerprint.removeprefix("ed25519:")))
        return cls(key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))

    def _loaded(self) -> Ed25519PublicKey:
        try:
            key = load_pem_public_key(self.pem[:MAX_PEM])
        except (ValueError, UnsupportedAlgorithm):
            raise IntegrityError(phrase("bundle.public_key_pem_file")) from None
        if not isinstance(key, Ed25519PublicKey):
            raise IntegrityError(phrase("bundle.public_key_ed25519_key"))
        return key

    @property
    def fingerprint(self) -> str:
        """Fingerprint: `ed25519:` and the 32 bytes of the key in hexadecimal, the whole key, so no other has it."""
        return f"ed25519:{self._loaded().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()}"

    def check(self, signature: bytes, message: bytes) -> None:
        """Raise IntegrityError unless this key made the signature of exactly this message."""
        try:
            self._loaded().verify(signature, message)
        except InvalidSignature:
            raise IntegrityError(phrase("bundle.signature_does_belong_these")) from None


@dataclass(frozen=True, slots=True)
class SigningKey:
    """Secret half of the key. Kept in a PEM file that only its owner may read, or in memory only."""

    _secret: Ed25519PrivateKey = field(default_factory=Ed25519PrivateKey.generate, repr=False)

    @property
    def public(self) -> PublicKey:
        key = self._secret.public_key()
        return PublicKey(key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))

    @property
    def fingerprint(self) -> str:
        return self.public.fingerprint

    def sign(self, message: bytes) -> bytes:
        """Return a signature of 64 bytes, the same each time for the same message (RFC 8032)."""
        return self._secret.sign(message)

    @classmethod
    def in_memory(cls) -> SigningKey:
        """Return a new key that is never stored."""
        return cls()

    @classmethod
    def load(cls, path: Path) -> SigningKey:
        """Load a key. Raises IntegrityError where the file is not an Ed25519 key; OSError where it cannot be read."""
        try:
            secret = load_pem_private_key(path.read_bytes()[:MAX_PEM], password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            raise IntegrityError(phrase("bundle.unencrypted_pem_private_key", path=path.name)) from None
        if not isinstance(secret, Ed25519PrivateKey):
            raise IntegrityError(phrase("bundle.ed25519_key", path=path.name))
        return cls(secret)

    @classmethod
    def open(cls, path: Path) -> SigningKey:
        """Return the key in the file; where there is none, a new one, stored whole (mode 0600) or not at all.

        Of several processes that open a new workspace at once, one stores its key and all return that one.
        """
        with contextlib.suppress(FileNotFoundError):
            return cls.load(path)
        with contextlib.suppress(FileExistsError):
            cls().save(path)
        return cls.load(path)

    def save(self, path: Path) -> None:
        """Store it whole (mode 0600) or not at all. Raises FileExistsError where there is a file already."""
        store_secret(path, self._secret.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))


@dataclass(frozen=True, slots=True)
class GivenSignature:
    """Signature made elsewhere: it holds for exactly the bytes that were signed."""

    public: PublicKey
    signature: bytes = field(repr=False)

    @property
    def fingerprint(self) -> str:
        return self.public.fingerprint

    def sign(self, message: bytes) -> bytes:
        """Return the given signature. Raises IntegrityError where it is of something else."""
        self.public.check(self.signature, message)
        return self.signature


def fingerprint_of(key: str | Path) -> str:
    """Return the fingerprint that a person gives: as text, or as the path of a PEM file such as signer.pub.

    Raises InputError where it is neither, IntegrityError where the file is not an Ed25519 key.
    """
    text = str(key).strip()
    if FINGERPRINT.fullmatch(text.lower()):
        return text.lower()
    try:
        return PublicKey(Path(key).read_bytes()[:MAX_PEM]).fingerprint
    except (OSError, ValueError):
        allowed = phrase("bundle.fingerprint_such_ed25519_64")
        raise InputError("key", found=text, allowed=allowed) from None


def store_secret(path: Path, secret: bytes) -> None:
    """Store bytes whole (mode 0600) or not at all. Raises FileExistsError where there is a file already."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:  # mkstemp makes files 0600
            file.write(secret)
            file.flush()
            os.fsync(file.fileno())
        os.link(name, path)
    finally:
        os.unlink(name)
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable; Windows does so by itself, and opens no folder."""
    if WINDOWS:
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
