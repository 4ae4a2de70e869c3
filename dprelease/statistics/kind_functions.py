"""Functions of code that make columns, units and statistics: one a kind, from the declarations of its options.

Type checkers read `kind_functions.pyi`, which is made of the same declarations: `UPDATE_STUB=1 pytest tests/plans`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import dprelease.statistics  # noqa: F401 (fills KINDS)
from dprelease.errors import PlanError, SchemaError
from dprelease.model.code import REFERENCES, AtLevel, ColumnReference, written
from dprelease.model.code import used as used_in
from dprelease.model.column import CATEGORY, DISCOVER, LISTED, NUMERIC, ORDERED, ColumnType
from dprelease.model.column_options import ColumnName, ColumnNames
from dprelease.model.options import Choice, Conditions, Option, Probabilities, Questions, Values, Whole
from dprelease.model.plan_code import usual_id
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.report import Report
from dprelease.model.statistic import COMMON_KEYS, KINDS, Statistic, TargetError, read_statistic
from dprelease.words import phrase, verbatim

COMMON = tuple(key for key in COMMON_KEYS if key != "kind")


def _kind(kind: str) -> Callable[..., Statistic]:
    cls = KINDS[kind]
    options, required = cls.options(), cls.required()

    def ask(*given: Any, **named: Any) -> Statistic:
        report = Report()
        if len(given) > len(required):
            allowed = verbatim(f"{kind}({', '.join((*required, 'option=...'))})")
            raise PlanError(kind, found=phrase("model.items", count=len(given)), allowed=allowed)
        named = dict(zip(required, given, strict=False)) | named
        said = {"id": kind, "kind": kind, **_said(named, options, kind, report)}
        found = read_statistic(said, kind, report)
        report.raise_any(PlanError)
        assert found is not None
        if named.get("id") is None:
            object.__setattr__(found, "id", usual_id(found))
        object.__setattr__(found, "declared", used_in([each for key, each in named.items() if key not in COMMON]))
        return found

    keywords = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in _optional(cls)]
    positional = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in required]
    ask.__name__ = ask.__qualname__ = kind
    ask.__signature__ = inspect.Signature([*positional, *keywords])  # type: ignore[attr-defined]
    ask.__doc__ = f"{inspect.cleandoc(cls.__doc__ or '')}\n\nExample: `{example(kind)}`"
    return ask


def _optional(cls: type[Statistic]) -> tuple[str, ...]:
    return (*(key for key in cls.options() if key not in cls.required()), *COMMON)


def _said(named: Mapping[str, Any], options: Mapping[str, Option], kind: str, report: Report) -> dict[str, Any]:
    """Return options as a plan file has them; keys at a level add to `levels`."""
    said: dict[str, Any] = {}
    levels = dict(written(named.get("levels") or {}))
    for key, value in named.items():
        reader, several = options.get(key), isinstance(value, list | tuple)
        items = [each.column if isinstance(each, AtLevel) else each for each in (value if several else (value,))]
        levels |= {each.column.name: each.level for each in (value if several else ()) if isinstance(each, AtLevel)}
        levels |= {value.column.name: value.level} if isinstance(value, AtLevel) else {}
        if isinstance(reader, Whole) and isinstance(value, str):
            allowed = phrase("model.whole_number_from", lowest=reader.lowest, highest=reader.highest)
            report.add(f"{kind}.{key}", found=value, allowed=allowed, remedy=phrase("model.code_no_quotes"))
        elif isinstance(reader, ColumnNames):
            said[key] = [written(each) for each in items]
        elif isinstance(reader, Conditions) and not several:
            said[key] = written(items)
        elif isinstance(reader, Questions) and isinstance(value, Mapping):
            said[key] = [{"label": label, "where": written([where])} for label, where in value.items()]
        else:
            said[key] = written(items if several else items[0])
    return said | ({"levels": levels} if levels else {})


def _column(type_: ColumnType) -> Callable[..., ColumnReference]:
    def declare(*given: Any, **named: Any) -> ColumnReference:
        said: dict[str, Any] = {"type": type_.value, **named}
        if type_ in CATEGORY and said.pop("discover", False):
            said["categories"] = DISCOVER
        elif type_ in CATEGORY:
            said["categories"] = [*given, *said.pop("categories", ())]
        else:
            ends = ("lower", "upper") if type_ in ORDERED else ()
            if len(given) > len(ends):
                allowed = verbatim(f"{type_.value}({', '.join((*ends, 'property=...'))})")
                raise SchemaError(type_.value, found=phrase("model.items", count=len(given)), allowed=allowed)
            said |= dict(zip(ends, given, strict=False))
        return REFERENCES[type_](said)

    declare.__name__ = declare.__qualname__ = type_.value
    declare.__doc__ = f"Declare a column of type {type_.value}.\n\nExample: `{DECLARED[type_]}`"
    return declare


def per(column: Any = None, **given: Any) -> PrivacyUnit:
    """Return the privacy unit: all rows with one identifier, of which a plan keeps at most `max_rows`.

    Example: `dp.per(Visits.person_id, max_rows=5)`
    """
    report = Report()
    said = {"column": written(column), **{key: written(value) for key, value in given.items()}}
    unit = PrivacyUnit.read(said, "per", report)
    report.raise_any(PlanError)
    return unit


def error(value: Any, confidence: Any = 0.95) -> TargetError:
    """Return a target margin of error: the ε of its statistic follows.

    Example: `dp.error(0.02)`
    """
    report = Report()
    target = TargetError.read({"value": value, "confidence": confidence}, "target_error", report)
    report.raise_any(PlanError)
    assert target is not None
    return target


DECLARED = {
    ColumnType.INTEGER: 'dp.integer(0, 100, unit="years")',
    ColumnType.NUMBER: "dp.number(0, 200_000, resolution=1)",
    ColumnType.CATEGORY: 'dp.category("north", "south", other=True)',
    ColumnType.BOOLEAN: "dp.boolean()",
    ColumnType.DATE: 'dp.date("2025-01-01", "2025-12-31")',
    ColumnType.TEXT: "dp.text()",
}


def example(kind: str) -> str:
    """Return code that asks for a statistic of a kind, about columns of the class `Visits` of docs/python.md."""
    cls = KINDS[kind]
    given = [_example(cls.options()[key], place) for place, key in enumerate(cls.required())]
    return f"dp.{kind}({', '.join([*given, *cls.example])})"


def _example(reader: Option, place: int) -> str:
    if isinstance(reader, ColumnName | ColumnNames):
        numbers = ("Visits.income", "Visits.age")
        several = f"[{', '.join(numbers)}]" if reader.types <= ORDERED else "[Visits.age, Visits.region]"
        one = numbers[place % 2] if reader.types & NUMERIC and not reader.types & LISTED else "Visits.urgent"
        return several if isinstance(reader, ColumnNames) else one
    shown: Mapping[type[Option], str] = {
        Conditions: "Visits.urgent.is_(True)",
        Questions: '{"adults": Visits.age >= 18}',
        Probabilities: "[0.25, 0.5, 0.75]",
        Values: "[0, 50, 100]",
        Whole: "2",
    }
    return repr(reader.words[0]) if isinstance(reader, Choice) else shown[type(reader)]


def __getattr__(name: str) -> Any:
    if name in KINDS:
        globals()[name] = _kind(name)
    elif name in set(ColumnType):
        globals()[name] = _column(ColumnType(name))
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals()[name]
