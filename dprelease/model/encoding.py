"""The one place where JSON and YAML are read and canonical JSON is written."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, ClassVar

import rfc8785
import yaml

from dprelease.errors import InputError

MAX_TEXT = 1_000_000
MAX_DEPTH = 20


def canonical(value: object) -> bytes:
    """Canonical JSON (RFC 8785): the same bytes for the same value, everywhere."""
    return rfc8785.dumps(value)  # type: ignore[arg-type]


def digest(value: object) -> str:
    """SHA-256 of the canonical JSON, in hexadecimal."""
    return hashlib.sha256(canonical(value)).hexdigest()


def pretty(value: object) -> bytes:
    """JSON for people: sorted keys, two spaces, one final newline; the same bytes for the same value."""
    return (json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()


class _PlanLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML 1.2 core scalars only: `no`, `1:30` and `2025-01-01` stay text, decimals stay exact.

    Aliases (they make small files large), tags and repeated keys are refused.
    """

    yaml_implicit_resolvers: ClassVar[dict[str, list[tuple[str, re.Pattern[str]]]]] = {}
    yaml_constructors: ClassVar[dict[Any, Callable[..., Any]]] = {}

    def mapping(self, node: yaml.MappingNode) -> dict[Any, Any]:
        result: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str | int | bool | Decimal):
                raise yaml.constructor.ConstructorError(None, None, "a key must be a word", key_node.start_mark)
            name = _as_text(key)
            if name in result:
                raise yaml.constructor.ConstructorError(None, None, f"key {name!r} is repeated", key_node.start_mark)
            result[name] = self.construct_object(value_node, deep=True)
        return result


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _scalar(tag: str, pattern: str, first: str, build: Callable[[str], Any]) -> None:
    _PlanLoader.add_implicit_resolver(tag, re.compile(f"(?:{pattern})$"), list(first))
    _PlanLoader.add_constructor(tag, lambda loader, node: build(loader.construct_scalar(node)))


_scalar("tag:yaml.org,2002:null", "~|null|Null|NULL|", "~nN\0", lambda text: None)
_PlanLoader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"$"), [""])
_scalar("tag:yaml.org,2002:bool", "true|True|TRUE|false|False|FALSE", "tTfF", lambda text: text.lower() == "true")
_scalar("tag:yaml.org,2002:int", r"[-+]?(?:0|[1-9][0-9]{0,40})", "-+0123456789", int)
_scalar(
    "tag:yaml.org,2002:float",
    r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]{1,4})?",
    "-+.0123456789",
    Decimal,
)
_PlanLoader.add_constructor("tag:yaml.org,2002:str", lambda loader, node: loader.construct_scalar(node))
_PlanLoader.add_constructor("tag:yaml.org,2002:seq", lambda loader, node: loader.construct_sequence(node, deep=True))
_PlanLoader.add_constructor("tag:yaml.org,2002:map", lambda loader, node: loader.mapping(node))


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key is repeated")
    return result


def read_mapping(text: str | bytes, *, error: type[InputError], what: str) -> dict[str, Any]:
    """Reads a JSON or YAML mapping. Numbers with a point become `Decimal`, dates stay text.

    Raises `error` when the text is too long or deep, not valid, or not a mapping.
    """
    if len(text) > MAX_TEXT:
        raise error(what, found=f"{len(text)} characters", allowed=f"at most {MAX_TEXT}")
    if isinstance(text, bytes):
        try:
            text = text.decode("utf-8-sig")
        except UnicodeDecodeError as cause:
            raise error(what, found=f"a byte that is not UTF-8 at {cause.start}", allowed="UTF-8 text") from None
    try:
        if text.lstrip().startswith("{"):
            try:
                value = json.loads(text, parse_float=Decimal, object_pairs_hook=_unique)
            except json.JSONDecodeError:
                value = _load_yaml(text)
        else:
            value = _load_yaml(text)
    except yaml.MarkedYAMLError as cause:
        mark = cause.problem_mark
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise error(what, found=f"{cause.problem or 'bad YAML'}{place}", allowed="YAML or JSON") from None
    except (ValueError, yaml.YAMLError, RecursionError, ArithmeticError) as cause:
        raise error(what, found=str(cause).splitlines()[0][:80] or "bad text", allowed="YAML or JSON") from None
    if not isinstance(value, dict):
        found = "an empty file" if value is None else "a list" if isinstance(value, list) else "a single value"
        raise error(what, found=found, allowed="a mapping of keys to values")
    if depth(value) > MAX_DEPTH:
        raise error(what, found="deeper nesting", allowed=f"at most {MAX_DEPTH} levels")
    return value


def _load_yaml(text: str) -> Any:
    level = 0
    for event in yaml.parse(text, Loader=_PlanLoader):
        refused = "an alias" if isinstance(event, yaml.AliasEvent) else "a tag" if getattr(event, "tag", None) else ""
        if isinstance(event, yaml.CollectionStartEvent):
            level += 1
            refused = refused or (f"more than {MAX_DEPTH} levels" if level > MAX_DEPTH else "")
        elif isinstance(event, yaml.CollectionEndEvent):
            level -= 1
        if refused:
            mark = event.start_mark
            raise ValueError(f"{refused} at line {mark.line + 1}" if mark else refused)
    return yaml.load(text, Loader=_PlanLoader)  # noqa: S506 (a SafeLoader with fewer tags)


def depth(value: object) -> int:
    """How many levels of mappings and lists a value has, without recursion."""
    deepest = 0
    stack = [(value, 1)]
    while stack:
        item, level = stack.pop()
        deepest = max(deepest, level)
        if level > MAX_DEPTH:
            return level
        if isinstance(item, Mapping):
            stack.extend((child, level + 1) for child in item.values())
        elif isinstance(item, list | tuple):
            stack.extend((child, level + 1) for child in item)
    return deepest


def plain(number: Decimal) -> int | float:
    """A decimal as a JSON number: an int where it is whole, else the nearest float."""
    return int(number) if number == number.to_integral_value() else float(number)
