"""Proposed readings of a dataset's cells: shown to whoever may see rows, asked of everybody else alike."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dprelease.errors import InputError, Problem, question
from dprelease.model.actor import Actor
from dprelease.model.column import NUMERIC, Column, ColumnType
from dprelease.model.date_form import DateForm
from dprelease.model.form import FORMS, KEY, Form, told
from dprelease.model.missing import CODES
from dprelease.model.proposed_form import LANGUAGES, Proposal, Reading, no_answers, no_days, propose
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.separators import MARKS
from dprelease.model.word_form import words_by_language
from dprelease.model.yaml_text import one_line
from dprelease.store import accepted, datasets, facts
from dprelease.table import Table
from dprelease.table.sampled import sampled_texts
from dprelease.words import Phrase, phrase, verbatim
from dprelease.workspace.state import State

ORDERS = {"dmy": ("d.m.y", "d/m/y", "d-m-y"), "mdy": ("m/d/y", "m-d-y"), "ymd": ("iso",)}
"""Forms of dates by the word for their order."""
NUMBERS: tuple[Reading, ...] = (
    {"decimal": "."},
    {"decimal": ",", "thousands": ["."]},
    {"decimal": ".", "thousands": [","]},
    {"decimal": ",", "thousands": [" "]},
)
DAYS: tuple[Reading, ...] = tuple({"dates": [form]} for form in ("iso", "d.m.y", "d/m/y", "m/d/y", "d-m-y"))


def usual(type: ColumnType | str) -> tuple[Reading, ...]:
    """Return readings that any column of a type may have: what is asked where nothing may be read off cells."""
    kind = ColumnType(type)
    if kind in NUMERIC:
        return NUMBERS
    if kind is ColumnType.DATE:
        return DAYS
    if kind is ColumnType.BOOLEAN:
        return tuple(words_by_language()[code].to_mapping() for code in LANGUAGES)
    return ({},) if kind is ColumnType.CATEGORY else ()


@dataclass(frozen=True)
class ProposedReadings:
    """Readings proposed by a table's cells. Where policy lets nobody see rows none was read: all is asked alike."""

    texts: Mapping[str, Sequence[str]] = field(repr=False)
    """Some of each column that is stored as text."""
    asked: frozenset[str] = frozenset()
    """Columns stored as text, where no cell was read."""
    said: Mapping[str, Reading] = field(default_factory=dict)
    """Readings that somebody stated of columns before they were declared."""
    known: dict[tuple[str, str, tuple[str, ...]], Proposal | None] = field(default_factory=dict, repr=False)

    def propose(self, name: str, type: str, categories: Sequence[str] = ()) -> Proposal | None:
        """Return the proposal for a column of a type; None where its cells are read as they are."""
        key = name, type, tuple(categories)
        if key not in self.known:
            self.known[key] = self._propose(*key)
        return self.known[key]

    def no_answers(self, name: str, categories: Collection[str] = ()) -> tuple[str, ...]:
        """Return words among a column's cells that stand for no answer in many tables."""
        return no_answers(self.texts.get(name, ()), categories)

    def _propose(self, name: str, type: str, categories: tuple[str, ...]) -> Proposal | None:
        if name in self.said and type != ColumnType.TEXT:
            report, said = Report(), self.said[name]
            FORMS[ColumnType(type)].read(said, KEY, report)
            if not report.problems:
                return Proposal((said,))
        if name in self.asked:
            return Proposal(usual(type)) if type not in (ColumnType.CATEGORY, ColumnType.TEXT) else None
        return propose(self.texts[name], type, categories) if name in self.texts else None


def may_see(state: State, actor: Actor) -> bool:
    """Return True if somebody may be told what depends on rows: by policy, and by what a token is for."""
    return not facts.is_blind(state.database) and (actor.scope is None or "preview" in actor.scope)


def written(
    state: State, table: Table, *, here: bool, names: Collection[str] | None = None, actor: Actor
) -> ProposedReadings:
    """Look at the cells of a table, or of some of its columns, for whoever may.

    `here`: whether its rows are. Nothing is read off a server's.
    """
    texts = [name for name, storage in table.storage.items() if table.dialect.is_text(storage)]
    names = texts if names is None else [name for name in texts if name in names]
    if not may_see(state, actor):
        return ProposedReadings({}, frozenset(names))
    return ProposedReadings(sampled_texts(state.engine, table, names) if here else {})


@dataclass(frozen=True, kw_only=True)
class ReadingAnswers:
    """Answers for all columns: decimal mark, order of days, words. `accept`: whatever cells settle is so."""

    decimal: str | None = None
    dates: str | None = None
    yes: tuple[str, ...] = ()
    no: tuple[str, ...] = ()
    accept: bool = False

    @classmethod
    def parse(cls, said: Mapping[str, Any]) -> ReadingAnswers:
        """Return the stated answers. Raises InputError where one is none of those that there are."""
        report = Report()
        given = {key: value for key, value in report.mapping(said, "written", allowed=KEYS).items() if value}
        for key, allowed in (("decimal", MARKS), ("dates", ORDERS)):
            if key in given:
                report.choice(given[key], f"written.{key}", tuple(allowed))
        if ("yes" in given) != ("no" in given):
            report.add("written", found=phrase("workspace.half_of_words"), allowed=phrase("workspace.words_of_both"))
        report.raise_any(InputError)
        words = {key: _list(given.get(key, ())) for key in ("yes", "no")}
        return cls(**{**given, **words})

    def reading(self, column: Column, found: Proposal | None) -> Reading | None:
        """Return the reading of a column by what was said, or by what its cells settle; None where neither says it."""
        own = self._said(column)
        if own is None or found is None:
            settled = found is not None and not found.is_asked and self.accept
            return found.readings[0] if found is not None and settled else None
        if column.type in NUMERIC:
            alike = [each for each in found.readings if each["decimal"] == self.decimal]
        elif column.type is ColumnType.DATE:
            alike = [each for each in found.readings if _is_of(each["dates"], str(self.dates))]
        else:
            alike = []
        return alike[0] if len(alike) == 1 else own

    def _said(self, column: Column) -> Reading | None:
        if column.type in NUMERIC and self.decimal:
            return {"decimal": self.decimal, "thousands": [mark for mark in MARKS if mark != self.decimal]}
        if column.type is ColumnType.DATE and self.dates:
            return {"dates": list(ORDERS[self.dates])}
        if column.type is ColumnType.BOOLEAN and self.yes:
            return {"yes": list(self.yes), "no": list(self.no)}
        return None


KEYS = ("decimal", "dates", "yes", "no", "accept")


def _list(words: str | Collection[str]) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else tuple(words)


def _is_of(forms: Sequence[str], order: str) -> bool:
    """Return True if forms have days in an order; those in which it is plain count for none."""
    disputed = [form for form in forms if form[:2] in ("d/", "d-", "m/", "m-") and "MMM" not in form]
    return all(form.startswith(order[0]) for form in disputed)


def with_forms(
    columns: Mapping[str, Any], readings: Mapping[str, Reading]
) -> tuple[dict[str, Any], dict[str, Reading]]:
    """Return declarations as in a plan, with other readings of some columns; and readings of undeclared columns."""
    said = {name: {**column, KEY: dict(readings[name])} for name, column in columns.items() if name in readings}
    return {**columns, **said}, {name: reading for name, reading in readings.items() if name not in columns}


def with_readings(
    state: State,
    table: Table,
    schema: Schema,
    answers: ReadingAnswers,
    *,
    here: bool = True,
    actor: Actor,
    again: bool = False,
) -> Schema:
    """Return the schema of a table that is being registered, with readings where somebody said them.

    Raises InputError where its cells leave something to be said. It names readings by made-up examples, never a cell.
    Where no cell may be looked at, every column of texts that can be written in several ways is asked about alike;
    `again`: not of the next edition of a dataset, whose columns are read as they were.
    """
    if not schema.columns:
        return schema
    found = written(state, table, here=here, names=schema.columns, actor=actor)
    columns, problems = schema.to_mapping(), list[Problem]()
    for column in schema:
        if column.reading is not None or column.discover or column.made is not None:
            continue
        proposal = found.propose(column.name, column.type, column.categories)
        reading = answers.reading(column, proposal)
        if reading is not None:
            columns[column.name][KEY] = dict(reading)
        elif proposal is not None and not (again and column.name in found.asked):
            problems.append(question_of(column.name, column.type, proposal, blind=column.name in found.asked))
    for column in Schema.parse(columns):
        days, words = _undeclared_no_days(column, found), undeclared_no_answers(column, found)
        if (days or words) and answers.accept:
            columns[column.name][CODES] = [*days, *words]
        elif days or (words and column.other):  # else they count as no answer in any case
            problems.append(_question_of_codes(column.name, [*days, *words]))
    if problems:
        raise InputError.from_problems(problems)
    return Schema.parse(columns).called(schema.texts)


def proposed(state: State, declared: Schema, schema: Schema, *, after: str | None, actor: Actor) -> list[str]:
    """Return columns of a table that is being registered whose reading nobody declared: their cells proposed it.

    `after`: the edition before, by whose readings this one is read, and whose cells proposed these.
    """
    before, names = Schema({}), list[str]()
    if after is not None:
        with state.database.reading() as connection:
            former, _ = datasets.get(state.database, after)
            before, names = former.schema, accepted.standing(connection, former)
    taken = []
    for column in schema:
        old, own = before.get(column.name), declared.get(column.name)
        if column.reading is None or (own is not None and own.reading is not None):
            continue
        is_kept = old is not None and old.reading == column.reading
        if column.name in names if is_kept else may_see(state, actor):
            taken.append(column.name)
    return taken


def _undeclared_no_days(column: Column, found: ProposedReadings) -> list[str]:
    """Return days of its cells that would count as the upper bound, and stand for no day in many tables."""
    if column.type is not ColumnType.DATE or column.missing_codes is not None:
        return []
    form = column.reading if isinstance(column.reading, DateForm) else None
    return [day for day in no_days(found.texts.get(column.name, ()), form) if day > str(column.upper)]


def undeclared_no_answers(column: Column, found: ProposedReadings) -> tuple[str, ...]:
    """Return words that stand for no answer in many tables, if the column declares no codes, and reads none of them."""
    if column.missing_codes is not None or column.discover or column.made is not None:
        return ()
    words, form = found.no_answers(column.name, column.categories), column.reading
    return tuple(word for word in words if form is None or form.canonical(word) in (None, word))


def _question_of_codes(name: str, codes: Sequence[str]) -> Problem:
    said, remedy = [one_line({CODES: list(each)}) for each in (codes, ())], phrase("workspace.say_missing_codes")
    found, allowed = phrase("workspace.no_values"), verbatim(" | ".join(said))
    return question(f"columns.{name}.{CODES}", found, allowed, remedy, answers=said)


def question_of(name: str, type: ColumnType, proposal: Proposal, *, blind: bool = False) -> Problem:
    """Ask how the cells of a column are written, by made-up examples. `blind`: no cell was looked at."""
    path = f"columns.{name}.{KEY}"
    if not proposal.readings:
        found, allowed = phrase("workspace.words_unknown"), phrase("workspace.yes_and_no")
        return question(path, found, allowed, phrase("workspace.say_words"))
    said = " | ".join(f"{one_line(each)} ({example(type, each)})" for each in proposal.readings)
    allowed, answers = verbatim(said), tuple(map(one_line, proposal.readings))
    found, remedy = phrase("workspace.written_otherwise"), phrase("workspace.accept_readings")
    if blind:
        found, remedy = phrase("model.not_detected"), phrase("workspace.say_reading_of_column")
    elif type is ColumnType.CATEGORY and not any(proposal.readings):
        found, remedy = phrase("workspace.blanks_around"), phrase("workspace.accept_trimmed", column=verbatim(name))
    elif proposal.is_asked:
        found, remedy = phrase("workspace.two_readings"), phrase("workspace.say_reading_of_column")
    return question(path, found, allowed, remedy, answers=answers)


def written_otherwise(found: ProposedReadings, schema: Schema) -> tuple[Phrase, ...]:
    """Return columns whose cells are in another form than they are read by: how many in a hundred fit that alone."""
    told = []
    for column in schema:
        proposal = (
            None if column.discover or column.made else found.propose(column.name, column.type, column.categories)
        )
        cells = [text for text in found.texts.get(column.name, ()) if text.strip()]
        if proposal is None or not cells:
            continue
        for reading in proposal.readings:
            other = replace(column, reading=FORMS[column.type].read(reading, KEY, Report())).reading
            fits = sum(_reads(other, text) and not _reads(column.reading, text) for text in cells)
            if fits:
                percent, way = max(1, round(100 * fits / len(cells))), example(column.type, reading)
                told.append(
                    phrase("workspace.cells_fit_otherwise", percent=percent, column=column.name, way=verbatim(way))
                )
    return tuple(told)


def _reads(form: Form | None, text: str) -> bool:
    """Return True if a form reads a text; without a form, False."""
    return form is not None and form.canonical(text) is not None


def example(type: ColumnType | str, reading: Reading) -> str:
    """Return a reading by made-up examples: `48.411,71 € → 48411.71`. Empty where it does not fit the type."""
    kind, report = ColumnType(type), Report()
    form = FORMS[kind].read(reading, KEY, report)
    return "" if report.problems else told(form, whole=kind is ColumnType.INTEGER)
