"""The stub of `dprelease.statistics.kind_functions`, made of the declarations of options and of column properties.

After a change, `UPDATE_STUB=1 pytest tests/plans/test_stub.py` writes it anew.
"""

from __future__ import annotations

import subprocess
import sys

from dprelease.model.code import REFERENCES
from dprelease.model.column import COLUMN_OPTIONS, ORDERED, ColumnType
from dprelease.model.column_options import (
    ColumnName,
    ColumnNames,
    ColumnSets,
    LevelByColumn,
    MissingByColumn,
    WholeByColumn,
)
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
from dprelease.model.statistic import KINDS, Statistic
from dprelease.statistics import PLACES

HEAD = '''"""Made by tests/plans/stub.py of the declarations of statistics and columns: not to be edited."""

import datetime
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from dprelease.model.code import (
    AnyColumn, AtLevel, Boolean, Category, Date, Integer, Number, Quantity, Text, Where,
)
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.statistic import Statistic, TargetError

__all__ = NAMES
'''
TAIL = """
def per(
    column: Text | Integer | Category | AnyColumn,
    *,
    max_rows: int,
    max_groups: int = ...,
    missing_codes: Sequence[str] = ...,
) -> PrivacyUnit: ...
def error(value: Quantity, confidence: Quantity = ...) -> TargetError: ...
"""
ANY = "Boolean | Category | Date | Integer | Number | Text | AnyColumn"
NUMBERS = "Sequence[Quantity | datetime.date]"
PROPERTIES = {
    "resolution": "Quantity",
    "unit": "str",
    "other": "bool",
    "discover": "bool",
    "missing_codes": "Sequence[Any]",  # texts, numbers, days and ranges of these
    "reading": "Mapping[str, Any]",  # a language of its own: docs/reading.md
    "outside": 'Literal["clip", "missing"] | Mapping[str, str]',
    "levels": "Mapping[str, Mapping[str, object]]",
    "count_missing_as": "str | bool | Quantity",
    "randomized": "Mapping[str, object]",
    "description": "str",
}
"""Python types of the properties of columns."""


def annotation(reader: Option, levelled: bool) -> str:
    """Return the Python type of what an option reads."""
    if isinstance(reader, ColumnName | ColumnNames):
        names = sorted(REFERENCES[ColumnType(each)].__name__ for each in reader.types)
        one = " | ".join([*names, "AnyColumn", *(["AtLevel"] if levelled else [])])
        return f"{one} | Sequence[{one}]" if isinstance(reader, ColumnNames) else one
    if isinstance(reader, Choice | Choices):
        words = f"Literal[{', '.join(map(repr, reader.words))}]"
        return words if isinstance(reader, Choice) else f"Sequence[{words}]"
    if isinstance(reader, PairOption):
        return f"Literal[{', '.join(map(repr, reader.words))}] | Sequence[tuple[{ANY}, {ANY}]]"
    return {
        Whole: "int",
        Only: "Literal[1]",
        Flag: "bool",
        NumberOption: "Quantity",
        Probabilities: "Sequence[Quantity]",
        Values: NUMBERS,
        Conditions: "Where | Sequence[Where]",
        Questions: "Mapping[str, Where]",
        StatisticName: "str | Statistic",
        ColumnSets: f"Sequence[Sequence[{ANY}]]",
        LevelByColumn: f"Mapping[{ANY}, str]",
        MissingByColumn: f'Mapping[{ANY}, Literal["group"]]',
        WholeByColumn: f"Mapping[{ANY}, int]",
        BinsByColumn: f"Mapping[{ANY}, int | {NUMBERS}]",
    }[type(reader)]


def _kind(kind: str, cls: type[Statistic]) -> str:
    options, required = cls.options(), cls.required()
    levelled = "levels" in options
    given = [f"{key}: {annotation(options[key], levelled)}" for key in required]
    named = [f"{key}: {annotation(reader, levelled)} = ..." for key, reader in options.items() if key not in required]
    named += ["id: str = ...", "weight: Quantity = ...", "epsilon: Quantity = ...", "target_error: TargetError = ..."]
    return f"def {kind}({', '.join([*given, '*', *named])}) -> Statistic: ..."


def _column(type_: ColumnType) -> str:
    bound = {ColumnType.INTEGER: "int", ColumnType.NUMBER: "Quantity", ColumnType.DATE: "datetime.date | str"}.get(
        type_
    )
    given = [f"lower: {bound}", f"upper: {bound}"] if type_ in ORDERED else []
    given += ["*categories: str"] if type_ is ColumnType.CATEGORY else ["*"]
    named = [f"{name}: {PROPERTIES[name]} = ..." for name, each in COLUMN_OPTIONS.items() if _is_named(name, type_)]
    return f"def {type_.value}({', '.join([*given, *named])}) -> {REFERENCES[type_].__name__}: ..."


def _is_named(name: str, type_: ColumnType) -> bool:
    return name not in {"lower", "upper", "categories", "made"} and type_ in COLUMN_OPTIONS[name].types


def stub() -> str:
    """Return the text of the stub, formatted."""
    names = sorted([*PLACES, *(each.value for each in ColumnType), "error", "per"])
    kinds = [_kind(kind, KINDS[kind]) for kind in sorted(PLACES)]
    text = "\n".join([HEAD.replace("NAMES", repr(names)), *map(_column, sorted(ColumnType)), *kinds, TAIL])
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", "stub.pyi", "-"]
    return subprocess.run(command, input=text, text=True, capture_output=True, check=True).stdout
