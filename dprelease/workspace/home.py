"""The folders of a workspace on disk; nobody else can read the private ones."""

from __future__ import annotations

import os
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path

from dprelease.errors import InputError

PRIVATE_MODE = 0o700
SECRET_MODE = 0o600


@dataclass(frozen=True, slots=True)
class Home:
    """`<home>/ledger.db`, `<home>/private/` (tables, uploads, keys, spill files) and `<home>/public/<release-id>/`."""

    path: Path

    @classmethod
    def prepare(cls, path: Path) -> Home:
        """Makes missing folders, and takes away other people's access to the private ones."""
        home = cls(path.resolve())
        try:
            for folder in (home.private, home.tables, home.uploads, home.keys, home.spill):
                folder.mkdir(parents=True, exist_ok=True)
                folder.chmod(PRIVATE_MODE)
            for path in (*home.keys.iterdir(), home.connections, home.database):
                if path.exists():
                    path.chmod(SECRET_MODE)
            home.public.mkdir(parents=True, exist_ok=True)
            home.wipe_leftovers()
        except OSError as cause:
            raise InputError(
                "home", found=str(path), allowed="a folder that can be written", remedy=cause.strerror or ""
            ) from None
        return home

    def wipe_leftovers(self) -> None:
        """Removes spill folders of processes that have ended."""
        for folder in self.spill.iterdir():
            if not (folder.name.isdecimal() and runs(int(folder.name))):
                shutil.rmtree(folder, ignore_errors=True)

    @property
    def database(self) -> Path:
        return self.path / "ledger.db"

    @property
    def policy(self) -> Path:
        """What is allowed in a plan, as an administrator writes it."""
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
    def spill(self) -> Path:
        return self.private / "spill"

    @property
    def own_spill(self) -> Path:
        """Where this process spills."""
        return self.spill / str(os.getpid())

    @property
    def public(self) -> Path:
        return self.path / "public"

    def new_table(self) -> Path:
        """A path for a new table; the name says nothing about it."""
        return self.tables / f"{secrets.token_hex(8)}.parquet"


def runs(process: int) -> bool:
    """Whether a process is there."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
