"""One column's public metadata: type, bounds on a lattice, or declared categories."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import Any

from dprelease.errors import SchemaError
from dprelease.model.column_checks import OTHER, check_rest, check_values
from dprelease.model.column_fields import (
    CODED,
    DISCOVER,
    LISTED,
    MAX_CATEGORIES,
    NUMERIC,
    ORDERED,
    Answers,
    Beyond,
    Bound,
    Categories,
    Codes,
    ColumnOption,
    ColumnType,
    Declared,
    Discover,
    Flag,
    Levels,
    Rank,
    Step,
    Text,
    Widget,
    column_option,
    options_of,
)
from dprelease.model.encoding import plain
from dprelease.model.lattice import Lattice
from dprelease.model.level import Level
from dprelease.model.missing import CLIPPED, CODES, FILLED, Code, CodeRange, Outside, as_day, as_number, as_text
from dprelease.model.randomized import Randomized
from dprelease.model.report import Report, as_decimal, join, read_date
from dprelease.words import phrase, verbatim

__all__ = [
    "CODED",
    "COLUMN_KEYS",
    "COLUMN_OPTIONS",
    "DISCOVER",
    "LISTED",
    "MAX_CATEGORIES",
    "NUMERIC",
    "ORDERED",
    "OTHER",
    "Column",
    "ColumnType",
]

CATEGORIES = frozenset({ColumnType.CATEGORY})
MAX_DESCRIPTION = 2000


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
    lower: Decimal | date | None = column_option(Bound(), types=ORDERED, required=True, checked=True, width=95)
    upper: Decimal | date | None = column_option(Bound(), types=ORDERED, required=True, checked=True, width=95)
    resolution: Decimal | None = column_option(Step(), types=NUMERIC, checked=True, width=110, rank=Rank.RARE)
    """What neighbouring values are apart. Where nobody says it, it follows from the bounds."""
    unit: str = column_option(Text(), default="", width=110, rank=Rank.WORDS)
    """Unit of measure, such as years or EUR."""
    categories: tuple[str, ...] = column_option(
        Categories(), types=CATEGORIES, default=(), required=True, checked=True, widget=Widget.AREA, width=200
    )
    other: bool = column_option(
        Flag(), types=CATEGORIES, default=False, checked=True, widget=Widget.CHECK, width=75, rank=Rank.RARE
    )
    discover: bool = column_option(
        Discover(),
        key="categories",
        types=CATEGORIES,
        default=False,
        checked=True,
        widget=Widget.CHECK,
        width=75,
        rank=Rank.RARE,
    )
    """Which categories there are is published by a mechanism of its own, with δ > 0."""
    missing_codes: tuple[Code, ...] | None = column_option(Codes(), types=CODED, checked=True, width=250)
    """What stands for no answer. None: nobody said whether there are such codes."""
    outside: Outside = column_option(
        Beyond(), types=ORDERED, default=CLIPPED, checked=True, widget=Widget.SELECT, width=160
    )
    """What values beyond the bounds of an ordered column count as."""
    levels: tuple[Level, ...] = column_option(
        Levels(),
        types=frozenset({ColumnType.CATEGORY, ColumnType.INTEGER}),
        default=(),
        refusal=Levels.refusal,
        widget=Widget.AREA,
    )
    """Coarser ways to tell its values apart: of category and integer columns. Those of dates are the calendar's."""
    count_missing_as: Any = column_option(Declared(), types=CODED, checked=True, width=145, rank=Rank.RARE)
    """The declared value that rows without one count as."""
    randomized: Randomized | None = column_option(Answers(), types=LISTED, checked=True)
    """How each answer was changed before it arrived; None where it was not."""
    description: str = column_option(Text(MAX_DESCRIPTION), default="", widget=Widget.AREA, width=220, rank=Rank.WORDS)
    lattice: Lattice = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        report, path = Report(), f"columns.{self.name}"
        check_values(self, path, report)
        report.raise_any(SchemaError)
        object.__setattr__(self, "lattice", self._lattice())
        if self.missing_codes is not None:
            codes = tuple(dict.fromkeys(map(self._compared, self.missing_codes)))
            object.__setattr__(self, "missing_codes", codes)
        check_rest(self, path, report)
        report.raise_any(SchemaError)

    @classmethod
    def read(cls, name: str, declared: object, path: str, report: Report) -> Column | None:
        """Reads `{type: ..., lower: ..., ...}`; None where it has problems, which are added."""
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
        if given.get("type") is None:
            return None
        kind = report.choice(given["type"], join(path, "type"), [kind.value for kind in ColumnType])
        if kind is None:
            return None
        type_, values = ColumnType(kind), {}
        for field_, option in COLUMN_OPTIONS.items():
            key = option.key or field_
            if given.get(key) is None:
                continue
            if type_ in option.types or option.checked:
                values[field_] = option.reader.read(given[key], type_, join(path, key), report)
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
        """A code as this column compares it: by value where its values are numbers or days, else by text."""
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
        for name, option in COLUMN_OPTIONS.items():
            value = getattr(self, name)
            if value != option.default:
                result[option.key or name] = option.reader.write(value)
        return result


COLUMN_OPTIONS: Mapping[str, ColumnOption] = options_of(Column)
"""What is declared of a column's properties, by their names."""
COLUMN_KEYS = ("type", *dict.fromkeys(option.key or name for name, option in COLUMN_OPTIONS.items()))
"""What may stand in a declaration."""


def _default_resolution(type_: ColumnType, lower: object, upper: object) -> Decimal:
    """1 for integers; for numbers the largest power of ten with at least 10,000 steps that both bounds lie on."""
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
