"""Which files a bundle has: their sizes and hashes, and the list of checksums that is signed."""

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
"""May be there or not: it is attached after the release was signed."""
SIGNER = "signer.pub"
LEDGER = "ledger.json"
UNLISTED = frozenset((CHECKSUMS, SIGNATURE, TIMESTAMP))
"""What the list cannot list: itself, and what is made of it."""
CHARTS = "charts/"
"""The folder of pictures and of what they are drawn of."""
LINE = re.compile(r"([0-9a-f]{64})  ([^\n]+)")


Content = bytes | Iterable[bytes]
"""Of a file: its bytes, or a part after another, which a large one is made of once, as it is written."""


def parts(content: Content) -> Iterable[bytes]:
    """The bytes of a file, a part after another."""
    return (content,) if isinstance(content, bytes) else content


@dataclass(frozen=True, slots=True)
class FileFacts:
    """How many bytes a file has, and their SHA-256."""

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
    """Tells whether bytes are these parts; no more of them are made than it takes to know."""
    place = 0
    for part in parts(content):
        if not data.startswith(part, place):
            return False
        place += len(part)
    return place == len(data)


def facts_of(contents: Mapping[str, Content]) -> dict[str, FileFacts]:
    """Returns those of each file by its path."""
    return {path: FileFacts.of(content) for path, content in contents.items()}


def checksums(files: Mapping[str, FileFacts]) -> bytes:
    """SHA256SUMS of these files."""
    return "".join(f"{files[path].sha256}  {path}\n" for path in sorted(files)).encode()


def listed(checksums: bytes) -> dict[str, str]:
    """The checksum of each file by its path, out of a SHA256SUMS that nobody vouches for yet."""
    found: dict[str, str] = {}
    for line in checksums.decode(errors="replace").removesuffix("\n").split("\n"):
        match = LINE.fullmatch(line)
        if match is None or match[2] in found:
            raise IntegrityError(phrase("bundle.list_checksums", checksums=CHECKSUMS))
        found[match[2]] = match[1]
    return found


def picture_path(table: str) -> str:
    """The picture of a table."""
    return f"{CHARTS}{table}.svg"


def specification_path(table: str) -> str:
    """What it is drawn of, as Vega-Lite with its data."""
    return f"{CHARTS}{table}.vl.json"
