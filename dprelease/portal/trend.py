"""Table through the editions of a series: its cells side by side, its breaks, and its last changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dprelease.model.calendar import days_of
from dprelease.model.difference import Change
from dprelease.model.encoding import canonical
from dprelease.model.measured import comparable as facts_of
from dprelease.model.measured import fingerprint, first_difference
from dprelease.model.recurring import Recurrence
from dprelease.model.reference import ENDS, level_of, reference_of
from dprelease.model.release import Cell, Release, alone, is_partial
from dprelease.model.report import Report
from dprelease.portal.compare import USUAL, CellDifference, Comparable, comparable, reach
from dprelease.portal.shelf import Bundle
from dprelease.statements.cell_names import named_key
from dprelease.statements.question import StatisticLabel
from dprelease.statements.tails import difference
from dprelease.words.pages import tell
from dprelease.words.phrases import visible

MAX_EDITIONS = 60
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

    @cached_property
    def period(self) -> tuple[str, str]:
        """Level of the calendar by which it counts the reference column, and that column; empty where by none."""
        certificate = self.release.certificate
        column = reference_of(certificate.plan)
        level = level_of(certificate.asked(self.table), column)
        return (level, column) if level and column in self.release.tables[self.table].key_names else ("", "")

    def split(self, key: Key) -> tuple[Key, str, bool]:
        """Return the other parts of a key, its period, and True if the bounds hold a part of that period only."""
        level, column = self.period
        names = self.release.tables[self.table].key_names
        if not level:
            return key, "", False
        at = names.index(column)
        cut = at + 1 < len(names) and is_partial(names[at + 1])
        return (*key[:at], *key[at + 1 + cut :]), str(key[at]), cut and key[at + 1] == "yes"


@dataclass(frozen=True)
class Break:
    """Break between two editions that do not measure the same."""

    before: str
    after: str
    words: str
    path: str = ""
    """Path of the first fact that differs."""


@dataclass(frozen=True)
class AxisCell:
    """Cell at one place of the axis: an edition, or a period of the newest edition that has it."""

    cell: tuple[Cell, Cell, Cell]
    edition: int
    """Number of its edition, oldest first."""
    partial: bool = False
    """True if the edition holds a part of the period only: no line leads to it."""


@dataclass(frozen=True)
class Moved:
    """Cells of the newest edition that differ from the one before by more than noise explains."""

    count: int
    of: int
    label: str
    most: CellDifference
    """Largest difference of these; of all cells where none moved."""


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
        names: Sequence[str] = newest.release.tables[newest.table].key_names
        if len(key) < len(names):  # of a line: without its period
            names = [str(name) for name in newest.split(tuple(names))[0]]
        told = [named_key(question, *pair) for pair in zip(names, key, strict=True) if not is_partial(pair[0])]
        return " · ".join(told) or tell("whole_table")

    @cached_property
    def keys(self) -> Sequence[Key]:
        """Keys of the newest edition's cells, in published order."""
        return list(self.points[-1].cells)

    @cached_property
    def breaks(self) -> Sequence[Break | None]:
        """Break of each edition but the first from the one before; None where they measure the same."""
        return [_break(*pair) for pair in zip(self.points, self.points[1:], strict=False)]

    @cached_property
    def lines(self) -> Mapping[Key, Mapping[str, AxisCell]]:
        """Cells along the axis by line, in the newest edition's order.

        The axis has periods, where the table counts the reference column by them: then the newest edition that has a
        whole period gives its cell; editions by other periods stay out. Else each edition is one place.
        """
        found: dict[Key, dict[str, AxisCell]] = {self.points[-1].split(key)[0]: {} for key in self.keys}
        for index, point in enumerate(self.points):
            if point.period != self.points[-1].period:
                continue
            for key, cell in point.cells.items():
                line, period, cut = point.split(key)
                at = period or (point.edition if self.run else str(index))
                if line in found and not (cut and at in found[line]):
                    found[line][at] = AxisCell(cell, index, cut)
        return found

    @cached_property
    def axis(self) -> Sequence[str]:
        """Places of the axis in order: periods, with those of a run that were missed; or the editions' indices."""
        level, run = self.points[-1].period[0], self.run
        if not level and run is None:
            return [str(index) for index in range(len(self.points))]
        places = {place for line in self.lines.values() for place in line}
        if run is None:
            return sorted(places)
        first = {place: days_of(place, level or run.every)[0] for place in places}
        first |= {place: run.days(place)[0] for place in self.missed}
        return sorted(first, key=first.__getitem__)

    @cached_property
    def run(self) -> Recurrence | None:
        """Run whose periods all editions are named by; None where there is none."""
        plans = (each.release.certificate.plan for each in reversed(self.points))
        run = Recurrence.read(next((each["run"] for each in plans if "run" in each), None), Report())
        return run if run is not None and all(each.edition in run.periods for each in self.points) else None

    @cached_property
    def missed(self) -> Sequence[str]:
        """Periods of the run between its first and its newest edition of which there is none."""
        if self.run is None:
            return []
        there = [self.run.place(each.edition) for each in self.points]
        return [name for name in self.run.periods[min(there) : max(there)] if self.run.place(name) not in there]

    @property
    def is_drawn(self) -> bool:
        """True if some cell stands at two places of the axis: else a picture would show one edition only."""
        return any(len(line) > 1 for line in self.lines.values())

    def is_broken(self, one: int, other: int) -> bool:
        """Return True if two editions, by their places, do not measure the same."""
        first, last = sorted((one, other))
        return any(each is not None for each in self.breaks[first:last])

    @cached_property
    def changes(self) -> Sequence[tuple[str, CellDifference]]:
        """Differences of the newest edition from the one before, for each cell in both; none over a break."""
        if len(self.points) < 2 or self.breaks[-1] is not None:
            return []
        before, after = self.points[-2:]
        half = _half(after.compared, before.compared, len(self.pairs))
        found = ((key, _difference(after.compared, now, before.compared, then, half)) for key, now, then in self.pairs)
        return [(self.label(key), each) for key, each in found if each is not None]

    @cached_property
    def pairs(self) -> Sequence[tuple[Key, int, int]]:
        """Cells of the newest edition that the one before has too: key, row, and row there."""
        before, after = self.points[-2:]
        places = {before.split(key): place for place, key in enumerate(before.cells)}
        sides = [(key, place, places.get(after.split(key))) for place, key in enumerate(self.keys)]
        return [(key, place, then) for key, place, then in sides if then is not None]

    @cached_property
    def moved(self) -> Moved | None:
        """Summary of the changes; None where there are none, or where their intervals do not hold together."""
        if not self.changes or not self.together:
            return None
        beyond = [each for each in self.changes if each[1].verdict != "noise"]
        label, most = max(beyond or self.changes, key=lambda each: abs(each[1].value))
        return Moved(len(beyond), len(self.changes), label, most)

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
    days = {
        name: {key: each for key, each in column.items() if key not in ENDS}
        for name, column in after.facts["columns"].items()
        if column["type"] == "date"
    }
    undated = [{**point.facts, "columns": {**point.facts["columns"], **days}} for point in (before, after)]
    if before.facts["columns"].keys() >= days.keys() and fingerprint(undated[0]) == fingerprint(undated[1]):
        named = reference_of(after.release.certificate.plan) in days
        words = tell("series_days_cut" if named else "series_days_differ")
        return Break(before.edition, after.edition, words, f"columns.{next(iter(days))}")
    change = first_difference(before.facts, after.facts)
    path = "" if change is None else change.path
    return Break(before.edition, after.edition, "" if change is None else _words(change), path)


def _words(change: Change) -> str:
    """Write a change, such as `age upper: 99 instead of 120`."""
    path = change.path.removeprefix("columns.").removeprefix("options.").replace(".", " ")
    return tell("series_differs", what=visible(path), now=_short(change.after), before=_short(change.before))


def _short(value: Any) -> str:
    if value is None:
        return tell("series_nothing")
    text = value if isinstance(value, str) else canonical([value]).decode()[1:-1]
    return visible(text, LONGEST)


def _difference(
    one: Comparable, first: int, other: Comparable, second: int, half: float | None
) -> CellDifference | None:
    """Return the difference of two releases' cells, with independent noises; `half`: half width, where it is known."""
    value, before = one.value[first], other.value[second]
    ends = (one.lower[first], one.upper[first], other.lower[second], other.upper[second])
    if value is None or before is None or any(end is None for end in ends):
        return None
    if half is None:
        low, high, other_low, other_high = (float(end) for end in ends if end is not None)
        return CellDifference(first, second, value - before, low - other_high, high - other_low)
    return CellDifference(first, second, value - before, value - before - half, value - before + half)


def _half(one: Comparable, other: Comparable, pairs: int) -> float | None:
    """Return the half width with which so many differences hold together (Bonferroni); None for unknown noises.

    It is exact for two noises in equal steps; for others each noise has half of the risk.
    """
    if one.noise is None or other.noise is None:
        return None
    risk = (1 - USUAL) / max(1, pairs)
    if one.step == other.step:
        return (difference(one.noise, other.noise, risk / 2) - 1) * one.step
    return reach(one.noise, 1 - risk / 2) * one.step + reach(other.noise, 1 - risk / 2) * other.step
