"""Weighted shares and means of a sample, with intervals that hold the error of sampling too.

That takes one more tally, Q = Σw² by group, with a fifth of the share. With weights up to W, in steps, its sensitivity
is m·W² under add_remove; under substitute L1 2m·W² and L2 √2·m·W², in one cell m·W².
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms import Mechanism
from dprelease.model.privacy import Terms
from dprelease.model.release import Cell, Estimates
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.statistics.algebra import moments
from dprelease.statistics.algebra.reach import sum_reach
from dprelease.statistics.algebra.sensitivity import spread
from dprelease.statistics.algebra.share import FloatArray
from dprelease.statistics.bounded import within
from dprelease.statistics.tabulated import Integers, Measurement, TallyStatistic
from dprelease.statistics.weighted import MAX_PRODUCT, weight_factors, weight_step
from dprelease.words import phrase, quoted

PART = Fraction(1, 5)
"""Part of the share for the squares of the weights."""
ROWS, LOWER, UPPER = "effective_rows", "lower95_total", "upper95_total"


def check_sampling(own: TallyStatistic, path: str, schema: Schema, report: Report) -> None:
    """Check that sampling has weights, whose squares are not so fine that sums could reach 2^62."""
    asked = [name for name, usual in (("sampling", False), ("effect", 1)) if getattr(own, name) != usual]
    if asked and (own.survey_weights is None or not own.sampling):
        needs = "survey_weights" if own.survey_weights is None else "sampling"
        allowed = phrase("statistics.only_beside_option", option=quoted(needs))
        report.add(f"{path}.{asked[0]}", found=quoted(asked[0]), allowed=allowed)
        return
    if not own.sampling or own.survey_weights is None:
        return
    largest = moments.ends(_squares(own, schema))[1]
    if largest > MAX_PRODUCT:
        found = phrase(
            "statistics.times_up_steps_row",
            survey_weights=quoted(own.survey_weights),
            name=quoted(own.survey_weights),
            max=largest,
        )
        allowed = phrase("model.at_most", max_text=MAX_PRODUCT)
        remedy = phrase("statistics.declare_one_two_coarser")
        report.add(f"{path}.sampling", found=found, allowed=allowed, remedy=remedy)
    taken = {name for axis in own.axes(schema) for name in axis.names} & {ROWS, LOWER, UPPER}
    for name in sorted(taken):
        report.add(f"{path}.by", found=quoted(name), allowed=phrase("statistics.another_name_beside"))


def _squares(own: TallyStatistic, schema: Schema) -> list[moments.Factor]:
    return [*weight_factors(own, schema)] * 2


def squares_queries(own: TallyStatistic, schema: Schema, others: Sequence[str]) -> tuple[TallyQuery, ...]:
    """Return the tallies of Σw² over rows with a code in some columns; none where sampling is not asked for."""
    return moments.queries(own.keys(schema), _squares(own, schema), schema, others) if own.sampling else ()


def with_squares(
    own: TallyStatistic, schema: Schema, terms: Terms, measured: tuple[Measurement, ...]
) -> tuple[Measurement, ...]:
    """Return the measurements, with Σw² beside them where sampling is asked for."""
    if not own.sampling:
        return measured
    shape = TallyQuery(own.keys(schema)).shape
    stated = spread(terms, shape, *moments.ends(_squares(own, schema)))
    return (*measured, Measurement(own.noise_for(terms), shape, stated, PART / (1 - PART)))


def summed_squares(
    own: TallyStatistic, schema: Schema, tallies: Sequence[Integers], others: Sequence[str]
) -> tuple[Integers, ...]:
    """Return Σw² of the tallies, exactly."""
    asked = squares_queries(own, schema, others)
    return (moments.total(_squares(own, schema), asked, tallies),) if asked else ()


def squares_step(own: TallyStatistic, schema: Schema) -> Decimal:
    """Return the units of one step of Σw²."""
    return weight_step(own, schema) ** 2


def with_totals(
    own: TallyStatistic,
    schema: Schema,
    shares: tuple[FloatArray, FloatArray, FloatArray],
    limits: tuple[float, float],
    table: Estimates,
    drawn: Sequence[FloatArray],
    mechanisms: Sequence[Mechanism],
    confidence: float,
    *,
    steps: int = 1,
) -> Estimates:
    """Return the table with effective rows and total intervals. `shares`: value and interval from 0 to 1.

    `drawn`: both parts, which make `steps` for each step of a weight, and Σw².
    """
    if not own.sampling:
        return table
    parts, squares = drawn[0].reshape(-1, 2), drawn[1].ravel()
    least = (parts.sum(axis=1) - sum_reach(mechanisms[0], 2, 0.95)) / max(1, steps)
    most = squares + sum_reach(mechanisms[1], 1, 0.95)
    lightest = moments.ends(weight_factors(own, schema))[0]
    rows = effective_rows(least, most, lightest=lightest, effect=float(own.effect))
    low, high = limits
    ends = total_interval(*shares, rows, confidence)
    lower, upper = ([float(low + (high - low) * end) for end in part] for part in ends)
    extra: dict[str, Sequence[Cell]] = {ROWS: rows.tolist(), LOWER: lower, UPPER: upper}
    return Estimates(axes=table.axes, value=table.value, lower95=table.lower95, upper95=table.upper95, extra=extra)


def may_be(own: TallyStatistic, table: Estimates, limits: tuple[float, float]) -> bool:
    """Check only that total intervals are there: whether they follow is for `verdict.facts.check_totals`."""
    named = list(table.extra) == ([ROWS, LOWER, UPPER] if own.sampling else [])
    return named and within(replace(table, extra={}), *limits)


def effective_rows(whole: FloatArray, squares: FloatArray, *, lightest: int, effect: float) -> NDArray[np.int64]:
    """Return T² / (effect · Q), rounded down: how many rows of a simple sample tell as much (Kish 1965).

    `whole`: T = Σw, a lower limit; `squares`: Q = Σw², an upper one; both in steps of the weights. Weights are whole
    there and at least `lightest`, so that Q is at least max(1, lightest)·T. 0 where T is not above 0.
    """
    some = whole > 0
    least = np.where(some, whole, 1.0)
    most = np.maximum(squares, max(1, lightest) * least)
    return np.asarray(np.where(some, np.floor(least**2 / most / effect), 0), dtype=np.int64)


def total_interval(
    value: FloatArray, lower: FloatArray, upper: FloatArray, rows: NDArray[np.int64], confidence: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Return the interval of a share from 0 to 1, widened by the sampling of so many effective rows.

    On each side √(d² + z²·r(1 − r)/n), d how far the noise reaches, r the share in its interval with the largest
    r(1 − r): that is the variance of a mean of numbers from 0 to 1 at most. [0, 1] where there are no such rows.
    """
    reach = NormalDist().inv_cdf((1 + confidence) / 2)
    nearest = np.clip(0.5, lower, upper)
    spread = reach**2 * nearest * (1 - nearest) / np.maximum(rows, 1)
    known = (rows > 0) | (confidence == 0)
    below, above = (np.sqrt((value - end) ** 2 + spread) for end in (lower, upper))
    return np.where(known, np.maximum(value - below, 0), 0.0), np.where(known, np.minimum(value + above, 1), 1.0)
