"""Tables of counts that may be weighted: sums of survey weights in each declared cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from dprelease.model.plan import Expected
from dprelease.model.privacy import Terms
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Query, TallyQuery
from dprelease.statistics.algebra import moments
from dprelease.statistics.algebra.sensitivity import spread
from dprelease.statistics.counted import CountTable
from dprelease.statistics.tabulated import Integers, Measurement
from dprelease.statistics.weighted import Weighted
from dprelease.words import phrase, quoted


@dataclass(frozen=True, kw_only=True)
class WeightedCounts(CountTable, Weighted):
    """Rows in each cell; with survey weights, the sum of their weights.

    With weights up to W, in steps, each row adds at most W to one cell: L1 m·W under add_remove; under substitute
    L1 2m·W and L2 √2·m·W, or m·W where there is only one cell.
    """

    def check(self, path: str, schema: Schema, report: Report) -> None:
        before = len(report.problems)
        super().check(path, schema, report)
        if self.survey_weights is None or len(report.problems) > before:
            return
        self.check_weights(path, schema, report)
        if self.discovers(schema):
            report.add(
                f"{path}.survey_weights",
                found=quoted(self.survey_weights),
                allowed=phrase("statistics.nothing_where_categories_discovered"),
            )

    def is_plain(self, schema: Schema) -> bool:
        return self.survey_weights is None and super().is_plain(schema)

    def null_rule(self, schema: Schema) -> frozenset[str]:
        weight = () if self.survey_weights is None else moments.with_nulls((self.survey_weights,), schema)
        return super().null_rule(schema).union(weight)

    def _sums(self, schema: Schema) -> tuple[TallyQuery, ...]:
        present = self.count_query(schema).measure.present
        return moments.queries(self.keys(schema), self.weight_factors(schema), schema, present)

    def queries(self, schema: Schema) -> tuple[Query, ...]:  # type: ignore[override]
        return super().queries(schema) if self.survey_weights is None else self._sums(schema)

    def step(self, schema: Schema) -> Decimal:
        return self.weight_step(schema)

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        if self.survey_weights is None:
            return super().measurements(schema, terms)
        shape = self.count_query(schema).shape
        stated = spread(terms, shape, *moments.ends(self.weight_factors(schema)))
        return (Measurement(self.noise_for(terms), shape, stated),)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        if self.survey_weights is None:
            return super().exact(schema, tallies)
        return (moments.total(self.weight_factors(schema), self._sums(schema), tallies),)

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        return super().magnitude(schema, expected) * self.typical_weight(schema)
