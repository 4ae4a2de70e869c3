"""The public files as witnesses: what they tell of the ledger shows where an older or another one lies beside them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dprelease.bundle.history import History
from dprelease.bundle.listing import LEDGER
from dprelease.bundle.notices import CHECKPOINT
from dprelease.errors import IntegrityError
from dprelease.model.checkpoint import SignedCheckpoint
from dprelease.model.encoding import read_json
from dprelease.store import checkpoints, published
from dprelease.store.database import Database
from dprelease.words import Phrase, phrase
from dprelease.workspace.keys import Keys


@dataclass(frozen=True, slots=True)
class PublicWitness:
    """A checkpoint among the public files, signed by a key of this workspace, that speaks against its ledger."""

    path: Path
    """`checkpoint.json`, or the `ledger.json` of a bundle that the ledger does not know."""
    signed: SignedCheckpoint
    different: Phrase

    @property
    def words(self) -> Phrase:
        return phrase("workspace.ledger_public_speaks_against", path=self.path, different=self.different)


def witnesses(public: Path, database: Database, keys: Keys, *, kept: bool = True) -> list[PublicWitness]:
    """Return what speaks against the ledger and was not accepted, the longest first; nothing where there is no folder.

    The files that are read are `checkpoint.json` and the bundles whose name no published release of the ledger has: a
    name holds the hash of its charge. `kept`: as of `checkpoints.difference`.
    """
    found = []
    for path in _told(public, database):
        history = _read(path)
        if history is None or checkpoints.accepted(database, history.checkpoint):
            continue
        different = checkpoints.difference(database, history.checkpoint, kept=kept)
        if different is not None and _is_ours(history, keys):
            found.append(PublicWitness(path, history.signed, different))
    return sorted(found, key=lambda each: each.signed.checkpoint.size, reverse=True)


def _told(public: Path, database: Database) -> Iterator[Path]:
    try:
        names = set(os.listdir(public))
    except FileNotFoundError:
        return
    if CHECKPOINT in names:
        yield public / CHECKPOINT
    for name in sorted(names.difference(published.ids(database), [CHECKPOINT])):
        yield public / name / LEDGER


def _read(path: Path) -> History | None:
    """Return a checkpoint of which nothing is checked yet; None where there is none."""
    try:
        return History.read(read_json(path.read_bytes(), path.name, whole=True))
    except (OSError, IntegrityError):
        return None


def _is_ours(history: History, keys: Keys) -> bool:
    """Return True if a key of the workspace, or one that it handed over to, signed it; else it proves nothing."""
    try:
        history.check_signature()
        history.check_rotations()
    except IntegrityError:
        return False
    return not set(history.signers).isdisjoint(keys.fingerprints())
