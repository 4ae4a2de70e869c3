"""Feasible range of a statistic, whatever the rows are: by its kind and the declared bounds of its columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from math import inf
from typing import Any

from dprelease.model.column import ORDERED, Column
from dprelease.model.presentation import Presentation, Quantity, Trait
from dprelease.model.schema import Schema

Range = tuple[float, float]
"""The least and the greatest; infinite where nothing bounds it."""
ANYTHING: Range = (-inf, inf)
AMOUNT: Range = (0, inf)


def feasible(asked: Mapping[str, Any], presentation: Presentation, columns: Schema) -> Range:
    """Return the range of a statistic, by its options as in a plan file."""
    own = OWN.get(asked["kind"])
    if own is not None:
        return own(asked, columns)
    if presentation.has(Trait.SIGNED):
        return -1, 1
    if presentation.measure is Quantity.SHARE:
        return 0, 1
    if presentation.has(Trait.NEVER_NEGATIVE):
        return AMOUNT
    return _column(asked, columns) if presentation.measure is Quantity.COLUMN else ANYTHING


def bounds(column: Column | None) -> Range:
    """Return the declared bounds of an ordered column, days as their ordinals."""
    if column is None or column.type not in ORDERED:
        return ANYTHING
    if isinstance(column.lower, date) and isinstance(column.upper, date):
        return column.lower.toordinal(), column.upper.toordinal()
    lattice = column.lattice
    return float(lattice.start * lattice.resolution), float((lattice.start + lattice.steps) * lattice.resolution)


def quotients(numerator: Column | None, denominator: Column | None) -> Range:
    """Return the least and the greatest ratio of sums over the same rows; the denominators are at least 0."""
    (low, high), (least, most) = bounds(numerator), bounds(denominator)
    if least > 0 and most < inf:
        return min(low / least, low / most), max(high / least, high / most)
    return 0.0 if low >= 0 else -inf, 0.0 if high <= 0 else inf


def _column(asked: Mapping[str, Any], columns: Schema) -> Range:
    return bounds(columns.get(asked.get("column")))


def _sum(asked: Mapping[str, Any], columns: Schema) -> Range:
    low, high = _column(asked, columns)
    return 0.0 if low >= 0 else -inf, 0.0 if high <= 0 else inf


def _spread(asked: Mapping[str, Any], columns: Schema) -> Range:
    low, high = _column(asked, columns)
    return 0, (high - low) / 2


def _squared(asked: Mapping[str, Any], columns: Schema) -> Range:
    return 0, _spread(asked, columns)[1] ** 2


def _rate(asked: Mapping[str, Any], _: Schema) -> Range:
    return (0, float(asked.get("per", 1000))) if asked.get("column") is None else AMOUNT


def _ratio(asked: Mapping[str, Any], columns: Schema) -> Range:
    return quotients(columns.get(asked.get("numerator")), columns.get(asked.get("denominator")))


OWN: Mapping[str, Callable[[Mapping[str, Any], Schema], Range]] = {
    "sum": _sum,
    "variance": _squared,
    "std": _spread,
    "rate": _rate,
    "ratio": _ratio,
}
"""Kinds whose range does not follow from what their values are counted in."""
