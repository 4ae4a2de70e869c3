"""A widget for each kind of option that statistics have: a new statistic gets its form from its options."""

from __future__ import annotations

from collections.abc import Mapping
from functools import singledispatch
from typing import Any

from dprelease.model.column import ORDERED
from dprelease.model.options import ColumnName, ColumnNames, Option, Probabilities, Values, Whole, WholeByColumn
from dprelease.model.schema import Schema
from dprelease.ui import fields
from dprelease.ui.words import known, say, say_label


def ask(name: str, reader: Option, options: Mapping[str, Any], schema: Schema, prefix: str) -> Any:
    """The value of one option as in a plan file; None or empty where it is left open."""
    label = known(f"option_{name}", name)
    help_text = known(f"option_{name}_help", "") or None
    return widget(reader, options.get(name), label, help_text, f"{prefix}-{name}", schema, options)


def is_asked(reader: Option, options: Mapping[str, Any], schema: Schema) -> bool:
    """Whether there is anything to ask: bins by column need a column that can be binned."""
    return not isinstance(reader, WholeByColumn) or bool(_binned(options, schema))


def _binned(options: Mapping[str, Any], schema: Schema) -> list[str]:
    names = options.get("columns") or ()
    return [name for name in names if name in schema and schema[name].type in ORDERED]


@singledispatch
def widget(
    reader: Option,
    value: Any,
    label: str,
    help_text: str | None,
    key: str,
    schema: Schema,
    options: Mapping[str, Any],
) -> Any:
    """An option of a kind that has no widget yet is written as in the plan file."""
    written = fields.text(label, key, "" if value is None else str(value), help=help_text)
    return fields.number_or_text(written) if written else None


@widget.register
def _(reader: ColumnName, value: Any, label: str, help_text: Any, key: str, schema: Schema, options: Any) -> Any:
    names = [column.name for column in schema if column.type in reader.types]
    return fields.one_of(label, key, names, value, help=help_text, placeholder=say("choose"))


@widget.register
def _(reader: ColumnNames, value: Any, label: str, help_text: Any, key: str, schema: Schema, options: Any) -> Any:
    names = [column.name for column in schema if column.type in reader.types]
    return fields.some_of(label, key, names, value or (), help=help_text, placeholder=say("choose"))


@widget.register
def _(reader: Whole, value: Any, label: str, help_text: Any, key: str, schema: Schema, options: Any) -> Any:
    return fields.number(label, key, value, help=help_text, min_value=reader.lowest, max_value=reader.highest, step=1)


@widget.register
def _(reader: WholeByColumn, value: Any, label: str, help_text: Any, key: str, schema: Schema, options: Any) -> Any:
    given, result = value or {}, {}
    for name in _binned(options, schema):
        named = say_label("option_bins_of", column=name)
        limits = {"min_value": reader.lowest, "max_value": reader.highest, "step": 1}
        result[name] = fields.number(named, f"{key}-{name}", given.get(name), help=help_text, **limits)
    return {name: number for name, number in result.items() if number is not None}


@widget.register
def _(reader: Probabilities, value: Any, label: str, help_text: Any, key: str, schema: Schema, options: Any) -> Any:
    return fields.items(label, key, value or (), help=help_text, placeholder="0.25, 0.5, 0.75")


@widget.register
def _(reader: Values, value: Any, label: str, help_text: Any, key: str, schema: Schema, options: Any) -> Any:
    return fields.items(label, key, value or (), help=help_text)
