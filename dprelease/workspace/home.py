"""The folders of a workspace on disk; nobody else can read the private ones."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dprelease.bundle.write import remove_abandoned
from dprelease.errors import InputError
from dprelease.model.run import lasts, mark
from dprelease.words import phrase, verbatim

PRIVATE_MODE = 0o700
SECRET_MODE = 0o600
CLAIM = ".claim"
"""Ends the name of a mark beside a table that is not registered yet."""


@dataclass(frozen=True, slots=True)
class Home:
    """`<home>/ledger.db`, `<home>/private/` (tables, uploads, keys, spill files), `<home>/public/<release-id>/` and
    `<home>/embargoed/<release-id>/`.
    """

    path: Path

    @classmethod
    def is_at(cls, path: Path) -> bool:
        """Return True if a folder holds a workspace. An empty file is no ledger: one that was cut would begin anew."""
        try:
            return cls(path).database.stat().st_size > 0
        except OSError:
            return False

    @classmethod
    def prepare(cls, path: Path) -> Home:
        """Make missing folders, and take away other people's access to the private ones."""
        home = cls(path.resolve())
        try:
            for folder in (home.private, home.tables, home.uploads, home.keys, home.spill, home.embargoed):
                folder.mkdir(parents=True, exist_ok=True)
                folder.chmod(PRIVATE_MODE)
            for path in (*home.keys.iterdir(), home.connections, home.database):
                if path.exists():
                    path.chmod(SECRET_MODE)
            home.public.mkdir(parents=True, exist_ok=True)
            home.wipe_leftovers()
        except OSError as cause:
            raise InputError(
                "home",
                found=str(path),
                allowed=phrase("workspace.folder_can_written"),
                remedy=verbatim(cause.strerror or ""),
            ) from None
        return home

    @property
    def can_be_written(self) -> bool:
        """Return True if files can be written here: not on a read-only medium, nor by somebody who may only read."""
        return os.access(self.path, os.W_OK) and os.access(self.database, os.W_OK)

    def wipe_leftovers(self) -> None:
        """Remove spill folders of processes that have ended."""
        for folder in self.spill.iterdir():
            if not lasts(folder.name):
                shutil.rmtree(folder, ignore_errors=True)

    def remove_orphans(self, registered: Callable[[], Container[str]]) -> None:
        """Remove what processes left that were killed: tables that no dataset names, and unfinished public files.

        `registered`: the locations that datasets name. It is asked after the files, and after who is at work on them:
        a table is claimed before its first byte and until it is registered, so none of a running process is taken.
        """
        files = list(self.tables.iterdir())
        claimed = {path.name.split(".")[0] for path in files if path.name.endswith(CLAIM) and _is_claim(path.name)}
        known = registered()
        for path in files:
            name = path.name.removeprefix(".reading-").split(".")[0]
            if name not in claimed and path.name not in known:
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        for folder in (self.public, self.public / "notices", self.embargoed):
            remove_abandoned(folder)

    @property
    def database(self) -> Path:
        return self.path / "ledger.db"

    @property
    def policy(self) -> Path:
        """File with what is allowed in a plan, as an administrator writes it."""
        return self.path / "policy.yaml"

    @property
    def private(self) -> Path:
        return self.path / "private"

    @property
    def tables(self) -> Path:
        return self.private / "tables"

    @property
    def uploads(self) -> Path:
        return self.private / "uploads"

    @property
    def keys(self) -> Path:
        return self.private / "keys"

    @property
    def connections(self) -> Path:
        """The passwords of servers that have tables."""
        return self.private / "connections.json"

    @property
    def noise_library(self) -> Path:
        """File with the version of the noise library that passed its test here last."""
        return self.private / "noise_library.json"

    @property
    def spill(self) -> Path:
        return self.private / "spill"

    @property
    def own_spill(self) -> Path:
        """Spill folder of this process."""
        return self.spill / mark()

    @property
    def public(self) -> Path:
        return self.path / "public"

    @property
    def embargoed(self) -> Path:
        """Folder of releases that wait for their hour: beside the public one, so that one step makes them public."""
        return self.path / "embargoed"

    def new_table(self) -> Path:
        """Return a path for a new table, claimed by this process; the name says nothing about it."""
        path = self.tables / f"{secrets.token_hex(8)}.parquet"
        self._claim(path.name).touch(SECRET_MODE)
        return path

    def settle(self, location: str) -> None:
        """Give up the claim to a table, once it is registered or deleted."""
        self._claim(location).unlink(missing_ok=True)

    def _claim(self, location: str) -> Path:
        return self.tables / f"{Path(location).stem}.{mark()}{CLAIM}"


def _is_claim(name: str) -> bool:
    """Return True if a claim's process still runs."""
    return lasts(name.removesuffix(CLAIM).split(".")[1])


@contextmanager
def writing_public() -> Iterator[None]:
    """Say in our words that the public folder cannot be written; what is public by the ledger stays so."""
    try:
        yield
    except OSError as cause:
        raise InputError(
            "public folder",
            found=cause.strerror or phrase("workspace.error"),
            allowed=phrase("workspace.folder_can_written_room"),
            remedy=phrase("workspace.what_ledger_says_published"),
        ) from None
