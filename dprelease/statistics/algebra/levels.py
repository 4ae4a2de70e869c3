"""Levels as keys of a table: which cells a level has, which codes fall into each, and how each is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import groupby

from dprelease.model.calendar import RECURRING, Stretch, stretches
from dprelease.model.column import OTHER, Column, ColumnType
from dprelease.model.column_options import LevelByColumn
from dprelease.model.level import Level, band_starts, groups_of
from dprelease.model.report import Report, join
from dprelease.model.schema import Schema
from dprelease.model.tally import Key
from dprelease.words import phrase, quoted

MAX_DAYS = 100_000
"""Between the bounds of a date column whose calendar is asked for: some 270 years."""
KEEP, DROP = "keep", "drop"
"""Treatments of calendar periods of which the bounds hold a part."""


@dataclass(frozen=True, slots=True)
class Periods:
    """The periods of a date column at one level."""

    names: tuple[str, ...]
    whole: tuple[bool, ...]
    """True for each period of which all days lie within the bounds."""
    edges: tuple[int, ...]
    """First codes of stretches, and one more than the last code."""
    to: tuple[int, ...]
    """The period of each stretch."""


@lru_cache(maxsize=64)
def periods(lower: date, upper: date, level: str) -> Periods:
    """Return the periods between two days, both included: in order; recurring ones by their number, each once."""
    found: list[Stretch] = list(stretches(lower, upper, level))
    whole = {stretch.name: stretch.whole for stretch in found}
    names = sorted(whole) if level in RECURRING else list(whole)
    places = {name: place for place, name in enumerate(names)}
    first = lower.toordinal()
    edges = (*(stretch.first - first for stretch in found), upper.toordinal() - first + 1)
    return Periods(tuple(names), tuple(map(whole.__getitem__, names)), edges, tuple(places[s.name] for s in found))


def level_key(column: Column, level: str, partial: str = KEEP) -> Key:
    """Return the cells of a level. With `drop`, days of partial periods are in none."""
    if column.type is not ColumnType.DATE:
        own = next(each for each in column.levels if each.name == level)
        return _bands(column, own) if column.type is ColumnType.INTEGER else _groups(column, own)
    if level == "day":
        return Key(column.name, column.codes, column.codes)
    found = _periods(column, level)
    edges = found.edges
    if partial == DROP and not all(found.whole):
        kept = [place for place, whole in enumerate(found.whole) if whole]
        places = {place: cell for cell, place in enumerate(kept)}
        return Key(column.name, len(kept), column.codes, edges, tuple(places.get(to, -1) for to in found.to), level)
    to = found.to if level in RECURRING else ()
    return Key(column.name, len(found.names), column.codes, edges, to, level)


def _periods(column: Column, level: str) -> Periods:
    assert isinstance(column.lower, date) and isinstance(column.upper, date)
    return periods(column.lower, column.upper, level)


def _bands(column: Column, level: Level) -> Key:
    edges = (*band_starts(level, column.lattice), column.codes)
    return Key(column.name, len(edges) - 1, column.codes, edges, (), level.name)


def _groups(column: Column, level: Level) -> Key:
    cells = {name: cell for cell, group in enumerate(_members(column, level).values()) for name in group}
    runs = [(cell, len(list(run))) for cell, run in groupby(cells[label] for label in column.labels)]
    edges = [0]
    for _, length in runs:
        edges.append(edges[-1] + length)
    to = tuple(cell for cell, _ in runs)
    in_order = to == tuple(range(len(to)))
    count = max(to) + 1
    return Key(column.name, count, column.codes, tuple(edges), () if in_order else to, level.name)


def _members(column: Column, level: Level) -> Mapping[str, tuple[str, ...]]:
    """Return the categories of each group, in order of their first; `other` is a group where no group has one."""
    found = dict(groups_of(column.levels, level.name, column.labels))
    if column.other and not any(OTHER in members for members in found.values()):
        found[OTHER] = (OTHER,)
    places = {label: place for place, label in enumerate(column.labels)}
    return dict(sorted(found.items(), key=lambda group: min(map(places.__getitem__, group[1]))))


def cell_names(column: Column, key: Key) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Return the names of the key columns of a level, and their entries for each cell.

    Of the calendar, where the bounds hold a part of some period, a second one says of which (`yes`, `no`).
    """
    if column.type is not ColumnType.DATE:
        own = next(each for each in column.levels if each.name == key.level)
        return (column.name,), tuple((name,) for name in _members(column, own))
    found = _periods(column, key.level)
    if not key.whole:
        return (column.name,), tuple((name,) for name, whole in zip(found.names, found.whole, strict=True) if whole)
    if all(found.whole):
        return (column.name,), tuple((name,) for name in found.names)
    cells = tuple((name, "no" if whole else "yes") for name, whole in zip(found.names, found.whole, strict=True))
    return (column.name, f"{column.name}_partial"), cells


def check_levels(
    levels: Mapping[str, str], names: Sequence[str], partial: str, path: str, schema: Schema, report: Report
) -> None:
    """Add problems of the levels that a statistic asks for: of its keys, ones that their columns have."""
    for name, level in levels.items():
        place = join(f"{path}.levels", name)
        if name not in names:
            report.add(place, found=name, allowed=phrase("statistics.key_of_this_table"))
            continue
        column = schema[name]
        known = LevelByColumn.levels(column)
        if not known:
            report.add(
                place,
                found=phrase("statistics.column_without_levels", name=quoted(name)),
                allowed=phrase("statistics.column_with_levels"),
                remedy=phrase("statistics.declare_levels", name=quoted(name)),
            )
            continue
        if report.choice(level, place, known) is None:
            continue
        if column.type is ColumnType.DATE and column.codes > MAX_DAYS:
            report.add(
                place,
                found=phrase("statistics.days", count=column.codes),
                allowed=phrase("model.at_most", max_text=MAX_DAYS),
                remedy=phrase("statistics.declare_nearer_bounds"),
            )
        elif not level_key(column, level, partial).cells:
            report.add(
                place,
                found=phrase("statistics.no_whole_period", level=level),
                allowed=phrase("statistics.one_whole_period"),
                remedy=phrase("statistics.keep_partial_periods"),
            )
    calendar = any(name in schema and schema[name].type is ColumnType.DATE for name in levels)
    if partial == DROP and not calendar:
        report.add(
            f"{path}.partial",
            found=partial,
            allowed=phrase("statistics.partial_of_calendar"),
        )
