"""Sitemap of the portal (sitemaps.org): pages that hold, in every language, for search engines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from dprelease.portal.calendar import load
from dprelease.portal.series import HOLDS
from dprelease.portal.shelf import BundleIndex
from dprelease.words.language import ENGLISH, LANGUAGES

SITEMAP = "sitemap.xml"
ROBOTS = "robots.txt"
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
MOST = 5000
"""Largest number of addresses in one file; beyond it there are several, and an index of them."""
Entry = tuple[str, str]
"""Address and the day of its last change; empty where nothing is known."""


def sitemaps(shelf: BundleIndex, address: str) -> Iterator[tuple[str, bytes]]:
    """Yield the sitemap by file name, and the parts of one that is an index. `address`: of the portal, no slash last.

    Releases that are superseded, withheld, or of which notices are missing stay out: they are found through others.
    """
    entries = list(_entries(shelf, address))
    if len(entries) <= MOST:
        yield SITEMAP, _written("urlset", "url", entries)
        return
    parts = [entries[begin : begin + MOST] for begin in range(0, len(entries), MOST)]
    named = {f"sitemap-{number}.xml": part for number, part in enumerate(parts, 1)}
    yield SITEMAP, _written("sitemapindex", "sitemap", [(f"{address}/{name}", "") for name in named])
    for name, part in named.items():
        yield name, _written("urlset", "url", part)


def robots(address: str) -> bytes:
    """Return robots.txt (RFC 9309) of a static site: all of it may be indexed, and its sitemap is named."""
    return f"User-agent: *\nAllow: /\nSitemap: {address}/{SITEMAP}\n".encode()


def _entries(shelf: BundleIndex, address: str) -> Iterator[Entry]:
    bundles = shelf.bundles()
    pages: dict[str, str] = {"": max((bundle.certificate.day for bundle in bundles), default="")}
    if load(shelf.source.path, shelf.checkpoint()).entries:
        pages["calendar/"] = ""
    for bundle, said in zip(bundles, shelf.said_of(bundles), strict=True):
        facts = bundle.certificate
        if said.status not in HOLDS or facts.is_withheld:
            continue
        pages[f"release/{bundle.id}/"] = max([facts.day, *(each["published_on"] for each in said.statements)])
        if facts.about.series:
            path = f"series/{facts.about.series}/"
            pages[path] = max(facts.day, pages.get(path, ""))
    for path, day in pages.items():
        for code in LANGUAGES:
            yield f"{address}/{'' if code == ENGLISH else f'{code}/'}{path}", day


def _written(root: str, each: str, entries: Sequence[Entry]) -> bytes:
    found = ElementTree.Element(root, {"xmlns": NAMESPACE})
    for address, day in entries:
        item = ElementTree.SubElement(found, each)
        ElementTree.SubElement(item, "loc").text = address
        if day:
            ElementTree.SubElement(item, "lastmod").text = day
    return bytes(ElementTree.tostring(found, encoding="utf-8", xml_declaration=True))
