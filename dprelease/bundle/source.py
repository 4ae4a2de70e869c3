"""Where published bundles are found: a workspace, or a folder that it wrote for the public."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from dprelease.bundle.history import History
from dprelease.bundle.listing import CHECKSUMS, LEDGER
from dprelease.bundle.read import read_json
from dprelease.bundle.write import RELEASE_ID
from dprelease.errors import InputError, IntegrityError
from dprelease.model.checkpoint import SignedCheckpoint

CHECKPOINT = "checkpoint.json"
"""The public ledger: a signed checkpoint, which states what every population has spent."""
NOTICES = "notices"
NOTICE = re.compile(r"([0-9]{1,15})\.json")


class Source(Protocol):
    """What is public, and nothing else."""

    def ids(self) -> Sequence[str]:
        """Of all published releases."""

    def folder(self, release_id: str) -> Path:
        """Of a bundle. Raises InputError where there is no such release."""

    def notices(self, release_id: str) -> Sequence[Mapping[str, Any]]:
        """The signed statements about a release since it was published, oldest first."""

    def checkpoint(self) -> SignedCheckpoint | None:
        """The last signed checkpoint of the ledger that was given out."""


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

    def notices(self, release_id: str) -> Sequence[Mapping[str, Any]]:
        if not RELEASE_ID.fullmatch(release_id):
            return []
        folder = self.bundles / NOTICES / release_id
        found = sorted(
            (int(match[1]), path) for path in folder.glob("*.json") if (match := NOTICE.fullmatch(path.name))
        )
        return [read_json(path.read_bytes(), path.name, whole=True) for _, path in found]

    def checkpoint(self) -> SignedCheckpoint | None:
        """The longest one: that of the folder, or of one of its bundles."""
        paths = [self.path / CHECKPOINT, *(self.bundles / name / LEDGER for name in self.ids())]
        found = [signed for path in paths if path.is_file() and (signed := _signed(path, path.stat().st_mtime_ns))]
        return max(found, key=lambda each: each.checkpoint.size, default=None)


@lru_cache(maxsize=4096)
def _signed(path: Path, changed: int) -> SignedCheckpoint | None:
    """A checkpoint whose signature holds; None where the file is not one. `changed`: when it was written last."""
    try:
        history = History.read(read_json(path.read_bytes(), path.name, whole=True))
        history.check_signature()
    except (OSError, IntegrityError):
        return None
    return history.signed
