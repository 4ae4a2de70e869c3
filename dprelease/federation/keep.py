"""What one site keeps of one attempt, in a private folder: each thing once, whole and durably, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dprelease.bundle.signing import store_secret, sync_folder
from dprelease.errors import IntegrityError
from dprelease.federation.envelope import Signed
from dprelease.words import phrase

CHARGES = "charges"


@dataclass(frozen=True, slots=True)
class Keep:
    """The folder of a site, and in it the one of an attempt. Objects hold nothing: every answer is read from disk."""

    folder: Path
    attempt: str
    """The hash of roster, plan and number of the attempt."""

    def path(self, name: str) -> Path:
        return self.folder / self.attempt / name

    def has(self, name: str) -> bool:
        return self.path(name).exists()

    def read(self, name: str) -> bytes | None:
        """The bytes, or None where there are none."""
        try:
            return self.path(name).read_bytes()
        except FileNotFoundError:
            return None

    def message(self, name: str) -> Signed | None:
        """The signed message, or None. Raises IntegrityError where it was altered."""
        data = self.read(name)
        return None if data is None else Signed.from_bytes(data, name)

    def once(self, name: str, made: Callable[[], bytes]) -> bytes:
        """What was written under a name first; made and written where nothing was. Of two at once, one writes."""
        found = self.read(name)
        if found is not None:
            return found
        data = made()
        try:
            store_secret(self.path(name), data)
        except FileExistsError:
            return self.path(name).read_bytes()
        return data

    def remove(self, name: str) -> None:
        """Removes it, durably; nothing happens where it is not there."""
        path = self.path(name)
        path.unlink(missing_ok=True)
        if path.parent.exists():
            sync_folder(path.parent)

    def charged(self, charge: str) -> None:
        """Takes the event of a ledger for this attempt. Raises IntegrityError where it paid for another one."""
        path = self.folder / CHARGES / charge
        try:
            store_secret(path, self.attempt.encode())
        except FileExistsError:
            if path.read_bytes() != self.attempt.encode():
                raise IntegrityError(phrase("federation.charge_used", charge=charge)) from None
