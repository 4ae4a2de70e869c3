"""Inputs of models: tables of counts, or sums of products of a row's terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from typing import Any

from dprelease.worstcase import line
from dprelease.worstcase.reach import Reach
from dprelease.worstcase.setting import MechanismInput, Shape, StatisticSetting
from dprelease.worstcase.world import DeclaredCodes, World

FEW, USUAL = 8, 5
TRIED: Shape = (2, 21)
"""Shape of the counts of rows that are held out, by class and cell of a score."""


def clusters(asked: StatisticSetting) -> Iterator[MechanismInput]:
    """Rows by cell of a grid, as fine along each column as is declared or stated: how fine is nobody's loss."""
    most = [asked.columns[name].many for name in asked.options["on"]]
    cells = asked.options.get("grid") or max(asked.shapes[0])
    shape = tuple(min(cells, many) for many in most)
    if not 1 <= len(most) <= 4 or not 1 <= cells <= 40:
        raise ValueError(f"{cells} cells along {len(most)} columns")
    yield asked.cells(shape)


def classifier(asked: StatisticSetting) -> Iterator[MechanismInput]:
    """Tables in each of which a row is in one cell; losses add up. Then second moments of a column by class."""
    bells = _bells(asked.options, asked.columns, asked.stated)
    counted = {**asked.options, "on": [name for name in asked.options["on"] if name not in bells]}
    for shape in _tables(counted, asked.columns, asked.shapes):
        yield asked.cells(shape)
    by_class = replace(asked, options={"by": [asked.options["outcome"]]})
    for name in bells:
        yield by_class.own_moments(asked.columns[name])


def linear(asked: StatisticSetting) -> Iterator[MechanismInput]:
    predictors = [asked.columns[name] for name in asked.options["on"]]
    objective = asked.options.get("method") == "functional"
    if asked.options.get("intercept") is False:
        origin = line.ORIGIN[objective]
        yield MechanismInput(
            "sums", *line.through_origin(predictors, asked["outcome"], asked.world, origin, asked.groups)
        )
        return
    if objective:
        yield MechanismInput("sums", *line.objective(predictors, asked["outcome"], asked.world, asked.groups))
        return
    weights = line.WEIGHTS[asked.by == "discrete_gaussian"]
    yield MechanismInput("sums", *line.products(predictors, asked["outcome"], asked.world, weights, asked.groups))


def components(asked: StatisticSetting) -> Iterator[MechanismInput]:
    """All products of two columns: of the last one as of an outcome."""
    *others, last = (asked.columns[name] for name in asked.options["on"])
    yield MechanismInput("sums", *line.products(others, last, asked.world, line.EQUAL))


def logistic(asked: StatisticSetting) -> Iterator[MechanismInput]:
    predictors = [asked.columns[name] for name in asked.options["on"]]
    if asked.options.get("method") == "functional":
        yield MechanismInput("sums", *line.taylor(predictors, asked["outcome"], asked.world))
        return
    yield MechanismInput("sums", *start(predictors, asked.world))
    for _ in range(int(asked.options.get("rounds", 4))):
        yield MechanismInput("sums", *step(predictors, asked.world))
    if asked.options.get("held_out"):
        yield asked.cells(TRIED)


LARGEST = 2**30
"""Integer that stands for the largest residual times a term; upper bound of the largest product of a row."""
Part = tuple[int, ...]
"""The terms of a column in a row: of an ordered one or one of two values, a number; of a longer list, of two categories
which a row may have, each 0 or 1."""


def start(predictors: Sequence[DeclaredCodes], world: World) -> tuple[Shape, Reach]:
    """The products of two terms, of a term and the outcome, and of an ordered term with itself.

    Signs of a column may be changed in all rows without changing a distance, so that the row before may be the one with
    ones everywhere. In the row after, a column is the same, at its other end, in the middle or at another category:
    what counts is how many columns are which.
    """
    terms = [_terms(values) for values in predictors]
    ordered = [not values.listed and values.steps > 1 for values in predictors]
    many = sum(terms)
    pairs = sum(one * other for one, other in combinations(terms, 2))
    shape = (2 + 2 * many + sum(own for own, is_one in zip(terms, ordered, strict=True) if is_one) + pairs,)
    kinds = [
        ("long" if own > 1 else "ordered" if is_one else "two")
        for own, is_one in zip(terms, ordered, strict=True)
        if own
    ]
    ones = _products([(1,), *(BEFORE[kind] for kind in kinds), (1,)], kinds)
    changes = [ones]
    if world.substitute:
        for after in _others(kinds):
            for outcome in (1, -1):
                other = _products([(1,), *after, (outcome,)], kinds)
                changes.append([a - b for a, b in zip(ones, other, strict=True)])
    finest = max((values.steps for values, own in zip(predictors, terms, strict=True) if own == 1), default=1)
    fine = 64
    while fine <= 64 * finest**2 and fine < LARGEST:
        fine *= 2
    return shape, _of(changes, world, fine)


def step(predictors: Sequence[DeclaredCodes], world: World) -> tuple[Shape, Reach]:
    """A residual between -1 and 1 times each term. Under substitute both rows may have the largest, of either sign,
    and nearly the same terms: scores may be as steep as they like. Without terms all rows have one score."""
    terms = [_terms(values) for values in predictors]
    ones = [1] * (1 + sum(own > 0 for own in terms))
    changes = [ones]
    if world.substitute and len(ones) > 1:
        changes.append([2 * number for number in ones])
    return (1 + sum(terms),), _of(changes, world, LARGEST)


BEFORE: dict[str, Part] = {"ordered": (1,), "two": (1,), "long": (1, 0)}
AFTER: dict[str, tuple[Part, ...]] = {
    "ordered": ((1,), (-1,), (0,)),
    "two": ((1,), (-1,)),
    "long": ((1, 0), (0, 1), (0, 0)),
}


def _others(kinds: Sequence[str]) -> Iterator[list[Part]]:
    """Yield the other rows, by how many columns of each kind are what."""
    counts = {kind: kinds.count(kind) for kind in BEFORE}
    chosen = [list(combinations_with_replacement(AFTER[kind], many)) for kind, many in counts.items()]
    for parts in product(*chosen):
        left = {kind: iter(own) for kind, own in zip(counts, parts, strict=True)}
        yield [next(left[kind]) for kind in kinds]


def _products(parts: Sequence[Part], kinds: Sequence[str]) -> list[int]:
    """Return the products of different columns, the constant and the outcome, and squares where they say something."""
    found = [1]
    for one, other in combinations(parts, 2):
        found += [a * b for a in one for b in other]
    return found + [part[0] ** 2 for part, kind in zip(parts[1:-1], kinds, strict=True) if kind == "ordered"]


def _of(changes: Sequence[Sequence[int]], world: World, largest: int) -> Reach:
    unit = largest * world.rows
    return Reach(
        l1=max(unit * sum(map(abs, change)) for change in changes),
        l2_squared=Fraction(max(unit**2 * sum(number**2 for number in change) for change in changes)),
        linf=max(unit * max(map(abs, change)) for change in changes),
    )


def _terms(values: DeclaredCodes) -> int:
    """Count the terms of a column."""
    if values.listed and values.many > 2:
        return values.many - 1
    return 1 if values.many > 1 else 0


def _bins(values: DeclaredCodes, bins: Any) -> int:
    """Count the bins of a predictor: its declared values, those between given edges, or equal ones."""
    if values.listed:
        return values.many
    if isinstance(bins, Sequence) and not isinstance(bins, str):
        return len(bins) - 1
    return min(values.many, int(bins or (values.many if values.many <= FEW else USUAL)))


def _bells(options: Mapping[str, Any], columns: Mapping[str, DeclaredCodes], stated: Mapping[str, Any]) -> list[str]:
    """The predictors of which second moments are asked by class: numbers without bins, where the plan wants these."""
    if options.get("method", "bins") == "bins":
        return []
    if options["method"] != "normal" or options.get("held_out"):
        raise ValueError(f"{options['method']} of a classifier")
    numbers = [name for name in options["on"] if stated[name]["type"] in ("integer", "number")]
    return [name for name in numbers if name not in options.get("bins", {}) and columns[name].steps > 0]


def _tables(options: Mapping[str, Any], columns: Mapping[str, DeclaredCodes], stated: Sequence[Shape]) -> list[Shape]:
    """Return the shapes of tables that each count every row: by class for each predictor, then by pairs of predictors.

    With units held out these count the others' rows, and a last one counts the rows of those: a row is in one cell of
    each table at most.

    `stated`: as the certificate has them; where a plan leaves it open whether pairs are counted, their number says.
    """
    names, bins = options["on"], options.get("bins", {})
    many = {name: _bins(columns[name], bins.get(name)) for name in names}
    found: list[Shape] = [(many[name], columns[options["outcome"]].many) for name in names]
    tried = [TRIED] if options.get("held_out") else []
    wanted = options.get("together", "auto") if options["kind"] == "scorecard" else "none"
    if wanted == "none" or (wanted == "auto" and len(stated) == len(found + tried)):
        return found + tried
    pairs = combinations(names, 2) if isinstance(wanted, str) else (sorted(pair, key=names.index) for pair in wanted)
    return [*found, *((many[one], many[other]) for one, other in pairs), *tried]
