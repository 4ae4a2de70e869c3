"""Charts and grades of releases that the portal shows, each worked out once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from dprelease.bundle.listing import LEADS
from dprelease.bundle.outputs import CERTIFICATE
from dprelease.bundle.reliability import GradeCounts, summary
from dprelease.charts.process import lead, picture
from dprelease.charts.renderer import Alike, alike
from dprelease.model.release import Release
from dprelease.portal.shelf import Bundle
from dprelease.statements.counts import copies
from dprelease.words.language import ENGLISH, language

KEPT = 128
COUNTED = 4096
"""Largest number of tables whose grade counts are kept."""


def graded(bundle: Bundle, read: Callable[[], Release]) -> str:
    """State how many numbers of a release have each grade, in one sentence. `read`: reads it where that is needed."""
    return summary(counted(bundle, name, read) for name in bundle.tables if name not in copies(bundle.certificate))


def counted(bundle: Bundle, statistic: str, read: Callable[[], Release]) -> GradeCounts:
    """Count the numbers of a table by grade; a table that was counted once is not counted again."""
    sums = bundle.sums
    known = _counted(sums[CERTIFICATE], sums[f"tables/{statistic}.csv"], statistic)
    if not known:
        known.append(GradeCounts.of(read(), statistic))
    return known[0]


@lru_cache(maxsize=COUNTED)
def _counted(certificate: str, table: str, statistic: str) -> list[GradeCounts]:
    """Return the list that keeps a table's counts, by the SHA-256 of the signed files, so that no table is kept."""
    return []


@dataclass(frozen=True, slots=True)
class DrawnChart:
    """Chart to draw: two are the same where the signed files are."""

    certificate: str
    """SHA-256, as that of the table."""
    table: str
    statistic: str
    language: str
    narrow: bool
    release: Release = field(compare=False, repr=False)


def has_stored_charts(bundle: Bundle) -> bool:
    """Return True if the charts in the bundle are shown: in their language, of this version, and drawn alike here."""
    facts = bundle.certificate
    return language() == ENGLISH and facts.is_ours and alike(facts.versions) is Alike.DRAWING


def spoken_chart(bundle: Bundle, release: Release, statistic: str, *, narrow: bool = False) -> bytes:
    """Return the SVG, or that for a phone. `release`: the one in the bundle."""
    if has_stored_charts(bundle) and not narrow:
        return bundle.read(f"charts/{statistic}.svg")
    sums = bundle.sums
    return _drawn(
        DrawnChart(sums[CERTIFICATE], sums[f"tables/{statistic}.csv"], statistic, language(), narrow, release)
    )


def spoken_lead(bundle: Bundle, release: Release, *, narrow: bool = False) -> bytes:
    """Return the picture of the lead as SVG, or that for a phone. InputError where the release has none."""
    stored = bundle.read(LEADS[narrow])
    if has_stored_charts(bundle):
        return stored
    own = release.certificate.statements
    table = own.lead.table if own and own.lead else ""
    sums = bundle.sums
    return _lead(DrawnChart(sums[CERTIFICATE], sums[f"tables/{table}.csv"], table, language(), narrow, release))


@lru_cache(maxsize=KEPT)
def _lead(drawing: DrawnChart) -> bytes:
    drawn = lead(drawing.release)()
    assert drawn is not None and drawn.narrow is not None, "the bundle has it"
    return drawn.narrow.figure if drawing.narrow else drawn.figure


@lru_cache(maxsize=KEPT)
def _drawn(drawing: DrawnChart) -> bytes:
    drawn = picture(drawing.release, drawing.statistic, narrow=drawing.narrow)()
    return drawn.below_heading() if drawing.narrow else drawn.svg()
