"""How much on average."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprelease.mechanisms import DiscreteLaplace, Mechanism
from dprelease.model.column import NUMERIC
from dprelease.model.options import ColumnName, option
from dprelease.model.plan import Expected
from dprelease.model.privacy import NeighboringRelation
from dprelease.model.release import Estimates
from dprelease.model.schema import Schema
from dprelease.model.tally import Measure, Sensitivity, TallyQuery
from dprelease.statistics.grouped import Grouped
from dprelease.statistics.grouping import rows_changed
from dprelease.statistics.ratio import share_interval
from dprelease.statistics.tabulated import ExpectedError, Integers, Measurement


@dataclass(frozen=True, kw_only=True)
class Mean(Grouped):
    """The mean of a column's values, clipped to [l, u], in all or in each group.

    Noise on both one-sided sums, in lattice steps: y₁ = Σ code, y₂ = Σ (K − code). The mean is
    l + (u − l)·y₁/(y₁ + y₂), the midpoint where y₁ + y₂ <= 0, and never outside [l, u]. Each row changes y₁ and y₂ by K
    together, so the joint L1 sensitivity is mK under add_remove and 2mK under substitute, for all groups together.
    RMSE at n rows about (u − l)·√(1 + ((mean − midpoint) / ((u − l)/2))²) / (nε), a third of a noisy sum over a noisy
    count. Discrete Laplace noise.
    """

    kind: ClassVar[str] = "mean"
    column: str = option(ColumnName(NUMERIC))
    """What is averaged."""

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        keys = self.keys(schema)
        return (TallyQuery(keys, Measure((), (self.column,))), TallyQuery(keys, Measure((self.column,))))

    def measurements(self, schema: Schema, max_rows: int, neighbors: NeighboringRelation) -> tuple[Measurement, ...]:
        steps = schema[self.column].lattice.steps
        changed = rows_changed(max_rows, neighbors is NeighboringRelation.SUBSTITUTE)
        return (Measurement(DiscreteLaplace, Sensitivity(l1=changed * steps, linf=max_rows * steps)),)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        rows, codes = (tally.astype(object) for tally in tallies)
        return (np.stack([codes, rows * schema[self.column].lattice.steps - codes], axis=-1),)

    def estimates(self, schema: Schema, drawn: Sequence[Integers], mechanisms: Sequence[Mechanism]) -> Estimates:
        pairs = drawn[0].reshape(-1, 2).astype(np.float64)
        y1, y2 = pairs[:, 0], pairs[:, 1]
        whole = y1 + y2
        share = np.clip(np.where(whole > 0, y1 / np.where(whole > 0, whole, 1), 0.5), 0, 1)
        lower, upper = share_interval(y1, y2, mechanisms[0].scale)
        return Estimates(
            axes=self.axes(schema),
            value=self._values(share, schema),
            lower95=self._values(lower, schema),
            upper95=self._values(upper, schema),
        )

    def _values(self, share: np.ndarray[tuple[int, ...], np.dtype[np.float64]], schema: Schema) -> list[float]:
        lattice = schema[self.column].lattice
        lower, width = float(lattice.start * lattice.resolution), float(lattice.steps * lattice.resolution)
        return [float(value) for value in lower + width * share]

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        numbers = np.array([table.lower95, table.value, table.upper95], dtype=object)
        if not all(isinstance(number, int | float) for number in numbers.flat):
            return False
        lower, value, upper = numbers.astype(np.float64)
        least, most = self._values(np.array([0.0, 1.0]), schema)
        return bool(np.all((least <= lower) & (lower <= value) & (value <= upper) & (upper <= most)))

    def error(self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None) -> ExpectedError | None:
        """Half the interval's width at the midpoint of the bounds, the expected rows spread evenly over the groups."""
        if expected is None:
            return None
        lattice = schema[self.column].lattice
        half = np.array([expected.rows / self.size(schema) * lattice.steps / 2])
        lower, upper = share_interval(half, half, mechanisms[0].scale)
        return ExpectedError(float(upper[0] - lower[0]) / 2 * lattice.steps * float(lattice.resolution), "expected")
