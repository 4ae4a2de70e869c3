"""Published bundles over HTTP: the bytes on disk, reached by listed names only."""

from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import Path

from dprelease.bundle.listing import CHECKSUMS, SIGNATURE, TIMESTAMP
from dprelease.model.actor import PUBLIC
from dprelease.workspace.process import current

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


def listed(release_id: str) -> dict[str, Path]:
    """The files of a published bundle by their path in it. Raises InputError where there is no such release."""
    folder = current().bundle_path(release_id, actor=PUBLIC)
    names = [line.partition("  ")[2] for line in (folder / CHECKSUMS).read_text("utf-8").splitlines()]
    stamped = [TIMESTAMP] if (folder / TIMESTAMP).exists() else []
    return {name: folder / name for name in (*names, CHECKSUMS, SIGNATURE, *stamped)}


def media_type(name: str) -> str:
    """What a file of a bundle is, by its name."""
    return TYPES.get(Path(name).suffix, "application/octet-stream")


def zipped(release_id: str) -> bytes:
    """The bundle as a zip file with one folder; the same bytes each time."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, path in sorted(listed(release_id).items()):
            entry = zipfile.ZipInfo(f"{release_id}/{name}", EPOCH)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, 0o100644 << 16, 3
            archive.writestr(entry, path.read_bytes(), compresslevel=9)
    return buffer.getvalue()
