"""One column's public metadata: type, bounds on a lattice, or declared categories."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import date
from decimal import Decimal
from typing import Any

from dprelease.errors import SchemaError
from dprelease.model import column_fields as of
from dprelease.model.column_fields import CATEGORY, LEVELLED, ColumnOption, SheetPosition, Widget, column_option
from dprelease.model.column_fields import CODED as CODED
from dprelease.model.column_fields import DISCOVER as DISCOVER
from dprelease.model.column_fields import LISTED as LISTED
from dprelease.model.column_fields import NUMERIC as NUMERIC
from dprelease.model.column_fields import ORDERED as ORDERED
from dprelease.model.column_fields import ColumnType as ColumnType
from dprelease.model.encoding import plain
from dprelease.model.form import FORMS, KEY, READING, Form, again, settled, told
from dprelease.model.lattice import MAX_STEPS, Lattice
from dprelease.model.level import Level, check_bands, check_groups
from dprelease.model.made import MADE, Function
from dprelease.model.missing import (
    BLANKS,
    CLIPPED,
    CODES,
    FILLED,
    Code,
    CodeRange,
    OutsideAnswer,
    as_day,
    as_number,
    as_text,
    usable,
)
from dprelease.model.randomized import Randomized, check_randomized
from dprelease.model.report import Report, as_decimal, join, read_date, sound
from dprelease.words import NOTHING, Figure, phrase, quoted, verbatim

MAX_DESCRIPTION = 2000
OTHER = "other"
"""The cell of undeclared values, where a column asks for one."""


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
    lower: Decimal | date | None = column_option(of.BOUND, types=ORDERED, required=True, refused=False, width=95)
    upper: Decimal | date | None = column_option(of.BOUND, types=ORDERED, required=True, refused=False, width=95)
    resolution: Decimal | None = column_option(
        of.STEP, types=NUMERIC, idle=frozenset({ColumnType.DATE}), refused=False, width=110, rank=SheetPosition.RARE
    )
    """Distance between neighbouring values. Where nobody states it, it follows from the bounds."""
    unit: str = column_option(of.text(), default="", width=110, rank=SheetPosition.WORDS)
    """Unit of measure, such as years or EUR."""
    categories: tuple[str, ...] = column_option(
        of.CATEGORIES, types=CATEGORY, default=(), required=True, refused=False, width=200
    )
    other: bool = column_option(
        of.FLAG, types=CATEGORY, default=False, refused=False, width=75, rank=SheetPosition.RARE
    )
    discover: bool = column_option(
        of.DISCOVERY, key="categories", types=CATEGORY, default=False, refused=False, width=75, rank=SheetPosition.RARE
    )
    """True if the list of categories is published by a mechanism of its own, with δ > 0."""
    missing_codes: tuple[Code, ...] | None = column_option(of.MISSING, types=CODED, refused=False, width=250)
    """Codes for a missing answer. None: nobody said whether there are such codes."""
    reading: Form | None = column_option(READING, types=CODED, width=250, rank=SheetPosition.RARE)
    """Written form of its cells. None: as docs/reading.md says, and no other way."""
    made: Function | None = column_option(MADE, types=CODED)
    """Function that computes it from other columns, row by row. None: it is stored."""
    outside: OutsideAnswer = column_option(of.OUTSIDE, types=ORDERED, default=CLIPPED, refused=False, width=160)
    """Treatment of values beyond the bounds of an ordered column."""
    levels: tuple[Level, ...] = column_option(of.LEVELS, types=LEVELLED, default=(), refusal=of.no_levels)
    """Coarser ways to tell its values apart: of category and integer columns. Those of dates are the calendar's."""
    count_missing_as: Any = column_option(of.DECLARED, types=CODED, refused=False, width=145, rank=SheetPosition.RARE)
    """The declared value that rows without one count as."""
    randomized: Randomized | None = column_option(of.ANSWERS, types=LISTED, refused=False)
    """Randomized response applied to each answer before it arrived; None where there was none."""
    description: str = column_option(
        of.text(MAX_DESCRIPTION), default="", widget=Widget.AREA, width=220, rank=SheetPosition.WORDS
    )
    lattice: Lattice = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        report, path = Report(), f"columns.{self.name}"
        _check_values(self, path, report)
        report.raise_any(SchemaError)
        object.__setattr__(self, "lattice", self._lattice())
        if self.reading is not None:
            form = settled(self.reading, (self.lower, self.upper), self.categories, join(path, KEY), report)
            report.raise_any(SchemaError)
            object.__setattr__(self, KEY, form)
        if self.missing_codes is not None:
            codes = tuple(dict.fromkeys(map(self._compared, self.missing_codes)))
            object.__setattr__(self, "missing_codes", codes)
        _check_rest(self, path, report)
        report.raise_any(SchemaError)

    @classmethod
    def read(cls, name: str, declared: object, path: str, report: Report) -> Column | None:
        """Read `{type: ..., lower: ..., ...}`; None where it has problems, which are added."""
        before = len(report.problems)
        if isinstance(declared, Mapping) and "missing" in declared:
            declared = {key: item for key, item in declared.items() if key != "missing"}
            report.add(
                join(path, "missing"),
                found=phrase("model.key_missing"),
                allowed=verbatim(f"{CODES} or {FILLED}"),
                remedy=phrase("model.write_missing_codes_codes"),
            )
        given = report.mapping(declared, path, allowed=COLUMN_KEYS, required=("type",))
        kind, kinds = given.get("type"), [type_.value for type_ in ColumnType]
        if kind is None or report.choice(kind, join(path, "type"), kinds) is None:
            return None
        type_, values = ColumnType(kind), {}
        for field_, option in COLUMN_OPTIONS.items():
            key = option.key or field_
            if given.get(key) is None:
                continue
            if type_ in option.types or not option.refused:
                values[field_] = option.reader.read(given[key], type_, join(path, key), report)
                if key not in SHARED_KEYS and option.is_idle(given[key], values[field_], type_):
                    option.refuse(type_, key, join(path, key), report)
            else:
                option.refuse(type_, key, join(path, key), report)
        if values.get("resolution") is None and type_ in NUMERIC:
            values["resolution"] = _default_resolution(type_, values.get("lower"), values.get("upper"))
        if len(report.problems) > before:
            return None
        try:
            return cls(name=name, type=type_, **values)
        except SchemaError as error:
            prefix = path.removesuffix(name).removesuffix(".")
            report.problems += [replace(each, path=each.path.replace("columns", prefix, 1)) for each in error.problems]
            return None

    def _compared(self, code: Code) -> Code:
        """Return a code as this column compares it: by value where its values are numbers or days, else by text."""
        if isinstance(code, CodeRange):
            return code
        if self.type in NUMERIC:
            return as_number(code)
        return as_day(code) if self.type is ColumnType.DATE else as_text(code)

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
        """Number of codes of the column: 0..codes-1."""
        return self.lattice.steps + 1

    @property
    def complete(self) -> bool:
        """True if every row has a code."""
        return self.count_missing_as is not None

    def read_like(self, former: Column | None) -> Column:
        """Return the column with the reading of another declaration of it, of one type, where it has none itself."""
        if self.reading is not None or former is None or former.reading is None or former.type is not self.type:
            return self
        if self.made is not None:
            return self
        return replace(self, reading=again(former.reading, self.categories))

    def with_codes(self, codes: Collection[Code]) -> Column:
        """Return the column with those of some codes added that its type can have: of all columns, beside its own."""
        if self.type is ColumnType.TEXT or self.made is not None:
            return self
        fitting = (
            code for code in codes if not isinstance(code, CodeRange) or code.days is (self.type is ColumnType.DATE)
        )
        return replace(self, missing_codes=(*(self.missing_codes or ()), *fitting))

    def has_between(self, code: Code) -> bool:
        """Return True if a code, or a part of a range, lies between the bounds, where it would be a value."""
        if self.type not in ORDERED or self.lower is None or self.upper is None or isinstance(code, str):
            return False
        if isinstance(code, CodeRange):
            ends = [end for end in (code.low, code.high) if end is not None]
            return code.holds(self.lower) or code.holds(self.upper) or any(map(self.has_between, ends))
        return CodeRange(self.lower, self.upper).holds(code)

    @property
    def reading_told(self) -> str:
        """Written form of its cells, shown by examples; empty where none is declared."""
        return told(self.reading, whole=self.type is ColumnType.INTEGER) if self.reading else ""

    @property
    def labels(self) -> tuple[str, ...]:
        """The cells of a listed column, in declared order."""
        if self.type is ColumnType.BOOLEAN:
            return ("false", "true")
        return (*self.categories, OTHER) if self.other else self.categories

    def value(self, code: int) -> int | float | str:
        """Return the declared value that a code stands for: a number, an ISO date, or a category."""
        if self.type in LISTED:
            return self.labels[code]
        if self.type is ColumnType.DATE:
            return date.fromordinal(self.lattice.start + code).isoformat()
        return plain((self.lattice.start + code) * self.lattice.resolution)

    def code(self, value: object) -> int | None:
        """Return the code of a declared value that lies on the lattice (or among the categories), else None."""
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
        """Return the mapping as in a plan file, without the name."""
        result: dict[str, Any] = {"type": self.type.value}
        for name, option in COLUMN_OPTIONS.items():
            value = getattr(self, name)
            if value != option.default:
                result[option.key or name] = option.reader.write(value)
        return result


COLUMN_OPTIONS: Mapping[str, ColumnOption] = {
    item.name: item.metadata["option"] for item in fields(Column) if item.metadata
}
"""Declarable column properties, by their names."""
COLUMN_KEYS = ("type", *dict.fromkeys(option.key or name for name, option in COLUMN_OPTIONS.items()))
"""Keys allowed in a column's declaration."""
SHARED_KEYS = frozenset(option.key for option in COLUMN_OPTIONS.values() if option.key)
"""Keys that each declare one of several properties."""


def keys_of(type_: ColumnType | str | None) -> frozenset[str]:
    """Return the keys allowed in the declaration of a column of a type; without a type, those common to all types."""
    kinds = frozenset(ColumnType) if type_ is None else {ColumnType(type_)}
    return frozenset(
        ("type", *(option.key or name for name, option in COLUMN_OPTIONS.items() if kinds <= option.types))
    )


def _check_values(column: Column, path: str, report: Report) -> None:
    """Add problems of what decides which values there are: name, bounds, categories."""
    if not column.name or len(column.name) > 200 or not sound(column.name):
        report.add(path, found=column.name, allowed=phrase("model.name_1_200_characters"))
    for name, option in COLUMN_OPTIONS.items():
        if option.refused and column.type not in option.types and getattr(column, name) != option.default:
            option.refuse(column.type, name, join(path, name), report)
    if column.type in ORDERED:
        _check_bounds(column, path, report)
    elif column.lower is not None or column.upper is not None or column.resolution is not None:
        found = phrase("model.bounds_resolution_column", type=column.type)
        report.add(path, found=found, allowed=phrase("model.only_integer_number_date"))
    if column.type in CODED and not isinstance(column.reading, FORMS[column.type] | None):
        allowed = phrase("model.reading_of_type", type=column.type)
        report.add(join(path, KEY), found=type(column.reading).__name__, allowed=allowed)
    listed, is_category = join(path, "categories"), column.type is ColumnType.CATEGORY
    if column.discover:
        if not is_category or column.categories or column.other or column.complete:
            found = phrase("model.categories_discover_beside_declared")
            report.add(listed, found=found, allowed=phrase("model.categories_discover_alone_category"))
    elif is_category:
        if not 1 <= len(column.categories) <= of.MAX_CATEGORIES:
            count = phrase("model.categories", count=len(column.categories))
            allowed = phrase("model.1_declared_categories", max_categories=of.MAX_CATEGORIES)
            report.add(listed, found=count, allowed=allowed, remedy=phrase("model.list_or_discover"))
        if len(set(column.categories)) != len(column.categories):
            once = phrase("model.each_category_once")
            report.add(listed, found=phrase("model.category_declared_twice"), allowed=once)
        if column.other and OTHER in column.categories:
            found = phrase("model.category_named", other=quoted(OTHER))
            allowed = phrase("model.another_name_since_other", other=quoted(OTHER))
            report.add(join(path, "other"), found=found, allowed=allowed)
    elif column.categories or column.other:
        found = phrase("model.categories_column", type=column.type)
        report.add(listed, found=found, allowed=phrase("model.only_category_columns"))


def _check_bounds(column: Column, path: str, report: Report) -> None:
    lower, upper, step = column.lower, column.upper, column.resolution
    if lower is None or upper is None:
        remedy = phrase("model.declare_range_values_can")
        report.add(path, found=phrase("model.no_bounds"), allowed=phrase("model.both_lower_upper"), remedy=remedy)
        return
    if not lower < upper:  # type: ignore[operator]
        allowed = phrase("model.more_than_lower", lower=Figure(as_text(lower)))
        report.add(join(path, "upper"), found=as_text(upper), allowed=allowed)
        return
    if isinstance(lower, date):
        return
    assert step is not None and isinstance(upper, Decimal)
    place = join(path, "resolution")
    if step <= 0:
        report.add(place, found=step, allowed=phrase("model.number_above_0"))
        return
    if column.type is ColumnType.INTEGER and step != step.to_integral_value():
        report.add(place, found=step, allowed=phrase("model.whole_number_integer_column"))
    if (upper - lower) / step > MAX_STEPS:
        allowed = phrase("model.at_most_steps_between", max_steps=MAX_STEPS)
        report.add(place, found=step, allowed=allowed, remedy=phrase("model.choose_coarser_resolution"))
        return
    multiple = phrase("model.whole_multiple_resolution", resolution=step)
    remedy = phrase("model.round_bound_outwards_choose")
    for name, bound in (("lower", lower), ("upper", upper)):
        if bound % step != 0:
            report.add(join(path, name), found=bound, allowed=multiple, remedy=remedy)


def _check_rest(column: Column, path: str, report: Report) -> None:
    """Add problems of what needs declared values: which of them stand for others, or for no answer; levels."""
    filled = column.count_missing_as
    if filled is not None and (column.type is ColumnType.TEXT or column.code(filled) is None):
        allowed = phrase("model.declared_value_between_column")
        report.add(join(path, "count_missing_as"), found=filled, allowed=allowed)
    if column.made is not None:
        for key in ("reading", "missing_codes", "discover", "randomized"):
            if getattr(column, key):
                place = join(path, COLUMN_OPTIONS[key].key or key)
                report.add(place, found=phrase("model.made_without_cells"), allowed=phrase("model.made_of_inputs"))
    if column.outside and column.type not in ORDERED:
        found = phrase("model.outside_column", type=column.type)
        report.add(join(path, "outside"), found=found, allowed=phrase("model.only_columns_bounds"))
    for index, code in enumerate(column.missing_codes or ()):
        _check_code(column, code, f"{join(path, 'missing_codes')}[{index}]", report)
    check_randomized(column, column.type in LISTED, path, report)
    other = OTHER if column.other else None
    for index, level in enumerate(column.levels):
        place = f"{join(path, 'levels')}.{level.name}"
        if column.type is ColumnType.INTEGER:
            check_bands(level, column.lattice, place, report)
        else:
            check_groups(column.levels, index, column.categories, place, report, other=other)


def _check_code(column: Column, code: Code, path: str, report: Report) -> None:
    found: object
    own: tuple[Any, ...] = (column.count_missing_as,) if column.complete else ()
    if column.type in LISTED:  # `other` is a cell, and no value of theirs
        own = ("false", "true") if column.type is ColumnType.BOOLEAN else column.categories
    remedy, of_days, bounds = NOTHING, column.type is ColumnType.DATE, (column.lower, column.upper)
    if column.type is ColumnType.TEXT:
        found, allowed = phrase("model.code_text_column"), phrase("model.only_columns_declared_values")
        remedy = phrase("model.codes_identifier_declared_where")
    elif not usable(code):
        found, allowed = as_text(code), phrase("model.number_at_most_15")  # type: ignore[arg-type]
    elif isinstance(code, CodeRange) and code.days is not of_days:
        found = phrase("model.another_range")
        allowed = phrase("model.range_days") if of_days else phrase("model.range_numbers")
    elif isinstance(code, CodeRange) and column.type in ORDERED and all(map(code.holds, bounds)):
        found, allowed = phrase("model.range_all_values_between"), phrase("model.codes_few_values")
    elif any(_stands_for(column, code, value) for value in own):
        found, allowed = phrase("model.code_also_declared_value"), phrase("model.code_neither_category_nor")
    else:
        return
    report.add(path, found=found, allowed=allowed, remedy=remedy)


def _stands_for(column: Column, code: Code, value: Any) -> bool:
    found = read_date(value) if column.type is ColumnType.DATE else as_decimal(value)
    if isinstance(code, CodeRange):
        return found is not None and code.holds(found)
    return code == (str(value).strip(BLANKS) if column.type in LISTED else found)


def _default_resolution(type_: ColumnType, lower: object, upper: object) -> Decimal:
    """Return 1 for integers; for numbers the largest power of ten with at least 10,000 steps that fits both bounds."""
    if (
        type_ is ColumnType.INTEGER
        or not isinstance(lower, Decimal)
        or not isinstance(upper, Decimal)
        or lower >= upper
    ):
        return Decimal(1)
    exponent = (upper - lower).adjusted() - 4
    for power in range(exponent, exponent - 6, -1):
        resolution = Decimal(1).scaleb(power)
        if lower % resolution == 0 and upper % resolution == 0:
            return resolution
    return Decimal(1).scaleb(exponent)
