"""Number of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from dprelease.model.column import CODED
from dprelease.model.column_options import ColumnName
from dprelease.model.options import option
from dprelease.model.presentation import COUNTED, Presentation
from dprelease.model.schema import Schema
from dprelease.statistics.noisy import NoisyTable
from dprelease.statistics.tabulated import GROUPS


@dataclass(frozen=True, kw_only=True)
class Count(NoisyTable):
    """The number of rows that pass `where`, in all or in each group; with survey weights, the sum of the weights.

    Sensitivity: m rows of a unit enter or leave one cell, so m under both relations; by groups they may also move, so
    2m under substitute. With weights up to W: m·W and 2m·W. Discrete Laplace noise, or Gaussian in zcdp.
    """

    kind: ClassVar[str] = "count"
    offers: ClassVar[tuple[str, ...]] = (*GROUPS, "noise", "survey_weights", "margins")
    example: ClassVar[tuple[str, ...]] = ("by=Visits.region",)
    presentation: ClassVar[Presentation] = COUNTED
    column: str | None = option(ColumnName(CODED), default=None)
    """Counts only the rows that have a value in this column."""

    def rows_with(self, schema: Schema) -> tuple[str, ...]:
        return () if self.column is None else (self.column,)
