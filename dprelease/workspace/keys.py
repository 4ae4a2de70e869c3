"""The keys that sign releases: the present one, and those before it, each of which signed for the next."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dprelease.bundle.history import History, Rotation, sign
from dprelease.bundle.signing import PublicKey, SigningKey, store_secret
from dprelease.errors import IntegrityError
from dprelease.model.actor import Actor
from dprelease.model.checkpoint import Checkpoint, SignedCheckpoint
from dprelease.model.encoding import canonical
from dprelease.store import checkpoints, ledger
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.words import phrase

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

FIRST = "signing.pem"
CODES_KEY = "second-factor.key"


class Keys:
    """The signing keys of a workspace, in a private folder; in memory without one."""

    def __init__(self, folder: Path | None, database: Database) -> None:
        self._folder = folder
        self._database = database
        self._held: dict[str, SigningKey] = {}

    @property
    def current(self) -> SigningKey:
        """The key that signs now: the one that the last rotation names, else the first."""
        last = ledger.events(self._database, kinds=[EventKind.KEY_ROTATED], limit=1, newest_first=True)
        return self.of(PublicKey(last[0].body["new_pem"].encode()).fingerprint) if last else self._first()

    @property
    def first(self) -> SigningKey:
        """The first key, made where nothing was signed yet. Raises IntegrityError where it is gone."""
        return self._first()

    def of(self, fingerprint: str) -> SigningKey:
        """The key of a fingerprint, which signs what it once signed again. Raises IntegrityError where it is gone."""
        if fingerprint not in self._held and fingerprint != self._first().fingerprint:
            if self._folder is None:
                raise IntegrityError(phrase("workspace.signing_key_there", fingerprint=fingerprint))
            try:
                self._held[fingerprint] = SigningKey.load(self._path(fingerprint))
            except OSError:
                raise IntegrityError(phrase("workspace.signing_key_there", fingerprint=fingerprint)) from None
        return self._held[fingerprint]

    def rotations(self) -> list[Mapping[str, Any]]:
        """Return every hand-over, oldest first."""
        return [event.body for event in ledger.events(self._database, kinds=[EventKind.KEY_ROTATED])]

    def fingerprints(self) -> list[str]:
        """Return the fingerprint of every key that ever signed here, oldest first."""
        pems = [rotation["new_pem"] for rotation in self.rotations()]
        return [self._first().fingerprint, *(PublicKey(pem.encode()).fingerprint for pem in pems)]

    def rotate(self, actor: Actor) -> SigningKey:
        """Make a new key, to which the present one hands over."""
        new = SigningKey.in_memory()
        if self._folder is not None:
            new.save(self._path(new.fingerprint))
        self._held[new.fingerprint] = new
        with self._database.writing():
            on = max(datetime.now(UTC).date().isoformat(), *(each["on"] for each in self.rotations()), "")
            rotation = Rotation.make(self.current, new.public, on=on)
            ledger.append(self._database, EventKind.KEY_ROTATED, actor=actor, body=rotation.to_mapping())
        return new

    def sign(self, checkpoint: Checkpoint) -> SignedCheckpoint:
        """Return a checkpoint with the present key's signature."""
        return sign(checkpoint, self.current)

    def sign_statement(self, statement: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a statement with the present key's signature of its canonical JSON."""
        key = self.current
        return {
            "statement": statement,
            "signer": key.fingerprint,
            "signature": key.sign(canonical(statement)).hex(),
        }

    def known(self, signed: SignedCheckpoint) -> History:
        """Return a checkpoint with the keys before its signer."""
        chain = [Rotation.from_mapping(each) for each in self.rotations()]
        signer = [each.new.fingerprint for each in chain]
        length = signer.index(signed.signer) + 1 if signed.signer in signer else 0
        return History(signed=signed, rotations=tuple(chain[:length]), chained=True)

    def _first(self) -> SigningKey:
        if FIRST not in self._held:
            signed = checkpoints.latest(self._database)
            if signed is not None and self._folder is not None and not (self._folder / FIRST).exists():
                handed_over = self.rotations()
                lost = PublicKey(handed_over[0]["old_pem"].encode()).fingerprint if handed_over else signed.signer
                raise IntegrityError(phrase("workspace.signing_key_there", fingerprint=lost))
            made = SigningKey.in_memory() if self._folder is None else SigningKey.open(self._folder / FIRST)
            self._held |= {FIRST: made, made.fingerprint: made}
        return self._held[FIRST]

    def _path(self, fingerprint: str) -> Path:
        assert self._folder is not None
        return self._folder / f"{fingerprint.partition(':')[2]}.pem"


def sealing_key(path: Path | None) -> Fernet:
    """Return the key in a file that nobody else can read, made where there is none yet; without a file, in memory.

    So a copy of the database alone tells no secret. Raises IntegrityError where the file holds something else.
    """
    from cryptography.fernet import Fernet

    if path is None:
        return Fernet(Fernet.generate_key())
    if not path.exists():
        with contextlib.suppress(FileExistsError):
            store_secret(path, Fernet.generate_key())
    try:
        return Fernet(path.read_bytes())
    except ValueError:
        raise IntegrityError(phrase("workspace.key_second_factors", path=path.name)) from None
