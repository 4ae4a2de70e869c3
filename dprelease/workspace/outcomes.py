"""What readers might see instead: how the simulated draws of a preview differ from the truth and from one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, sqrt

from dprelease.model.presentation import Trait
from dprelease.model.release import Cell, Estimates
from dprelease.workspace.preview import StatisticPreview

Z = 1.959964
"""The 97.5 % point of the normal distribution."""
RELATIVE = 0.5
"""From this share of the value on, half a 95 % interval makes a number unreliable."""
DOTS = 20
BINS = 12
"""Columns of dots."""
MOST_RANKED = 10


@dataclass(frozen=True, slots=True)
class Share:
    """In how many of the simulated draws something is so."""

    hits: int
    draws: int

    @property
    def share(self) -> float:
        return self.hits / self.draws

    @property
    def interval(self) -> tuple[float, float]:
        """Tells where the share of all possible draws lies, with 95 %: Wilson (1927), for simulation error."""
        n, p = self.draws, self.share
        middle = (p + Z**2 / (2 * n)) / (1 + Z**2 / n)
        half = Z * sqrt(p * (1 - p) / n + Z**2 / (4 * n**2)) / (1 + Z**2 / n)
        return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True, slots=True)
class Swap:
    """Two cells that stand next to each other in the true order, by place, and how often draws swap or tie them."""

    higher: int
    lower: int
    share: Share


@dataclass(frozen=True, slots=True)
class Ranking:
    """The cells with the highest true values, highest first, and how often draws put them in another order."""

    cells: tuple[int, ...]
    changed: Share
    swaps: tuple[Swap, ...]


def unreliable(table: Estimates, *, never_negative: bool) -> list[bool]:
    """Tells which numbers tell little: half of their interval is more than RELATIVE of the value, or it reaches 0.

    `never_negative`: an interval that reaches below 0 tells little too. A number without an interval is not judged.
    """
    return [
        _tells_little(*row, never_negative=never_negative)
        for row in zip(table.value, table.lower95, table.upper95, strict=True)
    ]


def _tells_little(value: Cell, lower: Cell, upper: Cell, *, never_negative: bool) -> bool:
    if not (isinstance(value, int | float) and isinstance(lower, int | float) and isinstance(upper, int | float)):
        return False
    if lower <= 0 <= upper or (never_negative and lower < 0):
        return True
    return (upper - lower) / 2 > RELATIVE * abs(value)


def relative(table: Estimates) -> list[float | None]:
    """Half of each interval as a share of the value; None without an interval, infinite beside 0."""
    result: list[float | None] = []
    for value, lower, upper in zip(table.value, table.lower95, table.upper95, strict=True):
        if isinstance(value, int | float) and isinstance(lower, int | float) and isinstance(upper, int | float):
            result.append((upper - lower) / 2 / abs(value) if value else inf)
        else:
            result.append(None)
    return result


def numeric(item: StatisticPreview) -> bool:
    """Tells whether all its true values are numbers."""
    return len(item.true) > 0 and all(isinstance(value, int | float) for value in item.true.value)


def comparable(item: StatisticPreview) -> bool:
    """Tells whether its cells are numbers of one kind, so that somebody may conclude which is higher."""
    return not item.presentation.has(Trait.UNLIKE) and numeric(item) and len(item.true) > 1


def agreement(item: StatisticPreview) -> Share:
    """Tells in how many draws every answer is the true one."""
    rows = zip(*(item.column(cell) for cell in range(len(item.true))), strict=True)
    return Share(sum(list(row) == list(item.true.value) for row in rows), len(item.draws))


def answers(item: StatisticPreview) -> list[tuple[tuple[Cell, ...], Share]]:
    """Returns what the draws answer, all cells together, the most frequent first."""
    rows = Counter(zip(*(item.column(cell) for cell in range(len(item.true))), strict=True))
    return [(row, Share(hits, len(item.draws))) for row, hits in rows.most_common()]


def dots(item: StatisticPreview, cell: int) -> list[float]:
    """DOTS equally likely numbers of one cell: middles of equal parts of the sorted draws (Kay et al. 2016).

    Draws that do not have the cell are left out.
    """
    ordered = sorted(float(value) for value in item.column(cell) if isinstance(value, int | float))
    return [ordered[min(len(ordered) - 1, int((dot + 0.5) / DOTS * len(ordered)))] for dot in range(DOTS) if ordered]


def stacked(numbers: Sequence[float]) -> list[tuple[float, int]]:
    """Dots one above the other where they are close together: the middle of a dot's bin, and its place from 1 on."""
    low, high = min(numbers), max(numbers)
    width = (high - low) / BINS
    result, heights = [], Counter[int]()
    for number in sorted(numbers):
        place = min(BINS - 1, int((number - low) / width)) if width else 0
        heights[place] += 1
        result.append((low + (place + 0.5) * width if width else number, heights[place]))
    return result


def ranking(item: StatisticPreview) -> Ranking | None:
    """Tells how the order of the highest cells holds up; None with fewer than two cells."""
    true = [(float(value), place) for place, value in enumerate(item.true.value) if isinstance(value, int | float)]
    cells = tuple(place for _, place in sorted(true, key=lambda pair: -pair[0])[:MOST_RANKED])
    if len(cells) < 2:
        return None
    drawn = list(zip(*(item.column(cell) for cell in cells), strict=True))
    swaps = tuple(
        Swap(cells[place], cells[place + 1], share)
        for place, share in enumerate(_swapped(drawn, place) for place in range(len(cells) - 1))
    )
    changed = sum(any(not _above(one, other) for one, other in pairwise(row)) for row in drawn)
    return Ranking(cells, Share(changed, len(drawn)), swaps)


def _swapped(drawn: Sequence[Sequence[Cell]], place: int) -> Share:
    return Share(sum(not _above(row[place], row[place + 1]) for row in drawn), len(drawn))


def _above(one: Cell, other: Cell) -> bool:
    if not isinstance(one, int | float):
        return False
    return not isinstance(other, int | float) or one > other


def survival(item: StatisticPreview, one: int, other: int) -> Share:
    """Tells how often draws say of two cells what is true: which is higher, or that they are equal."""
    truth = _sign(item.true.value[one], item.true.value[other])
    pairs = list(zip(item.column(one), item.column(other), strict=True))
    return Share(sum(_sign(*pair) == truth for pair in pairs), len(pairs))


def _sign(one: Cell, other: Cell) -> int | None:
    if not (isinstance(one, int | float) and isinstance(other, int | float)):
        return None
    return (one > other) - (one < other)


def noise(item: StatisticPreview) -> Iterator[float | None]:
    """Returns, of each cell, half of what the middle 95 % of the draws span."""
    for low, high in zip(*item.spread(), strict=True):
        numbers = isinstance(low, int | float) and isinstance(high, int | float)
        yield (high - low) / 2 if numbers else None  # type: ignore[operator]


@dataclass(frozen=True, slots=True)
class Parts:
    """What moves one published number away from the truth; None where that is not known."""

    noise: float | None
    """Half of what the middle 95 % of the draws span."""
    clipping: float | None
    """What the bounds add: negative where they make it smaller."""
    cutting: float | None
    """What leaving out rows of units with many adds."""

    @property
    def largest(self) -> str | None:
        """`noise`, `clipping` or `cutting`, whichever is largest; None where all are 0 or none is known."""
        known = {name: abs(part) for name in ("noise", "clipping", "cutting") if (part := getattr(self, name))}
        return max(known, key=lambda name: known[name]) if known else None


def parts(item: StatisticPreview) -> list[Parts]:
    """Tells where the error of each cell comes from."""
    uncut = item.uncut.value if item.uncut is not None and item.uncut.axes == item.true.axes else None
    unclipped = item.unclipped.value if item.unclipped is not None and uncut is not None else None
    result = []
    for place, (true, half) in enumerate(zip(item.true.value, noise(item), strict=True)):
        without_cut = None if uncut is None else uncut[place]
        clipping = None if unclipped is None else _less(without_cut, unclipped[place])
        result.append(Parts(half, clipping, None if uncut is None else _less(true, without_cut)))
    return result


def _less(one: Cell, other: Cell) -> float | None:
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    return float(one) - float(other) if numbers else None  # type: ignore[arg-type]
