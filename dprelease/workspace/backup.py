"""A consistent copy of a workspace in use, and a workspace from such a copy."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shutil
from collections.abc import Container, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path

from dprelease.bundle.signing import sync_folder
from dprelease.bundle.write import UNFINISHED
from dprelease.errors import InputError, IntegrityError
from dprelease.model.run import lasts, mark
from dprelease.store import datasets
from dprelease.store.connection import copy
from dprelease.store.database import Database
from dprelease.words import phrase, quoted, verbatim
from dprelease.workspace.home import PRIVATE_MODE, Home
from dprelease.workspace.state import State
from dprelease.workspace.warehouses import is_elsewhere

TRIES = 5
"""Maximum attempts to copy the ledger and its tables while rows are replaced or deleted."""
WHOLE = f".whole{UNFINISHED}"
COPY = re.compile(rf"\..+\.(?P<mark>[0-9]+-[0-9a-f]+){re.escape(WHOLE)}")
"""The name of a copy that is being made: .<name>.<mark of the process>.whole.unfinished. It holds rows and keys."""


def write(state: State, out: Path) -> Path:
    """Copy the ledger at one moment, the tables that it names, keys, policy and public files. Raises InputError.

    Public files may be newer than the ledger. Uploads and tables that are not registered, and spill files, are left
    out.
    """
    if state.home is None:
        raise InputError(
            "backup", found=phrase("workspace.workspace_memory"), allowed=phrase("workspace.workspace_disk")
        )
    state.abandoned = _place(out.resolve(), state.home)
    return out


def restore(backup: Path, home: Path) -> list[Path]:
    """Make a workspace of a backup; return abandoned copies that could not be removed.

    Raises InputError where there is no backup, or where the folder is in use.
    """
    if not (backup / "ledger.db").is_file():
        raise InputError("backup", found=str(backup), allowed=phrase("workspace.folder_dprelease_backup_made"))
    return _place(home.resolve(), Home(backup.resolve()))


def remove_abandoned_copies(*folders: Path) -> list[Path]:
    """Remove from folders what killed backups and restores left there; return what could not be removed.

    A copy is renamed first, so that a process which lives after all, on another machine, fails instead of finishing a
    copy with parts missing.
    """
    stuck = []
    for path in sorted({each for folder in folders for each in _abandoned(folder)}):
        own = _unfinished(path.parent, secrets.token_hex(4))
        with suppress(OSError):
            path.rename(own)
            shutil.rmtree(own)
        stuck += [each for each in (path, own) if os.path.lexists(each)]
    return stuck


def _abandoned(folder: Path) -> Iterator[Path]:
    """Yield the unfinished copies in a folder whose process has ended."""
    try:
        names = os.listdir(folder)
    except OSError:  # nothing can be seen there, as in the parent of a folder that was given to another account
        return
    for name in names:
        match = COPY.fullmatch(name)
        if match and not lasts(match["mark"]) and (folder / name).is_dir() and not (folder / name).is_symlink():
            yield folder / name


def _unfinished(folder: Path, name: str) -> Path:
    return folder / f".{name}.{mark()}{WHOLE}"


def _place(target: Path, source: Home) -> list[Path]:
    """Copy a workspace to a new folder, which appears whole; return abandoned copies that could not be removed."""
    unfinished = _unfinished(target.parent, target.name)
    stuck = remove_abandoned_copies(target.parent, source.path.parent)
    try:
        if target.is_relative_to(source.path):
            raise InputError(
                "folder",
                found=phrase("workspace.inside", path=source.path),
                allowed=phrase("workspace.folder_outside_what_copied"),
            )
        if target.exists() and any(target.iterdir() if target.is_dir() else [target]):
            raise InputError(
                "folder", found=phrase("workspace.empty", target=target), allowed=phrase("workspace.new_empty_folder")
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        unfinished.mkdir(mode=PRIVATE_MODE)
        _copy(source, Home(unfinished))
        unfinished.replace(target)
        sync_folder(target.parent)
    except OSError as cause:
        raise InputError(
            "folder",
            found=str(target),
            allowed=phrase("workspace.folder_can_written"),
            remedy=verbatim(cause.strerror or ""),
        ) from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return stuck


def _copy(source: Home, target: Home) -> None:
    target.private.mkdir(mode=PRIVATE_MODE)
    lost = _copy_ledger(source, target)
    for _ in range(TRIES - 1):
        if lost:
            target.database.unlink()
            shutil.rmtree(target.tables)
            lost = _copy_ledger(source, target)
    if lost:
        raise InputError(
            "tables",
            found=phrase("workspace.none", lost=", ".join(lost)),
            allowed=phrase("workspace.table_each_dataset_whose"),
            remedy=phrase("workspace.try_again_when_nobody"),
        )
    _copy_folder(source.keys, target.keys)
    _copy_folder(source.public, target.public)
    if source.policy.is_file():
        shutil.copyfile(source.policy, target.policy)
    for private in (target.tables, target.keys):
        private.chmod(PRIVATE_MODE)
    sync_folder(target.private)
    sync_folder(target.path)


def _copy_ledger(source: Home, target: Home) -> list[str]:
    """Copy the ledger, then the tables that the copy names; return the datasets whose table was gone by then."""
    copy(source.database, target.database)
    with closing(Database.open(target.database)) as database:
        locations = {each.name: datasets.get(database, each.name)[1] for each in datasets.every(database)}
        checksums = datasets.checksums(database)
    _copy_folder(source.tables, target.tables, only=set(locations.values()))
    copied = {path.name for path in target.tables.iterdir()}
    here = {name: location for name, location in locations.items() if location and not is_elsewhere(location)}
    lost = [name for name, location in here.items() if location not in copied]
    if not lost:
        _check_tables(target.tables, checksums)
    return lost


def _check_tables(folder: Path, checksums: Mapping[str, tuple[str, str]]) -> None:
    """Raise IntegrityError where a copied table is not, byte for byte, the one that was registered."""
    for name, (location, stated) in checksums.items():
        with (folder / location).open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != stated:
                raise IntegrityError(phrase("workspace.table_dataset_what_was", name=quoted(name)))


def _copy_folder(source: Path, target: Path, *, only: Container[str] | None = None) -> None:
    """Copy every whole file, or only those of some names; what vanishes meanwhile was deleted, and is left out."""
    target.mkdir()
    for path in sorted(source.iterdir()) if source.is_dir() else ():
        if path.name.startswith(".") or not (only is None or path.name in only):
            continue
        try:
            if path.is_dir():
                _copy_folder(path, target / path.name)
            else:
                with path.open("rb") as data, (target / path.name).open("xb") as copy:
                    (target / path.name).chmod(path.stat().st_mode & 0o777)
                    shutil.copyfileobj(data, copy)
                    copy.flush()
                    os.fsync(copy.fileno())
        except FileNotFoundError:
            (target / path.name).unlink(missing_ok=True)
    sync_folder(target)
