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

VARIABLE = "DPRELEASE_CHECKPOINT"
MOST_BYTES = 2**24


@dataclass(frozen=True, slots=True)
class Outside:
    """The path or http(s) address of a signed checkpoint, or of the ledger.json of a bundle."""

    address: str

    @property
    def is_url(self) -> bool:
        return is_address(self.address)

    def read(self) -> SignedCheckpoint:
        """Raises InputError where nothing can be read there, IntegrityError where it is not a checkpoint."""
        return SignedCheckpoint.from_mapping(self._mapping())

    def _mapping(self) -> Any:
        try:
            return json.loads(fetch(self.address, most=MOST_BYTES))
        except InputError:
            raise InputError(
                "checkpoint",
                found=f"nothing that can be read: {self.address}",
                allowed="a signed checkpoint that can be read",
                remedy="Make a first one by `dprelease ledger checkpoint --out FILE`, or mend its address.",
            ) from None
        except (ValueError, RecursionError):
            raise IntegrityError(f"{self.address}: not a signed checkpoint") from None

    def signed(self) -> SignedCheckpoint:
        """The same, once its signature is found to be that of the key it names."""
        kept = self.read()
        PublicKey.of(kept.signer).check(_hexadecimal(kept.signature), kept.checkpoint.message)
        return kept

    def write(self, signed: SignedCheckpoint) -> None:
        """Puts a checkpoint into a new file, or in the place of an older one, whole. Raises InputError."""
        path = Path(self.address)
        if path.exists() and self._mapping().keys() != signed.to_mapping().keys():
            raise InputError(
                "checkpoint",
                found=f"more than a checkpoint, which is not replaced: {self.address}",
                allowed="a file that `dprelease ledger checkpoint --out FILE` made",
            )
        try:
            put(path, pretty(signed.to_mapping()))
        except OSError as cause:
            raise InputError(
                "checkpoint", found=f"{cause.strerror}: {self.address}", allowed="a file that can be written"
            ) from None


def _hexadecimal(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise IntegrityError("the signature of the checkpoint is not hexadecimal") from None
