"""Shapes of what commands print with `--json`: recorded from what these tests see, and compared with it.

After a change, `UPDATE_SCHEMA=1 pytest tests/cli` adds what is new to `dprelease/cli/shapes.json`. A key that goes
away, or gets another type, is taken out there by hand, and raises the version of its command.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from dprelease import cli

SHAPES = Path(cli.__file__).with_name("shapes.json")
TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", type(None): "null", list: "array"}


def verb_of(arguments: list[str]) -> str:
    return str(cli.parser().parse_args(arguments).verb)


def compare(verb: str, found: Any) -> None:
    """Compare what a command printed with its shape, or record it; what prints a schema has none."""
    if verb.startswith("schema ") and verb != "schema columns":
        return
    shapes = json.loads(SHAPES.read_text()) if SHAPES.exists() else {}
    if os.environ.get("UPDATE_SCHEMA"):
        known = shapes.get(verb, {"version": 1})
        shapes[verb] = {"version": known.pop("version"), **joined(known, shape(found))}
        SHAPES.write_text(json.dumps(dict(sorted(shapes.items())), indent=1, sort_keys=True) + "\n")
        return
    wrong = list(Draft202012Validator(shapes[verb]).iter_errors(found))
    assert not wrong, f"{verb}: {wrong[0].message}; UPDATE_SCHEMA=1 pytest tests/cli"


def shape(value: Any, deep: int = 0) -> dict[str, Any]:
    """Return the shape of a value: its own keys with their types, and those of the items of a list."""
    if isinstance(value, dict):
        if deep:
            return {"type": ["object"]}
        properties = {key: shape(each, 1) for key, each in value.items()}
        return {"type": ["object"], "properties": properties, "required": sorted(value), "additionalProperties": False}
    found: dict[str, Any] = {"type": [TYPES[type(value)]]}
    for each in value if isinstance(value, list) else ():
        found["items"] = joined(found.get("items", {}), shape(each, deep))
    return found


def joined(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return the shape of what has either."""
    if not one or not other:
        return one or other
    types = sorted({*one["type"], *other["type"]} - ({"integer"} if "number" in one["type"] + other["type"] else set()))
    found: dict[str, Any] = {"type": types}
    if "items" in one or "items" in other:
        found["items"] = joined(one.get("items", {}), other.get("items", {}))
    both = [each for each in (one, other) if "properties" in each]
    if both:
        keys = sorted({key for each in both for key in each["properties"]})
        found["properties"] = {key: _either(key, both) for key in keys}
        found["required"] = sorted(set.intersection(*(set(each["required"]) for each in both)))
        found["additionalProperties"] = False
    return found


def _either(key: str, shapes: list[dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in shapes:
        found = joined(found, each["properties"].get(key, {}))
    return found
