"""Readers of a statistic's options: each knows its shape in a plan file and its JSON Schema."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from dprelease.model.column import Column, ColumnType
from dprelease.model.report import MAX_NUMBER, NUMBER, Report, as_decimal, join, nearest
from dprelease.model.schema import Schema


def text_shape(*, longest: int = 200, shortest: int = 0) -> dict[str, Any]:
    """What `Report.text` accepts, as JSON Schema."""
    return {"type": "string", "minLength": shortest, "maxLength": longest, "pattern": r"^[^\u0000]*$"}


def number_shape(**limits: float) -> dict[str, Any]:
    """What `Report.decimal` accepts, within limits: a number, or text that holds one. Text is held to no limits."""
    return {"type": ["number", "string"], "pattern": f"^{NUMBER}$", **limits}


def whole_shape(lowest: int, highest: int) -> dict[str, Any]:
    """What `Report.integer` accepts, as JSON Schema."""
    return number_shape(minimum=lowest, maximum=highest) | {"type": ["integer", "string"]}


class Option(ABC):
    """Reads one value of a statistic in a plan file."""

    @abstractmethod
    def read(self, value: Any, path: str, report: Report) -> Any:
        """The value, or None with a problem added."""

    @abstractmethod
    def json_schema(self) -> dict[str, Any]:
        """What `read` accepts, as JSON Schema."""

    def columns(self, value: Any) -> tuple[str, ...]:
        """The columns that a read value names."""
        return ()

    def check(self, value: Any, path: str, schema: Schema, report: Report) -> None:
        """Adds problems that show only beside the declared columns."""

    def write(self, value: Any) -> Any:
        """The value as in a plan file."""
        return value


def option(reader: Option, *, default: Any = dataclasses.MISSING) -> Any:
    """A dataclass field read by `reader`; required unless a default is given."""
    if default is dataclasses.MISSING:
        return dataclasses.field(metadata={"option": reader})
    return dataclasses.field(default=default, metadata={"option": reader})


@dataclass(frozen=True)
class ColumnName(Option):
    """A declared column of one of the given types."""

    types: Collection[ColumnType]

    def read(self, value: Any, path: str, report: Report) -> Any:
        return report.text(value, path, shortest=1) or None

    def columns(self, value: Any) -> tuple[str, ...]:
        return () if value is None else (value,)

    def check(self, value: Any, path: str, schema: Schema, report: Report) -> None:
        if value is not None:
            check_column(value, path, self.types, schema, report)

    def json_schema(self) -> dict[str, Any]:
        return text_shape(shortest=1)


@dataclass(frozen=True)
class ColumnNames(Option):
    """A list of different declared columns."""

    types: Collection[ColumnType]
    fewest: int = 1
    most: int = 8

    def read(self, value: Any, path: str, report: Report) -> Any:
        items = report.sequence(value, path, longest=self.most)
        names = tuple(report.text(item, f"{path}[{index}]", shortest=1) for index, item in enumerate(items))
        if items and len(items) < self.fewest:
            report.add(path, found=f"{len(items)} columns", allowed=f"at least {self.fewest}")
        if len(set(names)) != len(names):
            report.add(path, found="a column named twice", allowed="each column once")
        return names

    def columns(self, value: Any) -> tuple[str, ...]:
        return tuple(value)

    def check(self, value: Any, path: str, schema: Schema, report: Report) -> None:
        for index, name in enumerate(value):
            check_column(name, f"{path}[{index}]", self.types, schema, report)

    def write(self, value: Any) -> Any:
        return list(value)

    def json_schema(self) -> dict[str, Any]:
        return {
            "type": "array",
            "items": text_shape(shortest=1),
            "minItems": self.fewest,
            "maxItems": self.most,
            "uniqueItems": True,
        }


@dataclass(frozen=True)
class Whole(Option):
    """A whole number in a range."""

    lowest: int
    highest: int

    def read(self, value: Any, path: str, report: Report) -> Any:
        return report.integer(value, path, lowest=self.lowest, highest=self.highest)

    def json_schema(self) -> dict[str, Any]:
        return whole_shape(self.lowest, self.highest)


@dataclass(frozen=True)
class WholeByColumn(Option):
    """A mapping from columns to whole numbers in a range."""

    lowest: int
    highest: int

    def read(self, value: Any, path: str, report: Report) -> Any:
        if not isinstance(value, dict) or not value:
            report.add(path, found=value, allowed="a mapping of column names to whole numbers")
            return ()
        pairs = (
            (str(name), report.integer(item, join(path, str(name)), lowest=self.lowest, highest=self.highest))
            for name, item in value.items()
        )
        return tuple((name, number) for name, number in pairs if number is not None)

    def write(self, value: Any) -> Any:
        return dict(value)

    def json_schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": whole_shape(self.lowest, self.highest),
        }


@dataclass(frozen=True)
class Probabilities(Option):
    """A list of different probabilities strictly between 0 and 1, with at most 6 decimals; sorted."""

    def read(self, value: Any, path: str, report: Report) -> Any:
        probabilities = []
        for index, item in enumerate(report.sequence(value, path, longest=99)):
            number = as_decimal(item)
            if number is None or not 0 < number < 1 or (number * 10**6) % 1 != 0:
                report.add(f"{path}[{index}]", found=item, allowed="a number between 0 and 1 with at most 6 decimals")
            else:
                probabilities.append(number)
        if len(set(probabilities)) != len(probabilities):
            report.add(path, found="a probability given twice", allowed="each once")
        return tuple(sorted(probabilities))

    def write(self, value: Any) -> Any:
        return [float(item) for item in value]

    def json_schema(self) -> dict[str, Any]:
        return {
            "type": "array",
            "items": number_shape(exclusiveMinimum=0, exclusiveMaximum=1),
            "minItems": 1,
            "maxItems": 99,
            "uniqueItems": True,
        }


@dataclass(frozen=True)
class Values(Option):
    """A list of at least two values, numbers or ISO dates. Whether they are declared shows beside the schema."""

    longest: int

    def read(self, value: Any, path: str, report: Report) -> Any:
        items = report.sequence(value, path, longest=self.longest)
        if items and len(items) < 2:
            report.add(path, found="one value", allowed="at least two")
        for index, item in enumerate(items):
            if isinstance(item, bool):
                report.add(f"{path}[{index}]", found=item, allowed="a number or a date such as 2025-12-31")
        return tuple(report.scalar(item, f"{path}[{index}]") for index, item in enumerate(items))

    def write(self, value: Any) -> Any:
        return [float(item) if isinstance(item, Decimal) else item for item in value]

    def json_schema(self) -> dict[str, Any]:
        return {
            "type": "array",
            "items": text_shape() | {"type": ["number", "string"], "minimum": -MAX_NUMBER, "maximum": MAX_NUMBER},
            "minItems": 2,
            "maxItems": self.longest,
        }


def check_column(name: str, path: str, types: Collection[ColumnType], schema: Schema, report: Report) -> Column | None:
    """The declared column of one of the types, or None with a problem."""
    if name not in schema:
        report.add(
            path,
            found=name,
            allowed="a declared column",
            remedy=nearest(name, schema.columns) or f"Declare {name!r} under columns.",
        )
        return None
    column = schema[name]
    if column.type not in types:
        report.add(
            path,
            found=f"{name!r}, a {column.type} column",
            allowed="a column of type " + ", ".join(sorted(type_.value for type_ in types)),
        )
        return None
    return column
