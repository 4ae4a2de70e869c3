"""The timestamp of a bundle, if it has one."""

from __future__ import annotations

from pathlib import Path

from dprelease.bundle import timestamp
from dprelease.bundle.fetch import fetch
from dprelease.bundle.listing import CHECKSUMS, TIMESTAMP
from dprelease.bundle.read import ReadBundle
from dprelease.errors import IntegrityError
from dprelease.verdict.written import Check
from dprelease.words import phrase

NO_AUTHORITY = "That the timestamp's time is true: give its authority's certificates with --tsa-certificate."
MOST_CERTIFICATES = 10_000_000
"""Bytes of a file with certificates."""


def stamped(bundle: ReadBundle, authority: str | Path | None) -> tuple[list[Check], list[str]]:
    """What the bundle's timestamp shows, and what it does not."""
    certificates = None if authority is None else fetch(authority, MOST_CERTIFICATES)
    if TIMESTAMP not in bundle.contents:
        if certificates is not None:
            raise IntegrityError(phrase("verdict.file_missing_2", ledger=TIMESTAMP))
        return [], []
    time = timestamp.check(bundle.contents[TIMESTAMP], bundle.contents[CHECKSUMS], certificates)
    said = f"{TIMESTAMP} is a timestamp of {CHECKSUMS} and states {time:%Y-%m-%d %H:%M:%S} UTC"
    if certificates is not None:
        return [Check("timestamp", f"{said}, signed by an authority that your certificates vouch for.")], []
    return [Check("timestamp", f"{said}.")], [NO_AUTHORITY]
