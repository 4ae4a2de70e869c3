"""Base of means, shares and spreads: one real number a group, within limits that the plan fixes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dprelease.mechanisms import Mechanism
from dprelease.model.release import Estimates
from dprelease.model.schema import Schema
from dprelease.statistics.algebra.share import FloatArray
from dprelease.statistics.grouped import Grouped
from dprelease.statistics.noise import Noisy


@dataclass(frozen=True, kw_only=True)
class BoundedEstimate(Grouped, Noisy):
    """One number a group, never outside its limits, with an interval within them."""

    @abstractmethod
    def limits(self, schema: Schema) -> tuple[float, float]:
        """Return the smallest and the largest value it can have."""

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        numbers = np.array([table.lower95, table.value, table.upper95], dtype=object)
        if table.extra or not all(isinstance(number, int | float) for number in numbers.flat):
            return False
        lower, value, upper = numbers.astype(np.float64)
        least, most = self.limits(schema)
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
