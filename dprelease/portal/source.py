"""Source of published bundles: a workspace, or a folder that it wrote for the public."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from dprelease.bundle.history import History
from dprelease.bundle.listing import CHECKSUMS
from dprelease.bundle.notices import CHECKPOINT, FOLDER, listed_in, notices_path
from dprelease.errors import InputError, IntegrityError
from dprelease.model.encoding import read_json
from dprelease.model.stated import RELEASE_ID
from dprelease.words import phrase

Stamp = tuple[int, ...]
SETTLED = 10**9
"""Nanoseconds after which a change of a folder has its own time: clocks of file systems tick in steps."""


class PublicSource(Protocol):
    """Source of public files only."""

    @property
    def path(self) -> Path:
        """Folder with the public files."""

    def names(self) -> Sequence[str]:
        """Return the names of all folders that may hold a release."""

    def stamp(self) -> Stamp | None:
        """Return a mark that changes as soon as a folder is added or removed; None while that might not show yet."""

    def folder(self, release_id: str) -> Path:
        """Return the folder of a bundle. Raises InputError where there is no such release."""

    def notices(self, release_id: str) -> Sequence[object]:
        """Return the signed statements about a release that lie there; none of them is checked."""

    def notices_file(self, release_id: str) -> bytes | None:
        """Return the file with the statements, as it lies there; None where there is none."""

    def noticed(self) -> Sequence[str]:
        """Return the ids of releases for which such a file lies there."""

    def checkpoint(self) -> History | None:
        """Return the checkpoint beside the bundles, if its signatures and handovers hold; its owner is not checked."""


@dataclass(frozen=True, slots=True)
class PublicFolder:
    """Folder `public` of a workspace, or one that `dprelease site` wrote. No ledger, no key, nothing private."""

    path: Path

    def __post_init__(self) -> None:
        if not self.path.is_dir():
            raise InputError("public", found=str(self.path), allowed=phrase("portal.folder_published_bundles"))

    @property
    def bundles(self) -> Path:
        """Folder of the bundles: in a site, one folder down."""
        inner = self.path / "releases"
        return inner if inner.is_dir() else self.path

    def names(self) -> Sequence[str]:
        with os.scandir(self.bundles) as found:
            names = [each.name for each in found if each.is_dir() and each.name != FOLDER]
        return [name for name in sorted(names) if RELEASE_ID.fullmatch(name)]

    def stamp(self) -> Stamp | None:
        facts = self.bundles.stat()
        stamp = _written(facts)
        return stamp if abs(time.time_ns() - facts.st_ctime_ns) > SETTLED else None

    def folder(self, release_id: str) -> Path:
        path = self.bundles / release_id
        if not (RELEASE_ID.fullmatch(release_id) and (path / CHECKSUMS).is_file()):
            raise InputError("release", found=release_id, allowed=phrase("store.id_release"))
        return path

    def notices(self, release_id: str) -> Sequence[object]:
        data = self.notices_file(release_id)
        try:
            return [] if data is None else listed_in(data, release_id)
        except IntegrityError:
            return [None]

    def notices_file(self, release_id: str) -> bytes | None:
        """Return the file with the statements, as it lies there; None where there is none."""
        path = self.bundles / notices_path(release_id)
        return path.read_bytes() if RELEASE_ID.fullmatch(release_id) and path.is_file() else None

    def noticed(self) -> Sequence[str]:
        return [path.stem for path in (self.bundles / FOLDER).glob("*.json")]

    def checkpoint(self) -> History | None:
        path = self.path / CHECKPOINT
        return _history(path, _written(path.stat())) if path.is_file() else None


def _written(facts: os.stat_result) -> Stamp:
    """Return facts that change when a file is written anew. (Its date is a day, which many have.)"""
    return facts.st_ino, facts.st_size, facts.st_ctime_ns


@lru_cache(maxsize=16)
def _history(path: Path, changed: Stamp) -> History | None:
    """Return a checkpoint whose signature holds; None where the file is not one. `changed`: from `_written`."""
    try:
        history = History.read(read_json(path.read_bytes(), path.name, whole=True))
        history.check()
    except (OSError, IntegrityError):
        return None
    return history
