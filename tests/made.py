"""Bundles and workspaces that tests share: made once for each state of the source, by whichever process asks first.

They stand in .pytest_cache/made/STATE/NAME. The state is a hash of the program, of what tests are built with and of the
day (for workspaces know how old they are), and the name has one of the builder's file: a run on unchanged source makes
nothing anew, and a changed line of the program makes everything anew. With MADE_ANEW in the environment each process
makes its own, as a map of which test reaches which line needs it.
"""

from __future__ import annotations

import fcntl
import hashlib
import inspect
import json
import os
import shutil
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SHELVES = ROOT / ".pytest_cache" / "made"
KEPT, AN_HOUR = 6, 3600.0
"""Of the states of the source those used last, and any used within the hour."""
COMPILED = (".pyc", ".mo")


def made(build: Callable[[Path], object], *, name: str = "", of: Callable[..., object] | None = None) -> Path:
    """Return the folder that `build` fills. It is shared: a test that changes something works on a copy.

    `of`: the function whose file the folder depends on, where `build` only calls it.
    """
    builder = Path(inspect.getfile(of or build)).read_bytes()
    name = f"{build.__qualname__}-{name or 'only'}-{hashlib.sha256(builder).hexdigest()[:16]}"
    shelf = _shelf()
    folder = shelf / name
    with (shelf / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            from tests.mechanisms.seeded import seeded_noise  # with all of OpenDP

            unfinished = Path(mkdtemp(prefix=f"{name}.", dir=shelf))
            with seeded_noise():  # so that what is shared never differs
                build(unfinished)
            unfinished.rename(folder)
    return folder


def made_workspace(name: str, make: Callable[[Path], object]) -> Path:
    """Return the workspace of this name, which `make` lays out in the folder that it is given; nobody may change it."""
    return made(lambda folder: make(folder / "home"), name=name, of=make) / "home"


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


def drawn_once(draw: Callable[[Mapping[str, Any], str], bytes]) -> Callable[[Mapping[str, Any], str], bytes]:
    """Return a way to draw that keeps each picture, by its specification, for all processes that run this source."""

    def drawn(specification: Mapping[str, Any], description: str) -> bytes:
        asked = json.dumps([dict(specification), description]).encode()
        kept = _shelf() / "pictures" / hashlib.sha256(asked).hexdigest()
        if not kept.exists():
            picture = draw(specification, description)
            kept.parent.mkdir(parents=True, exist_ok=True)
            partial = kept.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
            partial.write_bytes(picture)
            partial.rename(kept)
        return kept.read_bytes()

    return drawn


@cache
def _shelf() -> Path:
    """Return the folder of this state of the source, and remove those of states that are gone."""
    if os.environ.get("MADE_ANEW"):
        return Path(mkdtemp(prefix="made-"))
    shelf = SHELVES / hashlib.sha256(_source() + datetime.now(UTC).date().isoformat().encode()).hexdigest()[:16]
    shelf.mkdir(parents=True, exist_ok=True)
    shelf.touch()
    used = sorted(SHELVES.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in used[KEPT:]:
        if time.time() - old.stat().st_mtime > AN_HOUR:
            shutil.rmtree(old, ignore_errors=True)
    return shelf


@cache
def _source() -> bytes:
    """Hash the program, its locks and every file of the tests that is no test."""
    files = [
        ROOT / "requirements.txt",
        *(path for path in (ROOT / "dprelease").rglob("*") if path.suffix not in COMPILED),
        *(path for path in (ROOT / "tests").rglob("*.py") if not path.name.startswith("test_")),
    ]
    told = hashlib.sha256(sys.version.encode())
    for path in sorted(files):
        if path.is_file():
            told.update(str(path.relative_to(ROOT)).encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return told.digest()
