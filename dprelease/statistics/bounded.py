"""What means, shares and spreads share: one real number a group, within limits that the plan fixes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dprelease.mechanisms import Mechanism
from dprelease.model.release import Cell, Estimates
from dprelease.model.schema import Schema
from dprelease.statistics.grouped import Grouped
from dprelease.statistics.noise import Noisy


@dataclass(frozen=True, kw_only=True)
class Bounded(Grouped, Noisy):
    """One number a group, never outside its limits, with an interval within them."""

    @abstractmethod
    def limits(self, schema: Schema) -> tuple[float, float]:
        """The smallest and the largest value it can have."""

    def table(self, schema: Schema, value: Sequence[Cell], lower: Sequence[Cell], upper: Sequence[Cell]) -> Estimates:
        """The published table."""
        return Estimates(axes=self.axes(schema), value=value, lower95=lower, upper95=upper)

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        numbers = np.array([table.lower95, table.value, table.upper95], dtype=object)
        if table.extra or not all(isinstance(number, int | float) for number in numbers.flat):
            return False
        lower, value, upper = numbers.astype(np.float64)
        least, most = self.limits(schema)
        return bool(np.all((least <= lower) & (lower <= value) & (value <= upper) & (upper <= most)))
