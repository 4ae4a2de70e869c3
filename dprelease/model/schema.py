"""Public metadata of a table: declared by the curator, never read off the rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal
from typing import Any

from dprelease.errors import Problem, SchemaError
from dprelease.model.column import DISCOVER, MAX_CATEGORIES, NUMERIC, Column, ColumnType
from dprelease.model.level import Level, read_levels
from dprelease.model.missing import CODES, Outside, read_codes
from dprelease.model.randomized import Randomized
from dprelease.model.report import Report, join, nearest, read_date
from dprelease.model.texts import Texts
from dprelease.words import NOTHING, phrase, quoted, verbatim

MAX_COLUMNS = 10_000
MAX_DESCRIPTION = 2000


@dataclass(frozen=True, slots=True)
class Schema:
    """The declared columns of a table, in order."""

    columns: Mapping[str, Column]
    texts: Texts = field(default_factory=Texts, compare=False)
    """What readers call them: it decides no number."""

    @classmethod
    def parse(cls, value: object, *, path: str = "columns") -> Schema:
        """Reads `{name: {type: ..., lower: ..., ...}}`; raises SchemaError with every problem."""
        report = Report()
        schema = cls.read(value, path, report)
        report.raise_any(SchemaError)
        return schema

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> Schema:
        """Reads the same, adding problems to a report; columns with problems are left out."""
        if not isinstance(value, Mapping) or not 1 <= len(value) <= MAX_COLUMNS:
            report.add(
                path,
                found=value if not isinstance(value, Mapping) else phrase("model.columns", count=len(value)),
                allowed=phrase("model.mapping_1_column_names", max_columns=MAX_COLUMNS),
            )
            return cls({})
        columns = {}
        for name, declared in value.items():
            column = _read_column(str(name), declared, join(path, str(name)), report)
            if column is not None:
                columns[column.name] = column
        return cls(columns)

    def called(self, texts: Texts) -> Schema:
        """The same columns, by what readers call them."""
        return Schema(self.columns, texts)

    def label(self, name: str, language: str) -> str:
        """What readers of a language call a column: its name where it has no label."""
        own = self.texts.columns.get(name)
        return (self.texts.said(own.label, language)[0] if own else "") or name

    def unit(self, name: str, language: str) -> str:
        """What readers of a language call a column's unit of measure; empty where it has none."""
        own, declared = self.texts.columns.get(name), self.columns.get(name)
        said = self.texts.said(own.unit, language)[0] if own else ""
        return said or ("" if declared is None else declared.unit)

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    def get(self, name: str | None) -> Column | None:
        """Returns the column of a name; None where no such column is declared."""
        return self.columns.get(name) if name is not None else None

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns.values())

    def updated(self, other: Schema) -> Schema:
        """This schema with the other's columns replacing or joining it."""
        return Schema({**self.columns, **other.columns})

    def to_mapping(self) -> dict[str, Any]:
        return {column.name: column.to_mapping() for column in self}


FILLED = "count_missing_as"
RANDOMIZED = "randomized"
LEVELS = "levels"
TWO_KEYS = phrase("model.write_missing_codes_codes")
COLUMN_KEYS = (
    "type",
    "lower",
    "upper",
    "resolution",
    "categories",
    "other",
    CODES,
    "outside",
    FILLED,
    RANDOMIZED,
    LEVELS,
    "unit",
    "description",
)


def _read_column(name: str, declared: object, path: str, report: Report) -> Column | None:
    before = len(report.problems)
    if isinstance(declared, Mapping) and "missing" in declared:
        declared = {key: item for key, item in declared.items() if key != "missing"}
        report.add(
            join(path, "missing"),
            found=phrase("model.key_missing"),
            allowed=verbatim(f"{CODES} or {FILLED}"),
            remedy=TWO_KEYS,
        )
    fields = report.mapping(declared, path, allowed=COLUMN_KEYS, required=("type",))
    kind = (
        report.choice(fields["type"], join(path, "type"), [kind.value for kind in ColumnType])
        if fields.get("type") is not None
        else None
    )
    if kind is None:
        return None
    type_ = ColumnType(kind)
    bounds = {key: _read_bound(type_, fields.get(key), join(path, key), report) for key in ("lower", "upper")}
    resolution = None
    if fields.get("resolution") is not None and type_ is not ColumnType.DATE:
        resolution = report.decimal(fields["resolution"], join(path, "resolution"))
    elif fields.get("resolution") not in (None, 1) or fields.get("resolution") is True:
        report.add(
            join(path, "resolution"), found=fields["resolution"], allowed=phrase("model.nothing_dates_counted_days")
        )
    if resolution is None and type_ in NUMERIC:
        resolution = _default_resolution(type_, bounds["lower"], bounds["upper"])
    categories: tuple[str, ...] = ()
    discover = fields.get("categories") == DISCOVER
    if fields.get("categories") is not None and not discover:
        items = report.sequence(fields["categories"], join(path, "categories"), longest=MAX_CATEGORIES)
        categories = tuple(
            report.text(_category(item), f"{join(path, 'categories')}[{index}]") for index, item in enumerate(items)
        )
    other = report.flag(fields["other"], join(path, "other")) if fields.get("other") is not None else False
    given = {key: fields[key] for key in (CODES, "outside", FILLED, RANDOMIZED) if fields.get(key) is not None}
    codes = read_codes(given[CODES], join(path, CODES), report) if CODES in given else None
    outside = Outside.read(given["outside"], join(path, "outside"), report) if "outside" in given else Outside()
    filled = report.scalar(given[FILLED], join(path, FILLED)) if FILLED in given else None
    told = Randomized.read(given[RANDOMIZED], join(path, RANDOMIZED), report) if RANDOMIZED in given else None
    levels = _read_levels(type_, fields.get(LEVELS), join(path, LEVELS), report)
    unit = report.optional_text(fields, "unit", path)
    description = report.optional_text(fields, "description", path, longest=MAX_DESCRIPTION)
    if len(report.problems) > before:
        return None
    try:
        return Column(
            name=name,
            type=type_,
            **bounds,
            resolution=resolution,
            categories=categories,
            other=other,
            discover=discover,
            missing_codes=codes,
            outside=outside,
            count_missing_as=_category(filled) if type_ is ColumnType.CATEGORY and filled is not None else filled,
            randomized=told,
            levels=levels,
            unit=unit,
            description=description,
        )
    except SchemaError as error:
        prefix = path.removesuffix(name).removesuffix(".")
        report.problems.extend(error.problems if prefix == "columns" else _moved(error, prefix))
        return None


def _read_levels(type_: ColumnType, value: object, path: str, report: Report) -> tuple[Level, ...]:
    if value is None:
        return ()
    if type_ not in (ColumnType.CATEGORY, ColumnType.INTEGER):
        report.add(
            path,
            found=phrase("model.levels_column", type=type_),
            allowed=phrase("model.only_category_integer_levels"),
            remedy=phrase("model.dates_have_calendar") if type_ is ColumnType.DATE else NOTHING,
        )
        return ()
    return read_levels(value, path, report, listed=type_ is not ColumnType.INTEGER)


def _moved(error: SchemaError, prefix: str) -> list[Problem]:
    return [replace(problem, path=problem.path.replace("columns", prefix, 1)) for problem in error.problems]


def _category(item: object) -> object:
    if isinstance(item, bool):
        return "true" if item else "false"
    return str(item) if isinstance(item, int | Decimal | float) else item


def _read_bound(type_: ColumnType, value: object, path: str, report: Report) -> Decimal | date | None:
    if value is None:
        return None
    if type_ is ColumnType.DATE:
        day = read_date(value)
        if day is None:
            report.add(path, found=value, allowed=phrase("model.date_such_2025_12"))
        return day
    if type_ is ColumnType.INTEGER:
        number = report.decimal(value, path, allowed=phrase("model.whole_number"))
        if number is not None and number != number.to_integral_value():
            report.add(path, found=value, allowed=phrase("model.whole_number_integer_column"))
            return None
        return number
    return report.decimal(value, path)


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


def check_column(
    name: str, path: str, types: Collection[ColumnType], schema: Schema, report: Report, *, discover: bool = False
) -> Column | None:
    """The declared column of one of the types, or None with a problem. `discover`: also with undeclared categories."""
    if name not in schema:
        report.add(
            path,
            found=name,
            allowed=phrase("model.declared_column"),
            remedy=nearest(name, schema.columns) or phrase("model.declare_under_columns", name=quoted(name)),
        )
        return None
    column = schema[name]
    if column.type not in types:
        report.add(
            path,
            found=phrase("model.column", name=quoted(name), type=column.type),
            allowed=phrase("model.column_type", types=", ".join(sorted(type_.value for type_ in types))),
        )
        return None
    if column.discover and not discover:
        report.add(
            path,
            found=phrase("model.whose_categories_declared", name=quoted(name)),
            allowed=phrase("model.column_declared_values"),
            remedy=phrase("model.declare_categories_only_histogram"),
        )
        return None
    return column
