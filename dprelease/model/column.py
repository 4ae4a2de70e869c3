"""One column's public metadata: type, bounds on a lattice, or declared categories."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Any

from dprelease.errors import SchemaError
from dprelease.model.encoding import plain
from dprelease.model.lattice import MAX_STEPS, Lattice
from dprelease.model.level import Level, check_bands, check_groups
from dprelease.model.missing import (
    BLANKS,
    CLIPPED,
    Code,
    CodeRange,
    Outside,
    as_day,
    as_number,
    as_text,
    to_list,
    usable,
)
from dprelease.model.randomized import Randomized, check_randomized
from dprelease.model.report import Report, as_decimal, join, read_date, sound
from dprelease.words import Figure, phrase, quoted

MAX_CATEGORIES = 100_000


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One declared column.

    Ordered columns (integer, number, date) have bounds; values outside are clipped to them, or have no value. Listed
    columns (category, boolean) have declared values; others go to the cell `other`, if declared, or are dropped.
    A text column can only be an identifier. Rows without a value (by a code, null, NaN, unreadable or `outside`) are
    dropped, unless `count_missing_as` names the declared value that they count as. The values of a column with
    `discover` are not declared.
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
    missing_codes: tuple[Code, ...] | None = None
    """What stands for no answer. None: nobody said whether there are such codes."""
    outside: Outside = CLIPPED
    """What values beyond the bounds of an ordered column count as."""
    count_missing_as: Any = None
    """The declared value that rows without one count as."""
    randomized: Randomized | None = None
    """How each answer was changed before it arrived; None where it was not."""
    levels: tuple[Level, ...] = ()
    """Coarser ways to tell its values apart: of category and integer columns. Those of dates are the calendar's."""
    unit: str = ""
    """Unit of measure, such as years or EUR."""
    description: str = ""
    lattice: Lattice = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        report = Report()
        self._check(report, f"columns.{self.name}")
        report.raise_any(SchemaError)
        object.__setattr__(self, "lattice", self._lattice())
        filled = self.count_missing_as
        if filled is not None and (self.type is ColumnType.TEXT or self.code(filled) is None):
            report.add(
                f"columns.{self.name}.count_missing_as",
                found=filled,
                allowed=phrase("model.declared_value_between_column"),
            )
        self._check_missing(report, f"columns.{self.name}")
        check_randomized(self, self.type in LISTED, f"columns.{self.name}", report)
        self._check_levels(report, f"columns.{self.name}.levels")
        report.raise_any(SchemaError)

    def _check(self, report: Report, path: str) -> None:
        if not self.name or len(self.name) > 200 or not sound(self.name):
            report.add(path, found=self.name, allowed=phrase("model.name_1_200_characters"))
        if self.type in ORDERED:
            self._check_bounds(report, path)
        elif self.lower is not None or self.upper is not None or self.resolution is not None:
            report.add(
                path,
                found=phrase("model.bounds_resolution_column", type=self.type),
                allowed=phrase("model.only_integer_number_date"),
            )
        listed = join(path, "categories")
        if self.discover:
            if self.type is not ColumnType.CATEGORY or self.categories or self.other or self.complete:
                report.add(
                    listed,
                    found=phrase("model.categories_discover_beside_declared"),
                    allowed=phrase("model.categories_discover_alone_category"),
                )
        elif self.type is ColumnType.CATEGORY:
            if not 1 <= len(self.categories) <= MAX_CATEGORIES:
                count = phrase("model.categories", count=len(self.categories))
                allowed = phrase("model.1_declared_categories", max_categories=MAX_CATEGORIES)
                report.add(listed, found=count, allowed=allowed, remedy=phrase("model.list_or_discover"))
            if len(set(self.categories)) != len(self.categories):
                once = phrase("model.each_category_once")
                report.add(listed, found=phrase("model.category_declared_twice"), allowed=once)
            if self.other and OTHER in self.categories:
                report.add(
                    join(path, "other"),
                    found=phrase("model.category_named", other=quoted(OTHER)),
                    allowed=phrase("model.another_name_since_other", other=quoted(OTHER)),
                )
        elif self.categories or self.other:
            found = phrase("model.categories_column", type=self.type)
            report.add(listed, found=found, allowed=phrase("model.only_category_columns"))

    def _check_bounds(self, report: Report, path: str) -> None:
        if self.lower is None or self.upper is None:
            report.add(
                path,
                found=phrase("model.no_bounds"),
                allowed=phrase("model.both_lower_upper"),
                remedy=phrase("model.declare_range_values_can"),
            )
            return
        if not self.lower < self.upper:  # type: ignore[operator]
            report.add(
                join(path, "upper"),
                found=_text(self.upper),
                allowed=phrase("model.more_than_lower", lower=Figure(_text(self.lower))),
            )
            return
        if isinstance(self.lower, date):
            return
        assert self.resolution is not None and isinstance(self.upper, Decimal)
        if self.resolution <= 0:
            report.add(join(path, "resolution"), found=self.resolution, allowed=phrase("model.number_above_0"))
            return
        if self.type is ColumnType.INTEGER and self.resolution != self.resolution.to_integral_value():
            report.add(
                join(path, "resolution"),
                found=self.resolution,
                allowed=phrase("model.whole_number_integer_column"),
            )
        if (self.upper - self.lower) / self.resolution > MAX_STEPS:
            report.add(
                join(path, "resolution"),
                found=self.resolution,
                allowed=phrase("model.at_most_steps_between", max_steps=MAX_STEPS),
                remedy=phrase("model.choose_coarser_resolution"),
            )
            return
        multiple = phrase("model.whole_multiple_resolution", resolution=self.resolution)
        remedy = phrase("model.round_bound_outwards_choose")
        for name, bound in (("lower", self.lower), ("upper", self.upper)):
            if bound % self.resolution != 0:
                report.add(join(path, name), found=bound, allowed=multiple, remedy=remedy)

    def _check_levels(self, report: Report, path: str) -> None:
        other = OTHER if self.other else None
        for place, level in enumerate(self.levels):
            if self.type is ColumnType.INTEGER:
                check_bands(level, self.lattice, join(path, level.name), report)
            else:
                check_groups(self.levels, place, self.categories, join(path, level.name), report, other=other)

    def _check_missing(self, report: Report, path: str) -> None:
        if self.outside and self.type not in ORDERED:
            report.add(
                join(path, "outside"),
                found=phrase("model.outside_column", type=self.type),
                allowed=phrase("model.only_columns_bounds"),
            )
        if self.missing_codes is None:
            return
        codes = tuple(dict.fromkeys(self._compared(code) for code in self.missing_codes))
        object.__setattr__(self, "missing_codes", codes)
        for index, code in enumerate(codes):
            self._check_code(code, f"{join(path, 'missing_codes')}[{index}]", report)

    def _compared(self, code: Code) -> Code:
        """A code as this column compares it: by value where its values are numbers or days, else by text."""
        if isinstance(code, CodeRange):
            return code
        if self.type in NUMERIC:
            return as_number(code)
        return as_day(code) if self.type is ColumnType.DATE else as_text(code)

    def _check_code(self, code: Code, path: str, report: Report) -> None:
        if self.type is ColumnType.TEXT:
            report.add(
                path,
                found=phrase("model.code_text_column"),
                allowed=phrase("model.only_columns_declared_values"),
                remedy=phrase("model.codes_identifier_declared_where"),
            )
        elif not usable(code):
            report.add(path, found=as_text(code), allowed=phrase("model.number_at_most_15"))  # type: ignore[arg-type]
        elif isinstance(code, CodeRange) and code.days is not (self.type is ColumnType.DATE):
            allowed = phrase("model.range_days") if self.type is ColumnType.DATE else phrase("model.range_numbers")
            report.add(path, found=phrase("model.another_range"), allowed=allowed)
        elif isinstance(code, CodeRange) and self.type in ORDERED and code.holds(self.lower) and code.holds(self.upper):
            report.add(path, found=phrase("model.range_all_values_between"), allowed=phrase("model.codes_few_values"))
        elif any(self._stands_for(code, label) for label in self._meant()):
            report.add(
                path,
                found=phrase("model.code_also_declared_value"),
                allowed=phrase("model.code_neither_category_nor"),
            )

    def _meant(self) -> tuple[Any, ...]:
        """Values that no code may be: a listed column's own, and the one that missing values count as."""
        own = ("false", "true") if self.type is ColumnType.BOOLEAN else self.categories
        return own if self.type in LISTED or not self.complete else (self.count_missing_as,)

    def _stands_for(self, code: Code, value: Any) -> bool:
        found = read_date(value) if self.type is ColumnType.DATE else as_decimal(value)
        if isinstance(code, CodeRange):
            return found is not None and code.holds(found)
        return code == (str(value).strip(BLANKS) if self.type in LISTED else found)

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
        """Tells how many codes the column has: 0..codes-1."""
        return self.lattice.steps + 1

    @property
    def complete(self) -> bool:
        """Tells whether every row has a code."""
        return self.count_missing_as is not None

    def with_codes(self, codes: Collection[Code]) -> Column:
        """The column with those of some codes added that its type can have: of all columns, beside its own."""
        if self.type is ColumnType.TEXT:
            return self
        fitting = (
            code for code in codes if not isinstance(code, CodeRange) or code.days is (self.type is ColumnType.DATE)
        )
        return replace(self, missing_codes=(*(self.missing_codes or ()), *fitting))

    def has_between(self, code: Code) -> bool:
        """Tells whether a code, or a part of a range, lies between the bounds, where it would be a value."""
        if self.type not in ORDERED or self.lower is None or self.upper is None or isinstance(code, str):
            return False
        if isinstance(code, CodeRange):
            ends = [end for end in (code.low, code.high) if end is not None]
            return code.holds(self.lower) or code.holds(self.upper) or any(map(self.has_between, ends))
        return CodeRange(self.lower, self.upper).holds(code)

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
            return date.fromordinal(self.lattice.start + code).isoformat()
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
        """Returns it as in a plan file, without the name."""
        result: dict[str, Any] = {"type": self.type.value}
        for name in ("lower", "upper", "resolution"):
            value = getattr(self, name)
            if value is not None:
                result[name] = value.isoformat() if isinstance(value, date) else plain(value)
        if self.discover or self.categories:
            result["categories"] = DISCOVER if self.discover else list(self.categories)
        if self.other:
            result["other"] = True
        if self.missing_codes is not None:
            result["missing_codes"] = to_list(self.missing_codes)
        for name in ("outside", "randomized"):
            if getattr(self, name):
                result[name] = getattr(self, name).to_mapping()
        if self.complete:
            filled = self.count_missing_as
            result["count_missing_as"] = plain(filled) if isinstance(filled, Decimal) else filled
        if self.levels:
            result["levels"] = {level.name: level.to_value() for level in self.levels}
        for name in ("unit", "description"):
            if getattr(self, name):
                result[name] = getattr(self, name)
        return result


DISCOVER = "discover"
"""Instead of a list of categories."""
OTHER = "other"
"""The cell of undeclared values, where a column asks for one."""


def _text(value: object) -> str:
    return value.isoformat() if isinstance(value, date) else f"{value:f}"
