"""Checks of means, shares and spreads: real numbers within limits that the plan fixes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dprelease.mechanisms import Mechanism
from dprelease.model.release import Axis, Estimates
from dprelease.statistics.algebra.reach import quotient
from dprelease.statistics.algebra.share import FloatArray
from dprelease.statistics.tabulated import Integers


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


def quotient_table(
    axes: tuple[Axis, ...],
    drawn: Sequence[Integers],
    mechanisms: Sequence[Mechanism],
    confidence: float,
    unit: float,
    limits: tuple[float, float],
) -> Estimates:
    """Return quotients of two noisy sums, cut to their limits; none where the noisy divisor is not above 0."""
    top, bottom = (part.astype(np.float64).ravel() for part in drawn)
    parts = quotient(top, bottom, mechanisms, confidence)
    gone = np.isnan(parts[0])
    cut = (np.where(gone, np.nan, np.clip(part * unit, *limits)) for part in parts)
    value, lower, upper = map(finite, cut)
    return Estimates(axes=axes, value=value, lower95=lower, upper95=upper)


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
