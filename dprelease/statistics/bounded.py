"""Checks of means, shares and spreads: real numbers within limits that the plan fixes."""

from __future__ import annotations

import numpy as np

from dprelease.model.release import Estimates
from dprelease.statistics.algebra.share import FloatArray


def within(table: Estimates, least: float, most: float) -> bool:
    """Check that each row's value lies in its interval, and this within the limits."""
    numbers = np.array([table.lower95, table.value, table.upper95], dtype=object)
    if table.extra or not all(isinstance(number, int | float) for number in numbers.flat):
        return False
    lower, value, upper = numbers.astype(np.float64)
    return bool(np.all((least <= lower) & (lower <= value) & (value <= upper) & (upper <= most)))


def finite(part: FloatArray) -> list[float | None]:
    """Return numbers, None where there is none."""
    return [float(number) if np.isfinite(number) else None for number in part]


def in_order(table: Estimates, *, least: float = -np.inf, most: float = np.inf) -> bool:
    """Check that each row's bounds and value are numbers in order, within limits, as far as they are given."""
    for row in zip(table.lower95, table.value, table.upper95, strict=True):
        numbers = [number for number in row if number is not None]
        if row[1] is None and numbers:
            return False
        if not all(isinstance(number, int | float) and least <= number <= most for number in numbers):
            return False
        if numbers != sorted(numbers):
            return False
    return True
