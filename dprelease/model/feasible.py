"""Feasible range of a statistic, whatever the rows are: by its kind and the declared bounds of its columns."""

from __future__ import annotations

from collections.abc import Mapping
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
    measure, column = presentation.measure, columns.get(asked.get("column"))
    if presentation.has(Trait.SPREAD):
        low, high = bounds(column)
        return 0, ((high - low) / 2) ** (2 if measure is Quantity.SQUARED else 1)
    if measure is Quantity.RATE:
        return (0, float(asked.get("per", 1000))) if asked.get("column") is None else AMOUNT
    if "numerator" in asked:
        return quotients(columns.get(asked["numerator"]), columns.get(asked.get("denominator")))
    if presentation.has(Trait.ADDITIVE) and measure is Quantity.COLUMN:
        low, high = bounds(column)
        return 0.0 if low >= 0 else -inf, 0.0 if high <= 0 else inf
    if presentation.has(Trait.SIGNED):
        return -1, 1
    if measure is Quantity.SHARE:
        return 0, 1
    if presentation.has(Trait.NEVER_NEGATIVE):
        return AMOUNT
    return bounds(column) if measure is Quantity.COLUMN else ANYTHING


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
