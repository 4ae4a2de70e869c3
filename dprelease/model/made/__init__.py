"""Columns made of other columns: the key `made` of a column, a closed language of total functions of one row.

A made column is computed from the codes of its inputs, so from values that are within their bounds and on their steps.
Its own bounds, steps and categories follow from theirs. As it looks at one row, neighbouring tables stay neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dprelease.model.column_fields import LISTED, ColumnType, FieldReader
from dprelease.model.made.days import Age, DatePart, DaysBetween, MonthsBetween, YearsBetween
from dprelease.model.made.function import (
    CategoryList,
    Columns,
    Ordered,
    Value,
    decimal,
    ends_of,
    exact,
    rounded,
    step_of,
)
from dprelease.model.made.function import Function as Function
from dprelease.model.made.groups import Coalesce, Cut, Prefix, Recode
from dprelease.model.made.numbers import DifferenceFunction, Greatest, Least, RatioFunction, Times, WeightedSum
from dprelease.model.made.tested import Holds, IsKnown
from dprelease.model.made.whole import (
    MAX_PARTS,
    Code,
    Filled,
    Less,
    OverflowValueError,
    Ranged,
    WholeValue,
    choice,
    every,
    whole,
    within,
)
from dprelease.model.missing import End
from dprelease.model.report import FEW_DIGITS, Report, as_decimal, join
from dprelease.words import Figure, phrase, quoted

if TYPE_CHECKING:
    from dprelease.model.column import Column

KEY = "made"
MAX_DEPTH = 4
"""Maximum depth of columns that are made one of another."""
MAX_MADE = 200
FUNCTIONS: Mapping[str, type[Function]] = {
    each.KEY: each
    for each in (
        *(
            DaysBetween,
            MonthsBetween,
            YearsBetween,
            Age,
            WeightedSum,
            DifferenceFunction,
            Times,
            RatioFunction,
            Least,
            Greatest,
        ),
        *(Cut, Recode, Coalesce, DatePart, Prefix, Holds, IsKnown),
    )
}


def read_made(value: object, path: str, report: Report) -> Function | None:
    """Read `{days_between: [admitted, discharged]}`; None where it has problems, which are added."""
    if not isinstance(value, Mapping) or len(value) != 1:
        report.add(path, found=value, allowed=phrase("model.made_one_of", functions=", ".join(FUNCTIONS)))
        return None
    ((key, said),) = value.items()
    if report.choice(key, path, FUNCTIONS) is None:
        return None
    return FUNCTIONS[key].read(said, join(path, key), report)


MADE = FieldReader(
    lambda value, _, path, report: read_made(value, path, report), lambda made: {type(made).KEY: made.to_value()}
)


def declared(name: str, made: Function, columns: Columns, resolution: Decimal | None, path: str, report: Report) -> Any:
    """Return the declaration of a made column that its inputs imply, as in a plan file; None where it has problems."""
    before, place = len(report.problems), join(path, f"{KEY}.{type(made).KEY}")
    for each in made.inputs:
        _check_input(made, columns[each], place, report)
    if len(report.problems) == before:
        made.check(columns, place, report)
    if len(report.problems) > before:
        return None
    result = made.result(columns)
    if result is None:
        return {"type": ColumnType.BOOLEAN.value}
    if isinstance(result, CategoryList):
        other = {"other": True} if result.other else {}
        return {"type": ColumnType.CATEGORY.value, "categories": list(result.categories), **other}
    return _ordered(result, made, resolution, path, report)


def _ordered(result: Ordered, made: Function, resolution: Decimal | None, path: str, report: Report) -> Any:
    if resolution is None and made.ROUNDS:
        report.add(join(path, "resolution"), found=phrase("model.nothing"), allowed=phrase("model.made_resolution"))
        return None
    step = Fraction(resolution) if resolution is not None else result.step
    if step <= 0 or step < result.step:
        allowed = phrase("model.made_coarser", resolution=Figure(decimal(result.step)))
        report.add(join(path, "resolution"), found=resolution, allowed=allowed)
        return None
    low, high = (rounded(end / step) for end in (result.low, result.high))
    if low == high:
        found = phrase("model.made_one_value", value=Figure(decimal(low * step)))
        report.add(join(path, KEY), found=found, allowed=phrase("model.made_two_values"))
        return None
    if result.type is ColumnType.DATE:
        return {"type": result.type.value, "lower": date.fromordinal(low), "upper": date.fromordinal(high)}
    ends = {"lower": decimal(low * step), "upper": decimal(high * step)}
    for end in ends.values():
        if as_decimal(end) is None:
            report.add(join(path, KEY), found=Figure(end), allowed=FEW_DIGITS, remedy=phrase("model.made_narrower"))
            return None
    return {"type": result.type.value, **ends, "resolution": decimal(step)}


def _check_input(made: Function, column: Column, path: str, report: Report) -> None:
    """Add why a column cannot be one that another is made of."""
    if column.type not in made.TAKES:
        types = ", ".join(sorted(each.value for each in made.TAKES))
        found = phrase("model.column", name=quoted(column.name), type=column.type)
        report.add(path, found=found, allowed=phrase("model.column_type", types=types))
    elif column.randomized is not None:
        report.add(path, found=phrase("model.made_randomized", column=column.name), allowed=phrase("model.made_plain"))
    elif column.discover and not isinstance(made, IsKnown):
        found = phrase("model.whose_categories_declared", name=quoted(column.name))
        report.add(path, found=found, allowed=phrase("model.column_declared_values"))


def codes_of(columns: Columns, made: Function) -> dict[str, WholeValue]:
    """Return the codes that a column is made of. One of a discovered column has none, and is known or not."""
    return {name: Code(0, columns[name].lattice.steps, name) for name in made.inputs}


def expression(column: Column, columns: Columns, *, bounded: bool = True) -> WholeValue:
    """Return the code of a made column, by those of its inputs. Raises TooLargeError where a number could overflow.

    Not `bounded`: below 0 or above the last code where it lies beyond the bounds, and none where it has no value.
    """
    made = column.made
    assert made is not None
    codes = codes_of(columns, made)
    amount, result = made.number(columns, codes), made.result(columns)
    code = amount.number
    if isinstance(result, Ordered):
        lattice = column.lattice
        unit = amount.unit / step_of(column)
        over, below = 2 * unit.numerator, unit.denominator
        if isinstance(amount.divisor, WholeValue):
            code = (code * over + amount.divisor * below) // (amount.divisor * (2 * below))
        elif unit != 1:
            code = (code * over + below) // (2 * below)
        first, last = (rounded(end / step_of(column)) - lattice.start for end in (result.low, result.high))
        code = Ranged(first, last, code - lattice.start)
        code = _between_bounds(column, code) if bounded else code
    code = made.guarded(columns, codes, code)
    filled = column.code(column.count_missing_as) if column.complete and bounded else None
    return code if filled is None else Filled(0, column.lattice.steps, code, filled)


def _between_bounds(column: Column, code: WholeValue) -> WholeValue:
    """Return the code that a code beyond the bounds counts as; none is beyond bounds that follow from the inputs."""
    steps, outside = column.lattice.steps, column.outside
    none: list[tuple[Less, None]] = []
    if code.low < 0 and outside.below is End.MISSING:
        none.append((Less(code, whole(0)), None))
    if code.high > steps and outside.above is End.MISSING:
        none.append((Less(whole(steps), code), None))
    kept = within(code, 0, steps)
    return choice(none, kept) if none else kept


def code_made(column: Column, columns: Columns, codes: Mapping[str, int | None]) -> int | None:
    """Return the same code in plain Python: from the values of a row, by `Function.value`."""
    made = column.made
    assert made is not None
    cells = {name: None if (code := codes[name]) is None else _cell(columns[name], code) for name in made.inputs}
    found = _code(column, made.value(cells))
    return column.code(column.count_missing_as) if found is None and column.complete else found


def _cell(column: Column, code: int) -> Value:
    return "" if column.discover else exact(column, code)


def _code(column: Column, value: Value | None) -> int | None:
    if value is None:
        return None
    if column.type in LISTED:
        return column.code(value)
    number = Fraction(value.toordinal()) if isinstance(value, date) else value
    assert isinstance(number, Fraction)
    code, steps = rounded(number / step_of(column)) - column.lattice.start, column.lattice.steps
    if (code < 0 and column.outside.below is End.MISSING) or (code > steps and column.outside.above is End.MISSING):
        return None
    return max(0, min(steps, code))


def is_narrowed(column: Column, columns: Columns) -> bool:
    """Return True if values that follow from the inputs may lie beyond the bounds of a made column."""
    made = column.made
    result = None if made is None else made.result(columns)
    if not isinstance(result, Ordered):
        return False
    step = step_of(column)
    return ends_of(column) != tuple(rounded(end / step) * step for end in (result.low, result.high))


def check_made(column: Column, columns: Columns, path: str, report: Report) -> None:
    """Add a problem where a made column is wider than what it is made of, or could not be computed exactly."""
    made = column.made
    assert made is not None
    result = made.result(columns)
    if isinstance(result, Ordered) and column.type is result.type:
        low, high = (rounded(end / step_of(column)) * step_of(column) for end in (result.low, result.high))
        ends = ends_of(column)
        for key, end, is_wider, least in (("lower", low, ends[0] < low, True), ("upper", high, ends[1] > high, False)):
            if is_wider:
                said = date.fromordinal(int(end)).isoformat() if column.type is ColumnType.DATE else decimal(end)
                allowed = phrase("model.made_at_least" if least else "model.made_at_most", bound=Figure(said))
                report.add(join(path, key), found=getattr(column, key), allowed=allowed)
    try:
        size = len(every(expression(column, columns)))
    except OverflowValueError as error:
        report.add(join(path, KEY), found=Figure(error.size), allowed=phrase("model.made_too_large"))
        return
    if size > MAX_PARTS:
        report.add(join(path, KEY), found=size, allowed=phrase("model.made_too_long", most=MAX_PARTS))
