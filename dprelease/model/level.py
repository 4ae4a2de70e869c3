"""Levels: coarser ways to tell a column's values apart, such as regions of provinces or bands of ages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dprelease.model.lattice import Lattice
from dprelease.model.report import MAX_NUMBER, Report, join
from dprelease.words import phrase, verbatim

MAX_LEVELS, MAX_GROUPS, MAX_EDGES = 20, 10_000, 1001
MAX_BANDS = 10_000
NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")
WAYS = ("width", "edges")
SHOWN = 5
"""Maximum number of values named in an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """A partition of the declared values of a category or an integer column.

    Of a category: groups by name, each of categories or of groups of another level, in the order of the first category
    that each holds. Of an integer: bands that begin at multiples of `width`, or at `edges`; the last one holds the
    upper bound.
    """

    name: str
    groups: tuple[tuple[str, tuple[str, ...]], ...] = ()
    width: int | None = None
    edges: tuple[int, ...] = ()

    def to_value(self) -> dict[str, Any]:
        """Return the value as in a plan file, without the level's name."""
        if self.groups:
            return {group: list(members) for group, members in self.groups}
        return {"width": self.width} if self.width is not None else {"edges": list(self.edges)}


def band_starts(level: Level, lattice: Lattice) -> tuple[int, ...]:
    """Return the first code of each band of an integer column."""
    step = int(lattice.resolution)
    if level.width is None:
        return tuple(edge // step - lattice.start for edge in level.edges)
    wide = level.width // step
    return (0, *range(wide - lattice.start % wide, lattice.steps + 1, wide))


def groups_of(levels: Sequence[Level], name: str, categories: Collection[str]) -> Mapping[str, tuple[str, ...]]:
    """Return the categories of each group of a level, by the groups' names; groups of other levels stand for theirs.

    What is neither a category nor in exactly one other level is left as it is.
    """
    by_level = {level.name: dict(level.groups) for level in levels}

    def held(member: str, within: tuple[str, ...]) -> tuple[str, ...]:
        owners = [each for each, groups in by_level.items() if each not in within and member in groups]
        if member in categories or len(owners) != 1:
            return (member,)
        found = by_level[owners[0]][member]
        return tuple(item for each in found for item in held(each, (*within, owners[0])))

    return {
        group: tuple(item for member in members for item in held(member, (name,)))
        for group, members in by_level[name].items()
    }


def read_levels(value: object, path: str, report: Report, *, listed: bool) -> tuple[Level, ...]:
    """Read `levels` of a column: a mapping from the names of levels to groups (`listed`) or to bands."""
    if not isinstance(value, Mapping) or not 1 <= len(value) <= MAX_LEVELS:
        report.add(path, found=value, allowed=phrase("model.mapping_level_names", most=MAX_LEVELS))
        return ()
    found = []
    for key, item in value.items():
        place = join(path, str(key))
        if not NAME.fullmatch(str(key)):
            report.add(place, found=key, allowed=phrase("model.z_0_9_beginning"))
        level = (_groups if listed else _bands)(str(key), item, place, report)
        if level is not None:
            found.append(level)
    return tuple(sorted(found, key=lambda level: level.name))


def _groups(name: str, value: object, path: str, report: Report) -> Level | None:
    if not isinstance(value, Mapping) or not 1 <= len(value) <= MAX_GROUPS:
        report.add(path, found=value, allowed=phrase("model.mapping_group_names", most=MAX_GROUPS))
        return None
    groups = []
    for key, items in value.items():
        place = join(path, str(key))
        members = report.sequence(items, place, longest=MAX_GROUPS)
        texts = (report.text(_plain(item), f"{place}[{index}]") for index, item in enumerate(members))
        groups.append((report.text(_plain(key), place, shortest=1), tuple(texts)))
    return Level(name=name, groups=tuple(sorted(groups)))


def _plain(item: object) -> object:
    return str(item) if isinstance(item, int) and not isinstance(item, bool) else item


def _bands(name: str, value: object, path: str, report: Report) -> Level | None:
    before = len(report.problems)
    fields = report.mapping(value, path, allowed=WAYS)
    given = [key for key in WAYS if fields.get(key) is not None]
    if len(given) != 1:
        if len(report.problems) == before:
            report.add(path, found=verbatim(", ".join(given) or "{}"), allowed=phrase("model.width_or_edges"))
        return None
    place = join(path, given[0])
    if given == ["width"]:
        width = report.integer(fields["width"], place, lowest=1, highest=MAX_NUMBER)
        return None if width is None else Level(name=name, width=width)
    items = report.sequence(fields["edges"], place, longest=MAX_EDGES)
    edges = [
        report.integer(item, f"{place}[{index}]", lowest=-MAX_NUMBER, highest=MAX_NUMBER)
        for index, item in enumerate(items)
    ]
    known = tuple(edge for edge in edges if edge is not None)
    return Level(name=name, edges=known) if known and len(known) == len(edges) else None


def check_bands(level: Level, lattice: Lattice, path: str, report: Report) -> None:
    """Add problems of a level of an integer column: its bands hold each value once."""
    step = int(lattice.resolution)
    if level.width is not None:
        if level.width % step:
            allowed = phrase("model.whole_multiple_resolution", resolution=step)
            report.add(join(path, "width"), found=level.width, allowed=allowed)
        elif (bands := lattice.steps * step // level.width) > MAX_BANDS:
            report.add(
                join(path, "width"),
                found=phrase("model.bands", count=bands),
                allowed=phrase("model.at_most", max_text=MAX_BANDS),
                remedy=phrase("model.wider_bands"),
            )
        return
    place, lower = join(path, "edges"), lattice.start * step
    upper = lower + lattice.steps * step
    if list(level.edges) != sorted(set(level.edges)):
        report.add(place, found=phrase("model.bands_out_order"), allowed=phrase("model.bands_begin_increasing"))
    elif level.edges[0] != lower:
        report.add(
            place,
            found=level.edges[0],
            allowed=phrase("model.first_edge_lower", lower=lower),
            remedy=phrase("model.values_without_band"),
        )
    elif level.edges[-1] > upper:
        report.add(
            place,
            found=level.edges[-1],
            allowed=phrase("model.at_most", max_text=upper),
            remedy=phrase("model.last_band_holds_upper"),
        )
    elif any(edge % step for edge in level.edges):
        report.add(place, found=str(level.edges), allowed=phrase("model.whole_multiple_resolution", resolution=step))


def check_groups(
    levels: Sequence[Level], place: int, categories: Sequence[str], path: str, report: Report, *, other: str | None
) -> None:
    """Add problems of a level of a category column: its groups hold each category once.

    `other`: the cell of undeclared values, where there is one; it is a group of its own where no group holds it.
    """
    declared = {*categories, *([other] if other is not None else [])}
    members = groups_of(levels, levels[place].name, declared)
    named = Counter(name for group in members.values() for name in group)
    alike = [group for group, held in members.items() if group in declared and held != (group,)]
    once = phrase("model.each_category_in_one_group")
    if strange := [name for name in named if name not in declared]:
        allowed, remedy = (
            phrase("model.categories_groups_of_another_level"),
            phrase("model.declare_category_or_leave_out"),
        )
        report.add(path, found=_few(strange), allowed=allowed, remedy=remedy)
    elif twice := [name for name, count in named.items() if count > 1]:
        report.add(path, found=_few(twice), allowed=once, remedy=phrase("model.leave_in_one_group"))
    elif left_out := [name for name in categories if name not in named]:
        found = phrase("model.level_without", names=_few(left_out))
        report.add(path, found=found, allowed=once, remedy=phrase("model.add_to_a_group"))
    elif alike:
        allowed, remedy = phrase("model.groups_not_named_as_categories"), phrase("model.name_group_otherwise")
        report.add(path, found=_few(alike), allowed=allowed, remedy=remedy)


def _few(names: Sequence[str]) -> str:
    return ", ".join([*(f"'{name}'" for name in names[:SHOWN]), *(["…"] if len(names) > SHOWN else [])])
