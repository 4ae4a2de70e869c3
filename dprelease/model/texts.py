"""Texts for readers on a table, its columns and its codes, by language: words, which decide no number."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dprelease.model.report import Report, join
from dprelease.words import phrase, quoted
from dprelease.words.phrases import visible

ID = re.compile(r"[a-z][a-z0-9_]{0,59}")
"""Pattern of the id of a code list, which names its file."""
LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-[A-Z]{2})?")
"""Pattern of a language tag as in BCP 47: es, en-GB, sr-Latn."""
MAX_LANGUAGES = 10
LONGEST_LABEL = 200
LONGEST_NOTE = 2000
LONGEST_WORD = 40
"""Maximum length of a record's own word, and of a predicate on records with a code."""
GENDERS = ("f", "m", "n")
"""Grammatical ones, as far as sentences of a language agree with them."""
MAX_LABELLED_CODES = 100_000
MAX_LISTS = 1000
ByLanguage = Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledCodes:
    """The labels of codes, and where they come from."""

    codes: Mapping[str, ByLanguage]
    source: str = ""
    version: str = ""

    def to_mapping(self) -> dict[str, Any]:
        told = {key: getattr(self, key) for key in ("source", "version") if getattr(self, key)}
        return {**told, "codes": {code: dict(labels) for code, labels in self.codes.items()}}


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnTexts:
    """Texts on a column: its label, its unit of measure, a note, and the list of its codes."""

    label: ByLanguage = field(default_factory=dict)
    unit: ByLanguage = field(default_factory=dict)
    note: ByLanguage = field(default_factory=dict)
    codelist: str = ""
    predicate: Mapping[str, ByLanguage] = field(default_factory=dict)
    """Predicates on the records that have a code, by code, such as: are unplanned."""

    def to_mapping(self) -> dict[str, Any]:
        told = {key: dict(getattr(self, key)) for key in ("label", "unit", "note") if getattr(self, key)}
        predicate = {code: dict(words) for code, words in self.predicate.items()}
        return {
            **told,
            **({"codelist": self.codelist} if self.codelist else {}),
            **({"predicate": predicate} if predicate else {}),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordTexts:
    """Words for one record and for several, and the grammatical gender of the word."""

    one: ByLanguage = field(default_factory=dict)
    many: ByLanguage = field(default_factory=dict)
    gender: ByLanguage = field(default_factory=dict)

    def to_mapping(self) -> dict[str, Any]:
        return {key: dict(getattr(self, key)) for key in ("one", "many", "gender") if getattr(self, key)}


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticTexts:
    """Title of a statistic, and a note on it."""

    title: ByLanguage = field(default_factory=dict)
    note: ByLanguage = field(default_factory=dict)

    def to_mapping(self) -> dict[str, Any]:
        return {key: dict(getattr(self, key)) for key in ("title", "note") if getattr(self, key)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """All of it. The first language is that of titles in formats which hold one, and stands in for what is missing."""

    languages: tuple[str, ...] = ()
    title: ByLanguage = field(default_factory=dict)
    record: RecordTexts = field(default_factory=RecordTexts)
    columns: Mapping[str, ColumnTexts] = field(default_factory=dict)
    statistics: Mapping[str, StatisticTexts] = field(default_factory=dict)
    codelists: Mapping[str, LabelledCodes] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.languages)

    @classmethod
    def read(cls, value: object, report: Report) -> Texts:
        """Read what stands under `texts` in a plan."""
        if value is None:
            return cls()
        keys = ("languages", "title", "record", "columns", "statistics", "codelists")
        fields = report.mapping(value, "texts", allowed=keys, required=("languages",))
        reader = _Reader(report, _languages(fields.get("languages"), report))
        for name in fields.get("codelists") or ():
            if not ID.fullmatch(str(name)):
                report.add(f"texts.codelists.{name}", found=name, allowed=phrase("model.list_id"))
        lists = {
            name: reader.codelist(each, f"texts.codelists.{name}")
            for name, each in reader.items(fields.get("codelists"), "texts.codelists")
        }
        return cls(
            languages=reader.languages,
            title=reader.words(fields.get("title"), "texts.title"),
            record=reader.record(fields.get("record"), "texts.record"),
            columns={
                name: reader.column(each, f"texts.columns.{name}", lists)
                for name, each in reader.items(fields.get("columns"), "texts.columns")
            },
            statistics={
                name: reader.statistic(each, f"texts.statistics.{name}")
                for name, each in reader.items(fields.get("statistics"), "texts.statistics")
            },
            codelists=lists,
        )

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping as in a plan file."""
        parts = {
            name: {key: told for key, each in getattr(self, name).items() if (told := each.to_mapping())}
            for name in ("columns", "statistics", "codelists")
        }
        title = {"title": dict(self.title)} if self.title else {}
        record = {"record": told} if (told := self.record.to_mapping()) else {}
        rest = {key: each for key, each in parts.items() if each}
        return {"languages": list(self.languages), **title, **record, **rest}

    def check(self, statistics: Iterable[str], report: Report) -> None:
        """Check that each statistic with texts is one of the plan."""
        ids = list(statistics)
        for name in self.statistics:
            report.choice(name, f"texts.statistics.{name}", ids)

    def check_columns(self, categories: Mapping[str, Sequence[str]], report: Report) -> None:
        """Check that a label is not another category's name, nor that of a column another column's, and that words said
        of records name one of the codes. `categories`: of every column of the table its codes, none of one without.
        """
        for name in self.columns:
            report.choice(name, f"texts.columns.{name}", categories)
        tell_apart({name: own.label for name, own in self.columns.items()}, self.languages, "texts.columns", report)
        for name in self.columns:
            own = set(categories.get(name, ()))
            for code in self.columns[name].predicate:
                report.choice(code, f"texts.columns.{name}.predicate", sorted(own))
            for code, words in self.labels(name).items():
                for language, label in words.items():
                    if _plain(label) in own - {code}:
                        path = f"texts.codelists.{self.columns[name].codelist}.codes.{code}.{language}"
                        _mixed_up(report, path, label, _plain(label))

    def labels(self, column: str) -> Mapping[str, ByLanguage]:
        """Return the labels of a column's codes; none where it has no list."""
        own = self.columns.get(column)
        found = None if own is None else self.codelists.get(own.codelist)
        return {} if found is None else found.codes

    def said(self, words: ByLanguage, language: str) -> tuple[str, str]:
        """Return words in a language, else in the first they are in, and which that is; empty where there are none.

        `es-MX` is answered by `es`.
        """
        wanted = (language, language.partition("-")[0], *self.languages)
        return next(((words[each], each) for each in wanted if words.get(each)), ("", ""))


def _languages(value: object, report: Report) -> tuple[str, ...]:
    if value is None:
        return ()
    items = report.sequence(value, "texts.languages", longest=MAX_LANGUAGES)
    for place, item in enumerate(items):
        if not (isinstance(item, str) and LANGUAGE.fullmatch(item)) or item in items[:place]:
            report.add(f"texts.languages[{place}]", found=item, allowed=phrase("model.language_tag_once"))
    return tuple(str(item) for item in items)


def code_of(key: object) -> str:
    """Return a key as categories are written: YAML reads `true` and 1 as what they look like."""
    return str(key).lower() if isinstance(key, bool) else str(key)


@dataclass(frozen=True, slots=True)
class _Reader:
    report: Report
    languages: tuple[str, ...]

    def items(self, value: object, path: str) -> list[tuple[str, Any]]:
        if value is None:
            return []
        if not isinstance(value, Mapping) or len(value) > MAX_LISTS:
            self.report.add(path, found=value, allowed=phrase("model.texts_by_name", most=MAX_LISTS))
            return []
        return [(str(name), each) for name, each in value.items()]

    def words(self, value: object, path: str, longest: int = LONGEST_LABEL) -> dict[str, str]:
        """Return a text by language: of the declared ones, visible, and of bounded length."""
        if value is None:
            return {}
        fields = self.report.mapping(value, path, allowed=self.languages)
        for language, text in fields.items():
            found = self.report.text(text, join(path, language), longest=longest, shortest=1)
            if found and visible(found.replace("\n", " ")) != found.replace("\n", " "):
                self.report.add(join(path, language), found=visible(found), allowed=phrase("model.visible_characters"))
        return {language: str(text).strip() for language, text in fields.items()}

    def column(self, value: object, path: str, lists: Mapping[str, LabelledCodes]) -> ColumnTexts:
        fields = self.report.mapping(value, path, allowed=("label", "unit", "note", "codelist", "predicate"))
        codelist = fields.get("codelist")
        if codelist is not None:
            self.report.choice(codelist, join(path, "codelist"), lists)
        return ColumnTexts(
            label=self.words(fields.get("label"), join(path, "label")),
            unit=self.words(fields.get("unit"), join(path, "unit")),
            note=self.words(fields.get("note"), join(path, "note"), LONGEST_NOTE),
            codelist=str(codelist or ""),
            predicate={
                code_of(code): self.words(words, f"{path}.predicate.{code_of(code)}", LONGEST_WORD)
                for code, words in self.coded(fields.get("predicate"), join(path, "predicate"))
            },
        )

    def coded(self, value: object, path: str) -> list[tuple[object, Any]]:
        """Return the entries under codes, which YAML may have read as booleans or numbers."""
        if value is None:
            return []
        if not isinstance(value, Mapping) or not 1 <= len(value) <= MAX_LABELLED_CODES:
            self.report.add(path, found=value, allowed=phrase("model.codes_with_labels", most=MAX_LABELLED_CODES))
            return []
        return list(value.items())

    def record(self, value: object, path: str) -> RecordTexts:
        """Return the word for one record and for several, both or neither in a language."""
        if value is None:
            return RecordTexts()
        fields = self.report.mapping(value, path, allowed=("one", "many", "gender"), required=("one", "many"))
        one, many = (self.words(fields.get(key), join(path, key), LONGEST_WORD) for key in ("one", "many"))
        for missing, here, there in (("many", one, many), ("one", many, one)):
            for language in sorted(here.keys() - there.keys()):
                self.report.add(
                    join(join(path, missing), language),
                    found=phrase("model.nothing"),
                    allowed=phrase("model.one_record_and_many"),
                )
        gender = self.report.mapping(fields.get("gender") or {}, join(path, "gender"), allowed=self.languages)
        for language, letter in gender.items():
            self.report.choice(letter, f"{path}.gender.{language}", GENDERS)
        return RecordTexts(one=one, many=many, gender={name: str(letter) for name, letter in gender.items()})

    def statistic(self, value: object, path: str) -> StatisticTexts:
        fields = self.report.mapping(value, path, allowed=("title", "note"))
        return StatisticTexts(
            title=self.words(fields.get("title"), join(path, "title")),
            note=self.words(fields.get("note"), join(path, "note"), LONGEST_NOTE),
        )

    def codelist(self, value: object, path: str) -> LabelledCodes:
        fields = self.report.mapping(value, path, allowed=("source", "version", "codes"), required=("codes",))
        codes = fields.get("codes") or {}
        if not isinstance(codes, Mapping) or not 1 <= len(codes) <= MAX_LABELLED_CODES:
            self.report.add(
                join(path, "codes"), found=codes, allowed=phrase("model.codes_with_labels", most=MAX_LABELLED_CODES)
            )
            codes = {}
        labels = {code_of(code): self.words(each, f"{path}.codes.{code}") for code, each in codes.items()}
        if len(labels) < len(codes):
            self.report.add(
                join(path, "codes"), found=phrase("model.code_twice"), allowed=phrase("model.each_code_once")
            )
        tell_apart(labels, self.languages, join(path, "codes"), self.report)
        return LabelledCodes(
            codes=labels,
            source=self.report.optional_text(fields, "source", path),
            version=self.report.optional_text(fields, "version", path),
        )


def tell_apart(labels: Mapping[str, ByLanguage], languages: Sequence[str], path: str, report: Report) -> None:
    """Check that nothing is shown as another is, nor as its code, in any language: a reader could not tell which.

    `labels`: of codes of a list, or of columns.
    """
    for language in languages:
        first: dict[str, str] = {}
        for code, words in labels.items():
            shown = _plain(_said(words, (language, *languages)) or code)
            other = shown if shown in labels and shown != code else first.setdefault(shown, code)
            if other != code:
                _mixed_up(report, f"{path}.{code}.{language}", shown, other)


def _said(words: ByLanguage, languages: Iterable[str]) -> str:
    """Return words in the first of the languages that they are in; empty where there are none."""
    return next((words[each] for each in languages if words.get(each)), "")


def _plain(text: str) -> str:
    """Return a text with composed letters and accents, however they were typed."""
    return unicodedata.normalize("NFC", text)


def _mixed_up(report: Report, path: str, label: str, code: str) -> None:
    report.add(
        path,
        found=phrase("model.label_of_another", label=quoted(label), code=quoted(code)),
        allowed=phrase("model.label_that_tells_apart"),
        remedy=phrase("model.add_what_differs"),
    )
