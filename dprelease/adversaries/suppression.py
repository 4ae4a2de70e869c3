"""Suppression of small cells, and what the totals beside them give away (an attack by subtraction and by bounds).

Counts from 1 to t − 1 are hidden and all totals are shown. Where a line has one hidden cell, it is what is missing.
Else the totals leave each hidden cell between two ends, which are exact: in a table of two columns each end is a
largest flow (the true table is one flow that fits, and a cell can move by as much as others can make up for).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Cell: TypeAlias = tuple[int, ...]
Counts: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Suppressed:
    """The rule: counts from 1 to `least` − 1 are hidden.

    `complementary`: others too, so that no line has one hidden cell.
    """

    least: int
    complementary: bool = False


@dataclass(frozen=True, slots=True)
class Hidden:
    """A hidden cell, and what the totals leave of it."""

    cell: Cell
    truth: int
    least: int
    most: int
    primary: bool
    """True if it is small itself, False if it is hidden for the sake of another."""

    @property
    def exact(self) -> bool:
        return self.least == self.most


def hidden(counts: Counts, rule: Suppressed) -> Flags:
    """Return the cells that are hidden, as flags.

    Complementary: in each line with one, the smallest other that is not empty as well, the last of these, until no line
    has just one.
    """
    found = (counts > 0) & (counts < rule.least)
    more = rule.complementary
    while more:
        more = False
        for axis in range(counts.ndim):
            more |= _complement(counts, found, axis)
    return found


def _complement(counts: Counts, found: Flags, axis: int) -> bool:
    changed = False
    values, flags = np.moveaxis(counts, axis, -1), np.moveaxis(found, axis, -1)
    for line in np.ndindex(*values.shape[:-1]):
        if flags[line].sum() == 1:
            others = [(value, -place) for place, value in enumerate(values[line]) if value and not flags[line][place]]
            if others:
                flags[(*line, -min(others)[1])] = True
                changed = True
    return changed


def by_subtraction(flags: Flags) -> Flags:
    """Return the hidden cells that stay hidden after each that is alone in a line was found, again and again."""
    left = flags
    while True:
        alone = np.zeros_like(left)
        for axis in range(left.ndim):
            alone |= left & (left.sum(axis=axis, keepdims=True) == 1)
        if not alone.any():
            return left
        left = left & ~alone


def hidden_cells(counts: Counts, rule: Suppressed) -> tuple[Hidden, ...]:
    """The hidden cells of a table whose totals are all shown, with the ends that somebody who knows the rule can find.

    Of more than two columns the ends are those of the rule itself, wherever subtraction alone does not tell the cell.
    """
    flags = hidden(counts, rule)
    left = by_subtraction(flags)
    flow = CellFlow(counts, left, rule.least) if counts.ndim == 2 else None
    cells = []
    for place in (tuple(map(int, index)) for index in np.argwhere(flags)):
        truth = int(counts[place])
        ends = (truth, truth) if not left[place] else flow.ends(place) if flow else (1, rule.least - 1)
        cells.append(Hidden(place, truth, *ends, primary=truth < rule.least))
    return tuple(cells)


class CellFlow:
    """Largest moves of each hidden cell of a table of two columns, others making up for it."""

    def __init__(self, counts: Counts, flags: Flags, least: int) -> None:
        self.counts, self.least = counts, least
        self.most = int(counts.sum())
        self.cells = [(int(row), int(column)) for row, column in np.argwhere(flags)]

    def ends(self, cell: Cell) -> tuple[int, int]:
        truth = int(self.counts[cell])
        return truth - self._moves(cell, up=False), truth + self._moves(cell, up=True)

    def _moves(self, cell: Cell, *, up: bool) -> int:
        """Return the largest flow from the cell's row to its column, or back, over all other hidden cells."""
        row, column = ("row", cell[0]), ("column", cell[1])
        room = self._room()
        own = (column, row) if not up else (row, column)
        limit = room[own]
        room[row, column] = room[column, row] = 0
        start, end = (column, row) if up else (row, column)
        moved = 0
        while moved < limit and (path := _path(room, start, end)):
            most = min(limit - moved, *(room[step] for step in path))
            for one, other in path:
                room[one, other] -= most
                room[other, one] += most
            moved += most
        return moved

    def _room(self) -> dict[tuple[tuple[str, int], tuple[str, int]], int]:
        """Return the room of each cell to rise (row to column) and to fall (column to row)."""
        room = {}
        for row, column in self.cells:
            value = int(self.counts[row, column])
            ceiling = self.least - 1 if value < self.least else self.most
            room[("row", row), ("column", column)] = ceiling - value
            room[("column", column), ("row", row)] = value - 1
        return room


Node: TypeAlias = tuple[str, int]


def _path(room: dict[tuple[Node, Node], int], start: Node, end: Node) -> list[tuple[Node, Node]]:
    """Return the shortest way along which something fits."""
    onwards: dict[Node, list[Node]] = {}
    for (one, other), fits in room.items():
        if fits:
            onwards.setdefault(one, []).append(other)
    before: dict[Node, Node] = {start: start}
    waiting = deque([start])
    while waiting and end not in before:
        for other in onwards.get(place := waiting.popleft(), []):
            if other not in before:
                before[other] = place
                waiting.append(other)
    path = []
    while end in before and end != start:
        path.append((before[end], end))
        end = before[end]
    return path
