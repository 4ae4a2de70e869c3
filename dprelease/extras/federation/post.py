"""Server side of a round's exchange of files: it holds no key and no rows, and can be any site's.

What it takes is checked as far as files alone tell: of which site, round and step. Sites check everything again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from dprelease.bundle.signing import sync_folder
from dprelease.errors import IntegrityError
from dprelease.extras.federation import masks
from dprelease.extras.federation.check import refuse_void
from dprelease.extras.federation.envelope import Signed
from dprelease.extras.federation.folder import (
    BUNDLE,
    NUMBERED,
    PLAN,
    PROPOSED,
    ROSTER,
    RoundFolder,
    begun_attempt,
    read_plan,
)
from dprelease.extras.federation.messages import ACCOUNT, KEY, KEYS, MASKED, OFFER, SUM, VOID, is_hash, read
from dprelease.extras.federation.roster import Federation
from dprelease.extras.federation.round import Round, attempted
from dprelease.model.encoding import canonical
from dprelease.words import Phrase, phrase

PIECE = 4 * 2**20
"""Bytes of a vector that are sent at a time, at most."""
MAX_BUNDLE = 2**29
"""Bytes of a release that a round may become, as one file."""
READ = 2**20
LOCKS: dict[Path, Lock] = {}
"""Locks by folder of a round: held while anything of it is written. Other rounds go on meanwhile."""


class BehindError(IntegrityError):
    """A piece that does not begin where the last one ended. `received`: so many bytes are there."""

    def __init__(self, received: int) -> None:
        self.received = received
        super().__init__(phrase("federation.piece_elsewhere", received=received))


@dataclass(frozen=True, slots=True)
class Post:
    """The folder of a round on a server."""

    folder: RoundFolder

    @property
    def federation(self) -> Federation:
        return self.folder.proposed()

    @property
    def lock(self) -> Lock:
        return LOCKS.setdefault(self.folder.path.resolve(), Lock())

    def files(self, site: str) -> dict[str, Any]:
        """Return each file's SHA-256 by name; of vectors what is stated of them. `received`: bytes of one's own."""
        found: dict[str, str] = {}
        for each in sorted(self.folder.path.iterdir()):
            if each.name in (PROPOSED, PLAN, BUNDLE) or NUMBERED.fullmatch(each.name):
                found[each.name] = _hash(each)
        for message in self.folder.messages(MASKED):
            found[self.vector(message.signer).name] = str(message.message["masked"])
        part = self.part(site)
        return {"files": found, "received": part.stat().st_size if part.exists() else 0}

    def path(self, name: str) -> Path | None:
        """Return a file that sites may fetch; None where there is none of that name."""
        number = name.partition(".")[0]
        known = name in (PROPOSED, PLAN, BUNDLE) or NUMBERED.fullmatch(name) or name == f"{number}.{MASKED}.u64"
        found = self.folder.path / name
        return found if known and number.isalnum() and found.is_file() else None

    def vector(self, key: str) -> Path:
        """Return the path of a site's masked vector. Raises IntegrityError where no site has that key."""
        federation = self.federation
        number = federation.number(federation.of_key(key).name) + 1
        return self.folder.path / f"{number}.{MASKED}.u64"

    def part(self, key: str) -> Path:
        """Return the path where pieces of a site's vector are gathered."""
        return self.vector(key).with_suffix(".part")

    def take_plan(self, data: bytes) -> bool:
        """Keep the plan; False where it was there. Raises IntegrityError where it is none, or another is there."""
        with self.lock:
            before = self.folder.has_plan
            plan, attempt = read_plan(data)
            attempted(self.federation, plan, attempt)
            self.folder.put_plan(plan, attempt)
        return not before

    def take_piece(self, key: str, start: int, data: bytes) -> int:
        """Add a piece of a site's own vector, and return how many bytes of it are there.

        Raises BehindError where it begins elsewhere; IntegrityError where the round has no such vector.
        """
        with self.lock:
            _, plan, _ = begun_attempt(self.folder)
            self._refuse_void()
            whole, part = self.vector(key), self.part(key)
            if whole.exists():
                return whole.stat().st_size
            received = part.stat().st_size if part.exists() else 0
            if start != received:
                raise BehindError(received)
            if received + len(data) > masks.WORD * plan.cells:
                raise IntegrityError(phrase("federation.longer", cells=plan.cells))
            with part.open("ab") as file:
                file.write(data)
            return received + len(data)

    def take_bundle(self, key: str, start: int, size: int, digest: str, data: bytes) -> int:
        """Add a piece of the release of a finished round, which the first site of the roster made.

        Returns how many bytes of it are there. Raises BehindError where the piece begins elsewhere; IntegrityError for
        any other site, for a release that is too large, is not the one that is stated, or is another than before.
        """
        if key != self.federation.sites[0].key or not 0 < size <= MAX_BUNDLE or not is_hash(digest):
            raise IntegrityError(phrase("federation.bundle_refused", site=self.federation.sites[0].name))
        with self.lock:
            whole, part = self.folder.path / BUNDLE, self.folder.path / f".{BUNDLE}.part"
            if whole.exists():
                if _hash(whole) != digest:
                    raise IntegrityError(phrase("federation.already", name=BUNDLE))
                return size
            received = part.stat().st_size if part.exists() else 0
            if start != received:
                raise BehindError(received)
            if received + len(data) > size:
                raise IntegrityError(phrase("federation.bundle_refused", site=self.federation.sites[0].name))
            with part.open("ab") as file:
                file.write(data)
            if received + len(data) == size:
                _named(part, whole, digest, phrase("federation.bundle_refused", site=self.federation.sites[0].name))
            return received + len(data)

    def take(self, data: bytes) -> bool:
        """Keep a message; False where it was there already. Raises IntegrityError for what is not of this round."""
        signed = Signed.from_bytes(data, "message")
        with self.lock:
            name = self.check(signed)
            before = (self.folder.path / name).exists()
            if not before and signed.message.get("kind") == MASKED:
                self._complete(signed)
            if not before and signed.message.get("kind") == SUM:
                self._add_up(signed)
            self.folder.put(self.federation, signed)
        return not before

    def check(self, signed: Signed) -> str:
        """Return the file name that a message belongs into. Raises IntegrityError for what is not of this round."""
        federation = self.federation
        site = federation.of_key(signed.signer)
        kind = str(signed.message.get("kind", ROSTER))
        if kind == ROSTER:
            if canonical(signed.message) != canonical(federation.to_mapping()):
                raise IntegrityError(phrase("federation.other_roster", site=site.name))
        else:
            _, plan, attempt = begun_attempt(self.folder)
            fixed = attempted(federation, plan, attempt)
            free = FREE.get(kind)
            if free is None:
                raise IntegrityError(phrase("federation.other_kind", site=site.name, kind="message"))
            if kind != OFFER:
                begun = Round.begun(federation, plan, attempt, self.folder.messages(OFFER))
                fixed = begun.accounted(self.folder.total(plan.cells)) if kind == ACCOUNT else begun.fields
                if kind != VOID:
                    refuse_void(self.folder, begun)
            cells = {"cells": plan.cells} if kind in (MASKED, SUM) else {}
            read(signed, federation, kind, {**fixed, **cells}, free)
        return f"{federation.number(site.name) + 1}.{kind}.json"

    def _refuse_void(self) -> None:
        federation, plan, attempt = begun_attempt(self.folder)
        refuse_void(self.folder, Round.begun(federation, plan, attempt, self.folder.messages(OFFER)))

    def _complete(self, signed: Signed) -> None:
        """Give the gathered vector its name, where it is the one that the message states."""
        whole, part = self.vector(signed.signer), self.part(signed.signer)
        _, plan, _ = begun_attempt(self.folder)
        if whole.exists():
            return
        received = part.stat().st_size if part.exists() else 0
        if received < masks.WORD * plan.cells:
            raise BehindError(received)
        wrong = phrase("federation.vector", site=self.federation.of_key(signed.signer).name)
        _named(part, whole, signed.message["masked"], wrong)

    def _add_up(self, signed: Signed) -> None:
        """Add up the vectors, as every site does, and refuse a message that states another sum."""
        federation, plan, attempt = begun_attempt(self.folder)
        begun = Round.begun(federation, plan, attempt, self.folder.messages(OFFER))
        keys = self.folder.messages(KEY)
        total = begun.combine(keys, self.folder.contributions(federation))
        stated = begun.summed(begun.read_masked(keys, self.folder.messages(MASKED)), total)
        if any(signed.message[name] != stated[name] for name in ("masked", "sum")):
            raise IntegrityError(phrase("federation.not_the_sum"))
        self.folder.put_total(total)


def _named(part: Path, whole: Path, digest: object, wrong: Phrase) -> None:
    """Give what was gathered its name, durably. Raises IntegrityError, and forgets it, where it is something else."""
    if _hash(part) != digest:
        part.unlink()
        raise IntegrityError(wrong)
    with part.open("rb") as file:
        os.fsync(file.fileno())
    part.rename(whole)
    sync_folder(whole.parent)


def _hash(path: Path) -> str:
    found = sha256()
    with path.open("rb") as file:
        while piece := file.read(READ):
            found.update(piece)
    return found.hexdigest()


def _are_hashes(value: object) -> bool:
    return isinstance(value, list) and all(map(is_hash, value))


def _is_mapping(value: object) -> bool:
    return isinstance(value, dict)


FREE: Mapping[str, Mapping[str, Callable[[object], bool]]] = {
    OFFER: {"nonce": is_hash},
    KEY: {"key": is_hash, "charge": is_hash},
    KEYS: {"keys": is_hash},
    MASKED: {"keys": is_hash, "masked": is_hash},
    SUM: {"masked": _are_hashes, "sum": is_hash},
    ACCOUNT: {"ledger": _is_mapping},
    VOID: {},
}
"""Checks of further fields of a message, by kind; sites compare these fields."""
