"""Properties of a column: how each is read and written, which types have it, and how the columns page asks for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Any, ClassVar

from dprelease.model.encoding import plain
from dprelease.model.level import Level, read_levels
from dprelease.model.missing import Outside, read_codes, to_list
from dprelease.model.randomized import Randomized
from dprelease.model.report import Report, read_date
from dprelease.words import NOTHING, Phrase, phrase, quoted

MAX_CATEGORIES = 100_000
DISCOVER = "discover"
"""Instead of a list of categories."""


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


class Property(ABC):
    """Reads and writes one property of a column of a plan file."""

    @abstractmethod
    def read(self, value: Any, type_: ColumnType, path: str, report: Report) -> Any:
        """The value, or one that means nothing with a problem added."""

    def write(self, value: Any) -> Any:
        """The value as in a plan file."""
        return value


class Widget(StrEnum):
    """What a property is typed or chosen in."""

    LINE = "line"
    AREA = "area"
    CHECK = "check"
    SELECT = "select"


class Rank(StrEnum):
    """Where a property stands in the sheet, from left to right."""

    USUAL = "1"
    RARE = "2"
    WORDS = "3"
    """For readers; decides no number."""


Refusal = tuple[Phrase, Phrase, Phrase]
"""What was found, what is allowed, and the remedy."""


@dataclass(frozen=True, kw_only=True)
class ColumnOption:
    """What is declared of a property, once."""

    reader: Property
    default: Any
    types: frozenset[ColumnType] = frozenset(ColumnType)
    key: str = ""
    """In a plan file; empty where it is the property's name."""
    required: bool = False
    """By every column of its types."""
    checked: bool = False
    """Whether `column_checks` refuses it on other types, beside what else stands there."""
    refusal: Callable[[ColumnType], Refusal] | None = None
    """What is said of it on another type, where that has words of its own."""
    widget: Widget = Widget.LINE
    width: int = 0
    """In the sheet, in pixels. 0: it is not there, and not changed in several columns at once."""
    rank: Rank = Rank.USUAL

    def refuse(self, type_: ColumnType, name: str, path: str, report: Report) -> None:
        """Adds that a column of this type cannot have it."""
        found = phrase("model.key_on_type", key=quoted(name), type=type_)
        allowed = phrase("model.column_type", types=", ".join(sorted(self.types)))
        remedy = phrase("model.delete_key_of_type", key=quoted(name))
        if self.refusal is not None:
            found, allowed, remedy = self.refusal(type_)
        report.add(path, found=found, allowed=allowed, remedy=remedy)


def column_option(reader: Property, *, default: Any = None, **declared: Any) -> Any:
    """A field of `Column` read by `reader`, with what else `ColumnOption` has of it."""
    return field(default=default, metadata={"option": ColumnOption(reader=reader, default=default, **declared)})


def options_of(column: Any) -> dict[str, ColumnOption]:
    """What is declared of the properties of `Column`, by their names."""
    return {item.name: item.metadata["option"] for item in fields(column) if "option" in item.metadata}


@dataclass(frozen=True)
class Text(Property):
    """Text for readers."""

    longest: int = 200

    def read(self, value: Any, type_: ColumnType, path: str, report: Report) -> Any:
        return report.text(value, path, longest=self.longest)


@dataclass(frozen=True)
class Flag(Property):
    """Yes or no."""

    def read(self, value: Any, type_: ColumnType, path: str, report: Report) -> Any:
        return report.flag(value, path)


@dataclass(frozen=True)
class Bound(Property):
    """A number or a day that no value goes beyond."""

    def read(self, value: Any, type_: ColumnType, path: str, report: Report) -> Any:
        if type_ is ColumnType.DATE:
            day = read_date(value)
            if day is None:
                report.add(path, found=value, allowed=phrase("model.date_such_2025_12"))
            return day
        if type_ is not ColumnType.INTEGER:
            return report.decimal(value, path)
        number = report.decimal(value, path, allowed=phrase("model.whole_number"))
        if number is not None and number != number.to_integral_value():
            report.add(path, found=value, allowed=phrase("model.whole_number_integer_column"))
            return None
        return number

    def write(self, value: Any) -> Any:
        return value.isoformat() if isinstance(value, date) else plain(value)


@dataclass(frozen=True)
class Step(Property):
    """What neighbouring values are apart; of days 1, which may be said and changes nothing."""

    def read(self, value: Any, type_: ColumnType, path: str, report: Report) -> Any:
        if type_ is not ColumnType.DATE:
            return report.decimal(value, path)
        if value != 1 or value is True:
            report.add(path, found=value, allowed=phrase("model.nothing_dates_counted_days"))
        return None

    def write(self, value: Any) -> Any:
        return plain(value)


@dataclass(frozen=True)
class Categories(Property):
    """A list of values, none of them where they are to be discovered."""

    def read(self, value: Any, type_: ColumnType, path: str, report: Report) -> Any:
        items = [] if value == DISCOVER else report.sequence(value, path, longest=MAX_CATEGORIES)
        return tuple(report.text(_category(item), f"{path}[{index}]") for index, item in enumerate(items))

    def write(self, value: Any) -> Any:
        return list(value)


@dataclass(frozen=True)
class Discover(Property):
    """The word that stands in the place of a list of categories."""

    def read(self, value: Any, type_: ColumnType, path: str, report: Report) -> Any:
        return bool(value == DISCOVER)

    def write(self, value: Any) -> Any:
        return DISCOVER


@dataclass(frozen=True)
class Codes(Property):
    """Values that stand for no answer."""

    def read(self, value: Any, type_: ColumnType, path: str, report: Report) -> Any:
        return read_codes(value, path, report)

    def write(self, value: Any) -> Any:
        return to_list(value)


@dataclass(frozen=True)
class Beyond(Property):
    """What values beyond the bounds count as, at either end."""

    choices: ClassVar[Mapping[str, Any]] = {
        "clip": "clip",
        "missing": "missing",
        "below": {"below": "missing", "above": "clip"},
        "above": {"below": "clip", "above": "missing"},
    }
    """By the word that a person chooses: what stands in a plan file."""

    def read(self, value: Any, type_: ColumnType, path: str, report: Report) -> Any:
        return Outside.read(value, path, report)

    def write(self, value: Any) -> Any:
        return value.to_mapping()


@dataclass(frozen=True)
class Declared(Property):
    """One of the column's own values."""

    def read(self, value: Any, type_: ColumnType, path: str, report: Report) -> Any:
        found = report.scalar(value, path)
        return _category(found) if type_ is ColumnType.CATEGORY and found is not None else found

    def write(self, value: Any) -> Any:
        return plain(value) if isinstance(value, Decimal) else value


@dataclass(frozen=True)
class Answers(Property):
    """How answers were changed before they arrived."""

    def read(self, value: Any, type_: ColumnType, path: str, report: Report) -> Any:
        return Randomized.read(value, path, report)

    def write(self, value: Any) -> Any:
        return value.to_mapping()


@dataclass(frozen=True)
class Levels(Property):
    """Groups of categories, or bands of whole numbers, by the names of levels."""

    def read(self, value: Any, type_: ColumnType, path: str, report: Report) -> tuple[Level, ...]:
        return read_levels(value, path, report, listed=type_ is not ColumnType.INTEGER)

    def write(self, value: Any) -> Any:
        return {level.name: level.to_value() for level in value}

    @staticmethod
    def refusal(type_: ColumnType) -> Refusal:
        """Tells that only some columns have levels, and that those of dates need no declaration."""
        remedy = phrase("model.dates_have_calendar") if type_ is ColumnType.DATE else NOTHING
        return phrase("model.levels_column", type=type_), phrase("model.only_category_integer_levels"), remedy


def _category(item: object) -> object:
    if isinstance(item, bool):
        return "true" if item else "false"
    return str(item) if isinstance(item, int | Decimal | float) else item
