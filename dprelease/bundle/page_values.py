"""What a release's page shows, compared with certificate and tables: numbers as values, the rest as what is said."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from decimal import Decimal
from html.parser import HTMLParser
from itertools import islice, repeat
from typing import Any

from dprelease.bundle.annotated import GRADE, free
from dprelease.bundle.derived import derived_of
from dprelease.bundle.tables import written
from dprelease.charts.cells import ROUNDED, fits, how_reliable, is_number, masked, numbers
from dprelease.charts.question import Question
from dprelease.errors import IntegrityError
from dprelease.model.grade import Grade, grades
from dprelease.model.release import Cell, Estimates, Release
from dprelease.words import phrase, quoted
from dprelease.words.language import ENGLISH, speaking
from dprelease.words.phrases import visible

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
"""What nobody reads, and what decides of all that is read."""
INLINE = frozenset({"a", "bdi", "code", "data", "strong", "time"})
"""Elements that stand within a sentence."""
TAG = re.compile(r'(?:!doctype html|/?[a-z][a-z0-9]*(?:\s+[a-z-]+(?:="[^"<>]*")?)*\s*/?)>', re.IGNORECASE)
"""What follows each < of a page: a whole tag. With others the parser's time grows with the square of the page."""
MOST_BYTES = 64_000_000
DRAWN = frozenset(
    (tag, name) for tag, source in (("img", "src"), ("source", "srcset")) for name in ("height", "width", source)
)
"""Elements with attributes that are those of a chart, which is compared as one."""
PLACES = "data-value"
"""The attribute whose values are compared with certificate and tables."""
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
        self.sentences: dict[str, list[str]] = {"": []}
        """By section, in order: what is said between one element that stands alone and the next; facts by their names,
        and where the section begins and a table stands in it."""
        self.notes: list[tuple[str, str]] = []
        """Statistic, and what is said below its chart."""
        self.images: list[tuple[str, str, str]] = []
        """`img`, or `source` of one for phones; its statistic, and its address."""
        self.unread: list[str] = []
        """Scripts and styles."""
        self.built: set[tuple[str, ...]] = set()
        """Elements, and their attributes with the values."""
        self._open: list[tuple[str, dict[str, str | None]]] = []
        self._sections = [""]
        self._text: list[str] = []
        self._sentence: list[str] = []
        self._statistic: str | None = None
        if len(html) > MOST_BYTES or not all(map(TAG.match, html.split("<")[1:])):
            raise IntegrityError(phrase("bundle.cannot_read_page_release", page=PAGE))
        self.feed(html)
        self.close()
        self._end()
        if self._open:
            raise IntegrityError(phrase("bundle.does_end_what_begins", page=PAGE))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self._end(tag)
        self.built |= {(tag,), *((tag, name, value or "") for name, value in attrs if name != PLACES)}
        if tag == "section":
            self._sections.append(named.get("aria-labelledby") or "")
            self._say("<section>")
        if tag == "table" and named.get("data-statistic"):
            self._say(f"<table {named['data-statistic']}>")
            self._statistic = named["data-statistic"] or ""
            self.tables.setdefault(self._statistic, [])
        elif tag == "tr" and self._statistic is not None:
            self.tables[self._statistic].append([])
        if tag in ("img", "source"):
            address = named.get("src" if tag == "img" else "srcset")
            self.images.append((tag, named.get("data-chart") or "", address or ""))
        in_table = "data-column" in named and self._statistic is not None and self.tables[self._statistic]
        if tag in UNREAD or tag in NOTES or "data-fact" in named or in_table:
            if self._open:
                raise IntegrityError(phrase("bundle.value_within_another_one", page=PAGE))
            self._open.append((tag, named))
            self._text = []

    def handle_data(self, data: str) -> None:
        (self._text if self._open else self._sentence).append(data)

    def _end(self, tag: str = "") -> None:
        """Ends a sentence, unless the element that begins or ends here stands within it."""
        if tag not in INLINE:
            if text := " ".join("".join(self._sentence).split()):
                self._say(text)
            self._sentence = []

    def _say(self, text: str) -> None:
        self.sentences.setdefault(self._sections[-1], []).append(text)

    def handle_endtag(self, tag: str) -> None:
        if self._open and self._open[-1][0] == tag:
            _, named = self._open.pop()
            text, value = "".join(self._text), named.get(PLACES) or ""
            if tag in UNREAD:
                self.unread.append(text)
            elif tag in NOTES:
                self.notes.append((named.get("data-notes") or "", text))
            elif "data-fact" in named:
                self.facts.append((named["data-fact"] or "", value, text))
                self._sentence.append(f"[{named['data-fact']}]")
            elif self._statistic is not None:
                self.tables[self._statistic][-1].append((named["data-column"] or "", value, text))
        if tag == "table":
            self._statistic = None
        self._end(tag)
        if tag == "section" and len(self._sections) > 1:
            self._sections.pop()


def check_page(release: Release, html: bytes, again: Shown) -> int:
    """Tells how many values the page shows. Raises IntegrityError where one is not what certificate and tables say.

    `again`: the page as it is written from them. The other may leave out whole sections and have them in another order,
    and has nothing that is not there: no sentence, element, attribute, style or script.
    """
    with speaking(ENGLISH):
        return _checked(release, Shown(html.decode(errors="replace")), again)


def _checked(release: Release, page: Shown, own: Shown) -> int:
    seen = Counter(name for name, _, _ in page.facts)
    for name in FACTS:
        if not seen[name]:
            raise IntegrityError(phrase("bundle.page_does_show", name=name))
    stated = release.certificate.to_mapping()
    states = {(name, text.strip()) for name, _, text in own.facts}
    for name, value, text in page.facts:
        _check_fact(stated, name, value, text, states)
    for statistic, rows in page.tables.items():
        said = {(column, masked(text)) for row in own.tables.get(statistic, ()) for column, _, text in row}
        _check_table(release, statistic, [row for row in rows if row], said)
    for section, texts in page.sentences.items():
        if texts != (known := own.sentences.get(section, [])):
            strange = [text for text in texts if text not in known] or texts
            raise IntegrityError(phrase("bundle.page_says_no_page", strange=quoted(" ".join(strange[:3]))))
    if page.tables.keys() != own.tables.keys():
        raise IntegrityError(phrase("bundle.page_says_no_page", strange=quoted(" ".join(page.tables))))
    further = sorted(page.built - own.built - {each for each in page.built if each[:2] in DRAWN})
    if further or page.unread != own.unread:
        what = " ".join(further[0][:2]) if further else "style or script"
        raise IntegrityError(phrase("bundle.page_no_page_release", what=quoted(what)))
    return len(page.facts) + sum(len(row) for rows in page.tables.values() for row in rows)


def _check_fact(
    certificate: Mapping[str, Any], name: str, value: str, text: str, states: Container[tuple[str, str]]
) -> None:
    """`states`: with its name each text that stands for a fact that is no number."""
    found: Any = certificate
    for key in name.split("."):
        place = int(key) if key.isdecimal() and len(key) < 10 else -1
        there = isinstance(found, list) and 0 <= place < len(found)
        found = found.get(key) if isinstance(found, Mapping) else found[place] if there else None
    if isinstance(found, bool):
        if value != str(found).lower() or (name, text.strip()) not in states:
            raise IntegrityError(phrase("bundle.page_shows_another_than", name=name))
        return
    told = numbers([text])
    if not isinstance(found, int | float) or numbers([value]) != numbers([repr(found)]) or not is_number(text):
        raise IntegrityError(phrase("bundle.page_shows_another_than", name=name))
    exact = Decimal(repr(found))
    if abs(told[0] - exact) > abs(exact) * ROUNDED:
        raise IntegrityError(phrase("bundle.page_shows_another_than", name=name))


def _table(release: Release, name: str) -> tuple[Estimates, Iterable[Grade] | None, Question]:
    """A table of the release, or one that is derived of it, with its grades and its question."""
    if name in release.tables:
        table = release.tables[name]
        return table, grades(release.certificate, name, table), Question.of(release.certificate, name)
    derived = derived_of(release, name)
    if derived is None:
        raise IntegrityError(phrase("bundle.page_shows_table_release", statistic=quoted(name)))
    return derived.estimates, derived.grades, derived.question


def _check_table(
    release: Release, statistic: str, rows: Sequence[Sequence[tuple[str, str, str]]], said: Container[tuple[str, str]]
) -> None:
    """`said`: with its column what is said in a cell beside its number."""
    table, own, question = _table(release, statistic)
    if len(rows) > len(table):
        raise IntegrityError(phrase("bundle.page_shows_table_release", statistic=quoted(statistic)))
    names, keys = [visible(name) for name in table.columns], [visible(name) for name in table.key_names]
    letter, shown_names = free(GRADE, table), {visible(name): name for name in table.key_names}

    def label_of(column: str, cell: Cell) -> str:
        named = shown_names.get(column)
        return question.coded(named, cell)[0] if named is not None else question.answered(cell)

    letters: Iterable[Grade | None] = repeat(None) if own is None else own
    for shown_row, row, grade in zip(rows, islice(table.rows(), len(rows)), islice(letters, len(rows)), strict=True):
        cells: dict[str, Cell] = dict(zip(names, row, strict=True))
        for column, value, text in shown_row:
            if grade is not None and column == letter:
                right = value == grade.value and " ".join(text.split()) == how_reliable(grade)
            elif column not in cells or value != visible(written(cells[column])):
                right = False
            else:
                exact = column in keys or isinstance(cells[column], str) or (column, masked(text)) in said
                label = label_of(column, cells[column]) if column in keys or column == "value" else ""
                right = exact and fits(text, column, cells, keys, grade if column == "value" else None, label)
            if not right:
                raise IntegrityError(phrase("bundle.page_table", statistic=quoted(statistic), column=quoted(column)))
