"""Changes of a plan against another one, line by line, with their effect on its errors and its promise.

All of it is computed from the two plans and their prices: no rows, and no result, are looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from dprelease.accounting.epsilon_explained import meaning
from dprelease.model.difference import Change, changes
from dprelease.statistics.planning.price import Price
from dprelease.store.plans import PlanRecord

TOO_NOISY = 0.5
"""Expected relative error above which a number is too noisy to use."""
STATISTICS = "statistics."


class BaseKind(StrEnum):
    """Why a plan is compared with another one."""

    RETURNED = "returned"
    """This reviewer returned it, and the plan is its next version."""
    RETURNED_BY_ANOTHER = "returned_by_another"
    APPROVED = "approved"
    """The plan of the same dataset that was approved last."""
    PUBLISHED = "published"
    """The plan of the same population that was published last."""
    CHOSEN = "chosen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """Plan that another plan is compared with."""

    kind: BaseKind
    record: PlanRecord
    by: str
    """Person who returned, approved or published it; empty where somebody chose it."""
    at: str


@dataclass(frozen=True, slots=True)
class Error:
    """The expected 95 % error of one statistic, by what is declared."""

    absolute: float | None
    relative: float | None
    """Error as a share of a typical value; None where no number of rows is declared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanChange:
    """One line of a plan that is otherwise than in its base."""

    on: str
    """Name for a remark on the change: `ages`, `ages.bins`, `columns.cost.upper`, `privacy.epsilon`."""
    statistic: str
    """The id; empty for a line of the whole plan."""
    field: str
    """Changed field of the statistic or the plan; empty where the statistic itself came or went."""
    was: Any
    """None where it was not there."""
    now: Any
    """None where it is not there any more."""
    error_of: str = ""
    """The statistic whose error this line has most to do with; empty where none changes."""
    error: tuple[Error, Error] | None = None
    """Error before and after, with all changes together."""
    sure: tuple[float, float] | None = None
    """Largest certainty of somebody who suspects 50 : 50, before and after; for a change of ε or δ."""
    numbers: int | None = None
    """Count of the numbers that an added statistic publishes."""
    too_noisy: int | None = None
    """Count of those numbers that are too noisy to use, by the declared guesses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A plan beside its base."""

    plan_id: str
    base: Base | None
    """None where there is nothing to compare it with."""
    changes: tuple[PlanChange, ...] = ()
    unchanged: int = 0
    """Statistics of which no line is in `changes`."""


def compared(plan_id: str, base: Base, before: Price, after: Price) -> Comparison:
    """Return everything that differs, in the order of the plan; each error stands once, beside its first line."""
    lines, told = [], set[str]()
    for change in changes(before.plan.to_mapping(), after.plan.to_mapping()):
        line = _line(change, before, after)
        if line.error_of in told:
            line = replace(line, error_of="", error=None)
        told.add(line.error_of)
        lines.append(line)
    touched = {line.statistic for line in lines}
    unchanged = sum(item.id not in touched for item in after.statistics)
    return Comparison(plan_id=plan_id, base=base, changes=tuple(lines), unchanged=unchanged)


def error_of(price: Price, statistic: str) -> Error:
    """Return the expected error of one statistic, and what part of a typical value it is."""
    item, expected = price[statistic], price.plan.expected
    if item.error95 is None or expected is None:
        return Error(item.error95, None)
    typical = abs(item.statistic.magnitude(price.plan.schema, expected))
    return Error(item.error95, item.error95 / typical if typical else None)


def too_noisy(price: Price, statistic: str) -> int | None:
    """Return how many numbers of a statistic are too noisy to use, by declared guesses; None where there are none."""
    relative = error_of(price, statistic).relative
    return None if relative is None else price[statistic].size * (relative > TOO_NOISY)


def sure(price: Price) -> float:
    """Return how sure somebody who suspects 50 : 50 can become at most, whatever is published.

    With δ: the largest probability of a right guess, (e^ε + δ) / (1 + e^ε), of two tables one of which is the true one.
    Source: Kairouz, Oh and Viswanath, The composition theorem for differential privacy, 2017, theorem 2.1.
    """
    epsilon, delta = float(price.epsilon), float(price.delta)
    return meaning(epsilon, 0).beliefs[-1].most * (1 - delta) + delta


def _line(change: Change, before: Price, after: Price) -> PlanChange:
    if change.path.startswith(STATISTICS):
        statistic, _, field = change.path.removeprefix(STATISTICS).partition(".")
        line = PlanChange(
            on=change.path.removeprefix(STATISTICS),
            statistic=statistic,
            field=field,
            was=change.before,
            now=change.after,
        )
        if field:
            return _with_error(line, [statistic], before, after)
        if change.before is None:
            return replace(line, numbers=after[statistic].size, too_noisy=too_noisy(after, statistic))
        return line
    line = PlanChange(on=change.path, statistic="", field=change.path, was=change.before, now=change.after)
    if change.path in ("privacy.epsilon", "privacy.delta"):
        return replace(line, sure=(sure(before), sure(after)))
    return _with_error(line, _decided_by(change.path, before, after), before, after)


def _decided_by(path: str, before: Price, after: Price) -> list[str]:
    """Return the statistics of both plans whose error a line of the plan decides."""
    part, _, rest = path.partition(".")
    if part == "columns":
        column = rest.partition(".")[0]
        return [item.id for item in _in_both(before, after) if column in item.statistic.used_columns()]
    return [item.id for item in _in_both(before, after)] if part in ("privacy", "expected", "weights") else []


def _in_both(before: Price, after: Price) -> Iterator[Any]:
    known = {item.id for item in before.statistics}
    return (item for item in after.statistics if item.id in known)


def _with_error(line: PlanChange, candidates: list[str], before: Price, after: Price) -> PlanChange:
    """Return the change with the error that changed most, as a ratio."""
    errors = {each: (error_of(before, each), error_of(after, each)) for each in candidates}
    moved = {each: _ratio(*pair) for each, pair in errors.items()}
    most = max(moved, key=lambda each: moved[each], default="")
    return replace(line, error_of=most, error=errors[most]) if most and moved[most] > 1 else line


def _ratio(was: Error, now: Error) -> float:
    """Return the ratio of the larger error to the smaller one; 1 where they are the same or nothing is known."""
    one, other = (was.relative, now.relative) if was.relative and now.relative else (was.absolute, now.absolute)
    return max(one / other, other / one) if one and other else 1.0
