"""Survey weights: each row counts as many times as a bounded column says; one without a weight is left out."""

from __future__ import annotations

from decimal import Decimal

from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.statistics.algebra.moments import Factor, ends, value
from dprelease.statistics.tabulated import TallyStatistic
from dprelease.words import phrase, quoted

MAX_PRODUCT = 2**40
"""Steps of weight × value in one row: four million rows of the largest fit below 2^62, more of usual ones."""


def check_weights(own: TallyStatistic, path: str, schema: Schema, report: Report, *values: str) -> None:
    """Check that a weight is not negative, and its product with a value not so fine that sums could reach 2^62.

    `values`: the numeric columns that it is multiplied with.
    """
    if own.survey_weights is None:
        return
    if schema[own.survey_weights].lattice.start < 0:
        report.add(
            f"{path}.survey_weights",
            found=phrase("statistics.whose_lower_bound_below", column=quoted(own.survey_weights)),
            allowed=phrase("statistics.column_lower_bound_at"),
        )
    for name in values:
        low, high = ends([*weight_factors(own, schema), value(schema[name])])
        if max(-low, high) > MAX_PRODUCT:
            report.add(
                f"{path}.survey_weights",
                found=phrase(
                    "statistics.times_up_steps_row",
                    survey_weights=quoted(own.survey_weights),
                    name=quoted(name),
                    max=max(-low, high),
                ),
                allowed=phrase("model.at_most", max_text=MAX_PRODUCT),
                remedy=phrase("statistics.declare_one_two_coarser"),
            )


def weight_factors(own: TallyStatistic, schema: Schema) -> list[Factor]:
    """Return the weight, if there is one, as a factor of what a row adds."""
    return [] if own.survey_weights is None else [value(schema[own.survey_weights])]


def weight_step(own: TallyStatistic, schema: Schema) -> Decimal:
    """Return the units of one step of a weight; 1 without weights."""
    return Decimal(1) if own.survey_weights is None else schema[own.survey_weights].lattice.resolution


def typical_weight(own: TallyStatistic, schema: Schema) -> float:
    """Return the middle of the weight's bounds, in its own units; 1 without weights."""
    return 1.0 if own.survey_weights is None else middle(schema, own.survey_weights)


def middle(schema: Schema, column: str) -> float:
    """Return the middle of a numeric column's bounds."""
    lattice = schema[column].lattice
    return float((lattice.start + Decimal(lattice.steps) / 2) * lattice.resolution)
