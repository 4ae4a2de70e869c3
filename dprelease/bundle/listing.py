"""Which files a bundle has: the names of those that every bundle has, and the list of checksums that is signed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping

from dprelease.errors import IntegrityError

CHECKSUMS = "SHA256SUMS"
SIGNATURE = "SHA256SUMS.sig"
TIMESTAMP = "SHA256SUMS.tsr"
"""May be there or not: it is attached after the release was signed."""
SIGNER = "signer.pub"
LEDGER = "ledger.json"
UNLISTED = frozenset((CHECKSUMS, SIGNATURE, TIMESTAMP))
"""What the list cannot list: itself, and what is made of it."""
LINE = re.compile(r"([0-9a-f]{64})  ([^\n]+)")


def checksums(contents: Mapping[str, bytes]) -> bytes:
    """SHA256SUMS of these files."""
    lines = (f"{hashlib.sha256(contents[path]).hexdigest()}  {path}\n" for path in sorted(contents))
    return "".join(lines).encode()


def listed(checksums: bytes) -> dict[str, str]:
    """The checksum of each file by its path, out of a SHA256SUMS that nobody vouches for yet."""
    found: dict[str, str] = {}
    for line in checksums.decode(errors="replace").removesuffix("\n").split("\n"):
        match = LINE.fullmatch(line)
        if match is None or match[2] in found:
            raise IntegrityError(f"{CHECKSUMS}: not a list of checksums")
        found[match[2]] = match[1]
    return found
