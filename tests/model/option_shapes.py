"""What the reader of each option accepts, as JSON Schema."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from dprelease.model.column_options import (
    GROUP,
    ColumnName,
    ColumnNames,
    ColumnSets,
    LevelByColumn,
    MissingByColumn,
    WholeByColumn,
)
from dprelease.model.condition import BOUNDS, LISTS, MAX_CONDITIONS, MAX_LIST
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
    StatisticName,
    Values,
    Whole,
)
from dprelease.model.report import MAX_NUMBER, NUMBER
from dprelease.model.texts import ID

Shape = dict[str, Any]


@singledispatch
def shape_of(reader: Option) -> Shape:
    """Returns what `reader.read` accepts."""
    raise NotImplementedError(f"no shape is written here of {type(reader).__name__}")


@shape_of.register
def _(reader: Whole) -> Shape:
    return whole_shape(reader.lowest, reader.highest)


@shape_of.register
def _(reader: Only) -> Shape:
    return whole_shape(reader.number, reader.number)


@shape_of.register
def _(reader: NumberOption) -> Shape:
    return number_shape(minimum=float(reader.lowest), maximum=float(reader.highest))


@shape_of.register
def _(reader: Choice) -> Shape:
    return {"type": "string", "enum": list(reader.words)}


@shape_of.register
def _(reader: StatisticName) -> Shape:
    return {"type": "string", "pattern": f"^(?:{ID.pattern})$"}


@shape_of.register
def _(reader: Choices) -> Shape:
    words = {"type": "string", "enum": list(reader.words)}
    return {"type": "array", "items": words, "minItems": 1, "maxItems": len(reader.words), "uniqueItems": True}


@shape_of.register
def _(reader: Flag) -> Shape:
    return {"type": "boolean"}


@shape_of.register
def _(reader: Conditions) -> Shape:
    return {"type": "array", "items": condition_shape(), "minItems": 1, "maxItems": MAX_CONDITIONS}


@shape_of.register
def _(reader: Questions) -> Shape:
    question = {
        "type": "object",
        "properties": {"label": text_shape(shortest=1), "where": shape_of(Conditions())},
        "required": ["label", "where"],
        "additionalProperties": False,
    }
    return {"type": "array", "items": question, "minItems": 1, "maxItems": reader.longest}


@shape_of.register
def _(reader: Probabilities) -> Shape:
    return {
        "type": "array",
        "items": number_shape(exclusiveMinimum=0, exclusiveMaximum=1),
        "minItems": 1,
        "maxItems": 99,
        "uniqueItems": True,
    }


@shape_of.register
def _(reader: Values) -> Shape:
    return {
        "type": "array",
        "items": text_shape() | {"type": ["number", "string"], "minimum": -MAX_NUMBER, "maximum": MAX_NUMBER},
        "minItems": 2,
        "maxItems": reader.longest,
    }


@shape_of.register
def _(reader: ColumnName) -> Shape:
    return text_shape(shortest=1)


@shape_of.register
def _(reader: ColumnNames) -> Shape:
    return {
        "type": "array",
        "items": text_shape(shortest=1),
        "minItems": reader.fewest,
        "maxItems": reader.most,
        "uniqueItems": True,
    }


@shape_of.register
def _(reader: ColumnSets) -> Shape:
    names = {"type": "array", "items": text_shape(shortest=1), "minItems": 1, "maxItems": reader.widest}
    return {"type": "array", "items": names | {"uniqueItems": True}, "minItems": 1, "maxItems": reader.most}


@shape_of.register
def _(reader: LevelByColumn) -> Shape:
    return {"type": "object", "minProperties": 1, "additionalProperties": text_shape(shortest=1)}


@shape_of.register
def _(reader: MissingByColumn) -> Shape:
    return _by_column({"type": "string", "enum": [GROUP]})


@shape_of.register
def _(reader: WholeByColumn) -> Shape:
    return _by_column(whole_shape(reader.lowest, reader.highest))


@shape_of.register
def _(reader: BinsByColumn) -> Shape:
    return _by_column({"anyOf": [whole_shape(reader.lowest, reader.highest), shape_of(Values(reader.highest + 1))]})


@shape_of.register
def _(reader: PairOption) -> Shape:
    pair = {"type": "array", "items": text_shape(shortest=1), "minItems": 2, "maxItems": 2, "uniqueItems": True}
    listed = {"type": "array", "items": pair, "minItems": 1, "maxItems": reader.most}
    return {"anyOf": [{"type": "string", "enum": list(reader.words)}, listed]}


def _by_column(shape: Shape) -> Shape:
    return {"type": "object", "minProperties": 1, "additionalProperties": shape}


def text_shape(*, longest: int = 200, shortest: int = 0) -> Shape:
    """Returns what `Report.text` accepts."""
    return {"type": "string", "minLength": shortest, "maxLength": longest, "pattern": r"^[^\u0000]*$"}


def number_shape(**limits: float) -> Shape:
    """Returns what `Report.decimal` accepts: a number within limits, or text with one. Text is held to no limits."""
    return {"type": ["number", "string"], "pattern": f"^{NUMBER}$", **limits}


def whole_shape(lowest: int, highest: int) -> Shape:
    """Returns what `Report.integer` accepts."""
    return number_shape(minimum=lowest, maximum=highest) | {"type": ["integer", "string"]}


def condition_shape() -> Shape:
    """Returns what `Condition.read` accepts."""
    value = text_shape() | {
        "type": ["string", "number", "boolean"],
        "minimum": -MAX_NUMBER,
        "maximum": MAX_NUMBER,
    }
    listed = {"type": "array", "items": value, "minItems": 1, "maxItems": MAX_LIST}
    tests = {**dict.fromkeys((*BOUNDS, *LISTS), value), "in": listed}
    given = [{"required": [key], "properties": {key: {"not": {"type": "null"}}}} for key in tests]
    nullable = {key: {**shape, "type": [*_types(shape), "null"]} for key, shape in tests.items()}
    return {
        "type": "object",
        "properties": {"column": text_shape(shortest=1), **nullable},
        "required": ["column"],
        "additionalProperties": False,
        "anyOf": given,
    }


def _types(shape: Shape) -> list[str]:
    return shape["type"] if isinstance(shape["type"], list) else [shape["type"]]
