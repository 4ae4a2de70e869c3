"""Distance between neighbours: every pair of neighbours that can be the worst is tried.

A row adds whole numbers to entries; which ones depends on its values. What a unit adds is a sum of at most m rows. So
all that it can add lies in the convex hull of nothing and of m times each possible row, and all differences between
two such sums lie in the hull of the differences of these corners. Each distance here is convex: it is largest at a
corner. So it is enough that all m rows are alike before, alike (or gone) after, and that their values are corners of
what a row can add. Entries of the same part (cells of one key) are interchangeable, so that two of many do, or three
where an entry that nobody touches matters. What is no sum (units that count once, names that nobody else has, sums
that are rounded) has its argument where it is worked out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from dprelease.worstcase.world import World

Entry = tuple[int, ...]
Row = Mapping[Entry, int]
"""Numbers that one row adds, by entry; the first part of an entry's name is its group."""


@dataclass(frozen=True, slots=True)
class CountFamily:
    """The counts by some columns, and what a unit may change in them: so many rows come, or move."""

    cells: tuple[int, ...]
    rows: int
    moves: bool


@dataclass(frozen=True, slots=True)
class Reach:
    """The largest distances between what neighbours give a mechanism."""

    l1: int = 0
    l2_squared: Fraction = Fraction(0)
    linf: int = 0
    spread: int = 0
    """Spread of scores: how much more one candidate's rises than another's of its group, summed over the groups."""
    swings: frozenset[tuple[int, int]] = frozenset()
    """Largest rise and largest fall of an entry in one pair of neighbours, for each pair."""
    alone: tuple[tuple[tuple[int, int], ...], ...] = ()
    """Discovered names that one table alone has: (rows, how many such names), for each possibly worst pair."""
    answers: int | None = 0
    """Number of answers that differ; None where the number of rows does."""
    declared: Fraction | None = None
    """The ε at which answers were changed before they arrived, as their column declares it."""
    family: CountFamily | None = None
    """Counts that residuals are of."""


def moves(rows: Sequence[Row], world: World) -> Iterator[dict[Entry, int]]:
    """The differences at the corners: m equal rows appear; under substitute also in place of m others, or vanish."""
    corners: list[Row] = [*rows, {}]
    for after in corners:
        for before in corners if world.substitute else [{}]:
            change: dict[Entry, int] = defaultdict(int)
            for entry, number in after.items():
                change[entry] += world.rows * number
            for entry, number in before.items():
                change[entry] -= world.rows * number
            yield change


def of_sums(rows: Sequence[Row], world: World) -> Reach:
    """Return the reach of sums of what rows add."""
    changes = [list(change.values()) or [0] for change in moves(rows, world)]
    return Reach(
        l1=max(sum(map(abs, change)) for change in changes),
        l2_squared=Fraction(max(sum(number**2 for number in change) for change in changes)),
        linf=max(max(map(abs, change)) for change in changes),
    )


def of_rounded(whole: Reach, divisor: int, entries: int) -> Reach:
    """Return the reach of sums that are divided and rounded down.

    Where the rest of the table is as unlucky as can be, an entry that changes by d changes by ⌈|d|/divisor⌉ at most,
    which is at most (|d| + divisor − 1)/divisor. `entries`: how many can change.
    """
    if divisor == 1:
        return whole
    more = divisor - 1
    product = whole.l2_squared * entries * more**2
    cross = isqrt(-(-product.numerator // product.denominator)) + 1
    return Reach(
        l1=(whole.l1 + entries * more) // divisor,
        l2_squared=(whole.l2_squared + 2 * cross + entries * more**2) / divisor**2,
        linf=(whole.linf + more) // divisor,
    )


def of_scores(rows: Sequence[Row], world: World, candidates: int) -> Reach:
    """Return the reach of scores by which a candidate is chosen in each group: entries are (group, candidate, ...).

    What a choice by noisy scores spends is how much more the score of one candidate rises than that of another:
    adding the same to all scores changes nothing. An entry with a third part is one of several terms of a score, of
    which the rest of the table decides which one counts. Convex, being a largest minus a least.
    """

    def spread(change: Mapping[Entry, int]) -> int:
        by_group: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        for (group, candidate, *_), number in change.items():
            by_group[group][candidate].append(number)
        total = 0
        for scores in by_group.values():
            numbers = [number for terms in scores.values() for number in terms]
            untouched = [0] if len(scores) < candidates else []
            total += max(numbers + untouched) - min(numbers + untouched) if candidates > 1 else 0
        return total

    return Reach(spread=max(spread(change) for change in moves(rows, world)))


def of_questions(rows: Sequence[Row], world: World) -> Reach:
    """Return the reach of counts asked about one after the other, in both directions: either table may be the first."""
    swings = set()
    for change in moves(rows, world):
        numbers = list(change.values()) or [0]
        up, down = max(0, *numbers, 0), max(0, -min(numbers))
        swings |= {(up, down), (down, up)}
    return Reach(swings=frozenset(swings))


def of_units(cells: int, world: World) -> Reach:
    """Return the reach of units, each counted once in every group that it has a row in, in at most `groups` of them.

    With s groups before and t after, as different as can be, s + t entries change by 1, less 2 for each group that
    must be in both. It is largest where s and t are the ends of what they can be, or where together they fill all
    cells.
    """
    most = min(world.groups, cells)
    sides = {0, 1, most, max(0, min(most, cells - most))}
    pairs = [(s, t) for s in sides for t in (sides if world.substitute else {0}) if s <= most and t <= most]
    changed = max(s + t - 2 * max(0, s + t - cells) for s, t in pairs)
    return Reach(l1=changed, l2_squared=Fraction(changed), linf=min(changed, 1))


def of_names(world: World) -> Reach:
    """Return the reach of rows by names that nobody declared, a unit's rows having at most `groups` of them.

    On names that both tables have, m rows may come, or move. Of names that only one table has, each appears with a
    chance that is convex in the unit's rows with it, so the worst are all m rows with one name, or as many names as
    can be, all but one of them with one row. Under substitute there are such names on both sides.
    """
    sides = 2 if world.substitute else 1
    rows, names = world.rows, world.groups
    parted = ((rows - names + 1, sides), (1, sides * (names - 1)))
    return Reach(l1=sides * rows, linf=rows, alone=(((rows, sides),), parted))


def of_answers(world: World) -> Reach:
    """Return how many answers that are changed row by row differ. Where rows may appear, their number tells it."""
    return Reach(answers=world.rows if world.substitute and not world.identified else None)
