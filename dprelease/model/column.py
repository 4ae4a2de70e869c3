"""One column's public metadata: type, bounds on a lattice, or declared categories."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any

from dprelease.errors import SchemaError
from dprelease.model.encoding import plain
from dprelease.model.report import Report, as_decimal, join, sound

MAX_CATEGORIES = 100_000
DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
MAX_STEPS = 2**31 - 2
"""The finest lattice: codes stay below 2^31, so that a product of two fits 62 bits."""


class ColumnType(StrEnum):
    INTEGER = "integer"
    NUMBER = "number"
    CATEGORY = "category"
    BOOLEAN = "boolean"
    DATE = "date"
    TEXT = "text"


NUMERIC = frozenset({ColumnType.INTEGER, ColumnType.NUMBER})
ORDERED = NUMERIC | {ColumnType.DATE}
LISTED = frozenset({ColumnType.CATEGORY, ColumnType.BOOLEAN})
CODED = ORDERED | LISTED


@dataclass(frozen=True, slots=True)
class Lattice:
    """The declared values of an ordered column: lower, lower + resolution, ..., upper, with codes 0..steps."""

    start: int
    """lower / resolution"""
    steps: int
    """K = (upper - lower) / resolution; the largest code"""
    resolution: Decimal
    """In the column's own units; a day for dates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One declared column.

    Ordered columns (integer, number, date) have bounds; values outside are clipped to them. Listed columns
    (category, boolean) have declared values; others go to the cell `other`, if declared, or are dropped.
    A text column can only be an identifier. Null and NaN, and what cannot be read, are dropped, unless `missing` names
    the declared value that they count as. The values of a column with `discover` are not declared.
    """

    name: str
    type: ColumnType
    lower: Decimal | date | None = None
    upper: Decimal | date | None = None
    resolution: Decimal | None = None
    categories: tuple[str, ...] = ()
    other: bool = False
    discover: bool = False
    """Which categories there are is published by a mechanism of its own, with δ > 0."""
    missing: Any = None
    """The declared value of rows that have none."""
    unit: str = ""
    """Unit of measure, such as years or EUR."""
    description: str = ""
    lattice: Lattice = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        report = Report()
        self._check(report, f"columns.{self.name}")
        report.raise_any(SchemaError)
        object.__setattr__(self, "lattice", self._lattice())
        if self.missing is not None and (self.type is ColumnType.TEXT or self.code(self.missing) is None):
            report.add(
                f"columns.{self.name}.missing",
                found=self.missing,
                allowed="a declared value: between the column's bounds and on its lattice, or a category",
            )
        report.raise_any(SchemaError)

    def _check(self, report: Report, path: str) -> None:
        if not self.name or len(self.name) > 200 or not sound(self.name):
            report.add(path, found=self.name, allowed="a name of 1 to 200 characters")
        if self.type in ORDERED:
            self._check_bounds(report, path)
        elif self.lower is not None or self.upper is not None or self.resolution is not None:
            report.add(
                path,
                found=f"bounds or a resolution on a {self.type} column",
                allowed="only on integer, number and date columns",
            )
        if self.discover:
            if self.type is not ColumnType.CATEGORY or self.categories or self.other or self.missing is not None:
                report.add(
                    join(path, "categories"),
                    found="categories to discover beside declared ones",
                    allowed="`categories: discover` alone, on a category column",
                )
        elif self.type is ColumnType.CATEGORY:
            if not 1 <= len(self.categories) <= MAX_CATEGORIES:
                report.add(
                    join(path, "categories"),
                    found=f"{len(self.categories)} categories",
                    allowed=f"1 to {MAX_CATEGORIES} declared categories",
                )
            if len(set(self.categories)) != len(self.categories):
                report.add(join(path, "categories"), found="a category declared twice", allowed="each category once")
            if self.other and OTHER in self.categories:
                report.add(
                    join(path, "other"),
                    found=f"a category named {OTHER!r}",
                    allowed=f"another name, since `other: true` adds the cell {OTHER!r}",
                )
        elif self.categories or self.other:
            report.add(
                join(path, "categories"),
                found=f"categories on a {self.type} column",
                allowed="only on category columns",
            )

    def _check_bounds(self, report: Report, path: str) -> None:
        if self.lower is None or self.upper is None:
            report.add(
                path,
                found="no bounds",
                allowed="both lower and upper",
                remedy="Declare the range the values can have, from general knowledge, not from the data.",
            )
            return
        if not self.lower < self.upper:  # type: ignore[operator]
            report.add(join(path, "upper"), found=_text(self.upper), allowed=f"more than lower ({_text(self.lower)})")
            return
        if isinstance(self.lower, date):
            return
        assert self.resolution is not None and isinstance(self.upper, Decimal)
        if self.resolution <= 0:
            report.add(join(path, "resolution"), found=self.resolution, allowed="a number above 0")
            return
        if self.type is ColumnType.INTEGER and self.resolution != self.resolution.to_integral_value():
            report.add(
                join(path, "resolution"),
                found=self.resolution,
                allowed="a whole number for an integer column",
            )
        if (self.upper - self.lower) / self.resolution > MAX_STEPS:
            report.add(
                join(path, "resolution"),
                found=self.resolution,
                allowed=f"at most {MAX_STEPS} steps between the bounds",
                remedy="Choose a coarser resolution.",
            )
            return
        for name, bound in (("lower", self.lower), ("upper", self.upper)):
            if bound % self.resolution != 0:
                report.add(
                    join(path, name),
                    found=bound,
                    allowed=f"a whole multiple of the resolution ({self.resolution})",
                    remedy="Round the bound outwards, or choose a finer resolution.",
                )

    def _lattice(self) -> Lattice:
        if self.type in LISTED:
            return Lattice(0, len(self.labels) - 1, Decimal(1))
        if isinstance(self.lower, date) and isinstance(self.upper, date):
            return Lattice(self.lower.toordinal(), (self.upper - self.lower).days, Decimal(1))
        if isinstance(self.lower, Decimal) and isinstance(self.upper, Decimal) and self.resolution is not None:
            return Lattice(
                int(self.lower / self.resolution),
                int((self.upper - self.lower) / self.resolution),
                self.resolution,
            )
        return Lattice(0, 0, Decimal(1))

    @property
    def codes(self) -> int:
        """How many codes the column has: 0..codes-1."""
        return self.lattice.steps + 1

    @property
    def complete(self) -> bool:
        """Whether every row has a code."""
        return self.missing is not None

    @property
    def labels(self) -> tuple[str, ...]:
        """The cells of a listed column, in declared order."""
        if self.type is ColumnType.BOOLEAN:
            return ("false", "true")
        return (*self.categories, OTHER) if self.other else self.categories

    def value(self, code: int) -> int | float | str:
        """The declared value that a code stands for: a number, an ISO date, or a category."""
        if self.type in LISTED:
            return self.labels[code]
        if self.type is ColumnType.DATE:
            return (date.fromordinal(self.lattice.start) + timedelta(days=code)).isoformat()
        return plain((self.lattice.start + code) * self.lattice.resolution)

    def code(self, value: object) -> int | None:
        """The code of a declared value that lies on the lattice (or among the categories), else None."""
        if self.type in LISTED:
            text = ("true" if value else "false") if isinstance(value, bool) else str(value)
            return self.labels.index(text) if text in self.labels else None
        if self.type is ColumnType.DATE:
            day = read_date(value)
            steps = None if day is None else Decimal(day.toordinal() - self.lattice.start)
        else:
            number = as_decimal(value)
            steps = None if number is None else number / self.lattice.resolution - self.lattice.start
        if steps is None or steps != steps.to_integral_value() or not 0 <= steps <= self.lattice.steps:
            return None
        return int(steps)

    def to_mapping(self) -> dict[str, Any]:
        """As in a plan file, without the name."""
        result: dict[str, Any] = {"type": self.type.value}
        for name in ("lower", "upper", "resolution"):
            value = getattr(self, name)
            if value is not None:
                result[name] = value.isoformat() if isinstance(value, date) else plain(value)
        if self.discover:
            result["categories"] = DISCOVER
        elif self.categories:
            result["categories"] = list(self.categories)
        if self.other:
            result["other"] = True
        if self.missing is not None:
            result["missing"] = plain(self.missing) if isinstance(self.missing, Decimal) else self.missing
        for name in ("unit", "description"):
            if getattr(self, name):
                result[name] = getattr(self, name)
        return result


DISCOVER = "discover"
"""Instead of a list of categories."""
OTHER = "other"
"""The cell of undeclared values, where a column asks for one."""


def read_date(value: object) -> date | None:
    """A day, or text such as 2025-12-31; None for anything else, also a time of day."""
    if isinstance(value, date):
        return None if isinstance(value, datetime) else value
    try:
        return date.fromisoformat(value) if isinstance(value, str) and re.fullmatch(DAY, value) else None
    except ValueError:
        return None


def _text(value: object) -> str:
    return value.isoformat() if isinstance(value, date) else f"{value:f}"
