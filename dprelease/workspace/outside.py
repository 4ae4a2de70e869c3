"""The checkpoint that is kept where the ledger is not: without one, a ledger that was put back cannot be told."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dprelease.bundle.fetch import fetch, is_address
from dprelease.bundle.signing import PublicKey
from dprelease.bundle.write import put
from dprelease.errors import InputError, IntegrityError
from dprelease.model.checkpoint import SignedCheckpoint
from dprelease.model.encoding import pretty
from dprelease.words import phrase

VARIABLE = "DPRELEASE_CHECKPOINT"
MAX_BYTES = 2**24


@dataclass(frozen=True, slots=True)
class OutsideCheckpoint:
    """The path or http(s) address of a signed checkpoint, or of the ledger.json of a bundle."""

    address: str

    @property
    def is_url(self) -> bool:
        return is_address(self.address)

    def read(self) -> SignedCheckpoint:
        """Return the checkpoint. Raises InputError where nothing can be read, IntegrityError where it is none."""
        return SignedCheckpoint.from_mapping(self._mapping())

    def _mapping(self) -> Any:
        try:
            return json.loads(fetch(self.address, most=MAX_BYTES))
        except InputError:
            raise InputError(
                "checkpoint",
                found=phrase("workspace.nothing_can_read", address=self.address),
                allowed=phrase("workspace.signed_checkpoint_can_read"),
                remedy=phrase("workspace.make_first_one_dprelease"),
            ) from None
        except (ValueError, RecursionError):
            raise IntegrityError(phrase("workspace.signed_checkpoint", address=self.address)) from None

    def signed(self) -> SignedCheckpoint:
        """Return the same, once its signature is found to be that of the key it names."""
        kept = self.read()
        PublicKey.of(kept.signer).check(_hexadecimal(kept.signature), kept.checkpoint.message)
        return kept

    def write(self, signed: SignedCheckpoint) -> None:
        """Put a checkpoint into a new file, or in the place of an older one, whole. Raises InputError."""
        path = Path(self.address)
        if path.exists() and self._mapping().keys() != signed.to_mapping().keys():
            raise InputError(
                "checkpoint",
                found=phrase("workspace.more_than_checkpoint_replaced", address=self.address),
                allowed=phrase("workspace.file_dprelease_ledger_checkpoint"),
            )
        try:
            put(path, pretty(signed.to_mapping()))
        except OSError as cause:
            raise InputError(
                "checkpoint", found=f"{cause.strerror}: {self.address}", allowed=phrase("workspace.file_can_written")
            ) from None


def _hexadecimal(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise IntegrityError(phrase("workspace.signature_checkpoint_hexadecimal")) from None
