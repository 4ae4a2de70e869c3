"""Table through the editions of a series: its cells side by side, its breaks, and its last changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from dprelease.model.difference import Change
from dprelease.model.encoding import canonical
from dprelease.model.measured import comparable as facts_of
from dprelease.model.measured import fingerprint, first_difference
from dprelease.model.release import Cell, Release, alone
from dprelease.portal.compare import USUAL, CellDifference, Comparable, comparable, reach
from dprelease.portal.shelf import Bundle
from dprelease.statements.cell_names import named_key
from dprelease.statements.question import StatisticLabel
from dprelease.statements.tails import Drawn, difference
from dprelease.words.pages import tell
from dprelease.words.phrases import visible

MAX_EDITIONS = 24
MAX_TABLES = 10
MAX_ROWS = 20
MAX_LINES = 5
"""Largest number of cells that are drawn."""
LARGEST = 2**16
"""Largest size of a table in bytes."""
LONGEST = 60
Key = tuple[Cell, ...]


@dataclass(frozen=True)
class Point:
    """Table in one edition."""

    edition: str
    release: Release
    table: str

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """Facts that determine its numbers, apart from the rows and the noise."""
        certificate = self.release.certificate
        return facts_of(certificate.asked(self.table), certificate.plan)

    @cached_property
    def cells(self) -> Mapping[Key, tuple[Cell, Cell, Cell]]:
        """Value, lower and upper end by the codes of its keys."""
        table = self.release.tables[self.table]
        keys = len(table.key_names)
        return {tuple(row[:keys]): (row[keys], row[keys + 1], row[keys + 2]) for row in table.rows()}

    @cached_property
    def compared(self) -> Comparable:
        """Same table, ready for comparison."""
        return comparable(self.release, self.table)


@dataclass(frozen=True)
class Break:
    """Break between two editions that do not measure the same."""

    before: str
    after: str
    words: str


@dataclass(frozen=True)
class Trend:
    """Table in the editions that have it, oldest first."""

    points: Sequence[Point]

    @property
    def name(self) -> str:
        """Name in the newest edition."""
        return StatisticLabel.of(self.points[-1].release.certificate, self.points[-1].table).name

    @property
    def measure(self) -> str:
        return StatisticLabel.of(self.points[-1].release.certificate, self.points[-1].table).measure

    def label(self, key: Key) -> str:
        """Return the name of a cell, by the labels of the newest edition."""
        newest = self.points[-1]
        question = StatisticLabel.of(newest.release.certificate, newest.table)
        names = newest.release.tables[newest.table].key_names
        return " · ".join(map(partial(named_key, question), names, key)) or tell("whole_table")

    @cached_property
    def keys(self) -> Sequence[Key]:
        """Keys of the newest edition's cells, in published order."""
        return list(self.points[-1].cells)

    @cached_property
    def breaks(self) -> Sequence[Break | None]:
        """Break of each edition but the first from the one before; None where they measure the same."""
        return [_break(*pair) for pair in zip(self.points, self.points[1:], strict=False)]

    def rows(self) -> Iterator[tuple[str, Sequence[tuple[Cell, Cell, Cell] | None]]]:
        """Yield the label of each cell, and its value and interval in each edition that has it."""
        for key in self.keys[:MAX_ROWS]:
            yield self.label(key), [point.cells.get(key) for point in self.points]

    @cached_property
    def changes(self) -> Sequence[tuple[str, CellDifference]]:
        """Differences of the newest edition from the one before, cell by cell; none over a break."""
        if len(self.points) < 2 or self.breaks[-1] is not None:
            return []
        before, after = self.points[-2:]
        places = {key: place for place, key in enumerate(before.cells)}
        pairs = [(key, place, places[key]) for place, key in enumerate(self.keys[:MAX_ROWS]) if key in places]
        found = ((key, _difference(after.compared, now, before.compared, then, len(pairs))) for key, now, then in pairs)
        return [(self.label(key), each) for key, each in found if each is not None]

    @property
    def together(self) -> bool:
        """True if these intervals hold with 95 % together; else each holds with 90 % alone."""
        return all(point.compared.noise is not None for point in self.points[-2:])


def trends(editions: Sequence[tuple[str, Bundle]]) -> list[Trend]:
    """Return tables of the newest edition, with those of the same name before it. `editions`: oldest first.

    Only small tables and the last editions are read: a page of a long series stays quick.
    """
    last = editions[-MAX_EDITIONS:]
    tables = [table for table in (last[-1][1].tables if last else ()) if _is_small(last[-1][1], table)]
    found = [
        Trend([_point(*each, table) for each in last if _is_small(each[1], table)]) for table in tables[:MAX_TABLES]
    ]
    return [trend for trend in found if len(trend.points) > 1]


def _is_small(bundle: Bundle, table: str) -> bool:
    return table in bundle.tables and bundle.size(f"tables/{table}.csv") <= LARGEST


def _point(edition: str, bundle: Bundle, table: str) -> Point:
    return Point(edition, alone(bundle.certificate, table, bundle.table(table)), table)


def _break(before: Point, after: Point) -> Break | None:
    if fingerprint(before.facts) == fingerprint(after.facts):
        return None
    change = first_difference(before.facts, after.facts)
    return Break(before.edition, after.edition, "" if change is None else _words(change))


def _words(change: Change) -> str:
    """Write a change, such as `age upper: 99 instead of 120`."""
    path = change.path.removeprefix("columns.").removeprefix("options.").replace(".", " ")
    return tell("series_differs", what=visible(path), now=_short(change.after), before=_short(change.before))


def _short(value: Any) -> str:
    if value is None:
        return tell("series_nothing")
    text = value if isinstance(value, str) else canonical([value]).decode()[1:-1]
    return visible(text, LONGEST)


def _difference(one: Comparable, first: int, other: Comparable, second: int, pairs: int) -> CellDifference | None:
    """Return the difference of two releases' cells, with independent noises; if known, all pairs hold (Bonferroni)."""
    value, before = one.value[first], other.value[second]
    ends = (one.lower[first], one.upper[first], other.lower[second], other.upper[second])
    if value is None or before is None or any(end is None for end in ends):
        return None
    if one.noise is None or other.noise is None:
        low, high, other_low, other_high = (float(end) for end in ends if end is not None)
        return CellDifference(first, second, value - before, low - other_high, high - other_low)
    risk = (1 - USUAL) / max(1, pairs)
    half = _half(one.noise, one.step, other.noise, other.step, risk)
    return CellDifference(first, second, value - before, value - before - half, value - before + half)


def _half(one: Drawn, step: float, other: Drawn, other_step: float, risk: float) -> float:
    """Return the half width: exact for two noises in equal steps; for others, each with half of the risk."""
    if step == other_step:
        return (difference(one, other, risk / 2) - 1) * step
    return reach(one, 1 - risk / 2) * step + reach(other, 1 - risk / 2) * other_step
