"""Where published bundles are found: a workspace, or a folder that it wrote for the public."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from dprelease.bundle.history import History
from dprelease.bundle.listing import CHECKSUMS, LEDGER
from dprelease.bundle.notices import CHECKPOINT, listed_in, notices_path
from dprelease.bundle.read_json import read_json
from dprelease.errors import InputError, IntegrityError
from dprelease.model.certificate import RELEASE_ID


class Source(Protocol):
    """What is public, and nothing else."""

    def ids(self) -> Sequence[str]:
        """Of all published releases."""

    def folder(self, release_id: str) -> Path:
        """Of a bundle. Raises InputError where there is no such release."""

    def notices(self, release_id: str) -> Sequence[object]:
        """What lies there as signed statements about a release; none of it is checked."""

    def notices_file(self, release_id: str) -> bytes | None:
        """The file with them, as it lies there; None where there is none."""

    def histories(self) -> Sequence[History]:
        """Checkpoints that lie there, longest first, whose signatures and hand-overs hold. Whose they are is open."""


@dataclass(frozen=True, slots=True)
class PublicFolder:
    """The `public` folder of a workspace, or what `dprelease site` wrote. No ledger, no key, nothing private."""

    path: Path

    def __post_init__(self) -> None:
        if not self.path.is_dir():
            raise InputError("public", found=str(self.path), allowed="a folder with published bundles")

    @property
    def bundles(self) -> Path:
        """Where the bundles lie: in a site, one folder down."""
        inner = self.path / "releases"
        return inner if inner.is_dir() else self.path

    def ids(self) -> Sequence[str]:
        return [
            path.name
            for path in sorted(self.bundles.iterdir())
            if RELEASE_ID.fullmatch(path.name) and (path / CHECKSUMS).is_file()
        ]

    def folder(self, release_id: str) -> Path:
        path = self.bundles / release_id
        if not (RELEASE_ID.fullmatch(release_id) and (path / CHECKSUMS).is_file()):
            raise InputError("release", found=release_id, allowed="the id of a release")
        return path

    def notices(self, release_id: str) -> Sequence[object]:
        data = self.notices_file(release_id)
        try:
            return [] if data is None else listed_in(data, release_id)
        except IntegrityError:
            return [None]

    def notices_file(self, release_id: str) -> bytes | None:
        """The file with them, as it lies there; None where there is none."""
        path = self.bundles / notices_path(release_id)
        return path.read_bytes() if RELEASE_ID.fullmatch(release_id) and path.is_file() else None

    def histories(self) -> Sequence[History]:
        paths = [self.path / CHECKPOINT, *(self.bundles / name / LEDGER for name in self.ids())]
        found = [each for path in paths if path.is_file() and (each := _history(path, _written(path)))]
        return sorted(found, key=lambda each: each.checkpoint.size, reverse=True)


def _written(path: Path) -> tuple[int, ...]:
    """What is other when a file was written anew. (Its date is a day, which many have.)"""
    facts = path.stat()
    return facts.st_ino, facts.st_size, facts.st_ctime_ns


@lru_cache(maxsize=4096)
def _history(path: Path, changed: tuple[int, ...]) -> History | None:
    """A checkpoint whose signature holds; None where the file is not one. `changed`: as of `_written`."""
    try:
        history = History.read(read_json(path.read_bytes(), path.name, whole=True))
        history.check()
    except (OSError, IntegrityError):
        return None
    return history
