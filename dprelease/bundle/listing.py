"""Listing of a bundle's files: their sizes and hashes, and the list of checksums that is signed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dprelease.errors import IntegrityError
from dprelease.words import phrase

CHECKSUMS = "SHA256SUMS"
SIGNATURE = "SHA256SUMS.sig"
TIMESTAMP = "SHA256SUMS.tsr"
"""Optional file: it is attached after the release was signed."""
SIGNER = "signer.pub"
LEDGER = "ledger.json"
UNLISTED = frozenset((CHECKSUMS, SIGNATURE, TIMESTAMP))
"""Files left out of the list: the list itself, and what is made from it."""
CHARTS = "charts/"
"""Folder of pictures and their specifications."""
LEADS = (f"{CHARTS}lead-wide.svg", f"{CHARTS}lead-narrow.svg")
"""Paths of the picture of the lead, for wide screens and for phones; no table has a name with a hyphen."""
LINE = re.compile(r"([0-9a-f]{64})  ([^\n]+)")


Content = bytes | Iterable[bytes]
"""Content of a file: its bytes, or its parts in order, which can be read once as a large file is written."""


def parts(content: Content) -> Iterable[bytes]:
    """Return the bytes of a file, a part after another."""
    return (content,) if isinstance(content, bytes) else content


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Size of a file in bytes, and its SHA-256."""

    size: int
    sha256: str

    @classmethod
    def of(cls, content: Content) -> FileFacts:
        size, found = 0, hashlib.sha256()
        for part in parts(content):
            size += len(part)
            found.update(part)
        return cls(size, found.hexdigest())


def is_made_of(data: bytes, content: Content) -> bool:
    """Return True if the bytes are these parts; no more of them are read than needed to decide."""
    place = 0
    for part in parts(content):
        if not data.startswith(part, place):
            return False
        place += len(part)
    return place == len(data)


def facts_of(contents: Mapping[str, Content]) -> dict[str, FileFacts]:
    """Return the size and hash of each file by its path."""
    return {path: FileFacts.of(content) for path, content in contents.items()}


def checksums(files: Mapping[str, FileFacts]) -> bytes:
    """Return SHA256SUMS of these files."""
    return "".join(f"{files[path].sha256}  {path}\n" for path in sorted(files)).encode()


def listed(checksums: bytes) -> dict[str, str]:
    """Return the checksum of each file by its path, from a SHA256SUMS that is not trusted yet."""
    found: dict[str, str] = {}
    for line in checksums.decode(errors="replace").removesuffix("\n").split("\n"):
        match = LINE.fullmatch(line)
        if match is None or match[2] in found:
            raise IntegrityError(phrase("bundle.list_checksums", checksums=CHECKSUMS))
        found[match[2]] = match[1]
    return found


def picture_path(table: str) -> str:
    """Return the path of a table's picture."""
    return f"{CHARTS}{table}.svg"


def specification_path(table: str) -> str:
    """Return the path of a picture's specification, as Vega-Lite with its data."""
    return f"{CHARTS}{table}.vl.json"
