"""Published bundles over HTTP: the bytes on disk, reached by listed names only."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

from dprelease.bundle.listing import TIMESTAMP
from dprelease.portal.shelf import Bundle

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time a zip file can hold: its bytes depend on nothing but its files."""
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".jsonld": "application/ld+json",
    ".yaml": "application/yaml",
    ".csv": "text/csv; charset=utf-8",
    ".svg": "image/svg+xml",
    ".pub": "application/x-pem-file",
    ".sig": "application/octet-stream",
    ".tsr": "application/timestamp-reply",
    "": "text/plain; charset=utf-8",
}


def media_type(name: str) -> str:
    """What a file of a bundle is, by its name."""
    return TYPES.get(Path(name).suffix, "application/octet-stream")


def zipped(bundle: Bundle, beside: Mapping[str, bytes]) -> bytes:
    """The bundle as a zip file with one folder, and what lies beside that; the same bytes each time."""
    stamp = bundle.timestamp
    contents = {name: bundle.read(name) for name in bundle.sums} | ({} if stamp is None else {TIMESTAMP: stamp})
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        packed = {f"{bundle.id}/{name}": data for name, data in sorted(contents.items())}
        for name, data in (packed | dict(beside)).items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, 0o100644 << 16, 3
            archive.writestr(entry, data, compresslevel=9)
    return buffer.getvalue()
