"""Input of a linear regression: weighted products of two terms of a row, and of terms and the outcome."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import prod

from dprelease.worstcase.reach import Reach
from dprelease.worstcase.world import DeclaredCodes, World

Shape = tuple[int, ...]
WEIGHTS = {False: (30, 15, 40, 10, 30, 3), True: (17, 12, 20, 10, 17, 5)}
"""Weights of rows, terms, the outcome, two terms, a term and the outcome, the outcome squared; True: squares count."""
EQUAL = (1, 1, 1, 1, 1, 1)
"""Equal weights: none counts more than another."""
OBJECTIVE, TAYLOR = (1, 2, 2, 2, 2, 1, 1), (1, 2, 4, 2, 4, 0, 1)
"""Weights in the objectives of least squares and of log-odds, these in eighths: at last of a term squared."""
ORIGIN = {False: (1, 1, 1), True: (1, 2, 2)}
"""Without a constant, by whether these are of the objective: of a square, two terms, a term and the outcome."""
LARGEST = 2**24
PLACES = tuple(Fraction(number, 4) for number in range(-4, 5))


def products(
    predictors: Sequence[DeclaredCodes],
    outcome: DeclaredCodes,
    world: World,
    weights: Sequence[int],
    groups: Shape = (),
) -> tuple[Shape, Reach]:
    """The row before has ones everywhere (signs may be changed); the one after some values of every column: all ordered
    columns the same one or the opposite, in quarters, those of two values either, and of a list the same, another
    category or none. Of several `groups` the row before may leave its own, and one with ones enter another."""
    kinds = [kind for kind in map(_kind, predictors) if kind]
    sizes = [values.many - 1 if kind == "long" else 1 for values in predictors if (kind := _kind(values))]
    own = _kind(outcome)
    pairs = sum(one * other for place, one in enumerate(sizes) for other in sizes[place + 1 :])
    shape = (2 + 2 * sum(sizes) + sum(kind == "ordered" for kind in kinds) + pairs + (own == "ordered"),)
    ones = _row([_first(kind) for kind in kinds], Fraction(1), kinds, own, weights)
    changes = [ones]
    if world.substitute:
        for after in _others(kinds):
            for y in PLACES if own == "ordered" else (Fraction(-1), Fraction(1)):
                other = _row(after, y, kinds, own, weights)
                changes.append([a - b for a, b in zip(ones, other, strict=True)])
    changes += _moved(ones, groups, world)
    return (*groups, *shape), _reach(changes, predictors, outcome, world)


def objective(
    predictors: Sequence[DeclaredCodes], outcome: DeclaredCodes, world: World, groups: Shape = ()
) -> tuple[Shape, Reach]:
    """Return the coefficients of Σ (y - w·(1, x))², values from 0 to 1: a row with ones everywhere vanishes, or another
    category of each list takes the place of its own; what was 1 may become 0."""
    kinds = [kind for kind in map(_kind, predictors) if kind]
    own = _kind(outcome)
    shape, _ = products(predictors, outcome, world, EQUAL, groups)
    ones = _row([_first(kind) for kind in kinds], Fraction(1), kinds, own, OBJECTIVE)
    changes = [ones, *_moved(ones, groups, world)]
    if world.substitute and "long" in kinds:
        zero = Fraction(0)
        for first, y in product((Fraction(1), zero), repeat=2):
            parts = [(zero, Fraction(1)) if kind == "long" else (first,) for kind in kinds]
            other = _row(parts, y, kinds, own, OBJECTIVE)
            changes.append([a - b for a, b in zip(ones, other, strict=True)])
    return shape, _reach(changes, predictors, outcome, world)


def through_origin(
    predictors: Sequence[DeclaredCodes],
    outcome: DeclaredCodes,
    world: World,
    weights: Sequence[int],
    groups: Shape = (),
) -> tuple[Shape, Reach]:
    """Squares and products of terms, and of these with the outcome: no constant, and values divided by the largest.

    Where every column is of one sign a row with ones everywhere vanishes, or another category of each list takes the
    place of its own. With values of both signs the row after has all ordered columns at one place, 0 among them and
    those where changes of squares and of products balance; or some keep theirs and others turn to the opposite."""
    own = [values for values in predictors if _kind(values)]
    kinds = ["long" if _kind(values) == "long" else "ordered" for values in own]
    squares, pairs, crossed = weights
    sizes = [values.many - 1 if kind == "long" else 1 for values, kind in zip(own, kinds, strict=True)]
    shape = (2 * sum(sizes) + sum(a * b for place, a in enumerate(sizes) for b in sizes[place + 1 :]),)

    def row(parts: Sequence[Part], y: Fraction) -> list[Fraction]:
        found = [squares * number**2 for part in parts for number in part]
        found += [crossed * number * y for part in parts for number in part]
        return found + [
            pairs * a * b
            for place, part in enumerate(parts)
            for later in parts[place + 1 :]
            for a in part
            for b in later
        ]

    def others(short: Sequence[Fraction], long: Part) -> list[Part]:
        left = iter(short)
        return [long if kind == "long" else (next(left),) for kind in kinds]

    one, zero, short = Fraction(1), Fraction(0), kinds.count("ordered")
    ones = row(others([one] * short, (one, zero)), one)
    changes = [ones, *_moved(ones, groups, world)]
    if world.substitute:
        both_signs = any(values.lowest < 0 < values.highest and not values.listed for values in (*own, outcome))
        rows = [[one] * short]
        if both_signs:
            places = {*PLACES, *(Fraction(-sign, short + more) for sign in (-1, 1) for more in (0, 1) if short + more)}
            rows += [[place] * short for place in places]
            rows += [[-one] * many + [one] * (short - many) for many in range(short)]
        for after, y, long in product(rows, (-one, zero, one) if both_signs else (one,), ((one, zero), (zero, one))):
            changes.append([a - b for a, b in zip(ones, row(others(after, long), y), strict=True)])
    furthest = [1 if values.listed else max(abs(values.lowest), abs(values.highest)) for values in (*own, outcome)]
    return (*groups, *shape), _of_finest(changes, max(furthest), world)


def taylor(predictors: Sequence[DeclaredCodes], outcome: DeclaredCodes, world: World) -> tuple[Shape, Reach]:
    """The coefficients of Σ (½ - y)·w·(1, x) + ⅛(w·(1, x))² in eighths, x from 0 to 1 and y of -1 or 1: a row with ones
    everywhere vanishes, or one takes its place with the other outcome and some zeros."""
    kinds = [kind for kind in map(_kind, predictors) if kind]
    shape, _ = products(predictors, outcome, world, EQUAL)
    ones = _row([_first(kind) for kind in kinds], Fraction(1), kinds, "two", TAYLOR)
    changes = [ones]
    if world.substitute:
        short = [place for place, kind in enumerate(kinds) if kind != "long"]
        longs = [(Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)), (Fraction(0), Fraction(0))]
        for many, long in product(range(len(short) + 1), longs):
            for kept in {tuple(short[:many]), tuple(short[len(short) - many :])}:
                parts = [long if kind == "long" else (Fraction(place in kept),) for place, kind in enumerate(kinds)]
                other = _row(parts, Fraction(-1), kinds, "two", TAYLOR)
                changes.append([a - b for a, b in zip(ones, other, strict=True)])
    return shape, _reach(changes, predictors, outcome, world)


def _moved(ones: Sequence[Fraction], groups: Shape, world: World) -> list[list[Fraction]]:
    """Return the change where a row moves from one group to another."""
    return [[*ones, *(-number for number in ones)]] if world.substitute and prod(groups) > 1 else []


def _reach(
    changes: Sequence[Sequence[Fraction]], predictors: Sequence[DeclaredCodes], outcome: DeclaredCodes, world: World
) -> Reach:
    finest = max(values.steps if _kind(values) != "long" else 1 for values in (*predictors, outcome))
    return _of_finest(changes, finest, world)


def _of_finest(changes: Sequence[Sequence[Fraction]], finest: int, world: World) -> Reach:
    fine = 64
    while fine <= 64 * finest**2 and fine < LARGEST:
        fine *= 2
    unit = fine * world.rows
    return Reach(
        l1=int(max(unit * sum(map(abs, change)) for change in changes)),
        l2_squared=Fraction(max(unit**2 * sum(number**2 for number in change) for change in changes)),
        linf=int(max(unit * max(map(abs, change)) for change in changes)),
    )


Part = tuple[Fraction, ...]


def _kind(values: DeclaredCodes) -> str:
    if values.listed and values.many > 2:
        return "long"
    return "" if values.many < 2 else "two" if values.listed or values.steps == 1 else "ordered"


def _first(kind: str) -> Part:
    return (Fraction(1), Fraction(0)) if kind == "long" else (Fraction(1),)


def _others(kinds: Sequence[str]) -> Iterator[list[Part]]:
    ends = (Fraction(1), Fraction(-1))
    longs = [tuple(map(Fraction, each)) for each in ((1, 0), (0, 1), (0, 0))]
    ordered, two, long = (kinds.count(kind) for kind in ("ordered", "two", "long"))
    for place, many, twos, lists in product(
        PLACES,
        range(ordered + 1),
        combinations_with_replacement(ends, two),
        combinations_with_replacement(longs, long),
    ):
        values = iter([place] * many + [-place] * (ordered - many))
        of_two, of_long = iter(twos), iter(lists)
        yield [
            next(of_long) if kind == "long" else (next(of_two),) if kind == "two" else (next(values),) for kind in kinds
        ]


def _row(
    parts: Sequence[Part], y: Fraction, kinds: Sequence[str], outcome: str, weights: Sequence[int]
) -> list[Fraction]:
    rows, terms, own, both, crossed, square, *alone = weights
    found = [Fraction(rows), own * y]
    for place, (part, kind) in enumerate(zip(parts, kinds, strict=True)):
        found += [terms * number for number in part] + [crossed * number * y for number in part]
        found += [(alone or [both])[0] * part[0] ** 2] if kind == "ordered" else []
        found += [both * a * b for later in parts[place + 1 :] for a in part for b in later]
    return found + ([square * y * y] if outcome == "ordered" else [])
