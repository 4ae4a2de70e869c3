"""Part of a plan's budget that a statistic gets of its own: stated, or solved from a target error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import lru_cache
from math import inf

from dprelease.accounting.shares import factor_of, in_currency, lost
from dprelease.errors import PlanError
from dprelease.model.column import Column
from dprelease.model.plan import Expected, Plan
from dprelease.model.privacy import MAX_EPSILON, NANO, PrivacyLoss, Terms, decimal_text
from dprelease.model.schema import Schema
from dprelease.statistics.planning.priced import priced
from dprelease.statistics.tabulated import TallyStatistic
from dprelease.words import Figure, phrase


def own_share(
    place: int, statistics: Sequence[TallyStatistic], plan: Plan, terms: Terms, whole: PrivacyLoss
) -> int | None:
    """Return a statistic's own share in nano of the currency: stated, or solved from its target error; None by weight.

    Of answers that arrived changed it is what their column declares.
    """
    statistic = statistics[place]
    declared = statistic.declared_epsilon(plan.schema)
    if declared is not None:
        return lost(declared, terms.currency)
    if statistic.epsilon_nano is not None:
        return in_currency(statistic.epsilon_nano, terms.currency) // factor_of(plan)
    if statistic.target_error is None:
        return None
    value, confidence = float(statistic.target_error.value), float(statistic.target_error.confidence)
    delta = whole.delta_atto // max(1, sum(each.discovers(plan.schema) for each in statistics))
    columns = tuple(plan.schema[name] for name in dict.fromkeys(statistic.used_columns()))
    if plan.expected is None and _error(statistic, columns, terms, None, delta, MAX_EPSILON * NANO, confidence) is None:
        raise PlanError(
            "expected",
            found=phrase("model.nothing"),
            allowed=phrase("statistics.expected_number_rows_error"),
            remedy=phrase("statistics.add_expected_rows_give", place=place),
        )
    needed = _solved(statistic, columns, terms, plan.expected, delta)
    if needed is None or needed > whole.nano:
        raise PlanError(
            f"statistics[{place}].target_error",
            found=phrase(
                "statistics.target_takes" if needed else "statistics.target_beyond_noise",
                error=Figure(f"{value:g}"),
                confidence=Figure(f"{confidence:.1%}"),
                symbol=whole.symbol,
                need=Figure(decimal_text(Decimal(needed or 0) / NANO)),
            ),
            allowed=phrase(
                "statistics.target_short" if needed else "statistics.target_within",
                symbol=whole.symbol,
                has=Figure(decimal_text(Decimal(whole.nano) / NANO)),
                short=Figure(decimal_text(Decimal((needed or 0) - whole.nano) / NANO)),
            ),
            remedy=phrase("statistics.allow_larger_error_lower"),
        )
    return needed


@lru_cache(maxsize=1024)
def _solved(
    statistic: TallyStatistic, columns: tuple[Column, ...], terms: Terms, expected: Expected | None, delta: int
) -> int | None:
    """Return the smallest share at which a statistic keeps to its target error: kept, since it depends on no other."""
    assert statistic.target_error is not None
    value, confidence = float(statistic.target_error.value), float(statistic.target_error.confidence)

    def errs(nano: int) -> float:
        error = _error(statistic, columns, terms, expected, delta, nano, confidence)
        return inf if error is None else error

    schema = Schema({column.name: column for column in columns})
    return _smallest(errs, value, len(statistic.measurements(schema, terms)), MAX_EPSILON * NANO)


def _error(
    statistic: TallyStatistic,
    columns: tuple[Column, ...],
    terms: Terms,
    expected: Expected | None,
    delta: int,
    nano: int,
    confidence: float,
) -> float | None:
    """Return the error of a statistic at a share of its own."""
    alone = Plan(
        dataset="",
        unit=terms.unit,
        neighbors=terms.neighbors,
        epsilon_nano=0,
        statistics=(statistic,),
        expected=expected,
        schema=Schema({column.name: column for column in columns}),
    )
    share = PrivacyLoss.of(terms.currency, nano, delta)
    return priced(statistic, share, alone, terms, 0, confidence=confidence).error95


def _smallest(errs: Callable[[int], float], value: float, least: int, most: int) -> int | None:
    """Return the smallest share whose error is at most the value, by bisection: errors fall as shares grow."""
    low, high = least, least
    while errs(high) > value:
        if high >= most:
            return None
        low, high = high, min(most, high * 4)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if errs(middle) <= value else (middle + 1, high)
    return high
