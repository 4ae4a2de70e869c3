"""A release as a signed folder: made in memory, put in place whole, never replaced."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from dprelease.bundle.described import Described
from dprelease.bundle.formats import NAMES, formats, sdmx_path
from dprelease.bundle.listing import CHECKSUMS, LEDGER, SIGNATURE, SIGNER, TIMESTAMP, checksums
from dprelease.bundle.outputs import release_files
from dprelease.bundle.signing import SigningKey, sync_folder
from dprelease.errors import IntegrityError, InternalError
from dprelease.model.encoding import pretty
from dprelease.model.language import ENGLISH, speaking
from dprelease.model.release import Estimates, Release
from dprelease.model.statistic import ID

RELEASE_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,119}")
BLOCK = 2**20
ABANDONED = 3600.0
"""Seconds after which an unfinished folder is taken to be left by a writer that was killed."""


def files(release: Release, key: SigningKey) -> dict[str, bytes]:
    """Every file of the bundle by its path, the same bytes each time: in English, whoever publishes.

    SHA256SUMS is in the format of `sha256sum -c`, sorted, and lists every file but itself and what is made of it.
    SHA256SUMS.sig is the raw Ed25519 signature of its bytes (64 bytes), signer.pub the PEM public key: `openssl
    pkeyutl -verify -rawin` takes both.
    """
    if not RELEASE_ID.fullmatch(release.id) or not all(ID.fullmatch(statistic) for statistic in release.tables):
        raise InternalError("the id of a release or of a statistic cannot be a file name")
    with speaking(ENGLISH):
        return _files(release, key)


def _files(release: Release, key: SigningKey) -> dict[str, bytes]:
    from dprelease.bundle.charts import picture
    from dprelease.bundle.page import page

    told = release_files(release)
    tables = {statistic: told[f"tables/{statistic}.csv"] for statistic in release.tables}
    pictures = {statistic: picture(release, statistic) for statistic in release.tables}
    result = {
        **told,
        **formats(release, tables),
        "index.html": page(release, pictures, Described(release, tables), key.fingerprint),
        SIGNER: key.public.pem,
    }
    if release.entry:  # a release of a time before there was one stays as it is
        result[LEDGER] = pretty(dict(release.entry))
    result |= {f"charts/{statistic}.svg": drawn.svg() for statistic, drawn in pictures.items()}
    sums = checksums(result)
    return {**result, CHECKSUMS: sums, SIGNATURE: key.sign(sums)}


def file_names(tables: Mapping[str, Estimates]) -> set[str]:
    """The paths of all files that a bundle with these tables may have."""
    own = {"release.json", "datapackage.json", "index.html", LEDGER, SIGNER, CHECKSUMS, SIGNATURE, TIMESTAMP, *NAMES}
    each = {
        path
        for statistic in tables
        for path in (f"tables/{statistic}.csv", f"charts/{statistic}.svg", sdmx_path(statistic))
    }
    answers = {f"tables/{name}.answers.csv" for name, table in tables.items() if "perturbed" in table.extra}
    return own | each | answers


def write(release: Release, folder: Path, key: SigningKey) -> Path:
    """Puts the bundle into folder/<release id> and returns that path.

    Raises IntegrityError where other bytes are there already: a release is never replaced.
    """
    return place(files(release, key), folder, release.id)


def place(contents: Mapping[str, bytes], folder: Path, name: str) -> Path:
    """Puts files into folder/name: all of them durably, or none. The same files again are left as they are.

    A timestamp is no part of what is compared: one that is given is attached to the release that is there.
    """
    target = folder / name
    folder.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        remove_abandoned(folder, name)
        unfinished = Path(tempfile.mkdtemp(prefix=f".{name}.", suffix=".unfinished", dir=folder))
        try:
            _fill(unfinished, contents)
            try:
                unfinished.rename(target)
            except OSError:
                if not target.exists():  # else another writer was first: what it wrote is compared
                    raise
            sync_folder(folder)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    if not _holds(target, contents):
        raise IntegrityError(f"{name}: another release is already there, and a release is never replaced")
    if TIMESTAMP in contents:
        put(target / TIMESTAMP, contents[TIMESTAMP])
    return target


def put(path: Path, data: bytes) -> None:
    """Writes a file that everyone may read, whole or not at all."""
    if path.exists() and path.read_bytes() == data:
        return
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, 0o644)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        os.replace(name, path)
    except OSError:
        os.unlink(name)
        raise
    sync_folder(path.parent)


def _fill(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Writes files that everyone may read, and makes them durable."""
    folder.chmod(0o755)
    for path in sorted({(folder / name).parent for name in contents} - {folder}):
        path.mkdir()
        path.chmod(0o755)
    for name, data in contents.items():
        with open(folder / name, "xb") as file:
            os.fchmod(file.fileno(), 0o644)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    for path in {(folder / name).parent for name in contents} | {folder}:
        sync_folder(path)


def _holds(folder: Path, contents: Mapping[str, bytes]) -> bool:
    """Whether a folder holds exactly these files, with or without a timestamp."""
    expected = {name: data for name, data in contents.items() if name != TIMESTAMP}
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()} - {TIMESTAMP}
    return found == expected.keys() and all(_same(folder / name, data) for name, data in expected.items())


def _same(path: Path, data: bytes) -> bool:
    """Whether a file holds these bytes, read a block at a time."""
    view = memoryview(data)
    with open(path, "rb") as file:
        same = (file.read(BLOCK) == view[start : start + BLOCK] for start in range(0, len(view), BLOCK))
        return all(same) and not file.read(1)


def remove_abandoned(folder: Path, name: str = "*") -> None:
    """Removes what killed writers left of a bundle, or of any."""
    for path in folder.glob(f".{name}.*.unfinished"):
        if path.stat().st_mtime < time.time() - ABANDONED:
            shutil.rmtree(path, ignore_errors=True)
