"""A statistic of a plan's JSON as it is asked for, and how far apart neighbours can be in what it is given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from dprelease.worstcase import partition, reach
from dprelease.worstcase.reach import Reach, Row
from dprelease.worstcase.world import DeclaredCodes, World

Shape = tuple[int, ...]
NAMES: Shape = (0,)
"""Shape of counts whose cells are not declared."""
FINEST = 2**31
"""Second moments of a row are divided by the smallest power of two that leaves less than this."""


@dataclass(frozen=True, slots=True)
class MechanismInput:
    """Input of one mechanism: its shape, and the distance between neighbours in it."""

    what: str
    """sums, scores, questions, names or answers: not every mechanism may be given each."""
    shape: Shape
    reach: Reach


@dataclass(frozen=True, slots=True)
class StatisticSetting:
    """A statistic beside the plan's columns."""

    options: Mapping[str, Any]
    columns: Mapping[str, DeclaredCodes]
    world: World
    stated: Mapping[str, Any]
    """The columns as the plan has them."""
    by: str
    shapes: Sequence[Shape]
    """Shapes as the certificate has them."""

    def __getitem__(self, key: str) -> DeclaredCodes:
        """Return the column that an option names."""
        return self.columns[self.options[key]]

    @property
    def groups(self) -> Shape:
        """One axis for each column of `by`."""
        return tuple(self.many(name) for name in self.options.get("by", ()))

    def many(self, name: str, bins: int | None = None) -> int:
        """Count the cells of a key column: its values, so many bins, or the cells of the level that is asked for.

        One more where rows without an answer are a group.
        """
        level, more = self.options.get("levels", {}).get(name), self.groups_missing(name)
        if level is None:
            values = self.columns[name].many
            return min(values, bins or values) + more
        return partition.cells(self.stated[name], level, self.options.get("partial", "keep")) + more

    def groups_missing(self, name: str) -> bool:
        """Return True if the rows without an answer have a cell of a key."""
        return name in self.options.get("missing", {})

    @property
    def weights(self) -> list[int]:
        """The least and the greatest survey weight of a row; 1 without weights."""
        return ends(self["survey_weights"]) if self.options.get("survey_weights") else [1]

    def grouped(self, entries: Sequence[Sequence[int]]) -> list[Row]:
        """Return what a row can add, in each of two groups if there are: its own group's entries get these numbers."""
        numbered = [dict(enumerate(numbers)) for numbers in entries]
        groups = range(min(2, prod(self.groups)))
        return [{(group, place): n for place, n in each.items()} for group in groups for each in numbered]

    def sums(self, entries: Sequence[Sequence[int]]) -> MechanismInput:
        """Sums of what rows add to the entries of their group; a single entry has no axis of its own."""
        width = len(entries[0])
        shape = self.groups if width == 1 else (*self.groups, width)
        return MechanismInput("sums", shape, reach.of_sums(self.grouped(entries), self.world))

    def moments(self, entries: Sequence[Sequence[int]], size: int) -> MechanismInput:
        """Second moments, that each row adds `size` to in all: divided where that is large, and rounded down."""
        divisor = 1
        while size // divisor >= FINEST:
            divisor *= 2
        whole = self.sums(entries)
        reached = len(entries[0]) * self.world.rows * (2 if self.world.substitute else 1)
        return MechanismInput(
            "sums", whole.shape, reach.of_rounded(whole.reach, divisor, min(reached, prod(whole.shape)))
        )

    def own_moments(self, values: DeclaredCodes) -> MechanismInput:
        """Second moments of the distances to both bounds."""
        top = values.steps
        return self.moments([(c**2, 2 * c * (top - c), (top - c) ** 2) for c in codes(values)], top**2)

    def cells(self, shape: Shape, adds: Sequence[int] = (1,)) -> MechanismInput:
        """Rows by cell: a row enters one of them, and adds one of some numbers to it."""
        rows: list[Row] = [{(cell,): number} for cell in range(min(2, prod(shape))) for number in adds]
        return MechanismInput("sums", shape, reach.of_sums(rows, self.world))

    def counts(self, shape: Shape) -> MechanismInput:
        """Rows by cell, or their weights; or units, where a cell counts at most one row of each."""
        most = self.options.get("max_rows_per_cell")
        if most is None:
            return self.cells(shape, self.weights)
        if most != 1 or self.options.get("survey_weights"):
            raise ValueError(f"{most} weighted rows of a unit in a cell")
        return MechanismInput("sums", shape, reach.of_units(prod(shape), self.world))

    def names(self) -> MechanismInput:
        return MechanismInput("names", NAMES, reach.of_names(self.world))


def codes(values: DeclaredCodes) -> list[int]:
    """Distances to the lower bound: the ends, which are the corners, and the middle beside them."""
    return sorted({0, values.steps // 2, values.steps})


def ends(values: DeclaredCodes) -> list[int]:
    return [values.lowest, values.highest]
