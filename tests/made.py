"""Workspaces that tests begin with: each is made once a session, in a folder that all workers share, and copied."""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest


def made(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The workspace of this name, made by the first test of the session that asks for it; nobody may change it."""
    own = factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "made" / name
    folder.mkdir(parents=True, exist_ok=True)
    finished = folder / "finished"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not finished.exists():
            shutil.rmtree(folder / "home", ignore_errors=True)
            make(folder / "home")
            finished.touch()
    return folder / "home"


def copied(home: Path, target: Path) -> Path:
    """A copy of a workspace for one test: its ledger by SQLite's backup, all else as files."""
    shutil.copytree(home, target, ignore=shutil.ignore_patterns("*.db", "*.db-*"))
    for database in home.rglob("*.db"):
        with (
            closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as source,
            closing(sqlite3.connect(target / database.relative_to(home))) as copy,
        ):
            source.backup(copy)
    return target
