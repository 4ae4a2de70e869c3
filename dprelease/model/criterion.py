"""Criteria that a release must meet to be published: set beforehand in the plan, under `accept`."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any

from dprelease.model.encoding import plain
from dprelease.model.report import Report, join
from dprelease.words import phrase

MAX_CRITERIA = 100
MAX_RANKS = 1000


class Requirement(StrEnum):
    """Kind of requirement on a statistic.

    `error`: each value errs by at most so much, in its own units, with 95 % confidence; known before the charge.
    `relative_error`: each errs by at most such a share of its true value, with 95 % confidence for all together.
    `ranking`: the first so many are in their true order, with 95 % confidence.
    The last two are judged on the noisy values, which costs nothing.
    """

    ERROR = "error"
    RELATIVE_ERROR = "relative_error"
    RANKING = "ranking"


@dataclass(frozen=True, slots=True)
class Criterion:
    """One line of `accept`: a statistic, what is asked of it, and the limit."""

    statistic: str
    requirement: Requirement
    limit: Decimal

    def to_mapping(self) -> dict[str, Any]:
        return {"statistic": self.statistic, self.requirement.value: plain(self.limit)}

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> Criterion | None:
        """Read one line; None where it has problems."""
        before = len(report.problems)
        names = [each.value for each in Requirement]
        fields = report.mapping(value, path, allowed=("statistic", *names), required=("statistic",))
        statistic = report.optional_text(fields, "statistic", path, shortest=1)
        given = [name for name in names if fields.get(name) is not None]
        if fields and len(given) != 1:
            report.add(
                path,
                found=" and ".join(given) or phrase("model.no_requirement"),
                allowed=phrase("model.one", names=", ".join(names)),
            )
        if len(report.problems) > before:
            return None
        asked = Requirement(given[0])
        limit = _limit(asked, fields[asked], join(path, asked), report)
        return None if limit is None else cls(statistic, asked, limit)


def _limit(asked: Requirement, value: object, path: str, report: Report) -> Decimal | None:
    if asked is Requirement.RANKING:
        ranks = report.integer(value, path, lowest=1, highest=MAX_RANKS)
        return None if ranks is None else Decimal(ranks)
    allowed = (
        phrase("model.number_above_0_below") if asked is Requirement.RELATIVE_ERROR else phrase("model.number_above_0")
    )
    number = report.decimal(value, path, allowed=allowed)
    if number is not None and not 0 < number < (1 if asked is Requirement.RELATIVE_ERROR else Decimal("1e15")):
        report.add(path, found=value, allowed=allowed)
        return None
    return number


def read_criteria(value: object, report: Report) -> tuple[Criterion, ...]:
    """Return the criteria under `accept` in a plan; none where it is left out."""
    if value is None:
        return ()
    items = report.sequence(value, "accept", longest=MAX_CRITERIA)
    read = (Criterion.read(item, f"accept[{place}]", report) for place, item in enumerate(items))
    return tuple(filter(None, read))
