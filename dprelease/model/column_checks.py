"""What shows only beside a column's type, or beside another of its properties."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from dprelease.model.column_fields import LISTED, MAX_CATEGORIES, ORDERED, ColumnType, options_of
from dprelease.model.lattice import MAX_STEPS
from dprelease.model.level import check_bands, check_groups
from dprelease.model.missing import BLANKS, Code, CodeRange, as_text, usable
from dprelease.model.randomized import check_randomized
from dprelease.model.report import Report, as_decimal, join, read_date, sound
from dprelease.words import NOTHING, Figure, phrase, quoted

if TYPE_CHECKING:
    from dprelease.model.column import Column

OTHER = "other"
"""The cell of undeclared values, where a column asks for one."""


def check_values(column: Column, path: str, report: Report) -> None:
    """Adds problems of what decides which values there are: name, bounds, categories."""
    if not column.name or len(column.name) > 200 or not sound(column.name):
        report.add(path, found=column.name, allowed=phrase("model.name_1_200_characters"))
    for name, option in options_of(column).items():
        if not option.checked and column.type not in option.types and getattr(column, name) != option.default:
            option.refuse(column.type, name, join(path, name), report)
    if column.type in ORDERED:
        _check_bounds(column, path, report)
    elif column.lower is not None or column.upper is not None or column.resolution is not None:
        found = phrase("model.bounds_resolution_column", type=column.type)
        report.add(path, found=found, allowed=phrase("model.only_integer_number_date"))
    listed, is_category = join(path, "categories"), column.type is ColumnType.CATEGORY
    if column.discover:
        if not is_category or column.categories or column.other or column.complete:
            found = phrase("model.categories_discover_beside_declared")
            report.add(listed, found=found, allowed=phrase("model.categories_discover_alone_category"))
    elif is_category:
        if not 1 <= len(column.categories) <= MAX_CATEGORIES:
            count = phrase("model.categories", count=len(column.categories))
            allowed = phrase("model.1_declared_categories", max_categories=MAX_CATEGORIES)
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


def check_rest(column: Column, path: str, report: Report) -> None:
    """Adds problems of what needs declared values: which of them stand for others, or for no answer; levels."""
    filled = column.count_missing_as
    if filled is not None and (column.type is ColumnType.TEXT or column.code(filled) is None):
        allowed = phrase("model.declared_value_between_column")
        report.add(join(path, "count_missing_as"), found=filled, allowed=allowed)
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
    elif any(_stands_for(column, code, value) for value in _meant(column)):
        found, allowed = phrase("model.code_also_declared_value"), phrase("model.code_neither_category_nor")
    else:
        return
    report.add(path, found=found, allowed=allowed, remedy=remedy)


def _meant(column: Column) -> tuple[Any, ...]:
    """Values that no code may be: a listed column's own, and the one that missing values count as."""
    own = ("false", "true") if column.type is ColumnType.BOOLEAN else column.categories
    return own if column.type in LISTED or not column.complete else (column.count_missing_as,)


def _stands_for(column: Column, code: Code, value: Any) -> bool:
    found = read_date(value) if column.type is ColumnType.DATE else as_decimal(value)
    if isinstance(code, CodeRange):
        return found is not None and code.holds(found)
    return code == (str(value).strip(BLANKS) if column.type in LISTED else found)
