"""Bounds and categories of columns that are made of others, a second time, from a plan's JSON alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import product
from typing import Any

Columns = Mapping[str, Any]
Ends = tuple[Fraction, Fraction]
YEARLY = {"quarter": (1, 4), "month": (1, 12), "day": (1, 31), "weekday": (1, 7), "iso_week": (1, 53)}


def check_made(columns: Columns) -> None:
    """Raise ValueError where a made column can have other values than what it is made of lets it have."""
    for name, column in columns.items():
        if not column.get("made"):
            continue
        ((kind, said),) = column["made"].items()
        if column["type"] == "category":
            found, stated = _categories(kind, said, columns), [*column["categories"]]
            right = found == (stated, bool(column.get("other")))
        elif column["type"] == "boolean":
            right = kind in ("holds", "known", "coalesce")
        else:
            right = _is_within(column, _ends(kind, said, columns))
        if not right:
            raise ValueError(f"values of {name!r} that do not follow from what it is made of")


def _is_within(column: Mapping[str, Any], ends: Ends) -> bool:
    step = _step(column)
    low, high = (((end / step) + Fraction(1, 2)).__floor__() * step for end in ends)
    lower, upper = _bounds(column)
    return low <= lower <= upper <= high


def _number(value: Any) -> Fraction:
    return Fraction(Decimal(str(value)))


def _step(column: Mapping[str, Any]) -> Fraction:
    return Fraction(1) if column["type"] == "date" else _number(column.get("resolution") or 1)


def _bounds(column: Mapping[str, Any]) -> Ends:
    if column["type"] == "date":
        first, last = (date.fromisoformat(column[end]).toordinal() for end in ("lower", "upper"))
        return Fraction(first), Fraction(last)
    return _number(column["lower"]), _number(column["upper"])


def _months(first: int, last: int) -> int:
    """Whole months between two days, by counting: as many as stay within the second one."""
    a, b = date.fromordinal(first), date.fromordinal(last)
    months = (b.year * 12 + b.month) - (a.year * 12 + a.month)
    return months if b.day >= a.day else months - 1


def _ends(kind: str, said: Any, columns: Columns) -> Ends:
    """Return the least and the greatest value of a made column of numbers or days."""
    match kind:
        case "days_between" | "months_between" | "years_between" | "age":
            first, last = (said["born"], said["on"]) if kind == "age" else said
            fixed = kind == "age" and last not in columns
            day = Fraction(date.fromisoformat(last).toordinal()) if fixed else Fraction(0)
            (a, b), (c, d) = _bounds(columns[first]), (day, day) if fixed else _bounds(columns[last])
            pairs = ((int(b), int(c)), (int(a), int(d)))
            if kind == "days_between":
                least, most = (last - first for first, last in pairs)
            else:
                least, most = (_months(*pair) // (1 if kind == "months_between" else 12) for pair in pairs)
            return Fraction(least), Fraction(most)
        case "sum":
            return _sum(said, columns)
        case "difference":
            (a, b), (c, d) = (_bounds(columns[name]) for name in said)
            return a - d, b - c
        case "product":
            corners = [one * two for one, two in product(*(_bounds(columns[name]) for name in said))]
            return min(corners), max(corners)
        case "ratio":
            low, high = _bounds(columns[said["to"]])
            over = _bounds(columns[said["of"]])
            times = _number(said.get("times") or 1)
            corners = [times * one / two for one in over for two in (low or _step(columns[said["to"]]), high)]
            return min(corners), max(corners)
        case "part" if said["is"] in YEARLY:
            first, last = YEARLY[said["is"]]
            return Fraction(first), Fraction(last)
        case "part":
            days = [date.fromordinal(int(end)) for end in _bounds(columns[said["of"]])]
            years = [day.year if said["is"] == "year" else day.isocalendar()[0] for day in days]
            return Fraction(years[0]), Fraction(years[1])
        case _:
            pick = {"least": (min, min), "greatest": (max, max), "coalesce": (min, max)}[kind]
            each = [_bounds(columns[name]) for name in said]
            return pick[0](low for low, _ in each), pick[1](high for _, high in each)


def _sum(said: Any, columns: Columns) -> Ends:
    """Ends of a weighted sum; of those that leave out what a row lacks, over all ways to lack something."""
    weights = dict.fromkeys(said, 1) if isinstance(said, Sequence) else said["of"]
    plus = Fraction(0) if isinstance(said, Sequence) else _number(said.get("plus") or 0)
    each = [sorted(_number(weight) * end for end in _bounds(columns[name])) for name, weight in weights.items()]
    if isinstance(said, Mapping) and said.get("ignore_missing"):
        least = min(min(low for low, _ in each), sum(low for low, _ in each if low < 0))
        most = max(max(high for _, high in each), sum(high for _, high in each if high > 0))
        return least + plus, most + plus
    return sum((low for low, _ in each), plus), sum((high for _, high in each), plus)


def _categories(kind: str, said: Any, columns: Columns) -> tuple[list[str], bool]:
    """Return the categories of a made column, and whether it has a cell of others."""
    if kind == "cut":
        return [_label(each) for each in said["labels"]], False
    if kind == "coalesce":
        known = [each for name in said for each in columns[name]["categories"]]
        return [*dict.fromkeys(known)], any(columns[name].get("other") for name in said)
    column = columns[said["of"]]
    own = ["false", "true"] if column["type"] == "boolean" else [*column["categories"]]
    if kind == "prefix":
        return [*dict.fromkeys(each[: said["length"]] for each in own)], bool(column.get("other"))
    new = {_label(old): name for name, olds in said["to"].items() for old in olds}
    others, rest = bool(column.get("other")), said.get("else")
    found = [new.get(each, {"keep": each, "missing": None}.get(rest, rest)) for each in own]
    if others and (rest != "keep" or "other" in new):
        found.append(new.get("other", None if rest in ("keep", "missing") else rest))
        others = False
    return [*dict.fromkeys(each for each in found if each is not None)], others


def _label(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
