"""Neighbouring tables, and a column's values as whole numbers: read from a plan as JSON states it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any


@dataclass(frozen=True, slots=True)
class World:
    """Two tables are neighbours where one has a unit more (`substitute` False), or one unit other rows (True)."""

    substitute: bool
    rows: int
    """At most so many rows of a unit are kept; a unit that is a row has one."""
    groups: int
    """In at most so many groups a unit is counted, where units or discovered names are."""
    identified: bool
    """True if units are told apart by an identifier, rather than being rows."""

    @classmethod
    def read(cls, privacy: Mapping[str, Any]) -> World:
        """Read the block `privacy` of a plan."""
        unit, substitute = privacy["unit"], {"substitute": True, "add_remove": False}[privacy["neighbors"]]
        if unit == "row":
            return cls(substitute, 1, 1, identified=False)
        rows = int(unit["max_rows"])
        return cls(substitute, rows, min(rows, int(unit.get("max_groups") or rows)), identified=True)


@dataclass(frozen=True, slots=True)
class DeclaredCodes:
    """A column's declared values as whole numbers: lowest, lowest + 1, ..., lowest + steps, in steps of its lattice."""

    lowest: int
    steps: int
    listed: bool
    """True if the values are categories, which have no order."""
    exact: bool
    """True if each value stands for itself alone: not so of numbers, which lie between two steps."""
    discovered: bool = False

    @property
    def many(self) -> int:
        """Number of declared values."""
        return self.steps + 1

    @property
    def highest(self) -> int:
        return self.lowest + self.steps

    @staticmethod
    def place(column: Mapping[str, Any], value: Any) -> int:
        """Return a declared value of an ordered column as a whole number."""
        if column["type"] == "date":
            return date.fromisoformat(value).toordinal()
        return _whole(_decimal(value) / _decimal(column.get("resolution") or 1))

    @classmethod
    def read(cls, column: Mapping[str, Any]) -> DeclaredCodes:
        """Read a column of the block `columns` of a plan."""
        type_ = column["type"]
        if type_ == "boolean":
            return cls(0, 1, listed=True, exact=True)
        if type_ == "category":
            if column["categories"] == "discover":
                return cls(0, 0, listed=True, exact=True, discovered=True)
            return cls(0, len(column["categories"]) - 1 + bool(column.get("other")), listed=True, exact=True)
        if type_ == "date":
            first, last = (date.fromisoformat(column[end]).toordinal() for end in ("lower", "upper"))
            return cls(first, last - first, listed=False, exact=True)
        step = _decimal(column.get("resolution") or 1)
        first, last = (_whole(_decimal(column[end]) / step) for end in ("lower", "upper"))
        return cls(first, last - first, listed=False, exact=type_ == "integer")


def _decimal(number: Any) -> Decimal:
    return Decimal(str(number))


def _whole(number: Decimal) -> int:
    if number != number.to_integral_value():
        raise ValueError("a bound that is no multiple of the resolution")
    return int(number)
