"""What readers are told about how reliable the numbers of a release are."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from dprelease.bundle.display import margin, shown
from dprelease.bundle.words import say
from dprelease.mechanisms import half_width
from dprelease.model.certificate import Certificate
from dprelease.model.grade import Grade, grades
from dprelease.model.presentation import Trait
from dprelease.model.release import Estimates, Release, plain

FEWEST = 10
"""Intervals in a table of which it is said that some miss."""
MISSED = 20
"""One of so many intervals misses, on the average."""


def reliability(release: Release, table: str) -> Iterator[str]:
    """Sentences about one table: what the grades that occur mean, and how many intervals miss."""
    estimates = release.tables[table]
    own = grades(release.certificate, table, estimates)
    if own is None:
        return
    found = set(own)
    yield from (say(f"legend_{grade}") for grade in Grade if grade in found and grade is not Grade.RELIABLE)
    count = intervals(estimates)
    if count >= FEWEST:
        half = together(release.certificate, table, count)
        key, values = ("misses", {}) if half is None else ("misses_together", {"margin": margin(half)})
        yield say(key, cells=shown(count), missed=shown(round(count / MISSED)), **values)


def intervals(estimates: Estimates) -> int:
    """Counts the values that have a whole interval."""
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
    if own.name not in half_width.ONE or own.step is None or certificate.plan.get("postprocess"):
        return None
    return half_width.half_width(own.name, float(own.scale), 0.95 ** (1 / count)) * float(own.step)


def rule(certificate: Certificate) -> list[str]:
    """The rule of the grades with its limits; nothing of a release that has none."""
    limits = certificate.limits
    if limits is None:
        return []
    caution, unreliable = (shown(ceil(1000 * part - 1e-6) / 10) for part in (limits.caution, limits.unreliable))
    return [say("grades_rule", caution=caution, unreliable=unreliable), say("grades_quote")]


def summary(release: Release) -> str:
    """How many numbers of a release are of which grade, in one sentence; nothing of a release that has none."""
    counted = dict.fromkeys(Grade, 0)
    for name, estimates in release.tables.items():
        for grade in grades(release.certificate, name, estimates) or ():
            counted[grade] += 1
    total = sum(counted.values())
    told = {grade.name.lower(): shown(count) for grade, count in counted.items()}
    return say("grades_counted", total=shown(total), **told) if total else ""
