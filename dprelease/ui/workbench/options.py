"""A widget for each kind of option that statistics have: a new statistic gets its form from its options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from dataclasses import fields as fields_of
from functools import singledispatch
from itertools import chain, combinations, islice
from typing import Any

import streamlit as st

from dprelease.errors import PlanError
from dprelease.model.column import CODED, LISTED, ORDERED
from dprelease.model.column_options import (
    GROUP,
    ColumnName,
    ColumnNames,
    ColumnSets,
    LevelByColumn,
    MissingByColumn,
    WholeByColumn,
)
from dprelease.model.encoding import read_mapping
from dprelease.model.model_options import BinsByColumn, PairOption
from dprelease.model.options import (
    Choice,
    Choices,
    Conditions,
    Flag,
    NumberOption,
    Only,
    Option,
    Probabilities,
    Questions,
    Values,
    Whole,
)
from dprelease.model.schema import Schema
from dprelease.model.statistic import KINDS
from dprelease.model.yaml_text import dump
from dprelease.statistics.algebra.unanswered import groupable
from dprelease.ui.kit import blocks, fields
from dprelease.ui.kit.problems import show_problems
from dprelease.ui.words import known, say, say_label
from dprelease.ui.workbench.conditions import conditions
from dprelease.ui.workbench.statistic_draft import ConditionDraft, StatisticDraft

BINS = ("bins", "edges")
"""Options that columns with listed values have no use for."""
MAX_OFFERED = 500
"""Maximum number of sets of columns offered, the smaller ones first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """The facts that a widget needs to know about its option."""

    label: str
    help: str | None
    key: str
    value: Any
    """Value as in a plan file; None where it is left open."""
    default: Any
    """Default where the value is left open; None if it must be given."""
    schema: Schema
    others: Mapping[str, Any]
    """All options of the statistic so far."""


def ask(item: StatisticDraft, name: str, schema: Schema, prefix: str) -> Any:
    """Ask for the value of one option as in a plan file; None or empty where it is left open."""
    named = known(f"option_{name}", name)
    field = Field(
        label=known(f"option_{item.kind}_{name}", named),
        help=known(f"option_{item.kind}_{name}_help", known(f"option_{name}_help", "")) or None,
        key=f"{prefix}-{name}",
        value=item.options.get(name),
        default=usual(item.kind, name),
        schema=schema,
        others=item.options,
    )
    return widget(KINDS[item.kind].options()[name], field)


def usual(kind: str, name: str) -> Any:
    """Return the default of an option; None if it must be given."""
    default = next(field.default for field in fields_of(KINDS[kind]) if field.name == name)
    return None if name in KINDS[kind].required() else default


def is_asked(name: str, reader: Option, options: Mapping[str, Any], schema: Schema) -> bool:
    """Return True if there is anything to ask: bins need a column that can be binned. What is given is always shown."""
    if isinstance(reader, WholeByColumn):
        return bool(_binned(options, schema))
    if isinstance(reader, ColumnSets):
        return bool(options.get(name) or options.get(reader.of))
    if isinstance(reader, LevelByColumn):
        return bool(options.get(name) or _with_levels(reader, options, schema))
    if isinstance(reader, MissingByColumn):
        return bool(groupable(reader.names(options), schema))
    if name == "partial":
        return bool(options.get("levels"))
    if name in BINS and options.get("levels"):
        return bool(options.get(name))
    column = options.get("column")
    listed = isinstance(column, str) and column in schema and schema[column].type in LISTED
    return not (listed and name in BINS and not options.get(name))


def _binned(options: Mapping[str, Any], schema: Schema) -> list[str]:
    """Return ordered columns of which no level is asked for; what is given is always shown."""
    given = (options.get("levels") or {}).keys() - (options.get("bins") or {}).keys()
    names = options.get("columns") or options.get("on")
    return [name for name in names or () if name in schema and schema[name].type in ORDERED and name not in given]


def _with_levels(reader: LevelByColumn, options: Mapping[str, Any], schema: Schema) -> list[str]:
    return [name for name in reader.names(options) if name in schema and reader.levels(schema[name])]


def _columns(reader: ColumnName | ColumnNames, schema: Schema) -> list[str]:
    return [
        column.name for column in schema if column.type in reader.types and (reader.discover or not column.discover)
    ]


@singledispatch
def widget(reader: Option, field: Field) -> Any:
    """Draw an option; one of a kind that has no widget yet is written as in the plan file."""
    written = fields.text(field.label, field.key, "" if field.value is None else str(field.value), help=field.help)
    return fields.number_or_text(written) if written else None


@widget.register
def _(reader: ColumnName, field: Field) -> Any:
    names = _columns(reader, field.schema)
    return fields.one_of(field.label, field.key, names, field.value, help=field.help, placeholder=say("choose"))


@widget.register
def _(reader: ColumnNames, field: Field) -> Any:
    names = _columns(reader, field.schema)
    return fields.some_of(field.label, field.key, names, field.value or (), help=field.help, placeholder=say("choose"))


@widget.register
def _(reader: ColumnSets, field: Field) -> Any:
    columns, given = field.others.get(reader.of) or [], [tuple(names) for names in field.value or ()]
    lengths = range(1, min(reader.widest, len(columns)) + 1)
    every = chain.from_iterable(combinations(columns, length) for length in lengths)
    offered = list(dict.fromkeys([*given, *islice(every, MAX_OFFERED)]))
    more = {"help": field.help, "format_func": " × ".join, "placeholder": say("choice_open")}
    return [list(names) for names in fields.some_of(field.label, field.key, offered, given, **more)] or None


@widget.register
def _(reader: Choice, field: Field) -> Any:
    return fields.one_of(
        field.label,
        field.key,
        reader.words,
        field.value or field.default,
        help=field.help,
        format_func=lambda word: known(f"choice_{word}", word),
        placeholder=say("choice_open"),
    )


@widget.register
def _(reader: Choices, field: Field) -> Any:
    return fields.some_of(
        field.label,
        field.key,
        reader.words,
        field.value or (),
        help=field.help,
        format_func=lambda word: known(f"choice_{word}", word),
        placeholder=say("choice_open"),
    )


@widget.register
def _(reader: Flag, field: Field) -> Any:
    return fields.flag(field.label, field.key, bool(field.value), help=field.help) or None


@widget.register
def _(reader: Only, field: Field) -> Any:
    return reader.number if fields.flag(field.label, field.key, bool(field.value), help=field.help) else None


@widget.register
def _(reader: Whole, field: Field) -> Any:
    limits = {"min_value": reader.lowest, "max_value": reader.highest, "step": 1}
    return fields.number(field.label, field.key, field.value, help=field.help, placeholder=_open(field), **limits)


@widget.register
def _(reader: NumberOption, field: Field) -> Any:
    limits = {"min_value": float(reader.lowest), "max_value": float(reader.highest), "format": "%g"}
    number = fields.number(field.label, field.key, field.value, help=field.help, placeholder=_open(field), **limits)
    return fields.exact(number)


@widget.register
def _(reader: WholeByColumn, field: Field) -> Any:
    given, result = field.value or {}, {}
    for name in _binned(field.others, field.schema):
        named = say_label("option_bins_of", column=name)
        limits = {"min_value": reader.lowest, "max_value": reader.highest, "step": 1}
        result[name] = fields.number(named, f"{field.key}-{name}", given.get(name), help=field.help, **limits)
    return {name: number for name, number in result.items() if number is not None}


@widget.register
def _(reader: BinsByColumn, field: Field) -> Any:
    """Ask for numbers of bins; edges are kept as they were written."""
    given = field.value or {}
    edges = {name: bins for name, bins in given.items() if isinstance(bins, list)}
    others = {**field.others, "on": [name for name in field.others.get("on") or () if name not in edges]}
    asked = replace(field, value={name: bins for name, bins in given.items() if name not in edges}, others=others)
    return {**widget.dispatch(WholeByColumn)(reader, asked), **edges} or None


@widget.register
def _(reader: PairOption, field: Field) -> Any:
    """Ask for a choice of pairs; listed pairs are kept as they were written."""
    return field.value if isinstance(field.value, list) else widget(Choice(reader.words), field)


@widget.register
def _(reader: LevelByColumn, field: Field) -> Any:
    given, result = field.value or {}, {}
    for name in _with_levels(reader, field.others, field.schema):
        result[name] = fields.one_of(
            say_label("option_levels_of", column=name),
            f"{field.key}-{name}",
            reader.levels(field.schema[name]),
            given.get(name),
            help=field.help,
            format_func=lambda level: known(f"level_{level}", level),
            placeholder=say("level_each_value"),
        )
    return {name: level for name, level in result.items() if level is not None} or None


@widget.register
def _(reader: MissingByColumn, field: Field) -> Any:
    """Ask, by column, if missing answers are a group; by default they are in `by`, and where values are listed."""
    given, result = field.value or {}, {}
    for name in groupable(reader.names(field.others), field.schema):
        usual = GROUP if reader.keys == "by" or field.schema[name].type in LISTED else ""
        label, key = say_label("option_missing_of", column=name), f"{field.key}-{name}"
        result[name] = GROUP if fields.flag(label, key, bool(given.get(name, usual)), help=field.help) else ""
    return result or None


@widget.register
def _(reader: Probabilities, field: Field) -> Any:
    usual = ", ".join(map(str, field.default or ())) or "0.25, 0.5, 0.75"
    return fields.items(field.label, field.key, field.value or (), help=field.help, placeholder=usual)


@widget.register
def _(reader: Values, field: Field) -> Any:
    return fields.items(field.label, field.key, field.value or (), help=field.help)


@widget.register
def _(reader: Conditions, field: Field) -> Any:
    drafts: list[ConditionDraft] = [ConditionDraft()] if field.value is None else field.value
    blocks.label(field.label)
    conditions(drafts, field.schema, field.key)
    return drafts


@widget.register
def _(reader: Questions, field: Field) -> Any:
    """Ask for a text as in a plan file; what cannot be read is kept as it was typed."""
    text = field.value if isinstance(field.value, str) else _written(field.value or [])
    fields.begin(field.key, text)
    listed = [column.name for column in field.schema if column.type in LISTED and not column.discover]

    def fill() -> None:
        name = st.session_state[f"{field.key}-fill"]
        labels = () if name is None else field.schema[name].labels
        asked = [{"label": label, "where": [{"column": name, "equals": label}]} for label in labels]
        st.session_state[field.key] = _written(asked) or st.session_state[field.key]

    left, _ = st.columns([2, 3])
    left.selectbox(
        say("questions_fill"),
        listed,
        index=None,
        key=f"{field.key}-fill",
        on_change=fill,
        placeholder=say("choose"),
    )
    typed = st.text_area(field.label, key=field.key, height=240, help=field.help, placeholder=_example(field.schema))
    if not typed.strip():
        return None
    try:
        return _plain(read_mapping(typed, error=PlanError, what="questions").get("questions"))
    except PlanError as error:
        show_problems(error.problems)
        return typed


def _written(asked: list[Any]) -> str:
    """Return questions as in a plan file."""
    if not asked:
        return ""
    return dump({"questions": asked}, flow=None)


def _example(schema: Schema) -> str:
    column = next((column for column in schema if column.type in CODED and not column.discover), None)
    if column is None:
        return ""
    test = "equals" if column.type in LISTED else "at_least"
    asked = {"label": say("questions_label"), "where": [{"column": column.name, test: column.value(0)}]}
    return _written([asked])


def _plain(value: Any) -> Any:
    """Return a value with numbers as a draft holds them."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else fields.plain_number(value)


def _open(field: Field) -> str | None:
    """Return the placeholder of an empty field."""
    return None if field.default is None else str(field.default)
