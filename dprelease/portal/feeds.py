"""Feeds of new releases: Atom (RFC 4287) and JSON Feed 1.1."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree import ElementTree

from dprelease.bundle import guarantee
from dprelease.bundle.described import withheld
from dprelease.bundle.notices import PublisherNotices
from dprelease.errors import IntegrityError
from dprelease.model.encoding import pretty
from dprelease.portal.calendar import load
from dprelease.portal.calendar_pages import feed_entries
from dprelease.portal.shelf import Bundle, BundleIndex
from dprelease.portal.statistics import graded
from dprelease.statements.sentences import lead
from dprelease.words.language import ENGLISH, speaking
from dprelease.words.pages import tell
from dprelease.words.phrases import visible
from dprelease.words.releases import say

ATOM = "feed.atom"
JSON = "feed.json"
NAMESPACE = "http://www.w3.org/2005/Atom"
MARKS = {"unknown": "status_unknown", "superseded": "status_superseded", "corrected": "status_corrected"}
"""Words before the title of a release with notices, or with missing ones."""
MOST = 50
"""Largest number of releases; the newest only."""


def feeds(shelf: BundleIndex, base: str = "") -> Iterator[tuple[str, bytes]]:
    """Yield both feeds, by file name. `base`: their address, ending in a slash; without it, links are relative."""
    with speaking(ENGLISH):
        bundles = list(shelf.open(shelf.listing().spines, MOST))
        entries = [_entry(bundle, found, base) for bundle, found in zip(bundles, shelf.said_of(bundles), strict=True)]
        known = load(shelf.source.path, shelf.checkpoint())
        author = shelf.publisher() or say("key_holder")
        yield ATOM, _atom([*entries, *feed_entries(known, author, base)], base)
        yield JSON, pretty(_json(entries, base))


def _entry(bundle: Bundle, found: PublisherNotices, base: str) -> Mapping[str, Any]:
    facts = bundle.certificate
    said = found.statements
    texts = [
        f"{tell(each['kind'])} {tell('said_on', day=each['published_on'])}: {visible(each['text'])}" for each in said
    ]
    if found.missing:
        texts.insert(0, tell("notices_missing", count=found.missing))
    if found.refused:
        texts.append(tell("notices_refused", count=found.refused))
    mark = f"{tell(MARKS[found.status])}: " if found.status in MARKS else ""
    own = visible(facts.description.replace("\n", " "))
    return {
        "id": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'dprelease:{bundle.id}')}",
        "url": f"{base}release/{bundle.id}/index.html",
        "title": f"{mark}{visible(facts.called)}",
        "status": found.to_mapping(),
        "text": " ".join(filter(None, (withheld(facts), *texts, *_found(bundle, own), guarantee.in_text(facts)))),
        "published": f"{facts.shown_day}T00:00:00Z",
        "updated": f"{max([facts.shown_day, *(each['published_on'] for each in said)])}T00:00:00Z",
        "author": visible(facts.about.publisher) or say("key_holder"),
    }


def _found(bundle: Bundle, own: str) -> tuple[str, str, str]:
    """Return the lead, the curator's description, and the sentence on grades.

    Where the files were changed only the second, as the release's page says.
    """
    try:
        return lead(bundle.release()), own, graded(bundle, bundle.release)
    except IntegrityError:
        return "", own, ""


def _atom(entries: list[Mapping[str, Any]], base: str) -> bytes:
    feed = ElementTree.Element("feed", {"xmlns": NAMESPACE, "xml:lang": ENGLISH})
    updated = max((entry["updated"] for entry in entries), default="1970-01-01T00:00:00Z")
    for name, text in (
        ("id", f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, base or 'dprelease')}"),
        ("title", tell("catalogue")),
        ("updated", updated),
    ):
        ElementTree.SubElement(feed, name).text = text
    ElementTree.SubElement(feed, "link", {"rel": "self", "href": f"{base}{ATOM}"})
    ElementTree.SubElement(feed, "link", {"href": f"{base}index.html"})
    for entry in entries:
        item = ElementTree.SubElement(feed, "entry")
        parts = {"id": "id", "title": "title", "published": "published", "updated": "updated", "summary": "text"}
        for name, key in parts.items():
            ElementTree.SubElement(item, name).text = entry[key]
        ElementTree.SubElement(item, "link", {"href": entry["url"]})
        if "category" in entry:
            ElementTree.SubElement(item, "category", {"term": entry["category"]})
        ElementTree.SubElement(ElementTree.SubElement(item, "author"), "name").text = entry["author"]
    return bytes(ElementTree.tostring(feed, encoding="utf-8", xml_declaration=True))


def _json(entries: list[Mapping[str, Any]], base: str) -> Mapping[str, Any]:
    return {
        "version": "https://jsonfeed.org/version/1.1",
        "title": tell("catalogue"),
        "language": ENGLISH,
        "home_page_url": f"{base}index.html",
        "feed_url": f"{base}{JSON}",
        "items": [
            {
                "id": entry["id"],
                "url": entry["url"],
                "title": entry["title"],
                "content_text": entry["text"],
                "date_published": entry["published"],
                "date_modified": entry["updated"],
                "_dprelease": entry["status"],
                "authors": [{"name": entry["author"]}],
            }
            for entry in entries
        ],
    }
