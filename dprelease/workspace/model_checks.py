"""Checks of the models of a plan before it is decided: of the plan and earlier releases alone, never of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import sqrt

from dprelease.mechanisms import Mechanism
from dprelease.model.plan import Plan
from dprelease.model.privacy import decimal_text, significant
from dprelease.model.schema import Schema
from dprelease.statistics.binned import Binned, variance
from dprelease.statistics.held_out_classifier import HeldOutClassifier
from dprelease.statistics.kinds.logistic import Logistic
from dprelease.statistics.planning.price import Price
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.statistics.tabulated import TallyStatistic

MUCH_WIDER = 4
"""Times as wide as published bounds: noise is that much larger than it has to be."""
STANDS_OUT = 2.0
"""Standard deviations of its noise that a count has to be above 0."""
RARE = 0.05
"""Largest share that an outcome may need in order to stand out: if it needs more, a rare one is not seen."""


@dataclass(frozen=True, slots=True)
class PublishedBounds:
    """Range of a column in an earlier release."""

    lower: Decimal
    upper: Decimal
    title: str


def models(price: Price) -> Iterator[tuple[StatisticPrice, TallyStatistic]]:
    """Yield the models of a plan, with their prices."""
    for item in price.statistics:
        if item.statistic.output == "model":
            yield item, item.statistic


def columns(plan: Plan) -> tuple[str, ...]:
    """Return the numeric columns that models of a plan are made of, each once."""
    models = [each for each in plan.statistics if isinstance(each, TallyStatistic) and each.output == "model"]
    found = [column for each in models for column in each.used_columns()]
    return tuple(name for name in dict.fromkeys(found) if isinstance(plan.schema[name].upper, Decimal))


def much_too_wide(plan: Plan, known: Mapping[str, PublishedBounds]) -> Iterator[dict[str, str]]:
    """Yield columns of models that are declared much wider than what a release told of them."""
    for name in columns(plan):
        lower, upper = plan.schema[name].lower, plan.schema[name].upper
        told = known.get(name)
        if told is None or not isinstance(lower, Decimal) or not isinstance(upper, Decimal):
            continue
        width = max(told.upper - told.lower, plan.schema[name].resolution or Decimal(1))
        if upper - lower >= MUCH_WIDER * width:
            numbers = {"lower": lower, "upper": upper, "from": told.lower, "to": told.upper}
            times = {"times": significant(float((upper - lower) / width)), "title": told.title, "column": name}
            yield {key: decimal_text(number) for key, number in numbers.items()} | times


def noisy_cells(price: Price) -> Iterator[dict[str, str]]:
    """Yield models by bins in whose tables a cell may expect fewer rows than its noise is wide."""
    expected = price.plan.expected
    for item, model in models(price):
        if expected is None or not isinstance(model, Binned):
            continue
        classes = price.plan.schema[model.outcome].codes
        for column, cells, noise in model.told_by(price.plan.schema, _mechanisms(item)):
            each, error = expected.rows / (cells * classes), STANDS_OUT * sqrt(noise)
            if each < error:
                yield {
                    "statistic": item.id,
                    "column": column,
                    "expected": significant(each),
                    "error": significant(error),
                }
                break


def rare_outcome(price: Price) -> Iterator[dict[str, str]]:
    """Yield models whose outcome has to be frequent to stand out from its noise."""
    expected = price.plan.expected
    for item, model in models(price):
        deviation = None if expected is None else _of_outcome(model, price.plan.schema, _mechanisms(item))
        if expected is None or deviation is None:
            continue
        share = STANDS_OUT * deviation / max(1, expected.rows)
        if share > RARE:
            about = {"rows": significant(STANDS_OUT * deviation), "share": f"{min(1.0, share):.0%}"}
            yield {"statistic": item.id, **about}


def untried(plan: Plan) -> Iterator[dict[str, str]]:
    """Yield models of two classes of which nothing will say how good they are, where units could be held out."""
    for each in plan.statistics:
        two = isinstance(each, HeldOutClassifier) and plan.schema[each.outcome].codes == 2
        if two and plan.unit.column is not None and getattr(each, "held_out", None) is None:
            yield {"statistic": each.id}


def _mechanisms(item: StatisticPrice) -> tuple[Mechanism, ...]:
    return tuple(item.derivation.mechanisms)


def _of_outcome(model: TallyStatistic, schema: Schema, noise: tuple[Mechanism, ...]) -> float | None:
    """Return the standard deviation of the noise on the number of rows with an outcome; None of what has none."""
    if isinstance(model, Binned):
        return 1.0 / sqrt(sum(1.0 / (cells * each) for _, cells, each in model.told_by(schema, noise)))
    if isinstance(model, Logistic):  # of Σ y, which is 1 or -1 of a row: a row more counts twice
        return sqrt(variance(noise[0])) / model.unit_of_outcome(schema) / 2
    return None
