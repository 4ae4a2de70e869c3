"""The purposes of made columns, in plain words: the fields of each purpose, read as what a plan file declares."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import streamlit as st

from dprelease.errors import Problem
from dprelease.model.column import CODED, LISTED, NUMERIC, ORDERED, ColumnType
from dprelease.model.column_fields import CATEGORY
from dprelease.model.encoding import plain
from dprelease.model.made import read_made
from dprelease.model.made.days import DAYS, PARTS
from dprelease.model.made.example import proposed_labels
from dprelease.model.made.function import Ordered
from dprelease.model.made.groups import KEEP, MISSING
from dprelease.model.report import Report, as_decimal, read_date
from dprelease.model.schema import Schema
from dprelease.model.typed import NotUnderstood, TwoValues, typed
from dprelease.model.yaml_text import one_line
from dprelease.ui.data.row import either, line, split
from dprelease.ui.kit import fields
from dprelease.ui.kit.phrases import day_format
from dprelease.ui.words import say
from dprelease.words import phrase

TIMES = ("days", "months", "years")
SUMS = ("sum", "difference", "product", "least", "greatest")
EVERY_ROW, LABEL = "", "label"
APART = re.compile(r"[;\s]+|,\s+")
MANY_LABELS = 12
LIMITS: dict[str, Any] = {"value": None, "min_value": date(1800, 1, 1), "max_value": date(2200, 12, 31)}


@dataclass
class PurposeFields:
    """The fields of one column that is made: what they begin with, what they offer, and what was not understood."""

    columns: Schema
    key: str
    suffix: str
    """Suffix of the proposed name."""
    function: str = ""
    said: Any = None
    """Value declared for the function in a plan file."""
    measure: str = ""
    """The unit of measure that is proposed."""
    least: str = ""
    """The lower bound that is proposed."""
    step: str | None = None
    """The resolution, of what has to be rounded."""
    inputs: list[str] = field(default_factory=list)
    """The columns that were chosen."""
    problems: list[Problem] = field(default_factory=list)

    def was(self, key: str | int, otherwise: Any = None) -> Any:
        """Return the value declared under a key, or at a place of a list."""
        if isinstance(key, int):
            return self.said[key] if isinstance(self.said, list) and key < len(self.said) else otherwise
        return self.said.get(key, otherwise) if isinstance(self.said, Mapping) else otherwise

    def one(self, name: str, types: frozenset[ColumnType], initial: Any, *, found: bool = False, **more: Any) -> Any:
        """Ask for a column of some types. `found`: also one of categories that nobody knows."""
        options = [*self._names(types, found), *more.pop("also", ())]
        more |= {"placeholder": say("choose")}
        chosen = fields.one_of(self._label(name), f"{self.key}-{name}", options, initial, **more)
        self.inputs += [chosen] if chosen else []
        return chosen

    def two(self, names: tuple[str, str], types: frozenset[ColumnType], initial: Sequence[Any]) -> list[Any]:
        """Ask for two columns, side by side."""
        chosen = []
        for place, name, begun in zip(st.columns(2), names, initial, strict=True):
            with place:
                chosen.append(self.one(name, types, begun))
        return chosen

    def some(self, name: str, types: frozenset[ColumnType], initial: Any) -> list[str]:
        """Ask for several columns, in the order that they are chosen in."""
        options, more = self._names(types, False), {"placeholder": say("choose")}
        chosen = fields.some_of(self._label(name), f"{self.key}-{name}", options, initial or (), **more)
        self.inputs += chosen
        return chosen

    def pick(self, name: str, options: Sequence[str], initial: str) -> str:
        """Ask for one of a few words."""
        key = fields.begin(f"{self.key}-{name}", initial if initial in options else options[0])
        words = {each: say(f"made_{name}_{each}") for each in options}
        more: dict[str, Any] = {"format_func": words.__getitem__, "required": True}
        return str(st.segmented_control(self._label(name), options, key=key, **more))

    def line(self, name: str, initial: Any, **more: Any) -> str:
        return fields.text(self._label(name), f"{self.key}-{name}", _text(initial), **more).strip()

    def area(self, name: str, initial: str, **more: Any) -> str:
        key = fields.begin(f"{self.key}-{name}", initial)
        return str(st.text_area(self._label(name), height=100, key=key, **more) or "").strip()

    def value(self, name: str, text: str, kind: ColumnType = ColumnType.NUMBER) -> Any:
        """Return a typed number or day as in a plan file; None where there is none, or something is asked about it."""
        found = typed(text, kind) if text else None
        if isinstance(found, TwoValues):
            self.problems.append(either(found, self._label(name)))
        elif isinstance(found, NotUnderstood):
            self.problems.append(found.problem(self._label(name)))
        elif found is not None:
            return found.text if isinstance(found.value, date) else plain(found.value)
        return None

    def _label(self, name: str) -> str:
        return say(f"made_{name}")

    def _names(self, types: frozenset[ColumnType], found: bool) -> list[str]:
        plainly = (each for each in self.columns if each.type in types and each.randomized is None)
        return [each.name for each in plainly if found or not each.discover]


def _text(value: Any) -> str:
    number = None if isinstance(value, bool) else as_decimal(value)
    return str(value or "") if number is None else fields.with_comma(str(plain(number)))


def _age(ask: PurposeFields) -> Any:
    born, was = ask.one("born", DAYS, ask.was("born")), ask.was("on")
    day, words = read_date(was), {EVERY_ROW: say("made_one_day")}
    begun = was if day is None else EVERY_ROW
    on = ask.one("on", DAYS, begun, also=(EVERY_ROW,), format_func=lambda each: words.get(each, each))
    if on == EVERY_ROW:
        key = fields.begin(f"{ask.key}-day", day)
        said = st.date_input(say("made_day"), key=key, format=day_format(), **LIMITS)
        on = said.isoformat() if said else None
    ask.measure = say("made_time_years")
    if not (born and on):
        return None
    made = {"age": {"born": born, "on": on}}
    function = read_made(made, "", Report())
    result = None if function is None else function.result(ask.columns.columns)
    if not ask.said and isinstance(result, Ordered) and result.low < 0 < result.high:
        ask.least = "0"  # whoever is born after it by a fault of the row
    return made


def _time(ask: PurposeFields) -> Any:
    first, last = ask.two(("first_day", "last_day"), DAYS, (ask.was(0), ask.was(1)))
    unit = ask.suffix = ask.pick("time", TIMES, ask.function.removesuffix("_between"))
    ask.measure = say(f"made_time_{unit}")
    return {f"{unit}_between": [first, last]} if first and last else None


def _rate(ask: PurposeFields) -> Any:
    of, to = ask.two(("amount", "per"), NUMERIC, (ask.was("of"), ask.was("to")))
    left, right = st.columns(2)
    with left:
        times = ask.value("times", ask.line("times", ask.was("times", 1), help=say("made_times_help")))
    with right:
        ask.step = ask.line("step", ask.step or "0.01", help=say("made_step_help"))
    return {"ratio": {"of": of, "to": to, "times": times}} if of and to and times is not None else None


def _sum(ask: PurposeFields) -> Any:
    how = ask.suffix = ask.pick("how", SUMS, ask.function)
    if how in ("difference", "product"):
        two = ask.two((f"{how}_0", f"{how}_1"), NUMERIC, (ask.was(0), ask.was(1)))
        return {how: two} if all(two) else None
    types, was = (NUMERIC, list(ask.was("of", ()))) if how == "sum" else (ORDERED, ask.said)
    several = ask.some("several", types, was if ask.function == how else ())
    if how == "sum" and fields.flag(say("made_ignore"), f"{ask.key}-ignore", ask.was("ignore_missing", False)):
        return {how: {"of": dict.fromkeys(several, 1), "ignore_missing": True}} if several else None
    return {how: several} if several else None


def _bands(ask: PurposeFields) -> Any:
    of = ask.one("of", ORDERED, ask.was("of"))
    kind = ask.columns[of].type if of else ColumnType.NUMBER
    example = "2025-04-01; 2025-07-01" if kind is ColumnType.DATE else "16; 65"
    more = {"placeholder": example, "help": say("made_at_help")}
    texts = APART.split(ask.line("at", "; ".join(map(_text, ask.was("at", ()))), **more))
    at = [value for text in texts if (value := ask.value("at", text, kind)) is not None]
    points = [point for each in at if (point := read_date(each) or as_decimal(each)) is not None]
    usual = proposed_labels(ask.columns[of], points) if of else ()
    began = [] if tuple(ask.was("labels", ())) == usual else ask.was("labels", [])
    more = {"placeholder": "\n".join(usual[:MANY_LABELS]), "help": say("made_labels_help")}
    labels = ask.area("labels", "\n".join(began), **more).splitlines() or list(usual)
    return {"cut": {"of": of, "at": at, "labels": labels}} if of and points else None


def _groups(ask: PurposeFields) -> Any:
    of, to = ask.one("of", LISTED, ask.was("of")), dict[str, Any]()
    example = f"{say('made_new')} = {line(ask.columns[of].labels[:2]) if of else 'a, b'}"
    began = "\n".join(f"{new} = {line(labels)}" for new, labels in ask.was("to", {}).items())
    said = ask.area("groups", began, placeholder=example, help=say("made_groups_help"))
    for each in filter(None, map(str.strip, said.splitlines())):
        new, _, labels = (part.strip() for part in each.partition("="))
        if new and split(labels):
            to[new] = [*to.get(new, ()), *split(labels)]
        else:
            ask.problems.append(Problem(say("made_groups"), each, phrase("ui.made_line", example=example)))
    rest = ask.was("else", KEEP)
    how = ask.pick("rest", (KEEP, MISSING, LABEL), rest if rest in (KEEP, MISSING) else LABEL)
    rest = ask.line("rest_name", "" if rest in (KEEP, MISSING) else rest) if how == LABEL else how
    return {"recode": {"of": of, "to": to, "else": rest}} if of and to and rest else None


def _start(ask: PurposeFields) -> Any:
    of = ask.one("of", CATEGORY, ask.was("of"))
    length = fields.number(say("made_length"), f"{ask.key}-length", ask.was("length", 2), min_value=1, max_value=200)
    return {"prefix": {"of": of, "length": int(length)}} if of and length else None


def _part(ask: PurposeFields) -> Any:
    of = ask.one("of", DAYS, ask.was("of"))
    words = {each: say(f"made_part_{each}") for each in PARTS}
    key = f"{ask.key}-part"
    part = fields.one_of(say("made_part"), key, list(PARTS), ask.was("is", "year"), format_func=words.__getitem__)
    ask.suffix = part or ""
    return {"part": {"of": of, "is": part}} if of and part else None


def _first(ask: PurposeFields) -> Any:
    several = ask.some("in_order", CODED, ask.said)
    return {"coalesce": several} if several else None


def _test(ask: PurposeFields) -> Any:
    was = ask.was(0, {})
    column = ask.one("of", CODED, was.get("column"))
    test, kind = {"column": column}, ask.columns[column].type if column else None
    if kind in LISTED:
        labels = ask.columns[column].labels
        began = [each for each in labels if each in map(_text, was.get("in", ()))]
        some = fields.some_of(say("made_in"), f"{ask.key}-{column}-in", labels, began, placeholder=say("choose"))
        test |= {"in": some} if some else {}
    elif kind is not None:
        for place, name in zip(st.columns(2), ("at_least", "at_most"), strict=True):
            with place:
                end = ask.value(name, ask.line(name, was.get(name)), kind)
            test |= {} if end is None else {name: end}
    return {"holds": [test]} if len(test) > 1 else None


def _known(ask: PurposeFields) -> Any:
    of = ask.one("of", CODED, ask.said, found=True)
    return {"known": of} if of else None


def _own(ask: PurposeFields) -> Any:
    """Ask for a function typed as in a plan file."""
    example = "{sum: {of: {rent: 12, heating: 4}, plus: 100}}"
    began = one_line({ask.function: ask.said}) if ask.function else ""
    return ask.area("own", began, placeholder=example, help=say("made_own_help")) or None


OWN = "own"
PURPOSES: Mapping[str, tuple[Callable[[PurposeFields], Any], tuple[str, ...]]] = {
    "age": (_age, ("age",)),
    "time": (_time, tuple(f"{unit}_between" for unit in TIMES)),
    "rate": (_rate, ("ratio",)),
    "sum": (_sum, SUMS),
    "bands": (_bands, ("cut",)),
    "groups": (_groups, ("recode",)),
    "start": (_start, ("prefix",)),
    "part": (_part, ("part",)),
    "first": (_first, ("coalesce",)),
    "test": (_test, ("holds",)),
    "known": (_known, ("known",)),
    OWN: (_own, ()),
}
"""Purposes, each with its fields, which give the value of `made` or None while something lacks, and its functions."""


def purpose_of(function: str, said: Any, columns: Schema) -> str:
    """Return the purpose whose fields can show a declaration; that of a plan file's own words where none can."""
    if function == "sum" and (set(said["of"].values()) != {1} or "plus" in said):
        return OWN
    if function == "holds":
        column = columns.get(said[0]["column"])
        shown = {"in"} if column is not None and column.type in LISTED else {"at_least", "at_most"}
        if len(said) > 1 or not set(said[0]) <= {"column", *shown}:
            return OWN
    return next((purpose for purpose, (_, functions) in PURPOSES.items() if function in functions), OWN)
