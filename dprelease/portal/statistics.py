"""Statistics on the portal's page of a release: the question, chart, first rows and mechanisms of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any

from dprelease.bundle import guarantee
from dprelease.bundle.derived import DerivedTable, all_derived, public_path
from dprelease.bundle.model_card import card
from dprelease.bundle.outputs import CERTIFICATE
from dprelease.bundle.page import MAX_OPEN, SIZE, on_phones, remark_on
from dprelease.bundle.pivot import pivot
from dprelease.bundle.pmml import pmml_of
from dprelease.bundle.reliability import GradeCounts, reliability, summary
from dprelease.bundle.row_dictionary import shown_paths
from dprelease.bundle.synthetic import beside_rows, copied
from dprelease.charts.cells import TableText
from dprelease.charts.process import picture
from dprelease.charts.renderer import Alike, alike
from dprelease.model.certificate import Certificate
from dprelease.model.release import Release
from dprelease.portal.compare import comparable
from dprelease.portal.number import number_path
from dprelease.portal.predict import tried
from dprelease.portal.shelf import Bundle
from dprelease.statements.counts import copies
from dprelease.statements.display import margin, shown
from dprelease.statements.ranks import is_by_rank
from dprelease.statements.sentences import told
from dprelease.words.language import ENGLISH, language
from dprelease.words.releases import say

MAX_ROWS = 40
FEWEST_ROWS = 4
ROWS_OF_A_PAGE = 300
"""Largest number of rows of all tables together, so that a page stays small."""
KEPT = 128
COUNTED = 4096
"""Largest number of tables whose grade counts are kept."""


def items(bundle: Bundle, release: Release) -> Iterator[Mapping[str, Any]]:
    """Yield the page's entry of every statistic that has a table."""
    most = max(FEWEST_ROWS, min(MAX_ROWS, ROWS_OF_A_PAGE // max(1, len(release.tables))))
    derived = list(all_derived(release).values())
    twice = copies(bundle.certificate)
    for statistic, estimates in release.tables.items():
        if statistic in twice:
            continue
        reading = TableText.of(release, statistic, most)
        question = reading.question
        width, height = _size(bundle.read(f"charts/{statistic}.svg") if bundle.certificate.has_charts else b"")
        looks = ["number" if numbers else "text" for numbers in reading.numeric()]
        marked = counted(bundle, statistic, lambda: release)
        without = "values_by_rank" if is_by_rank(bundle.certificate, statistic) else "values_of_graded"
        yield {
            "id": statistic,
            "question": question.text,
            "name": question.name,
            "remark": remark_on(bundle.certificate, statistic),
            "labels": list(reading.labels()),
            "measure": question.measure,
            "caption": "estimate_of" if reading.intervals else without if reading.grades else "values_of",
            "reliability": list(reliability(release, statistic, marked)),
            "contents": marked.contents,
            "finding": told(release, statistic),
            "folded": reading.rows > MAX_OPEN,
            "beside": shown_paths(bundle.certificate.statistic(statistic)),
            "synthetic": beside_rows(bundle.certificate, statistic),
            "copied": copied(bundle.certificate, statistic),
            "pmml": pmml_of(release, statistic),
            "model": card(release, statistic),
            "tried": tried(release, statistic),
            "pivot": pivot(release, statistic),
            "alt": say("chart", question=question.name),
            "width": width,
            "height": height,
            "cells": shown(len(estimates)),
            "rows": shown(reading.rows) if reading.rows < len(estimates) else None,
            "drawn": bundle.certificate.has_charts and has_chart(release, statistic),
            "keys": reading.keys,
            "places": on_phones(reading),
            "heads": list(zip(reading.heads(), looks, strict=True)),
            "numbers": [number_path(estimates, row) for row in islice(estimates.rows(), reading.rows)],
            "body": [list(zip(row, looks, strict=True)) for row in reading.body()],
            "comparable": comparable(release, statistic).possible,
            "rates": [_rate(each, most) for each in derived if each.asked.of == statistic],
        }


def has_chart(release: Release, statistic: str) -> bool:
    """Return True if the page of a release shows a chart of a table: a single number or an empty table needs none."""
    table = release.tables[statistic]
    return len(table) > 1 or (len(table) == 1 and bool(table.key_names))


def _rate(rates: DerivedTable, most: int) -> Mapping[str, Any]:
    """Return the page's entry of a derived table, below the table of its counts."""
    reading, cells = rates.text(most), len(rates.estimates)
    looks = ["number" if numbers else "text" for numbers in reading.numeric()]
    return {
        "id": rates.asked.id,
        "name": rates.question.name,
        "question": rates.question.text,
        "how": rates.explanation,
        "public": None if rates.public is None else public_path(rates.public),
        "weights": None if rates.weights is None else public_path(rates.weights),
        "folded": reading.rows > MAX_OPEN,
        "cells": shown(cells),
        "rows": shown(reading.rows) if reading.rows < cells else None,
        "keys": reading.keys,
        "labels": list(reading.labels()),
        "places": on_phones(reading),
        "heads": list(zip(reading.heads(), looks, strict=True)),
        "body": [list(zip(row, looks, strict=True)) for row in reading.body()],
    }


def _size(svg: bytes) -> tuple[str, str]:
    """Return width and height of a chart, in pixels; in another language it may differ by a line of its title."""
    match = SIZE.search(svg)
    return ("825", "537") if match is None else (match[1].decode(), match[2].decode())


def mechanisms(certificate: Certificate) -> list[Mapping[str, Any]]:
    """Return a line for each mechanism of each statistic; one where its counts follow from another's."""
    lines: list[Mapping[str, Any]] = []
    for statistic in certificate.statistics:
        error = statistic.error95
        told = "" if error is None else say(f"error_{statistic.basis}", error=margin(error))
        cells = shown(statistic.cells)
        own = certificate.mechanisms(statistic)
        for mechanism in own:
            spent = mechanism.loss.exactly
            lines.append(
                {
                    "id": statistic.id,
                    "name": guarantee.mechanism(mechanism.name),
                    "numbers": (
                        shown(mechanism.scale, digits=5),
                        guarantee.sensitivity(mechanism),
                        guarantee.figure(certificate, spent.amount),
                        guarantee.figure(certificate, spent.delta),
                        cells,
                        told,
                    ),
                }
            )
        if not own:
            numbers = ("", "", "0", "0", cells, told)
            lines.append({"id": statistic.id, "name": guarantee.follows(statistic), "numbers": numbers})
    return lines


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


@lru_cache(maxsize=KEPT)
def _drawn(drawing: DrawnChart) -> bytes:
    drawn = picture(drawing.release, drawing.statistic, narrow=drawing.narrow)()
    return drawn.below_heading() if drawing.narrow else drawn.svg()
