"""Weights that a plan leaves to the program: so that expected relative errors are equal, or their sum is least."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from dprelease.errors import PlanError
from dprelease.model.plan import Expected
from dprelease.model.privacy import Currency
from dprelease.statistics.planning.division import Division
from dprelease.words import phrase

ROUNDS = 4
"""Rounds of adjusting weights to expected errors."""
LEAST = Fraction(1, 10**9)


def weighed(own: Division) -> Division:
    """Return a division by the plan's objective; by its own weights where it has none.

    The largest relative error (`equalise`) or their sum (`minimise`), of all statistics without a share of their own,
    is never more than by the plan's own weights: of the divisions that are tried the best is taken, and those weights
    are tried first. Raises PlanError where no rows are expected.
    """
    plan, open_ = own.plan, [place for place, part in enumerate(own.own) if part is None]
    if not plan.weights or len(open_) < 2:
        return own
    if plan.expected is None:
        raise PlanError(
            "expected",
            found=phrase("model.nothing"),
            allowed=phrase("statistics.expected_number_rows_weights"),
            remedy=phrase("statistics.add_expected_rows"),
        )
    tries = _adjusted(own, plan.expected)
    begun = [_of_each(_best(tries))]
    if own.taken_from or own.fitted_to:
        begun.append(_best(_adjusted(replace(own, taken_from=own.told, fitted_to={}), plan.expected)).weights)
    known = [(own.taken_from, own.fitted_to)]
    for other in map(own.by, begun):
        if (other.taken_from, other.fitted_to) not in known:
            known.append((other.taken_from, other.fitted_to))
            tries += _adjusted(other, plan.expected)
    return _best(tries)


def largest(division: Division, expected: Expected) -> float:
    """Return the largest expected relative error of the statistics without a share of their own. Raises PlanError."""
    return max(_relative(division, expected).values(), default=0.0)


def _best(tries: Sequence[tuple[float, Division]]) -> Division:
    return min(tries, key=lambda each: each[0])[1]


def _adjusted(division: Division, expected: Expected) -> list[tuple[float, Division]]:
    """Some divisions with the same measurements, each with what the objective comes to; weights follow the errors."""
    found: list[tuple[float, Division]] = []
    for _ in range(1 + ROUNDS):
        try:
            relative = _relative(division, expected)
        except PlanError:
            if not found:
                raise
            break
        reached = max(relative.values()) if division.plan.weights == "equalise" else sum(relative.values())
        found.append((reached, division))
        division = replace(division, weights=_follow(division, relative))
    return found


def _relative(division: Division, expected: Expected) -> Mapping[int, float]:
    """Return the expected error of each statistic without a share of its own, relative to a typical value."""
    items = division.priced(division.shares(division.plan))
    return {
        place: (item.error95 or 1.0) / item.statistic.magnitude(division.plan.schema, expected)
        for place, item in enumerate(items)
        if division.own[division.pays(place)] is None
    }


def _follow(division: Division, relative: Mapping[int, float]) -> list[Fraction]:
    """Return weights of those that pay, by the errors of all that is computed of their measurements.

    With relative error r = a/w (in zcdp a/√w): the largest is least where w ∝ A (A²), A the largest a of a measurement;
    the sum is least where w ∝ √A (A^⅔), A the sum of its a.
    """
    falls = 1.0 if division.terms.currency is Currency.PURE else 0.5
    equal = division.plan.weights == "equalise"
    wanted: dict[int, float] = {}
    for place, error in relative.items():
        for payer in division.payers(place):
            wanted[payer] = max(wanted.get(payer, 0.0), error) if equal else wanted.get(payer, 0.0) + error
    whole = sum(division.weights[payer] for payer in wanted)
    power = 1 / falls if equal else 1 / (1 + falls)
    given = {payer: float(division.weights[payer] / whole) ** falls for payer in wanted}
    aims = {payer: (error * given[payer]) ** power for payer, error in wanted.items()}
    largest, weights = max(aims.values()), list(division.weights)
    for payer, aim in aims.items():
        weights[payer] = max(LEAST, Fraction(aim / largest).limit_denominator(10**9))
    return weights


def _of_each(division: Division) -> Sequence[Fraction]:
    """Return the weights of all statistics, of which those that one measurement answers have equal parts."""
    payers = [division.pays(place) for place in range(len(division.statistics))]
    return [division.weights[payer] / payers.count(payer) for payer in payers]
