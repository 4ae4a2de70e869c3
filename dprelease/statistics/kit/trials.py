"""Pairs of neighbouring tables: one unit's rows in the worst places, in all places, and in any."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from itertools import count, product

from dprelease.statistics.kit.rows import ABSENT, EXTREMES, PALETTE, Row

MIXED = 200


@dataclass(frozen=True)
class Trial:
    """A table without one unit, and two sets of rows that it may have: two pairs that add it, and one that moves it."""

    base: tuple[Row, ...]
    """One row of each other unit."""
    before: tuple[Row, ...]
    after: tuple[Row, ...]

    @property
    def tables(self) -> tuple[tuple[tuple[Row, ...], tuple[Row, ...]], ...]:
        """The other units' rows and its own: without it, before, after."""
        return (self.base, ()), (self.base, self.before), (self.base, self.after)


def trials(most: int) -> tuple[Trial, ...]:
    """All trials of a unit of which at most so many rows are kept; the same in every run."""
    return (*_worst(most), *_apart(most), *_mixed(most))


def _worst(most: int) -> Iterator[Trial]:
    """All rows of the unit alike, at the bounds or without values, moved to every other corner, over leaning bases."""
    bases = [(), EXTREMES[:1] * 9, EXTREMES[1:2] * 9, EXTREMES[2:3] * 5 + EXTREMES[3:4] * 5]
    corners = EXTREMES + ABSENT
    for base, before, after in product(bases, corners, corners):
        yield Trial(base, (before,) * most, (after,) * most)


def _apart(most: int) -> Iterator[Trial]:
    """Rows that all fall into different cells, moved to as many other ones."""
    passing = [item for item in PALETTE if item["k"] in (0, 3) and item["unknown"] and item["day"] < date(2025, 1, 4)]
    rows = tuple({item["unknown"]: item for item in passing}.values())
    yield Trial((), rows[:most], rows[most : 2 * most])


def _mixed(most: int) -> Iterator[Trial]:
    """Any rows, 0 to two more than are kept."""
    numbers = _numbers(most)
    longest = most + 2 if most > 1 else 1
    for _ in range(MIXED):
        yield Trial(_some(numbers, 8), _some(numbers, longest), _some(numbers, longest))


def _some(numbers: Iterator[int], longest: int) -> tuple[Row, ...]:
    return tuple(PALETTE[next(numbers) % len(PALETTE)] for _ in range(next(numbers) % (longest + 1)))


def _numbers(trial: int) -> Iterator[int]:
    """Whole numbers without a pattern, the same in every run. They choose rows; no noise is made of them."""
    for place in count():
        yield int.from_bytes(sha256(f"{trial} {place}".encode()).digest()[:8], "big")
