"""Table with two keys as readers see it: one key down, the other across, each number with its interval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dprelease.model.grade import grades
from dprelease.model.release import Axis, Release
from dprelease.statements.cell_names import cell_label
from dprelease.statements.number import said
from dprelease.statements.question import StatisticLabel

MAX_ACROSS = 8
MAX_DOWN = 60


@dataclass(frozen=True, slots=True)
class Pivot:
    """Headings and cells as texts."""

    down: str
    """Heading of the first column."""
    over: str
    """Name of the key across."""
    across: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    """Rows: the label of each, and the number and interval, which may be empty, of each of its cells."""


def pivot(release: Release, table: str) -> Pivot | None:
    """Return the table with its shorter key across; None where it has not two keys, or is too large."""
    estimates, question = release.tables[table], StatisticLabel.of(release.certificate, table)
    letters = grades(release.certificate, table, estimates)
    if len(estimates.axes) != 2:
        return None
    outer, inner = estimates.axes
    turned = len(outer.cells) < len(inner.cells) and len(inner.cells) > MAX_ACROSS
    down, across = (inner, outer) if turned else (outer, inner)
    if not (0 < len(across.cells) <= MAX_ACROSS and 0 < len(down.cells) <= MAX_DOWN):
        return None
    columns = zip(estimates.value, estimates.lower95, estimates.upper95, letters, strict=True)
    told = [said(question, value, lower, upper, grade=grade) for value, lower, upper, grade in columns]
    width = len(inner.cells)
    rows = []
    for place, named in enumerate(_called(down, question)):
        cells = [
            told[other * width + place] if turned else told[place * width + other] for other in range(len(across.cells))
        ]
        shown = tuple((value, f"{low} – {high}" if low and high else "") for value, low, high in cells)
        rows.append((named, shown))
    return Pivot(question.axis_title(down), question.axis_title(across), tuple(_called(across, question)), tuple(rows))


def _called(axis: Axis, question: StatisticLabel) -> Iterator[str]:
    for cell in axis.cells:
        yield question.beside(cell[0]) or cell_label(axis, cell, question)
