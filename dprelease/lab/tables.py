"""Attacks on tables: cells that were hidden, found from the totals beside them; and a table that is published twice.

Counts from 1 to t − 1 are hidden and all totals are shown. Where a line has one hidden cell, it is what is missing.
Else the totals leave each hidden cell between two ends, which are exact: in a table of two columns each end is a
largest flow (the true table is one flow that fits, and a cell can move by as much as others can make up for).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dprelease.lab.chance import Ints
from dprelease.lab.defences import Defence, Private, Rounded, Suppressed, laplace_chances, published
from dprelease.lab.outcome import Outcome, success_bound
from dprelease.lab.worlds import Visit, table

Cell: TypeAlias = tuple[int, ...]
Flags: TypeAlias = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Hidden:
    """A hidden cell, and what the totals leave of it."""

    cell: Cell
    truth: int
    least: int
    most: int
    primary: bool
    """Whether it was hidden for being small, and not for the sake of another."""

    @property
    def exact(self) -> bool:
        return self.least == self.most


@dataclass(frozen=True, slots=True)
class Subtraction:
    """What became of the hidden cells of a table."""

    cells: tuple[Hidden, ...]
    outcome: Outcome

    @property
    def primary(self) -> tuple[Hidden, ...]:
        return tuple(each for each in self.cells if each.primary)


def hidden(counts: Ints, rule: Suppressed) -> Flags:
    """Which cells are hidden; complementary: in each line with one, the smallest other that is not empty as well, the
    last of these, until no line has just one."""
    found = (counts > 0) & (counts < rule.least)
    more = rule.complementary
    while more:
        more = False
        for axis in range(counts.ndim):
            more |= _complement(counts, found, axis)
    return found


def _complement(counts: Ints, found: Flags, axis: int) -> bool:
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
    """Which hidden cells stay hidden after each that is alone in a line was found, again and again."""
    left = flags
    while True:
        alone = np.zeros_like(left)
        for axis in range(left.ndim):
            alone |= left & (left.sum(axis=axis, keepdims=True) == 1)
        if not alone.any():
            return left
        left = left & ~alone


def subtract(counts: Ints, rule: Suppressed) -> Subtraction:
    """Attacks the hidden cells of a table whose totals are all shown, by somebody who knows the rule.

    `won`: how often they are right about a small cell if they name one that is possible, each as likely.
    """
    flags = hidden(counts, rule)
    left = by_subtraction(flags)
    flow = Flow(counts, left, rule.least) if counts.ndim == 2 else None
    cells = []
    for place in (tuple(map(int, each)) for each in np.argwhere(flags)):
        truth = int(counts[place])
        ends = (truth, truth) if not left[place] else flow.ends(place) if flow else (1, rule.least - 1)
        cells.append(Hidden(place, truth, *ends, primary=truth < rule.least))
    small = [1 / (each.most - each.least + 1) for each in cells if each.primary]
    guessing = 1 / (rule.least - 1)
    return Subtraction(tuple(cells), Outcome(guessing, sum(small) / len(small) if small else guessing, 1.0))


class Flow:
    """By how much each hidden cell of a table of two columns can move, others making up for it."""

    def __init__(self, counts: Ints, flags: Flags, least: int) -> None:
        self.counts, self.least = counts, least
        self.most = int(counts.sum())
        self.cells = [(int(row), int(column)) for row, column in np.argwhere(flags)]

    def ends(self, cell: Cell) -> tuple[int, int]:
        truth = int(self.counts[cell])
        return truth - self._moves(cell, up=False), truth + self._moves(cell, up=True)

    def _moves(self, cell: Cell, *, up: bool) -> int:
        """The largest flow from the cell's row to its column, or back, over all other hidden cells."""
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
        """How far each cell may rise (row to column) and fall (column to row)."""
        room = {}
        for row, column in self.cells:
            value = int(self.counts[row, column])
            ceiling = self.least - 1 if value < self.least else self.most
            room[("row", row), ("column", column)] = ceiling - value
            room[("column", column), ("row", row)] = value - 1
        return room


Node: TypeAlias = tuple[str, int]


def _path(room: dict[tuple[Node, Node], int], start: Node, end: Node) -> list[tuple[Node, Node]]:
    """The shortest way along which something fits."""
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


@dataclass(frozen=True, slots=True)
class Twice:
    """Of how many people the difference of two tables shows all cells, each of them leaving in between."""

    people: int
    shown: int
    outcome: Outcome


def republished(rows: Sequence[Visit], columns: Sequence[str], defence: Defence) -> Twice:
    """A table is published, somebody leaves, and it is published again: for each, are all cells of their visits shown?

    Private: each table costs ε, so that moving from one cell to another is 2·2ε, of one person less and one more;
    computed of somebody with one visit, whom the attacker takes to be where the table fell most.
    """
    counts = table(columns, rows)
    cells = counts.size
    if isinstance(defence, Private):
        won, bound = fell_most(defence.scale, cells), success_bound(4 * defence.epsilon, answers=cells)
        return Twice(0, 0, Outcome(1 / cells, won, bound))
    own = list(_own(rows, columns))
    shown = sum(all(shows(int(counts[cell]), times, defence) for cell, times in each.items()) for each in own)
    share = shown / len(own)
    return Twice(len(own), shown, Outcome(1 / cells, share + (1 - share) / cells, 1.0))


def _own(rows: Sequence[Visit], columns: Sequence[str]) -> Iterator[Counter[Cell]]:
    for _, visits in groupby(rows, key=lambda row: row.patient):
        yield Counter(tuple(getattr(row, column) for column in columns) for row in visits)


def shows(count: int, times: int, defence: Defence) -> bool:
    """Tells whether a cell shows that so many visits are gone from it."""
    before, after = published(count, defence), published(count - times, defence)
    if len(before.chances) > 1:
        raise ValueError(f"{defence}: what is drawn anew each time shows nothing for certain")
    if isinstance(defence, Rounded):
        return before.first != after.first
    return not before.hidden and not after.hidden


def fell_most(scale: float, cells: int) -> float:
    """How often the cell that fell most between two tables is the true one; of several each as likely.

    Both have discrete Laplace noise. With F the distribution of a difference D: Σ P(D = v − 1) (F(v)^m − F(v−1)^m) /
    (m P(D = v)), with F(v − 1) = F(v) − P(D = v) so that nothing cancels.
    """
    noise = laplace_chances(scale)
    fall = np.convolve(noise, noise)
    whole = np.maximum(np.cumsum(fall), fall)
    with np.errstate(divide="ignore"):  # at the first of them F(v − 1) is 0
        best = -(whole**cells) * np.expm1(cells * np.log1p(-fall / whole)) / (cells * fall)
    return min(1.0, float((fall[:-1] * best[1:]).sum()))
