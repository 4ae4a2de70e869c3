"""What counts and sums share: one vector of integers with discrete Laplace noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from dprelease.mechanisms import DiscreteLaplace, Mechanism
from dprelease.model.encoding import plain
from dprelease.model.plan import Expected
from dprelease.model.release import Estimates
from dprelease.model.schema import Schema
from dprelease.statistics.tabulated import ExpectedError, Integers, Tabulated


@dataclass(frozen=True, kw_only=True)
class NoisyTable(Tabulated):
    """A table of integers on a lattice, each published with noise and the same half-width around it."""

    def step(self, schema: Schema) -> Decimal:
        """The data units of one lattice step."""
        return Decimal(1)

    def estimates(self, schema: Schema, drawn: Sequence[Integers], mechanisms: Sequence[Mechanism]) -> Estimates:
        (noisy,), half, step = drawn, half_width(mechanisms), self.step(schema)
        values = noisy.ravel().tolist()
        return Estimates(
            axes=self.axes(schema),
            value=[_scaled(value, step) for value in values],
            lower95=[_scaled(value - half, step) for value in values],
            upper95=[_scaled(value + half, step) for value in values],
        )

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        step = self.step(schema)
        numbers = [value for value in table.value if isinstance(value, int | float)]
        if len(numbers) < len(table):
            return False
        drawn = np.array([round(Decimal(str(number)) / step) for number in numbers], dtype=object)
        again = self.estimates(schema, [drawn], mechanisms)
        stated = (list(table.value), list(table.lower95), list(table.upper95))
        return stated == (again.value, again.lower95, again.upper95)

    def error(self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None) -> ExpectedError:
        return ExpectedError(float(half_width(mechanisms) * self.step(schema)), "mechanism")


def half_width(mechanisms: Sequence[Mechanism]) -> int:
    """The 95 % half-width of the one mechanism, in lattice steps."""
    (mechanism,) = mechanisms
    assert isinstance(mechanism, DiscreteLaplace)
    return mechanism.half_width()


def _scaled(value: int, step: Decimal) -> int | float:
    return value if step == 1 else plain(value * step)
