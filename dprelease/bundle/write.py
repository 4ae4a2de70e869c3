"""A release as a signed folder: made in memory, put in place whole, never replaced."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from dprelease.bundle.datapackage import datapackage
from dprelease.bundle.signing import SigningKey, sync_folder
from dprelease.bundle.tables import answers_bytes, csv_bytes
from dprelease.errors import IntegrityError, InternalError
from dprelease.model.encoding import pretty
from dprelease.model.release import Estimates, Release
from dprelease.model.statistic import ID

RELEASE_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,119}")
CHECKSUMS = "SHA256SUMS"
SIGNATURE = "SHA256SUMS.sig"
SIGNER = "signer.pub"
ABANDONED = 3600.0
"""Seconds after which an unfinished folder is taken to be left by a writer that was killed."""


def files(release: Release, key: SigningKey) -> dict[str, bytes]:
    """Every file of the bundle by its path, the same bytes each time.

    SHA256SUMS is in the format of `sha256sum -c`, sorted, and lists every file but itself and its signature.
    SHA256SUMS.sig is the raw Ed25519 signature of its bytes (64 bytes), signer.pub the PEM public key: `openssl
    pkeyutl -verify -rawin` takes both.
    """
    from dprelease.bundle.charts import picture
    from dprelease.bundle.page import page

    if not RELEASE_ID.fullmatch(release.id) or not all(ID.fullmatch(statistic) for statistic in release.tables):
        raise InternalError("the id of a release or of a statistic cannot be a file name")
    tables = {statistic: csv_bytes(estimates) for statistic, estimates in release.tables.items()}
    pictures = {statistic: picture(release, statistic) for statistic in release.tables}
    result = {
        "release.json": pretty(dict(release.certificate)),
        "datapackage.json": pretty(datapackage(release, tables)),
        "index.html": page(release, pictures, key.fingerprint),
        SIGNER: key.public.pem,
    }
    result |= {f"tables/{statistic}.csv": data for statistic, data in tables.items()}
    answers = {statistic: answers_bytes(estimates) for statistic, estimates in release.tables.items()}
    result |= {f"tables/{statistic}.answers.csv": data for statistic, data in answers.items() if data is not None}
    result |= {f"charts/{statistic}.svg": drawn.svg() for statistic, drawn in pictures.items()}
    sums = checksums(result)
    return {**result, CHECKSUMS: sums, SIGNATURE: key.sign(sums)}


def file_names(tables: Mapping[str, Estimates]) -> set[str]:
    """The paths of all files of a bundle with these tables."""
    single = {"release.json", "datapackage.json", "index.html", SIGNER, CHECKSUMS, SIGNATURE}
    each = {path for statistic in tables for path in (f"tables/{statistic}.csv", f"charts/{statistic}.svg")}
    answers = {f"tables/{name}.answers.csv" for name, table in tables.items() if "perturbed" in table.extra}
    return single | each | answers


def checksums(contents: Mapping[str, bytes]) -> bytes:
    """SHA256SUMS of these files."""
    lines = (f"{hashlib.sha256(contents[path]).hexdigest()}  {path}\n" for path in sorted(contents))
    return "".join(lines).encode()


def write(release: Release, folder: Path, key: SigningKey) -> Path:
    """Puts the bundle into folder/<release id> and returns that path.

    Raises IntegrityError where other bytes are there already: a release is never replaced.
    """
    return place(files(release, key), folder, release.id)


def place(contents: Mapping[str, bytes], folder: Path, name: str) -> Path:
    """Puts files into folder/name: all of them durably, or none. The same files again are left as they are."""
    target = folder / name
    folder.mkdir(parents=True, exist_ok=True)
    if not target.exists():
        _remove_abandoned(folder, name)
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
    return target


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
    """Whether a folder holds exactly these files."""
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    return found == contents.keys() and all((folder / name).read_bytes() == data for name, data in contents.items())


def _remove_abandoned(folder: Path, name: str) -> None:
    for path in folder.glob(f".{name}.*.unfinished"):
        if path.stat().st_mtime < time.time() - ABANDONED:
            shutil.rmtree(path, ignore_errors=True)
