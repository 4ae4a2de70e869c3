"""Number of privacy units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from dprelease.model.plan import Expected
from dprelease.model.presentation import Presentation, Quantity, Trait, shown
from dprelease.model.privacy import Terms
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.statistics.algebra.sensitivity import once
from dprelease.statistics.noisy import NoisyTable
from dprelease.statistics.tabulated import GROUPS, Integers, Measurement


@dataclass(frozen=True, kw_only=True)
class Units(NoisyTable):
    """The number of different privacy units with a row that passes `where`, in all or in each group.

    Sensitivity: 1 in all; by groups a unit counts in up to g = min(max_rows, max_groups) of them, so g, and 2g under
    substitute. Discrete Laplace noise, or Gaussian in zcdp.
    """

    kind: ClassVar[str] = "units"
    offers: ClassVar[tuple[str, ...]] = (*GROUPS, "noise")
    presentation: ClassVar[Presentation] = shown(Quantity.UNITS, Trait.ADDITIVE, Trait.NEVER_NEGATIVE, Trait.OWN_NOISE)

    def _query(self, schema: Schema) -> TallyQuery:
        return TallyQuery(self.keys(schema), units=True)

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        return (self._query(schema),)

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        shape = self._query(schema).shape
        return (Measurement(self.noise_for(terms), shape, once(terms, shape)),)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        return (tallies[0],)

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        return (expected.units or expected.rows) / self.size(schema)
