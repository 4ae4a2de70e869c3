"""Base of counts and sums: one vector of integers with noise added."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import isclose

import numpy as np

from dprelease.mechanisms import Mechanism
from dprelease.model.encoding import plain
from dprelease.model.plan import Expected
from dprelease.model.release import Cell, Estimates
from dprelease.model.schema import Schema
from dprelease.statistics.noise import Noisy, half_width
from dprelease.statistics.tabulated import ExpectedError, Integers


@dataclass(frozen=True, kw_only=True)
class NoisyTable(Noisy):
    """A table of integers on a lattice, each published with noise and the same half-width around it."""

    def step(self, schema: Schema) -> Decimal:
        """Return the data units of one lattice step."""
        return Decimal(1)

    def lattice_step(self, schema: Schema, place: int) -> Decimal:
        return self.step(schema)

    def estimates(
        self, schema: Schema, drawn: Sequence[Integers], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        (noisy,), half, step = drawn, half_width(mechanisms[0], confidence), self.step(schema)
        values = noisy.ravel().tolist()
        return Estimates(
            axes=self.axes(schema),
            value=[scaled(value, step) for value in values],
            lower95=[scaled(value - half, step) for value in values],
            upper95=[scaled(value + half, step) for value in values],
        )

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        steps = self.in_steps(schema, table)
        return steps is not None and alike(table, self.estimates(schema, [steps], mechanisms))

    def in_steps(self, schema: Schema, table: Estimates) -> Integers | None:
        """Return the nearest whole steps to its values; None where something is no number, or more is told."""
        step = self.step(schema)
        numbers = [value for value in table.value if isinstance(value, int | float)]
        if len(numbers) < len(table) or table.extra:
            return None
        return np.array([round(Decimal(str(number)) / step) for number in numbers], dtype=object)

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError:
        return ExpectedError(float(half_width(mechanisms[0], confidence) * self.step(schema)), "mechanism")


def alike(table: Estimates, again: Estimates) -> bool:
    """Return True if the numbers of two tables are equal, up to the last digits of floats beyond 2^53 steps."""
    return all(
        _equal(one, other)
        for name, cells in table.numbers.items()
        for one, other in zip(cells, again.numbers[name], strict=True)
    )


def _equal(one: Cell, other: Cell) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return isclose(one, other, rel_tol=1e-14)
    return one == other


def scaled(value: int, step: Decimal) -> int | float:
    """Return so many steps in units of the data."""
    return value if step == 1 else plain(value * step)
