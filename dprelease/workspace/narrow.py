"""Share of the declared possibilities that a filter leaves, and filters that differ by few of them: never by rows.

A filter passes some codes of each column that it names. Taken as if rows were spread evenly over what is declared, it
leaves the product of `passed / declared` over these columns: a filter of age = 97 (of 121 ages) and province = 51 (of
52) leaves 1 in 6,292. That is no estimate of how many rows there are; it is what a reviewer can know without them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from dprelease.model.measured import measured_each
from dprelease.model.plan import Expected, Plan
from dprelease.statistics.planning.price import Price

Passed = Mapping[str, Set[int] | range]
"""Codes that pass, by column that a filter names."""


@dataclass(frozen=True, slots=True)
class Near:
    """Another plan whose filter differs in one column, so that the difference of two answers is of few rows."""

    title: str
    column: str
    share: Fraction
    """Share of the declared possibilities that only one of both filters passes."""


@dataclass(frozen=True, slots=True)
class Filtered:
    """Errors of a plan with a filter where its expected rows were said of the whole table, and not of what passes."""

    rows: int
    """Number of rows that the plan states."""
    left: int
    """Rows left of these, where rows are spread evenly over what is declared; 1 at least."""
    errors: Mapping[str, float]
    """Expected error for so many rows, by statistic whose error depends on the rows."""


def filtered(price: Price) -> Filtered | None:
    """Return how errors grow where expected rows are yet to be filtered; None without a filter or such an error."""
    plan, part = price.plan, share(price.plan)
    if plan.expected is None or part == 1:
        return None
    rows, units = plan.expected.rows, plan.expected.units
    expected = Expected(max(1, round(rows * part)), None if units is None else max(1, round(units * part)))
    errors: dict[str, float] = {}
    for item in price.statistics:
        if item.derivation.own is not None and item.basis == "expected":
            found = item.statistic.error(plan.schema, item.mechanisms, expected)
            errors |= {} if found is None else {item.id: found.error95}
    return Filtered(rows, expected.rows, errors) if errors else None


def share(plan: Plan) -> Fraction:
    """Return how much of what is declared passes the filter of a plan, 0 to 1; 1 without a filter."""
    return _share(passed(plan), plan)


def near(plan: Plan, title: str, other: Plan) -> Near | None:
    """Return what tells two plans apart where both ask the same of rows whose filters differ in one column only."""
    own, others = passed(plan), passed(other)
    differing = [name for name in {**own, **others} if not _equal(own.get(name), others.get(name))]
    if len(differing) != 1 or any(plan.schema[name] != other.schema[name] for name in own.keys() & others.keys()):
        return None
    if not {*measured_each(plan, filtered=False)} & {*measured_each(other, filtered=False)}:
        return None
    (column,) = differing
    codes = (plan if column in own else other).schema[column].codes
    first, second = own.get(column, range(codes)), others.get(column, range(codes))
    only_one = len(first) + len(second) - 2 * _common(first, second)
    rest = {name: each for name, each in own.items() if name != column}
    return Near(title, column, _share(rest, plan) * Fraction(only_one, codes))


def passed(plan: Plan) -> Passed:
    """Return the codes that pass, by column; of columns whose codes rows decide nothing is known."""
    found: dict[str, Set[int] | range] = {}
    for condition in plan.where:
        column = plan.schema[condition.column]
        if not column.discover:
            now = found.get(condition.column, range(column.codes))
            found[condition.column] = _passing(now, condition.codes(plan.schema))
    return found


def _passing(now: Set[int] | range, tests: Sequence[tuple[str, tuple[int, ...]]]) -> Set[int] | range:
    for key, codes in tests:
        if key in ("equals", "in"):
            now = frozenset(code for code in codes if code in now)
            continue
        low, high = (codes[0], None) if key == "at_least" else (None, codes[0])
        if isinstance(now, range):
            now = range(max(now.start, low or 0), min(now.stop, now.stop if high is None else high + 1))
        else:
            now = frozenset(code for code in now if (low is None or code >= low) and (high is None or code <= high))
    return now


def _share(codes: Passed, plan: Plan) -> Fraction:
    return prod((Fraction(len(each), plan.schema[name].codes) for name, each in codes.items()), start=Fraction(1))


def _equal(first: Set[int] | range | None, second: Set[int] | range | None) -> bool:
    if first is None or second is None:
        return first is second
    return len(first) == len(second) == _common(first, second)


def _common(first: Set[int] | range, second: Set[int] | range) -> int:
    if isinstance(first, range) and isinstance(second, range):
        return max(0, min(first.stop, second.stop) - max(first.start, second.start))
    few, many = (second, first) if isinstance(first, range) else (first, second)
    return sum(code in many for code in few)
