"""How much in all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

import numpy as np

from dprelease.mechanisms import DiscreteLaplace
from dprelease.model.column import NUMERIC
from dprelease.model.options import ColumnName, option
from dprelease.model.privacy import NeighboringRelation
from dprelease.model.schema import Schema
from dprelease.model.tally import Measure, Sensitivity, TallyQuery
from dprelease.statistics.grouped import Grouped
from dprelease.statistics.noisy import NoisyTable
from dprelease.statistics.tabulated import Integers, Measurement


@dataclass(frozen=True, kw_only=True)
class Sum(Grouped, NoisyTable):
    """The sum of a column's values, clipped to [l, u], in all or in each group, in steps of its resolution.

    Sensitivity: m·max(|l|, |u|) under add_remove; under substitute m·max(|l|, |u|, u − l), by groups 2m·max(|l|, |u|),
    since a row may leave one group and enter another. Discrete Laplace noise.
    """

    kind: ClassVar[str] = "sum"
    column: str = option(ColumnName(NUMERIC))
    """What is added up."""

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        keys = self.keys(schema)
        return (TallyQuery(keys, Measure((), (self.column,))), TallyQuery(keys, Measure((self.column,))))

    def step(self, schema: Schema) -> Decimal:
        return schema[self.column].lattice.resolution

    def measurements(self, schema: Schema, max_rows: int, neighbors: NeighboringRelation) -> tuple[Measurement, ...]:
        lattice = schema[self.column].lattice
        largest = max(abs(lattice.start), abs(lattice.start + lattice.steps))
        if neighbors is NeighboringRelation.ADD_REMOVE:
            l1 = linf = max_rows * largest
        else:
            linf = max_rows * max(largest, lattice.steps)
            l1 = 2 * max_rows * largest if self.by else linf
        return (Measurement(DiscreteLaplace, Sensitivity(l1=l1, linf=linf)),)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        rows, codes = (tally.astype(object) for tally in tallies)
        return (np.asarray(rows * schema[self.column].lattice.start + codes, dtype=object),)
