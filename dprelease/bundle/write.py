"""Release as a signed folder: put in place whole, never replaced; large tables are written as they are made."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from dprelease.bundle.listing import (
    CHECKSUMS,
    LEADS,
    LEDGER,
    SIGNATURE,
    SIGNER,
    TIMESTAMP,
    Content,
    FileFacts,
    checksums,
    parts,
    picture_path,
    specification_path,
)
from dprelease.bundle.outputs import CERTIFICATE, release_files, round_paths
from dprelease.bundle.signing import GivenSignature, SigningKey, sync_folder
from dprelease.errors import IntegrityError, InternalError
from dprelease.model.encoding import pretty
from dprelease.model.release import Release
from dprelease.model.run import lasts, mark
from dprelease.model.stated import RELEASE_ID
from dprelease.model.statistic import TABLE
from dprelease.words import phrase
from dprelease.words.language import ENGLISH, speaking

BLOCK = 2**20
UNFINISHED = ".unfinished"
"""Suffix of what is being written, which is private: .<name>.<mark of the process>.<random>.unfinished."""


def write(release: Release, folder: Path, key: SigningKey | GivenSignature) -> Path:
    """Put the bundle into folder/<release id> and return that path; the same bytes each time, whoever publishes.

    SHA256SUMS is in the format of `sha256sum -c`, sorted, and lists every file but itself and those made from it.
    SHA256SUMS.sig is the raw Ed25519 signature of its bytes (64 bytes), signer.pub the PEM public key: `openssl
    pkeyutl -verify -rawin` takes both. Raises IntegrityError where other bytes are there already: a release is never
    replaced.
    """
    if not RELEASE_ID.fullmatch(release.id) or not all(map(TABLE.fullmatch, (*release.outputs, *release.tables))):
        raise InternalError("the id of a release or of a statistic cannot be a file name")
    with speaking(ENGLISH), _placing(folder, release.id, release.certificate.day) as made:
        _make(release, key, made)
    return folder / release.id


def _make(release: Release, key: SigningKey | GivenSignature, made: _Made) -> None:
    """Write every file of the bundle; those whose sizes and hashes others state come first."""
    from dprelease.bundle.described import Described
    from dprelease.bundle.formats import formats
    from dprelease.bundle.page.place import LEAD
    from dprelease.bundle.page.render import page
    from dprelease.bundle.row_files import row_files
    from dprelease.charts.process import lead, pictures

    drawing, leading = pictures(release) if release.certificate.has_charts else dict, lead(release)
    made.add(release_files(release))
    made.add(row_files(release))
    answers = dict(made.files)
    made.add(formats(release, answers))
    drawn = drawing()
    made.add({picture_path(table): picture.svg() for table, picture in drawn.items()})
    made.add({specification_path(table): picture.specification for table, picture in drawn.items()})
    if (first := leading()) is not None and first.narrow is not None:
        made.add(dict(zip(LEADS, (first.figure, first.narrow.figure), strict=True)))
        drawn[LEAD] = first
    made.add({"index.html": page(release, drawn, Described(release, answers), key.fingerprint)})
    if release.entry:
        made.add({LEDGER: pretty(dict(release.entry))})
    made.add({SIGNER: key.public.pem})
    sums = checksums(made.files)
    made.add({CHECKSUMS: sums, SIGNATURE: key.sign(sums)})


def file_names(release: Release) -> set[str]:
    """Return the paths of all files that the bundle of a release may have."""
    from dprelease.bundle.all_tables import ALL_CSV, ALL_PARQUET
    from dprelease.bundle.derived import derived_names
    from dprelease.bundle.formats import FILES, sdmx_path
    from dprelease.bundle.labels import label_files
    from dprelease.bundle.pmml import pmml_files
    from dprelease.bundle.row_dictionary import dictionary_paths
    from dprelease.bundle.row_files import parquet_paths
    from dprelease.bundle.structure import STRUCTURE
    from dprelease.bundle.wide import wide_files
    from dprelease.bundle.workbook import WORKBOOK

    derived = set(derived_names(release.certificate))
    own = {
        STRUCTURE,
        "datapackage.json",
        "index.html",
        LEDGER,
        SIGNER,
        CHECKSUMS,
        SIGNATURE,
        TIMESTAMP,
        WORKBOOK,
        ALL_CSV,
        ALL_PARQUET,
        *FILES,
        *LEADS,
        *parquet_paths(release),
        *dictionary_paths(release),
    }
    each = {path for name in release.tables for path in (picture_path(name), specification_path(name), sdmx_path(name))}
    made = (release_files, label_files, wide_files, pmml_files)
    return own | each | derived | round_paths(release.certificate) | {path for files in made for path in files(release)}


def place(contents: Mapping[str, bytes], folder: Path, name: str) -> Path:
    """Put files into folder/name: all of them durably, or none. The same files again are left as they are.

    A timestamp is left out of the comparison: one that is given is attached to the release that is there.
    """
    with _placing(folder, name, day_of(contents)) as made:
        made.add({path: data for path, data in contents.items() if path != TIMESTAMP})
    if TIMESTAMP in contents:
        put(folder / name / TIMESTAMP, contents[TIMESTAMP])
    return folder / name


def day_of(contents: Mapping[str, bytes]) -> str:
    """Return the day on which a bundle was published; empty where it does not say."""
    try:
        return str(json.loads(contents[CERTIFICATE])["published"])
    except (KeyError, TypeError, ValueError):
        return ""


def dated(path: Path, day: str) -> None:
    """Set a public file's or folder's date to a day: a finer one, which copies keep, tells how long it took."""
    with suppress(ValueError):
        seconds = datetime.fromisoformat(f"{day}T00:00:00+00:00").timestamp()
        os.utime(path, (seconds, seconds))


def put(path: Path, data: bytes, day: str = "") -> None:
    """Write a file that everyone may read, whole or not at all; dated by a day, where one is given."""
    if path.exists() and path.read_bytes() == data:
        return
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.{mark()}.", suffix=UNFINISHED, dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            Path(name).chmod(0o644)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        dated(Path(name), day)
        os.replace(name, path)
    except OSError:
        os.unlink(name)
        raise
    sync_folder(path.parent)


class _Made:
    """Files of a bundle with their sizes and hashes, written into a folder as they are added; without one, not kept."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.files: dict[str, FileFacts] = {}

    def add(self, contents: Mapping[str, Content]) -> None:
        """Add files by their paths, readable for everyone, each durable before the next."""
        for path, content in contents.items():
            self.files[path] = FileFacts.of(content if self.folder is None else _written(self.folder / path, content))


def _written(path: Path, content: Content) -> Iterator[bytes]:
    """Yield the parts of a file, each as soon as it is written."""
    if not path.parent.exists():
        path.parent.mkdir()
        path.parent.chmod(0o755)
    with open(path, "xb") as file:
        path.chmod(0o644)
        for part in parts(content):
            file.write(part)
            yield part
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def _placing(folder: Path, name: str, day: str) -> Iterator[_Made]:
    """Yield a collector whose files appear in folder/name at the end: all durably, or none; existing ones are compared.

    The date of each file and folder is the day of the publication.

    Raises IntegrityError where other files are there. A timestamp is left out of the comparison.
    """
    target = folder / name
    folder.mkdir(parents=True, exist_ok=True)
    if target.exists():
        made = _Made(None)
        yield made
    else:
        remove_abandoned(folder, name)
        unfinished = Path(tempfile.mkdtemp(prefix=f".{name}.{mark()}.", suffix=UNFINISHED, dir=folder))
        try:
            made = _Made(unfinished)
            yield made
            for path in {(unfinished / name).parent for name in made.files} | {unfinished}:
                sync_folder(path)
            unfinished.chmod(0o755)
            for path in (*unfinished.rglob("*"), unfinished):
                dated(path, day)
            try:
                unfinished.rename(target)
            except OSError:
                if not target.exists():  # else another writer was first: what it wrote is compared
                    raise
            sync_folder(folder)
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)
    if _files(target) != made.files:
        raise IntegrityError(phrase("bundle.another_release_already_there", name=name))


def _files(folder: Path) -> dict[str, FileFacts]:
    """Return every file of a folder by its path, but a timestamp."""
    paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if not path.is_dir()}
    return {name: FileFacts.of(_blocks(path)) for name, path in paths.items() if name != TIMESTAMP}


def _blocks(path: Path) -> Iterator[bytes]:
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            yield block


def remove_abandoned(folder: Path, name: str = "*") -> None:
    """Remove files that killed writers left of a bundle or file, or of any; never those of a running process."""
    pattern = re.compile(fnmatch.translate(f".{name}.*{UNFINISHED}"))
    names = os.listdir(folder) if folder.is_dir() else []
    for path in [folder / each for each in names if each[0] == "." and pattern.match(each)]:
        if not lasts(path.name.split(".")[-3]):
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
