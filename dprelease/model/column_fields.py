"""Properties of a column: how each is read and written, which types have it, and how the columns page asks for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Any

from dprelease.model.encoding import plain
from dprelease.model.level import Level, read_levels
from dprelease.model.missing import OutsideAnswer, read_codes, to_list
from dprelease.model.randomized import Randomized
from dprelease.model.report import Report, as_decimal, read_date
from dprelease.words import NOTHING, Phrase, phrase, quoted

MAX_CATEGORIES = 100_000
DISCOVER = "discover"
"""Key that stands instead of a list of categories."""


class ColumnType(StrEnum):
    INTEGER = "integer"
    NUMBER = "number"
    CATEGORY = "category"
    BOOLEAN = "boolean"
    DATE = "date"
    TEXT = "text"


NUMERIC = frozenset({ColumnType.INTEGER, ColumnType.NUMBER})
ORDERED = NUMERIC | {ColumnType.DATE}
CATEGORY = frozenset({ColumnType.CATEGORY})
LISTED = CATEGORY | {ColumnType.BOOLEAN}
CODED = ORDERED | LISTED
LEVELLED = CATEGORY | {ColumnType.INTEGER}


class Widget(StrEnum):
    """Input control for a property."""

    LINE = "line"
    AREA = "area"
    CHECK = "check"
    SELECT = "select"


class SheetPosition(StrEnum):
    """Position of a property in the sheet, from left to right."""

    USUAL = "1"
    RARE = "2"
    WORDS = "3"
    """Words for readers, which decide no number."""


@dataclass(frozen=True, eq=False)
class FieldReader:
    """Reader and writer of one property as in a plan file."""

    read: Callable[[Any, ColumnType, str, Report], Any]
    """The value, or one that means nothing with a problem added."""
    write: Callable[[Any], Any] = lambda value: value
    widget: Widget = Widget.LINE
    choices: Mapping[str, Any] = field(default_factory=dict)
    """Values in a plan file by the word that a person chooses; empty where there is no choice."""
    longest: int = 0
    """Maximum length of text for readers."""


Refusal = Callable[[ColumnType], tuple[Phrase, Phrase, Phrase]]
"""Problem found, allowed values, and remedy, for a column type."""


@dataclass(frozen=True, kw_only=True)
class ColumnOption:
    """Single declaration of a column property."""

    reader: FieldReader
    default: Any
    types: frozenset[ColumnType] = frozenset(ColumnType)
    idle: frozenset[ColumnType] = frozenset()
    """Further types on which it may be said, and changes nothing."""
    key: str = ""
    """Key in a plan file; empty where it is the property's name."""
    required: bool = False
    """True if every column of its types must have it."""
    refused: bool = True
    """True if the property itself is refused on other types; else `Column` refuses it, beside others."""
    refusal: Refusal | None = None
    """Refusal message, where it has words of its own."""
    widget: Widget
    width: int = 0
    """Width in the sheet, in pixels. 0: it is not there, and not changed in several columns at once."""
    rank: SheetPosition = SheetPosition.USUAL

    def is_idle(self, given: Any, value: Any, type_: ColumnType) -> bool:
        """Return True if a given value changes nothing, on a type that has no such property."""
        allowed = self.types | self.idle
        return type_ not in allowed and value in (self.default, ()) and given is not self.default

    def refuse(self, type_: ColumnType, name: str, path: str, report: Report) -> None:
        """Add that a column of this type cannot have it."""
        found = phrase("model.key_on_type", key=quoted(name), type=type_)
        allowed = phrase("model.column_type", types=", ".join(sorted(self.types)))
        remedy = phrase("model.delete_key_of_type", key=quoted(name))
        if self.refusal is not None:
            found, allowed, remedy = self.refusal(type_)
        report.add(path, found=found, allowed=allowed, remedy=remedy)


def column_option(reader: FieldReader, *, default: Any = None, widget: Widget | None = None, **declared: Any) -> Any:
    """Return a field of `Column` read by `reader`, with what else `ColumnOption` has of it."""
    option = ColumnOption(reader=reader, default=default, widget=widget or reader.widget, **declared)
    return field(default=default, metadata={"option": option})


def _bound(value: Any, type_: ColumnType, path: str, report: Report) -> Decimal | date | None:
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


def _step(value: Any, type_: ColumnType, path: str, report: Report) -> Decimal | None:
    """Read the step of a column; of days it is 1, which may be said and changes nothing."""
    if type_ is not ColumnType.DATE:
        return report.decimal(value, path)
    if value != 1 or value is True:
        report.add(path, found=value, allowed=phrase("model.nothing_dates_counted_days"))
    return None


def _categories(value: Any, type_: ColumnType, path: str, report: Report) -> tuple[str, ...]:
    items = [] if value == DISCOVER else report.sequence(value, path, longest=MAX_CATEGORIES)
    return tuple(report.text(_category(item), f"{path}[{index}]") for index, item in enumerate(items))


def _declared(value: Any, type_: ColumnType, path: str, report: Report) -> Any:
    """Return a value of a column of this type: a text of one is it, so that a declaration is one however it came."""
    found = report.scalar(value, path)
    if type_ is ColumnType.CATEGORY and found is not None:
        return _category(found)
    if type_ is ColumnType.BOOLEAN:
        return {"true": True, "false": False}.get(str(found).lower(), found)
    if type_ in NUMERIC and isinstance(found, str):
        return found if (number := as_decimal(found)) is None else number
    return found


def _levels(value: Any, type_: ColumnType, path: str, report: Report) -> tuple[Level, ...]:
    return read_levels(value, path, report, listed=type_ is not ColumnType.INTEGER)


def no_levels(type_: ColumnType) -> tuple[Phrase, Phrase, Phrase]:
    """Return the refusal of levels: only some columns have them; those of dates need no declaration."""
    remedy = phrase("model.dates_have_calendar") if type_ is ColumnType.DATE else NOTHING
    return phrase("model.levels_column", type=type_), phrase("model.only_category_integer_levels"), remedy


def text(longest: int = 200) -> FieldReader:
    """Return the field reader of a text for readers."""
    return FieldReader(lambda value, _, path, report: report.text(value, path, longest=longest), longest=longest)


def _category(item: object) -> object:
    if isinstance(item, bool):
        return "true" if item else "false"
    return str(item) if isinstance(item, int | Decimal | float) else item


BOUND = FieldReader(_bound, lambda value: value.isoformat() if isinstance(value, date) else plain(value))
STEP = FieldReader(_step, plain)
CATEGORIES = FieldReader(_categories, list, Widget.AREA)
DISCOVERY = FieldReader(lambda value, *_: value == DISCOVER, lambda value: DISCOVER, Widget.CHECK)
FLAG = FieldReader(lambda value, _, path, report: report.flag(value, path), widget=Widget.CHECK)
MISSING = FieldReader(lambda value, _, path, report: read_codes(value, path, report), to_list)
ENDS: Mapping[str, Any] = {
    "clip": "clip",
    "missing": "missing",
    "below": {"below": "missing", "above": "clip"},
    "above": {"below": "clip", "above": "missing"},
}
OUTSIDE = FieldReader(
    lambda value, _, path, report: OutsideAnswer.read(value, path, report),
    OutsideAnswer.to_mapping,
    Widget.SELECT,
    ENDS,
)
DECLARED = FieldReader(_declared, lambda value: plain(value) if isinstance(value, Decimal) else value)
ANSWERS = FieldReader(lambda value, _, path, report: Randomized.read(value, path, report), Randomized.to_mapping)
LEVELS = FieldReader(_levels, lambda value: {level.name: level.to_value() for level in value}, Widget.AREA)
