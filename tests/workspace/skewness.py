"""A kind that the program does not have, as somebody who adds one writes it: one file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprelease.mechanisms import Mechanism
from dprelease.model.column import NUMERIC
from dprelease.model.column_options import ColumnName
from dprelease.model.options import option
from dprelease.model.plan import Expected
from dprelease.model.presentation import ChartType, Presentation, Quantity, ValueKind
from dprelease.model.privacy import Terms
from dprelease.model.release import Estimates
from dprelease.model.schema import Schema
from dprelease.model.tally import Measure, TallyQuery
from dprelease.statistics.algebra.sensitivity import spread
from dprelease.statistics.tabulated import GROUPS, ExpectedError, Integers, Measurement, TallyStatistic

POWERS = (0, 1, 2, 3)
MOST = 1000.0


@dataclass(frozen=True, kw_only=True)
class Skewness(TallyStatistic):
    """The skewness of a column's values, Σ(x − mean)³ / (n·σ³), in all or in each group; a pure number.

    From noisy Σcᵖ of codes c in 0..K, p = 0..3. Sensitivity of each: m·Kᵖ under add_remove. Discrete Laplace noise, or
    Gaussian in zcdp, each with a quarter of ε.
    """

    kind: ClassVar[str] = "skewness"
    offers: ClassVar[tuple[str, ...]] = (*GROUPS, "noise")
    presentation: ClassVar[Presentation] = Presentation(
        measure=Quantity.NUMBER,
        error=Quantity.NUMBER,
        values=ValueKind.NOISY,
        look=ChartType.MARKS,
        traits=(),
    )
    column: str = option(ColumnName(NUMERIC))
    """The column whose values are looked at."""

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        measures = (Measure((self.column,) * power, (self.column,)) for power in POWERS)
        return tuple(TallyQuery(self.keys(schema), measure) for measure in measures)

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        shape, steps = TallyQuery(self.keys(schema)).shape, schema[self.column].lattice.steps
        lowest = {0: 1}
        return tuple(
            Measurement(self.noise_for(terms), shape, spread(terms, shape, lowest.get(power, 0), steps**power))
            for power in POWERS
        )

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        return tuple(tallies)

    def estimates(
        self, schema: Schema, drawn: Sequence[Integers], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        cells = [_skewness(*map(float, sums)) for sums in zip(*(part.ravel() for part in drawn), strict=True)]
        nothing = [None] * len(cells)
        return Estimates(axes=self.axes(schema), value=cells, lower95=nothing, upper95=nothing)

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        without = all(end is None for end in (*table.lower95, *table.upper95))
        return without and all(value is None or abs(float(value)) <= MOST for value in table.value)

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError | None:
        return (
            None
            if expected is None
            else ExpectedError(float(40 / np.sqrt(expected.rows / self.size(schema))), "expected")
        )

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        return 1.0


def _skewness(n: float, s1: float, s2: float, s3: float) -> float | None:
    if n <= 0 or n * s2 <= s1**2:
        return None
    mean, variance = s1 / n, s2 / n - (s1 / n) ** 2
    third = s3 / n - 3 * mean * s2 / n + 2 * mean**3
    return float(np.clip(third / variance**1.5, -MOST, MOST))
