"""How many rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from dprelease.mechanisms import DiscreteLaplace
from dprelease.model.privacy import NeighboringRelation
from dprelease.model.schema import Schema
from dprelease.model.tally import Sensitivity, TallyQuery
from dprelease.statistics.grouped import Grouped
from dprelease.statistics.grouping import rows_changed
from dprelease.statistics.noisy import NoisyTable
from dprelease.statistics.tabulated import Integers, Measurement


@dataclass(frozen=True, kw_only=True)
class Count(Grouped, NoisyTable):
    """The number of rows that pass `where`, in all or in each group.

    Sensitivity: m rows of a unit enter or leave one cell, so m under both relations; by groups they may also move, so
    2m under substitute. Discrete Laplace noise.
    """

    kind: ClassVar[str] = "count"

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        return (TallyQuery(self.keys(schema)),)

    def measurements(self, schema: Schema, max_rows: int, neighbors: NeighboringRelation) -> tuple[Measurement, ...]:
        moves = neighbors is NeighboringRelation.SUBSTITUTE and bool(self.by)
        return (Measurement(DiscreteLaplace, Sensitivity(l1=rows_changed(max_rows, moves), linf=max_rows)),)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        return (tallies[0],)
