"""Survey weights: each row counts as many times as a declared, bounded column says."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from dprelease.model.column import NUMERIC
from dprelease.model.column_options import ColumnName
from dprelease.model.options import option
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.statistics.algebra.moments import Factor, ends, value
from dprelease.statistics.tabulated import TallyStatistic
from dprelease.words import phrase, quoted

MAX_PRODUCT = 2**40
"""Steps of weight × value in one row: four million rows of the largest fit below 2^62, more of usual ones."""


@dataclass(frozen=True, kw_only=True)
class Weighted(TallyStatistic):
    """A statistic that may be weighted. A row without a weight is left out."""

    survey_weights: str | None = option(ColumnName(NUMERIC), default=None)
    """A numeric column with bounds of at least 0: how many units a row stands for."""

    def check_weights(self, path: str, schema: Schema, report: Report, *values: str) -> None:
        """Check that a weight is not negative, and its product with a value not so fine that sums could reach 2^62.

        `values`: the numeric columns that it is multiplied with.
        """
        if self.survey_weights is None:
            return
        if schema[self.survey_weights].lattice.start < 0:
            report.add(
                f"{path}.survey_weights",
                found=phrase("statistics.whose_lower_bound_below", column=quoted(self.survey_weights)),
                allowed=phrase("statistics.column_lower_bound_at"),
            )
        for name in values:
            low, high = ends([*self.weight_factors(schema), value(schema[name])])
            if max(-low, high) > MAX_PRODUCT:
                report.add(
                    f"{path}.survey_weights",
                    found=phrase(
                        "statistics.times_up_steps_row",
                        survey_weights=quoted(self.survey_weights),
                        name=quoted(name),
                        max=max(-low, high),
                    ),
                    allowed=phrase("model.at_most", max_text=MAX_PRODUCT),
                    remedy=phrase("statistics.declare_one_two_coarser"),
                )

    def weight_factors(self, schema: Schema) -> list[Factor]:
        """Return the weight, if there is one, as a factor of what a row adds."""
        return [] if self.survey_weights is None else [value(schema[self.survey_weights])]

    def weight_step(self, schema: Schema) -> Decimal:
        """Return the units of one step of a weight; 1 without weights."""
        return Decimal(1) if self.survey_weights is None else schema[self.survey_weights].lattice.resolution

    def typical_weight(self, schema: Schema) -> float:
        """Return the middle of the weight's bounds, in its own units; 1 without weights."""
        return 1.0 if self.survey_weights is None else middle(schema, self.survey_weights)


def middle(schema: Schema, column: str) -> float:
    """Return the middle of a numeric column's bounds."""
    lattice = schema[column].lattice
    return float((lattice.start + Decimal(lattice.steps) / 2) * lattice.resolution)
