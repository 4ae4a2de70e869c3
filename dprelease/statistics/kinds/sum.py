"""Sum of the values of a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

from dprelease.model.column import NUMERIC
from dprelease.model.column_options import ColumnName
from dprelease.model.options import option
from dprelease.model.plan import Expected
from dprelease.model.presentation import Presentation, Quantity, Trait, shown
from dprelease.model.privacy import Terms
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.statistics.algebra import moments
from dprelease.statistics.algebra.linear import IntegerSource, MeasuredSource
from dprelease.statistics.algebra.moments import Factor
from dprelease.statistics.algebra.sensitivity import spread
from dprelease.statistics.algebra.unanswered import left_out
from dprelease.statistics.noisy import NoisyTable
from dprelease.statistics.tabulated import GROUPS, Integers, Measurement
from dprelease.statistics.weighted import check_weights, middle, typical_weight, weight_factors, weight_step


@dataclass(frozen=True, kw_only=True)
class Sum(NoisyTable):
    """The sum of a column's values, clipped to [l, u], in all or in each group, in steps of its resolution.

    Sensitivity: m·max(|l|, |u|) under add_remove; under substitute m·max(|l|, |u|, u − l), by groups 2m·max(|l|, |u|),
    since a row may leave one group and enter another. With survey weights, l and u are the ends of weight × value.
    Discrete Laplace noise, or Gaussian in zcdp.
    """

    kind: ClassVar[str] = "sum"
    offers: ClassVar[tuple[str, ...]] = (*GROUPS, "noise", "survey_weights", "margins")
    presentation: ClassVar[Presentation] = shown(Quantity.COLUMN, Trait.ADDITIVE, Trait.OWN_NOISE)
    column: str = option(ColumnName(NUMERIC))
    """Column that is added up."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        super().check_together(path, schema, report)
        check_weights(self, path, schema, report, self.column)

    def _factors(self, schema: Schema) -> list[Factor]:
        return [*weight_factors(self, schema), moments.value(schema[self.column])]

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        return moments.queries(self.keys(schema), self._factors(schema), schema)

    def follows_from(self, schema: Schema, given: MeasuredSource) -> IntegerSource | None:
        keys = self.keys(schema)
        rule = self.noise, left_out(keys, schema).union(moments.with_nulls((self.column,), schema))
        is_given = self.identity(schema) is not None and self.column == given.column and rule == given.rule
        return given.source(keys, given.sums) if is_given else None

    def identity(self, schema: Schema) -> Any:
        """Return what it measures, where it publishes its own integers: without weights and totals."""
        plain = self.survey_weights is None and not self.margins
        return ("sum", self.noise, self.column, self.keys(schema)) if plain else None

    def step(self, schema: Schema) -> Decimal:
        return schema[self.column].lattice.resolution * weight_step(self, schema)

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        shape = TallyQuery(self.keys(schema)).shape
        stated = spread(terms, shape, *moments.ends(self._factors(schema)))
        return (Measurement(self.noise_for(terms), shape, stated),)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        return (moments.total(self._factors(schema), self.queries(schema), tallies),)

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        typical = abs(middle(schema, self.column)) or float(schema[self.column].lattice.resolution)
        return expected.rows / TallyQuery(self.keys(schema)).cells * typical * typical_weight(self, schema)
