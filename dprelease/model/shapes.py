"""What the readers of plan files accept, as JSON Schema."""

from __future__ import annotations

from typing import Any

from dprelease.model.condition import BOUNDS, LISTS, MAX_LIST
from dprelease.model.report import MAX_NUMBER, NUMBER


def text_shape(*, longest: int = 200, shortest: int = 0) -> dict[str, Any]:
    """What `Report.text` accepts, as JSON Schema."""
    return {"type": "string", "minLength": shortest, "maxLength": longest, "pattern": r"^[^\u0000]*$"}


def number_shape(**limits: float) -> dict[str, Any]:
    """What `Report.decimal` accepts, within limits: a number, or text that holds one. Text is held to no limits."""
    return {"type": ["number", "string"], "pattern": f"^{NUMBER}$", **limits}


def whole_shape(lowest: int, highest: int) -> dict[str, Any]:
    """What `Report.integer` accepts, as JSON Schema."""
    return number_shape(minimum=lowest, maximum=highest) | {"type": ["integer", "string"]}


def condition_shape() -> dict[str, Any]:
    """What `Condition.read` accepts, as JSON Schema."""
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


def _types(shape: dict[str, Any]) -> list[str]:
    return shape["type"] if isinstance(shape["type"], list) else [shape["type"]]
