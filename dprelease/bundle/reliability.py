"""Reliability of a release's numbers, in words for readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil

from msgspec import UNSET

from dprelease.bundle.sampling import is_held, is_left_out
from dprelease.bundle.unanswered import left_out
from dprelease.charts.cells import SHARE
from dprelease.charts.data import AGAINST
from dprelease.model.certificate import Certificate
from dprelease.model.grade import QUOTABLE, Grade, graded
from dprelease.model.presentation import Trait, ValueKind
from dprelease.model.release import Estimates, Release, plain
from dprelease.model.statement import Reason
from dprelease.statements.counts import contents, why_caution
from dprelease.statements.display import margin, shown
from dprelease.statements.phrases import say as word
from dprelease.statements.ranks import cells_chosen, rank_reach
from dprelease.words.releases import WORDS, say

FEWEST = 10
"""Fewest intervals in a table for which a text says that some miss."""
NOISES = ("discrete_laplace", "discrete_gaussian")
"""Mechanisms whose margin of error can be computed."""
MISSED = 20
"""Average number of intervals per one that misses."""


@dataclass(frozen=True, slots=True)
class GradeCounts:
    """Numbers of one table: how many of each grade, and how many have a whole interval."""

    grades: Mapping[Grade, int]
    intervals: int
    reasons: tuple[Reason, ...]
    """Reasons for grade C."""

    @property
    def contents(self) -> str:
        """Sentence on how many numbers there are, and how many can be quoted."""
        return contents(sum(self.grades.get(each, 0) for each in QUOTABLE), sum(self.grades.values()))

    @classmethod
    def of(cls, release: Release, table: str) -> GradeCounts:
        """Count the grades, which takes a moment for a large table."""
        estimates = release.tables[table]
        found = list(graded(release.certificate, table, estimates))
        together = AGAINST in estimates.extra  # all intervals of such a curve hold with 95 %
        return cls(Counter(letter for letter, _ in found), 0 if together else _intervals(estimates), why_caution(found))


def reliability(release: Release, table: str, counted: GradeCounts) -> Iterator[str]:
    """Yield sentences on one table: rows and errors it leaves out, meaning of its grades, number of misses."""
    yield from left_out(release, table)
    if is_left_out(release.certificate, table):
        yield say("sampling_left_out")
    elif is_held(release.certificate, table):
        yield say("sampling_held")
    yield from filter(None, [rank_statement(release.certificate, table)])
    source = release.certificate.statistic(table).bounded_by
    if source is not UNSET:
        yield say("bounded_by", source=source)
    if any(name.endswith(SHARE) for name in release.tables[table].extra):
        yield word("shares_add_up")
    yield from (word(f"caution_{reason}") for reason in counted.reasons)
    marked = (grade for grade in Grade if grade in counted.grades and grade not in QUOTABLE)
    yield from (say(f"legend_{grade}") for grade in marked)
    if counted.intervals >= FEWEST:
        told = {"cells": shown(counted.intervals), "missed": shown(int(counted.intervals / MISSED + 0.5))}
        half = together(release.certificate, table, counted.intervals)
        yield say("misses", **told) if half is None else say("misses_together", margin=margin(half), **told)


def summary(counted: Iterable[GradeCounts]) -> str:
    """State how many numbers of a release have each grade, in one sentence; empty where there are none."""
    each: Counter[Grade] = Counter()
    for table in counted:
        each.update(table.grades)
    told = {grade.name.lower(): shown(each[grade]) for grade in Grade}
    return say("grades_counted", total=shown(each.total()), **told) if each else ""


def _intervals(estimates: Estimates) -> int:
    ends = zip(plain(estimates.lower95), plain(estimates.upper95), strict=True)
    return sum(None not in pair for lower, upper in ends for pair in zip(lower, upper, strict=True))


def together(certificate: Certificate, table: str, count: int) -> float | None:
    """Return the margin of error that holds for the noise of all `count` cells jointly with 95 %.

    The smallest h with P(|noise| <= h)^count >= 0.95, exactly, where each cell has one draw of its own; None where the
    noise of cells is shared or summed.
    """
    stated = certificate.statistic(table)
    mechanisms = certificate.rests_on(stated)
    if not stated.presentation.has(Trait.OWN_NOISE) or stated.source is not None or len(mechanisms) != 1:
        return None
    (own,) = mechanisms
    if own.name not in NOISES or own.step is None or certificate.plan.get("postprocess"):
        return None
    from dprelease.mechanisms.half_width import half_width  # the library behind it takes a while to load

    return half_width(own.name, float(own.scale), 0.95 ** (1 / count)) * float(own.step)


def rule(certificate: Certificate) -> list[str]:
    """Return the rule of the grades with its limits."""
    limits = certificate.grades
    caution, unreliable = (shown(ceil(1000 * part - 1e-6) / 10) for part in (limits.caution, limits.unreliable))
    return [say("grades_rule", caution=caution, unreliable=unreliable), say("grades_quote")]


def rank_statement(certificate: Certificate, table: str) -> str:
    """State how many rows the values of a table may be off; empty for tables of another kind."""
    off = rank_reach(certificate, table) if "rank_off" in WORDS else None
    if off is None:
        return ""
    rows = shown(ceil(off * (1 - 1e-9)))
    if certificate.statistic(table).presentation.values is ValueKind.NAMED:
        return say("rank_off_mode", rows=rows)
    alone, cells = say("rank_off", rows=rows), cells_chosen(certificate, table)
    return say("rank_off_cells", off=alone, cells=shown(cells)) if cells else alone
