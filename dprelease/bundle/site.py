"""A static site of releases: a catalogue and their bundles, for any web server, or none."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dprelease.bundle import guarantee
from dprelease.bundle.display import visible
from dprelease.bundle.page import environment
from dprelease.bundle.read import ReadBundle, read
from dprelease.bundle.write import place
from dprelease.errors import IntegrityError


def write_site(bundles: Sequence[Path], out: Path) -> None:
    """Checks each bundle (a folder or zip file), copies it to out/releases/<id>, and writes out/index.html.

    Releases that are there stay as they are; the catalogue lists those given, newest first. Raises IntegrityError for
    a bundle that fails its checks, and where other bytes have a release's place.
    """
    checked = [read(path) for path in bundles]
    for bundle in checked:
        place(bundle.contents, out / "releases", bundle.release.id)
    newest = sorted(checked, key=_when, reverse=True)
    out.mkdir(parents=True, exist_ok=True)
    _replace(out / "index.html", catalogue(newest))


def _when(bundle: ReadBundle) -> tuple[str, int, str]:
    facts = bundle.release.certificate
    return str(facts.get("published")), int(facts["ledger"]["seq"]), bundle.release.id


def catalogue(bundles: Sequence[ReadBundle]) -> bytes:
    """The page that lists releases, each with its guarantee stated whole."""
    releases = [_entry(bundle) for bundle in bundles]
    return environment().get_template("site.html.j2").render(releases=releases).encode()


def _entry(bundle: ReadBundle) -> Mapping[str, Any]:
    certificate = bundle.release.certificate
    try:
        return {
            "href": f"releases/{bundle.release.id}/index.html",
            "title": certificate["title"],
            "published": visible(certificate["published"]),
            "population": certificate["population"]["name"],
            "whole": guarantee.whole(certificate),
        }
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        raise IntegrityError(f"{bundle.release.id}: its certificate does not state its guarantee") from None


def _replace(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(descriptor, 0o644)
        file.write(data)
        file.flush()
        os.fsync(descriptor)
    os.replace(name, path)
