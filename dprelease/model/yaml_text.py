"""YAML as plans are written in: fewer tags, decimals that stay exact, no surprises."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, ClassVar

import yaml

from dprelease.words import NOTHING, Phrase, phrase, quoted, verbatim

MAX_VALUES = 150_000
"""Keys and values of a text, which are counted before one is built: a megabyte of one letter each has 500,000."""


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
                raise _wrong(phrase("model.key_must_be_word"), key_node.start_mark)
            name = _as_text(key)
            if name in result:
                raise _wrong(phrase("model.key_repeated", name=quoted(name)), key_node.start_mark)
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


def load(text: str, most_levels: int) -> Any:
    """Return a text's value. Raises ValueError where it is not YAML, is nested deeper, or holds what is refused."""
    try:
        _check(text, most_levels)
        return yaml.load(text, Loader=_PlanLoader)  # noqa: S506 (a SafeLoader with fewer tags)
    except yaml.MarkedYAMLError as cause:
        raise _wrong(cause.problem or phrase("model.bad_yaml"), cause.problem_mark) from None
    except yaml.YAMLError:
        raise ValueError(phrase("model.bad_yaml")) from None


def _wrong(problem: Phrase | str, mark: Any) -> ValueError:
    said = problem if isinstance(problem, Phrase) else verbatim(problem)
    if mark is None:
        return ValueError(said)
    return ValueError(phrase("model.bad_at_column", problem=said, line=mark.line + 1, column=mark.column + 1))


def _check(text: str, most_levels: int) -> None:
    level = values = 0
    for event in yaml.parse(text, Loader=_PlanLoader):
        values += isinstance(event, yaml.ScalarEvent)
        refused = phrase("model.more_values", most=MAX_VALUES) if values > MAX_VALUES else NOTHING
        if isinstance(event, yaml.AliasEvent):
            refused = phrase("model.alias")
        elif getattr(event, "tag", None):
            refused = phrase("model.tag")
        if isinstance(event, yaml.CollectionStartEvent):
            level += 1
            refused = refused or (phrase("model.more_levels", most=most_levels) if level > most_levels else NOTHING)
        elif isinstance(event, yaml.CollectionEndEvent):
            level -= 1
        if refused:
            mark = event.start_mark
            raise ValueError(phrase("model.bad_at_line", problem=refused, line=mark.line + 1) if mark else refused)


class _PlanDumper(yaml.SafeDumper):
    """Quotes texts that are like numbers: some are numbers to `load` and not to PyYAML, such as 1e5."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _represent(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    is_like_number = text[:1] in NUMERIC and any(map(str.isdigit, text))
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="'" if is_like_number else None)


NUMERIC = tuple("-+.0123456789")
_PlanDumper.add_representer(str, _represent)


def dump(value: object, *, flow: bool | None = False) -> str:
    """Return YAML of a JSON value, which `load` reads as the same. `flow`: None puts innermost values on one line."""
    return str(
        yaml.dump(value, Dumper=_PlanDumper, sort_keys=False, allow_unicode=True, width=100, default_flow_style=flow)
    )


def one_line(value: object) -> str:
    """Return YAML of a value of JSON on one line."""
    text = yaml.dump(
        value, Dumper=_PlanDumper, sort_keys=False, allow_unicode=True, width=10**6, default_flow_style=True
    )
    return str(text).removesuffix("\n").removesuffix("\n...")
