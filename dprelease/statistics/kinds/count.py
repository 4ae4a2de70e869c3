"""How many rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

from dprelease.model.column import CODED
from dprelease.model.column_options import ColumnName
from dprelease.model.options import option
from dprelease.model.plan import Expected
from dprelease.model.presentation import Answers, Look, Presentation, Quantity, Trait
from dprelease.model.privacy import Terms
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.statistics.algebra import moments
from dprelease.statistics.algebra.sensitivity import spread
from dprelease.statistics.counted import CountTable
from dprelease.statistics.grouped import Grouped
from dprelease.statistics.tabulated import Integers, Measurement
from dprelease.statistics.weighted import Weighted


@dataclass(frozen=True, kw_only=True)
class Count(Grouped, CountTable, Weighted):
    """The number of rows that pass `where`, in all or in each group; with survey weights, the sum of the weights.

    Sensitivity: m rows of a unit enter or leave one cell, so m under both relations; by groups they may also move, so
    2m under substitute. With weights up to W: m·W and 2m·W. Discrete Laplace noise, or Gaussian in zcdp.
    """

    kind: ClassVar[str] = "count"
    presentation: ClassVar[Presentation] = Presentation(
        measure=Quantity.RECORDS,
        error=Quantity.RECORDS,
        values=Answers.NOISY,
        look=Look.MARKS,
        traits=(Trait.ADDITIVE, Trait.NEVER_NEGATIVE, Trait.OWN_NOISE),
    )
    column: str | None = option(ColumnName(CODED), default=None)
    """Counts only the rows that have a value in this column."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        super().check_together(path, schema, report)
        self.check_weights(path, schema, report)

    def is_plain(self, schema: Schema) -> bool:
        return self.survey_weights is None and super().is_plain(schema)

    def rows_with(self, schema: Schema) -> tuple[str, ...]:
        return () if self.column is None else (self.column,)

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        if self.survey_weights is None:
            return super().queries(schema)
        return moments.queries(self.keys(schema), self.weight_factors(schema), schema, self.rows_with(schema))

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
        return (moments.total(self.weight_factors(schema), self.queries(schema), tallies),)

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        return super().magnitude(schema, expected) * self.typical_weight(schema)
