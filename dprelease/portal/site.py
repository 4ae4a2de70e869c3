"""Public portal as static files, for any web server, or none."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dprelease.bundle.history import History
from dprelease.bundle.notices import CHECKPOINT, FOLDER, notices_path, written
from dprelease.bundle.outputs import CERTIFICATE
from dprelease.bundle.read import read
from dprelease.bundle.write import dated, place, put
from dprelease.errors import InputError, IntegrityError
from dprelease.model.about import ADDRESS
from dprelease.model.encoding import pretty
from dprelease.portal.feeds import feeds
from dprelease.portal.pages import Portal
from dprelease.portal.shelf import BundleIndex
from dprelease.portal.sitemap import ROBOTS, robots, sitemaps
from dprelease.portal.source import PublicFolder
from dprelease.words import phrase

Notices = Mapping[str, Sequence[Mapping[str, Any]]]
"""Signed statements by release id, oldest first."""


@dataclass(frozen=True, slots=True)
class ListedFolder(PublicFolder):
    """Folder of which some releases are listed: others that lie there stay, and are not shown."""

    chosen: tuple[str, ...] = ()

    def names(self) -> Sequence[str]:
        return self.chosen


def write_site(
    bundles: Sequence[Path],
    out: Path,
    notices: Notices | None = None,
    checkpoint: History | None = None,
    address: str = "",
    office: Mapping[str, bytes] = MappingProxyType({}),
) -> None:
    """Check each bundle (a folder or zip file), copy it to out/releases/<id>, and write the portal's pages.

    Releases that are there stay as they are; the index lists those given, newest first, with what was said of them
    since, which goes to out/releases/notices/<id>. `checkpoint`: of the ledger, to out/checkpoint.json;
    else the longest of those in the bundles. `office`: its signed files by name. `address`: where the site will lie,
    for feeds and citations; without it feeds have relative links. Raises InputError for what is no web address,
    IntegrityError for a bundle that fails its checks, and where other bytes have a release's place.
    """
    if address and not ADDRESS.fullmatch(address):
        raise InputError("address", found=address, allowed=phrase("portal.web_address"))
    address = address.rstrip("/")
    said = notices or {}
    checked = [read(path) for path in bundles]
    days = [bundle.release.certificate.day for bundle in checked]
    day = max([*days, *([] if checkpoint is None else [checkpoint.checkpoint.on])], default="")
    for bundle in checked:
        place(bundle.contents, out / "releases", bundle.release.id)
    for release_id, statements in said.items():
        if statements:
            (out / "releases" / FOLDER).mkdir(parents=True, exist_ok=True)
            put(out / "releases" / notices_path(release_id), pretty(written(release_id, statements)), day)
    out.mkdir(parents=True, exist_ok=True)
    shelf = BundleIndex(ListedFolder(out, tuple(bundle.release.id for bundle in checked)))
    for bundle in checked:
        _ = shelf.bundle(bundle.release.id).history  # raises where its checkpoint is not its publisher's
    for name, data in office.items():
        (out / name).parent.mkdir(exist_ok=True)
        put(out / name, data, day)
    known = checkpoint or shelf.checkpoint()
    if known is not None:
        put(out / CHECKPOINT, pretty(known.to_mapping()), day)
    try:
        pages = [*Portal(shelf).files(address), *feeds(shelf, address and f"{address}/")]
        if address:
            pages += [*sitemaps(shelf, address), (ROBOTS, robots(address))]
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        raise IntegrityError(phrase("portal.certificate_release_does_state")) from None
    for path, data in pages:
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        put(out / path, data, day)
    _clear(out, {out / path for path, _ in pages})
    for folder in (out, *(path for path in out.rglob("*") if path.is_dir())):
        if not (folder / CERTIFICATE).exists() and folder.parent.parent != out / "releases":
            dated(folder, day)


def _clear(out: Path, kept: Collection[Path]) -> None:
    """Remove files of the latest edition of a series that it no longer has."""
    for latest in (*out.glob("series/*/latest"), *out.glob("*/series/*/latest")):
        for path in latest.rglob("*"):
            if path.is_file() and path not in kept:
                path.unlink()
