"""A codebook as it was read: what it says of each column, and what of it is not taken over."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from dprelease.codebook import limits
from dprelease.codebook.bounds import ExactText, PastedBounds, Typed, by_example, read_bounds
from dprelease.codebook.fault import CodebookError
from dprelease.model.column import MAX_DESCRIPTION
from dprelease.model.column_fields import MAX_CATEGORIES
from dprelease.model.missing import CODES
from dprelease.model.report import as_decimal
from dprelease.model.schema import MAX_COLUMNS
from dprelease.model.separators import Roles
from dprelease.words import phrase

LONGEST = 200
"""Characters of a name, a category or a unit of measure."""

A_CELL = 100
"""Characters that are as much work as beginning to read one text of YAML."""


class Note(StrEnum):
    """Remark for a reader of the proposals. Each has its words."""

    STATISTICS = "statistics"
    """Observed minima, means or frequencies stand in the file: facts about the rows, which are not taken over."""
    RANGES = "ranges"
    """The file's valid ranges may have been computed from the rows by the program that wrote it."""
    LABELS = "labels"
    """Labels of categories went into the description, since published tables show the values themselves."""
    BY_LABEL = "by_label"
    """The table holds the labels, so they are the categories."""
    CUT = "cut"
    """A description or labels were too long, and are cut."""
    MISSING_CODES = "missing_codes"
    """Codes for no answer were taken over: they would count as values."""
    MISSING_UNCLEAR = "missing_unclear"
    """A heading may mean codes for no answer, or what empty cells count as."""
    CODES_UNREAD = "codes_unread"
    """The format may hold codes for no answer that cannot be read from it."""
    EXTENDED_MISSING = "extended_missing"
    """Stata's .a to .z have labels, and are empty cells in the table."""
    UNKNOWN_TYPE = "unknown_type"
    """The type is one that has no counterpart: it is to be chosen."""
    TEXT = "text"
    """Free text, without declared categories: it is left undeclared."""


UNSTATED = ""
"""The language of a text where the codebook does not say which it is."""
ByLanguage = Mapping[str, str]


SHOWN = 12
"""Signs of a digest where all of it is nearby."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Origin of a code list."""

    source: str
    version: str
    digest: str
    """SHA-256: of a ready list's codes as canonical JSON, else of the file."""
    licence: str = ""

    def line(self) -> str:
        """Describe the origin in a line that needs no translation."""
        said = ", ".join(text for text in (self.source, self.version, self.licence) if text)
        return f"{said} (SHA-256 {self.digest[:SHOWN]}…)"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryTexts:
    """Labels of a column and its values, by language: words, which decide no number."""

    label: ByLanguage = field(default_factory=dict)
    note: ByLanguage = field(default_factory=dict)
    """Text about the column beside its label."""
    values: Mapping[str, ByLanguage] = field(default_factory=dict)
    """Labels of categories, by value."""
    missing: Mapping[str, ByLanguage] = field(default_factory=dict)
    """Labels of codes for no answer, by code."""
    origin: Origin | None = None
    """Origin of the list of its values, if it is a list of its own."""


@dataclass(frozen=True, slots=True)
class ColumnEntry:
    """Declaration of one column by a codebook: some of the keys of a plan file, as the codebook states them."""

    name: str
    declared: Mapping[str, Any]
    texts: EntryTexts = field(default_factory=EntryTexts)
    also: tuple[str, ...] = ()
    """Other names that the column may have in the table."""
    typed: Mapping[str, str] = field(default_factory=dict)
    """Bounds and codes for no answer as they are written: what they say is known once the whole list is settled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Codebook:
    """The entries of a file in their order."""

    source: str
    """The file's name, or which dataset or plan."""
    entries: tuple[ColumnEntry, ...]
    notes: Mapping[Note, tuple[str, ...]] = field(default_factory=dict)
    """Columns that each note is about."""
    resources: tuple[str, ...] = ()
    """Tables of a data package, or sheets of a workbook, where there are several."""

    def __post_init__(self) -> None:
        check_columns(self.source, len(self.entries))

    def bounds(self, roles: Roles | None = None, order: str | None = None) -> PastedBounds:
        """Return the bounds as numbers and days. `roles`, `order`: answers about how they are written."""
        cells = [
            Typed(entry.name, key, text, entry.declared.get("type"))
            for entry in self.entries
            for key, text in entry.typed.items()
        ]
        return read_bounds(cells, roles, order)

    def settled(self, bounds: PastedBounds) -> Codebook:
        """The same with its bounds as values."""
        entries = (
            replace(
                entry,
                declared={**entry.declared, **bounds.of(entry.name, entry.declared.get(CODES, ()))},
                typed={},
            )
            for entry in self.entries
        )
        return replace(self, entries=tuple(entries))

    def decided(
        self, *, numbers: str | None = None, days: str | None = None, columns: Container[str] | None = None
    ) -> Codebook:
        """The same with its bounds as values, where nobody can be asked.

        `numbers`, `days`: examples of how they are written, such as `1.234,5` and `31/12/2025`. Raises CodebookError
        where bounds are ambiguous or not understood; of `columns`, if given.
        """
        roles, order = by_example(numbers, days)
        names = columns if columns is not None else {entry.name for entry in self.entries}
        return self.settled(self.bounds(roles, order).decided(names))

    def without(self, names: Container[str]) -> Codebook:
        """The same without some columns, which somebody left out."""
        return replace(self, entries=tuple(entry for entry in self.entries if entry.name not in names))


class Writing:
    """A codebook while its file is read."""

    def __init__(self, source: str, *, by_label: bool = False) -> None:
        self.source = source
        self.by_label = by_label
        """True if the table stores category labels instead of codes."""
        self.entries: dict[str, ColumnEntry] = {}
        self.notes: dict[Note, dict[str, None]] = {}
        """The columns of each, in their order."""
        self.codes = self.yaml = 0

    def note(self, note: Note, name: str) -> None:
        """Remember that a note is about a column."""
        names = self.notes.setdefault(note, {})
        names[name] = None
        check_columns(self.source, len(names))

    def count_codes(self, count: int) -> None:
        """Count codes before they are read. Raises CodebookError for more than all columns together may have."""
        self.codes += count
        limits.CODES.check(self.source, self.codes)

    def count_yaml(self, text: str) -> None:
        """Count a cell of YAML before it is read. Raises CodebookError for more than all may have."""
        self.yaml += A_CELL + len(text)
        limits.YAML.check(self.source, self.yaml)

    def add(
        self,
        name: str,
        declared: Mapping[str, Any],
        *,
        label: str | ByLanguage = "",
        note: str | ByLanguage = "",
        labels: Mapping[str, str | ByLanguage] | None = None,
        missing: Mapping[str, str | ByLanguage] | None = None,
        also: Iterable[str] = (),
        origin: Origin | None = None,
        typed: Mapping[str, str] | None = None,
    ) -> None:
        """An entry. `labels`: what readers call the categories; `missing`: the codes for no answer; `typed`: bounds as
        they are written.

        Labels join the description, in the first language that they are in; of a code list with an origin where they
        have room. Raises CodebookError for more columns or codes than may be.
        """
        check_columns(self.source, len(self.entries) + 1)
        self.count_codes(len(labels or ()) + len(missing or ()))
        entry = {key: value for key, value in declared.items() if value not in (None, "", [], ()) or key == CODES}
        texts = EntryTexts(
            label=_by_language(label),
            note=_by_language(note),
            values=_told(labels),
            missing=_told(missing),
            origin=origin,
        )
        told = {value: _first(words) for value, words in texts.values.items()}
        if told and self.by_label and "categories" in entry:
            entry["categories"] = without_repeats(told.get(value, value) for value in entry["categories"])
            self.note(Note.BY_LABEL, name)
            told, texts = {}, replace(texts, values={})
        if told:
            self.note(Note.LABELS, name)
        listed = "; ".join(f"{value} = {words}" for value, words in told.items())
        parts = (_first(texts.label), _first(texts.note), "" if origin is None else origin.line())
        text = sentences((*parts, listed))
        if origin is not None and len(text) > MAX_DESCRIPTION:
            text = sentences(parts)
        if len(text) > MAX_DESCRIPTION:
            self.note(Note.CUT, name)
            text = text[: MAX_DESCRIPTION - 1].rstrip() + "…"
        if text:
            entry["description"] = text
        name = name[:LONGEST]
        plain = {key: _plain(value) for key, value in entry.items()}
        self.entries[name] = ColumnEntry(name, plain, texts, tuple(also), dict(typed or {}))

    def done(self, resources: Iterable[str] = ()) -> Codebook:
        """Return the codebook. Raises CodebookError where it has no entry."""
        if not self.entries:
            raise CodebookError(
                self.source, found=phrase("codebook.no_column"), allowed=phrase("codebook.codebook_describes_columns")
            )
        return Codebook(
            source=self.source,
            entries=tuple(self.entries.values()),
            notes={note: tuple(names) for note, names in self.notes.items()},
            resources=tuple(resources),
        )


def check_columns(source: str, count: int) -> None:
    """Raise CodebookError where a codebook describes more columns than a table may have."""
    if count > MAX_COLUMNS:
        raise CodebookError(
            source,
            found=phrase("model.columns", count=count),
            allowed=phrase("codebook.at_most_columns", max_columns=MAX_COLUMNS),
        )


def _by_language(text: str | ByLanguage) -> dict[str, str]:
    """Return a text by language, without spaces that say nothing."""
    said = {UNSTATED: text} if isinstance(text, str) else text
    return {language: plain for language, words in said.items() if (plain := " ".join(words.split()))}


def _told(labels: Mapping[str, str | ByLanguage] | None) -> dict[str, dict[str, str]]:
    """Labels that say more than the value does."""
    each = ((value, _by_language(label)) for value, label in (labels or {}).items())
    return {value: words for value, words in each if words and set(words.values()) != {value}}


def _first(words: ByLanguage) -> str:
    return next(iter(words.values()), "")


def sentences(texts: Iterable[str]) -> str:
    """Texts one after the other, each with a full stop unless it is the last or ends otherwise."""
    there = [text.strip() for text in texts if text.strip()]
    return " ".join([*(text if text[-1] in ".?!:…" else f"{text}." for text in there[:-1]), *there[-1:]])


def _plain(value: Any) -> Any:
    """Return a value of a declaration without a word on who wrote it."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return str(value) if isinstance(value, ExactText) else value


def number_text(value: Any) -> str:
    """Return a number as a declaration writes it: 1.0 is 1. Other values as text."""
    number = as_decimal(value)
    return str(value).strip() if number is None else f"{number.normalize():f}"


def without_repeats(values: Iterable[str]) -> list[str]:
    """Categories, each once, no more than can be declared."""
    return list(dict.fromkeys(value for value in values if value))[:MAX_CATEGORIES]
