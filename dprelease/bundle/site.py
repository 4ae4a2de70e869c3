"""A static site of releases: a catalogue and their bundles, for any web server, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dprelease.bundle import guarantee
from dprelease.bundle.display import visible
from dprelease.bundle.page import environment
from dprelease.bundle.read import ReadBundle, read
from dprelease.bundle.write import place, put
from dprelease.errors import IntegrityError
from dprelease.model.encoding import pretty

Notices = Mapping[str, Sequence[Mapping[str, Any]]]
"""By release id: the signed statements about it, oldest first."""


def write_site(bundles: Sequence[Path], out: Path, notices: Notices | None = None) -> None:
    """Checks each bundle (a folder or zip file), copies it to out/releases/<id>, and writes out/index.html.

    Releases that are there stay as they are; the catalogue lists those given, newest first, with what was said of them
    since, which goes to out/releases/notices/<id>. Raises IntegrityError for a bundle that fails its checks, and where
    other bytes have a release's place.
    """
    said = notices or {}
    checked = [read(path) for path in bundles]
    for bundle in checked:
        place(bundle.contents, out / "releases", bundle.release.id)
    for release_id, statements in said.items():
        for statement in statements:
            folder = out / "releases" / "notices" / release_id
            folder.mkdir(parents=True, exist_ok=True)
            put(folder / f"{statement['statement']['ledger']['seq']}.json", pretty(statement))
    newest = sorted(checked, key=_when, reverse=True)
    out.mkdir(parents=True, exist_ok=True)
    put(out / "index.html", catalogue(newest, said))


def _when(bundle: ReadBundle) -> tuple[str, int, str]:
    facts = bundle.release.certificate
    return str(facts.get("published")), int(facts["ledger"]["seq"]), bundle.release.id


def catalogue(bundles: Sequence[ReadBundle], notices: Notices | None = None) -> bytes:
    """The page that lists releases, each with its guarantee stated whole."""
    said = notices or {}
    releases = [_entry(bundle, said.get(bundle.release.id, ())) for bundle in bundles]
    return environment().get_template("site.html.j2").render(releases=releases).encode()


def _entry(bundle: ReadBundle, notices: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    certificate = bundle.release.certificate
    try:
        return {
            "href": f"releases/{bundle.release.id}/index.html",
            "title": certificate["title"],
            "published": visible(certificate["published"]),
            "population": certificate["population"]["name"],
            "whole": guarantee.whole(certificate),
            "notices": [each["statement"] for each in notices],
        }
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        raise IntegrityError(f"{bundle.release.id}: its certificate does not state its guarantee") from None
