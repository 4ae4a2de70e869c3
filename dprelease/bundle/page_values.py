"""The numbers that a release's page shows, compared as values with its certificate and tables: not as bytes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from decimal import Decimal
from html.parser import HTMLParser
from itertools import islice
from typing import Any

from dprelease.bundle.cells import ROUNDED, fits, numbers
from dprelease.bundle.display import visible
from dprelease.bundle.tables import written
from dprelease.errors import IntegrityError, shown
from dprelease.model.language import ENGLISH, speaking
from dprelease.model.release import Release

PAGE = "index.html"
FACTS = (
    "guarantee.epsilon",
    "guarantee.delta",
    "cumulative.epsilon",
    "cumulative.delta",
    "population.epsilon_cap",
    "population.delta_cap",
)
"""Facts of the certificate that every page shows, in elements that name them."""
UNREAD = ("script", "style")
"""What nobody reads, and what decides of all that is read: of this version's pages it is compared as it stands."""
READ_OUT = ("alt", "aria-label", "data-label", "title")
"""Attributes whose texts are shown or read out."""
TAG = re.compile(r'(?:!doctype html|/?[a-z][a-z0-9]*(?:\s+[a-z-]+(?:="[^"<>]*")?)*\s*/?)>', re.IGNORECASE)
"""What follows each < of a page: a whole tag. With others the parser's time grows with the square of the page."""
MOST_BYTES = 64_000_000
PLAIN_TAGS = ("head", "meta", "html", "body")
"""Whose attributes are compared with their values."""
NOTES = ("figcaption",)
"""What is compared with the table of one statistic."""


class Shown(HTMLParser):
    """What a page shows: facts with the text in them, the cells of each statistic's table, and all other text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.facts: list[tuple[str, str, str]] = []
        """Name, value, text."""
        self.tables: dict[str, list[list[tuple[str, str, str]]]] = {}
        """By statistic, the cells of each row: column, value, text."""
        self.other: list[str] = []
        self.notes: list[tuple[str, str]] = []
        """Statistic, and what is said below its chart."""
        self.images: list[tuple[str, str]] = []
        """Statistic, and the address of an image."""
        self.unread: list[str] = []
        """Scripts and styles."""
        self.built: set[tuple[str, ...]] = set()
        """Elements with the names of their attributes, of some with the values."""
        self._open: list[tuple[str, dict[str, str | None]]] = []
        self._text: list[str] = []
        self._statistic: str | None = None
        if len(html) > MOST_BYTES or not all(map(TAG.match, html.split("<")[1:])):
            raise IntegrityError(f"{PAGE}: it cannot be read as a page of a release")
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        valued = tag in PLAIN_TAGS
        self.built |= {(tag, name, value or "") if valued else (tag, name) for name, value in attrs} | {(tag,)}
        self.other += [f" {named[name]} " for name in READ_OUT if named.get(name)]
        if tag == "table" and named.get("data-statistic"):
            self._statistic = named["data-statistic"] or ""
            self.tables.setdefault(self._statistic, [])
        elif tag == "tr" and self._statistic is not None:
            self.tables[self._statistic].append([])
        if tag == "img":
            self.images.append((named.get("data-chart") or "", named.get("src") or ""))
        if tag in NOTES or "data-fact" in named or "data-column" in named:
            self._open.append((tag, named))
            self._text = []
        elif tag in UNREAD:
            self._open.append((tag, {}))
            self._text = []

    def handle_data(self, data: str) -> None:
        (self._text if self._open else self.other).append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self._statistic = None
        if self._open and self._open[-1][0] == tag:
            _, named = self._open.pop()
            text, value = "".join(self._text), named.get("data-value") or ""
            if tag in UNREAD:
                self.unread.append(text)
            elif tag in NOTES:
                self.notes.append((named.get("data-notes") or "", text))
            elif "data-fact" in named:
                self.facts.append((named["data-fact"] or "", value, text))
            elif "data-column" in named and self._statistic is not None and self.tables[self._statistic]:
                self.tables[self._statistic][-1].append((named["data-column"] or "", value, text))
        elif tag not in ("bdi", "a", "code", "data", "strong"):
            self.other.append(" ")


def check_page(release: Release, html: bytes, again: bytes) -> int:
    """How many values the page shows. Raises IntegrityError where one is not what certificate and tables say.

    `again`: the page as this version writes it. No further number may stand on the other, and nothing by which one
    might be shown or another put in its place: other elements, attributes, styles or scripts. Words may be others.
    """
    with speaking(ENGLISH):
        return _checked(release, Shown(html.decode(errors="replace")), again)


def _checked(release: Release, page: Shown, again: bytes) -> int:
    seen = Counter(name for name, _, _ in page.facts)
    for name in FACTS:
        if not seen[name]:
            raise IntegrityError(f"page: it does not show {name}")
    stated = release.certificate.to_mapping()
    for name, value, text in page.facts:
        _check_fact(stated, name, value, text)
    for statistic, rows in page.tables.items():
        _check_table(release, statistic, [row for row in rows if row])
    own = Shown(again.decode())
    known = set(numbers(" ".join(own.other).split()))
    strange = [text for text in " ".join(page.other).split() if set(numbers([text])) - known]
    if strange or page.tables.keys() != own.tables.keys():
        raise IntegrityError(f"page: it shows {shown(' '.join(strange[:3]))}, which the release does not state")
    further = sorted(page.built - own.built)
    if further or page.unread != own.unread:
        what = " ".join(further[0]) if further else "style or script"
        raise IntegrityError(f"page: it has a {shown(what)} that no page of a release has")
    return len(page.facts) + sum(len(row) for rows in page.tables.values() for row in rows)


def _check_fact(certificate: Mapping[str, Any], name: str, value: str, text: str) -> None:
    found: Any = certificate
    for key in name.split("."):
        place = int(key) if key.isdecimal() and len(key) < 10 else -1
        there = isinstance(found, list) and 0 <= place < len(found)
        found = found.get(key) if isinstance(found, Mapping) else found[place] if there else None
    if isinstance(found, bool):
        words = {True: "held", False: "failed"}
        if value != str(found).lower() or text.strip() not in (words[found], *_no_state(text, words)):
            raise IntegrityError(f"page: it shows another {name} than the certificate states")
        return
    told = numbers([text])
    if not isinstance(found, int | float) or numbers([value]) != numbers([repr(found)]) or len(told) != 1:
        raise IntegrityError(f"page: it shows another {name} than the certificate states")
    exact = Decimal(repr(found))
    if abs(told[0] - exact) > abs(exact) * ROUNDED:
        raise IntegrityError(f"page: it shows another {name} than the certificate states")


def _no_state(text: str, words: Mapping[bool, str]) -> list[str]:
    """A text that is neither of the words: another version may say it otherwise."""
    return [] if text.strip() in words.values() else [text.strip()]


def _check_table(release: Release, statistic: str, rows: Sequence[Sequence[tuple[str, str, str]]]) -> None:
    table = release.tables.get(statistic)
    if table is None or len(rows) > len(table):
        raise IntegrityError(f"page: it shows a table of {shown(statistic)} that the release does not have")
    names, keys = [visible(name) for name in table.columns], [visible(name) for name in table.key_names]
    for shown_row, row in zip(rows, islice(table.rows(), len(rows)), strict=True):
        cells = dict(zip(names, row, strict=True))
        for column, value, text in shown_row:
            if column not in cells or value != visible(written(cells[column])) or not fits(text, column, cells, keys):
                raise IntegrityError(f"page: {shown(statistic)} has a {shown(column)} that is not that of its table")
