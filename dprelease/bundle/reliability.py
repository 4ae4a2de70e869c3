"""What readers are told about how reliable the numbers of a release are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, log
from typing import Any

from msgspec import UNSET

from dprelease.bundle.sampling import is_held, is_left_out
from dprelease.bundle.unanswered import left_out
from dprelease.charts.cells import SHARE
from dprelease.charts.data import AGAINST
from dprelease.model.certificate import Certificate
from dprelease.model.grade import Grade, graded
from dprelease.model.presentation import Trait
from dprelease.model.release import Estimates, Release, plain
from dprelease.model.stated import StatedMechanism
from dprelease.model.statement import Reason
from dprelease.statements.counts import QUOTABLE, contents, why_caution
from dprelease.statements.display import margin, shown
from dprelease.statements.phrases import say as word
from dprelease.words.releases import WORDS, say

FEWEST = 10
"""Intervals in a table of which it is said that some miss."""
NOISES = ("discrete_laplace", "discrete_gaussian")
"""Of which the reach is known."""
MISSED = 20
"""One of so many intervals misses, on the average."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The numbers of one table: how many of each grade, and how many have a whole interval."""

    grades: Mapping[Grade, int]
    intervals: int
    reasons: tuple[Reason, ...]
    """Of the numbers of grade C."""

    @property
    def contents(self) -> str:
        """How many numbers there are, and how many can be quoted."""
        return contents(sum(self.grades.get(each, 0) for each in QUOTABLE), sum(self.grades.values()))

    @classmethod
    def of(cls, release: Release, table: str) -> Counted:
        """Counts them, which takes a moment for a large table."""
        estimates = release.tables[table]
        found = list(graded(release.certificate, table, estimates))
        together = AGAINST in estimates.extra  # all intervals of such a curve hold with 95 %
        return cls(Counter(letter for letter, _ in found), 0 if together else _intervals(estimates), why_caution(found))


def reliability(release: Release, table: str, counted: Counted) -> Iterator[str]:
    """Sentences about one table: which rows and errors it leaves out, what its grades mean, how many intervals miss."""
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


def summary(counted: Iterable[Counted]) -> str:
    """How many numbers of a release are of which grade, in one sentence; nothing of a release that has none."""
    each: Counter[Grade] = Counter()
    for table in counted:
        each.update(table.grades)
    told = {grade.name.lower(): shown(each[grade]) for grade in Grade}
    return say("grades_counted", total=shown(each.total()), **told) if each else ""


def _intervals(estimates: Estimates) -> int:
    ends = zip(plain(estimates.lower95), plain(estimates.upper95), strict=True)
    return sum(None not in pair for lower, upper in ends for pair in zip(lower, upper, strict=True))


def together(certificate: Certificate, table: str, count: int) -> float | None:
    """How far the noise of any of so many cells goes, all of them together with 95 %.

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
    """The rule of the grades with its limits."""
    limits = certificate.grades
    caution, unreliable = (shown(ceil(1000 * part - 1e-6) / 10) for part in (limits.caution, limits.unreliable))
    return [say("grades_rule", caution=caution, unreliable=unreliable), say("grades_quote")]


SELECTIONS = ("permute_and_flip", "exponential")
MISS = 0.05
WHISKERS = ("0.05", "0.95")
QUARTILES = ("0.25", "0.5", "0.75")


def rank_statement(certificate: Certificate, table: str) -> str:
    """Says in one sentence how many rows the values of a table may be off; empty of tables of another kind."""
    off = rank_reach(certificate, table) if "rank_off" in WORDS else None
    if off is None:
        return ""
    asked, rows = certificate.asked(table), shown(ceil(off * (1 - 1e-9)))
    if asked["kind"] == "mode":
        return say("rank_off_mode", rows=rows)
    alone, cells = say("rank_off", rows=rows), _chosen(certificate, table)[0].shape[1]
    column = certificate.columns[asked["column"]]
    return alone if cells == column.codes else say("rank_off_cells", off=alone, cells=shown(cells))


def rank_reach(certificate: Certificate, table: str) -> float | None:
    """How many rows the values of a group may be off, all of them together with 95 %; None of other tables.

    A cell whose score is t below the best is chosen with probability at most e^(−t/scale), so with 1 − β none of N
    cells that is more than scale·ln(N/β) below it. The best score of a quantile α = p/q is at least 0, and its scores
    are q times rows. So each of k chosen cells has at most T = max_i scale_i/q_i · ln(N·k/0.05) rows too many below it,
    and above it: sorting keeps that, since T is the same for all. A mode has at most scale·ln((N − 1)/0.05) rows fewer
    than the most common value. Of candidates nothing is said: none of these may come near.
    """
    asked, chosen = certificate.asked(table), _chosen(certificate, table)
    if not chosen or asked.get("candidates"):
        return None
    cells, shares = chosen[0].shape[1], _shares(asked)
    if asked["kind"] == "mode":
        return chosen[0].scale * log((cells - 1) / MISS) if cells > 1 else 0.0
    if len(shares) != len(chosen):
        return None
    return max(map(_per_row, chosen, shares)) * log(cells * len(shares) / MISS)


def _chosen(certificate: Certificate, table: str) -> list[StatedMechanism]:
    """The mechanisms that chose its values."""
    rests_on = certificate.rests_on(certificate.statistic(table))
    return [each for each in rests_on if each.name in SELECTIONS and len(each.shape) > 1]


def _shares(asked: Mapping[str, Any]) -> list[Decimal]:
    """The α of each answer."""
    if asked["kind"] == "quantiles":
        return [Decimal(str(share)) for share in asked["probs"]]
    if asked["kind"] == "five_numbers":
        low, high = map(str, asked.get("whiskers", WHISKERS))
        return [Decimal(share) for share in (low, *QUARTILES, high)]
    return [Decimal("0.5")] if asked["kind"] == "median" else []


def _per_row(mechanism: StatedMechanism, share: Decimal) -> float:
    return mechanism.scale / share.as_integer_ratio()[1]
