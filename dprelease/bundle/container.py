"""Files of a bundle as bytes, from a folder or a zip file that is not trusted yet."""

from __future__ import annotations

import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from dprelease.bundle.listing import CHECKSUMS
from dprelease.errors import InputError, IntegrityError, NotFoundError
from dprelease.model.stated import RELEASE
from dprelease.words import phrase, quoted

MAX_FILES = 10_000
MAX_BYTES = 2**30
"""Largest size of all files together, unpacked."""
ALLOWED = phrase("bundle.path_bundle_folder_zip")
PLAIN = re.compile(r"(?:[a-z]+/)?[A-Za-z0-9][A-Za-z0-9._-]{0,119}")
"""Pattern of a file's path: in the bundle or one folder down."""
BESIDE = re.compile(rf"checkpoint\.json|notices/{RELEASE}\.json")
"""Paths allowed beside a bundle's folder in a zip file: notices about it, and the last checkpoint of the ledger."""


def read_files(path: Path) -> dict[str, bytes]:
    """Return every file by its path inside the bundle; a zip file may hold the bundle in one folder.

    What a zip file holds beside that folder (`BESIDE`) has a path that begins with `../`.

    Raises IntegrityError for links, for names that lead elsewhere, for what is too large or too many, and for a file
    that is no zip file; InputError where there is nothing, which is no sign of a forgery.
    """
    try:
        if path.is_dir():
            _refuse_folder_above(path)
            return _collected(_in_folder(path, ""))
        with open(path, "rb") as file:
            return unpacked(file, path.name)
    except FileNotFoundError:
        raise NotFoundError(
            "bundle", found=phrase("bundle.no_such_file_folder", path=quoted(str(path))), allowed=ALLOWED
        ) from None
    except ValueError:
        raise InputError("bundle", found=quoted(str(path)), allowed=ALLOWED) from None
    except OSError as cause:
        raise IntegrityError(phrase("bundle.cannot_read_2", path=quoted(path.name), strerror=cause.strerror)) from None


def _refuse_folder_above(path: Path) -> None:
    """Raise InputError where a folder holds bundles: the wrong folder is no sign of a forgery."""
    if not (path / CHECKSUMS).exists():
        inside = min((found.parent.name for found in path.glob(f"*/{CHECKSUMS}")), default=None)
        if inside is not None:
            remedy = phrase("bundle.name_one_them_such", inside=quoted(inside))
            raise InputError("bundle", found=phrase("bundle.folder_bundles"), allowed=ALLOWED, remedy=remedy)


def unpacked(file: IO[bytes], name: str) -> dict[str, bytes]:
    """Return every file of a zip file, by the same rules; `name` is its name in errors."""
    try:
        with zipfile.ZipFile(file) as archive:
            return _collected(_in_archive(archive))
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, RuntimeError, ValueError):
        raise IntegrityError(phrase("bundle.neither_folder_nor_whole", name=quoted(name))) from None


def _collected(files: Iterator[tuple[str, IO[bytes]]]) -> dict[str, bytes]:
    contents: dict[str, bytes] = {}
    left = MAX_BYTES
    for name, file in files:
        with file:
            if not PLAIN.fullmatch(name.removeprefix("../")):
                raise IntegrityError(phrase("bundle.file_does_belong_bundle", name=quoted(name)))
            if name in contents:
                raise IntegrityError(phrase("bundle.file_there_twice", name=quoted(name)))
            contents[name] = file.read(left + 1)
        left -= len(contents[name])
        if left < 0 or len(contents) > MAX_FILES:
            raise IntegrityError(phrase("bundle.more_than_bytes_files", most_bytes=MAX_BYTES, most_files=MAX_FILES))
    return contents


def _in_folder(folder: Path, prefix: str) -> Iterator[tuple[str, IO[bytes]]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            name = prefix + entry.name
            if entry.is_dir(follow_symlinks=False) and not prefix:
                yield from _in_folder(Path(entry.path), f"{name}/")
            elif entry.is_file(follow_symlinks=False):
                yield name, os.fdopen(os.open(entry.path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb")
            else:
                raise IntegrityError(phrase("bundle.bundle_holds_plain_files_only", name=quoted(name)))


def _in_archive(archive: zipfile.ZipFile) -> Iterator[tuple[str, IO[bytes]]]:
    members = [member for member in archive.infolist() if not member.filename.endswith("/")]
    if len(members) > MAX_FILES or sum(member.file_size for member in members) > MAX_BYTES:
        raise IntegrityError(phrase("bundle.more_than_bytes_files", most_bytes=MAX_BYTES, most_files=MAX_FILES))
    beside = {member.filename for member in members if BESIDE.fullmatch(member.filename)}
    own = [member.filename for member in members if member.filename not in beside]
    inside = len({name.partition("/")[0] for name in own}) == 1 and all("/" in name for name in own)
    for member in members:
        mode = member.external_attr >> 16
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            raise IntegrityError(phrase("bundle.bundle_holds_plain_files", filename=quoted(member.filename)))
        if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise IntegrityError(phrase("bundle.packed_way_bundles", filename=quoted(member.filename)))
        name = member.filename
        if name.startswith("../"):
            raise IntegrityError(phrase("bundle.file_does_belong_bundle", name=quoted(name)))
        if inside:
            name = f"../{name}" if name in beside else name.partition("/")[2]
        yield name, archive.open(member)
