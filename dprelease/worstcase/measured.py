"""Inputs of the mechanisms of each kind of statistic, and what one row can add to them: read from a plan's JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import prod
from typing import Any

from dprelease.worstcase import models, partition, reach
from dprelease.worstcase.reach import Row
from dprelease.worstcase.setting import MechanismInput, Shape, StatisticSetting, codes, ends
from dprelease.worstcase.world import DeclaredCodes, World

FEW_VALUES, USUAL_BINS, USUAL_CELLS, CELLS_BY_GROUP, USUAL_ORDER = 101, 20, 65_536, 4_096, 2
BINS = 8
"""Maximum number of cells of a column along which a line goes through medians."""
IN_ROUNDS = ("mwem", "pmw", "dual_query")
ROUNDS, DRAWN = 30, 50
"""Defaults of dual_query: rounds, and cells that are drawn in each."""
COUNTED = ("discrete_laplace", "discrete_gaussian")


def measured(
    statistic: Mapping[str, Any],
    columns: Mapping[str, Any],
    world: World,
    by: str = "",
    stated: Sequence[Shape] = (),
) -> tuple[MechanismInput, ...]:
    """One for each mechanism of a statistic that is not derived from another, in the order of the certificate.

    `by`: the name of the first mechanism, where that decides on what is measured. `stated`: the shape of each, where
    a statistic may be measured at several levels.
    Raises KeyError, TypeError or ValueError where the plan is not one.
    """
    read = {name: DeclaredCodes.read(column) for name, column in columns.items()}
    asked = StatisticSetting(statistic, read, world, columns, by, stated)
    return tuple(KINDS[statistic["kind"]](asked))


Kind = Callable[[StatisticSetting], Iterator[MechanismInput]]


def _products(*factors: Sequence[int]) -> list[tuple[int]]:
    """A single entry each: products of ends, of which one is the least and one the greatest product."""
    return [(prod(chosen),) for chosen in product(*factors)]


def _count(asked: StatisticSetting) -> Iterator[MechanismInput]:
    yield asked.sums(_products(asked.weights))


def _answered(asked: StatisticSetting) -> Iterator[MechanismInput]:
    """Each row is one of those with a value, or one of those without; or its cell of one column is read in one way.

    Of a column with bounds there are five ways, of others three.
    """
    ways = 2
    if asked.options.get("detail"):
        (name,) = asked.options["columns"]
        ways = 3 if asked.columns[name].listed else 5
    yield asked.sums([tuple(int(own == way) for own in range(ways)) for way in range(ways)])


def _units(asked: StatisticSetting) -> Iterator[MechanismInput]:
    yield MechanismInput("sums", asked.groups, reach.of_units(prod(asked.groups), asked.world))


def _sum(asked: StatisticSetting) -> Iterator[MechanismInput]:
    yield asked.sums(_products(asked.weights, ends(asked["column"])))


def _ratio(asked: StatisticSetting) -> Iterator[MechanismInput]:
    for name in ("numerator", "denominator"):
        yield asked.sums(_products(asked.weights, ends(asked[name])))


def _squares(asked: StatisticSetting) -> Iterator[MechanismInput]:
    """Yield the input of a sample's sum of squared weights: a row adds the square of its weight."""
    if asked.options.get("sampling"):
        yield asked.sums([(weight**2,) for weight in asked.weights])


def _mean(asked: StatisticSetting) -> Iterator[MechanismInput]:
    values, method = asked["column"], asked.options.get("method", "one_sided")
    if method == "one_sided":
        yield asked.sums([(w * c, w * (values.steps - c)) for w in asked.weights for c in codes(values)])
        yield from _squares(asked)
        return
    numbers = {"centred": [-values.steps, values.steps], "sum_and_count": ends(values)}[method]
    yield asked.sums(_products(asked.weights, numbers))
    yield asked.sums(_products(asked.weights))


def _proportion(asked: StatisticSetting) -> Iterator[MechanismInput]:
    """Each row is one of those that pass, or one of those that do not, with its weight."""
    yield asked.sums([pair for weight in asked.weights for pair in ((weight, 0), (0, weight))])
    yield from _squares(asked)


def _rate(asked: StatisticSetting) -> Iterator[MechanismInput]:
    if not asked.options.get("column"):
        yield from _proportion(asked)
        return
    yield asked.sums([(1,)])
    yield asked.sums(_products(ends(asked["column"])))


def _spread(asked: StatisticSetting) -> Iterator[MechanismInput]:
    yield asked.own_moments(asked["column"])


def _matrix(asked: StatisticSetting) -> Iterator[MechanismInput]:
    columns = [asked.columns[name] for name in asked.options["columns"]]
    for (i, one), (j, other) in combinations_with_replacement(enumerate(columns), 2):
        if i == j:
            yield asked.own_moments(one)
            continue
        k, n = one.steps, other.steps
        corners = [(c * d, c * (n - d), (k - c) * d, (k - c) * (n - d)) for c in codes(one) for d in codes(other)]
        yield asked.moments(corners, k * n)


def _bins(asked: StatisticSetting) -> int:
    """Count the bins of a histogram: declared values, given edges, or equal bins."""
    name, values = asked.options["column"], asked["column"]
    if asked.options.get("levels") or values.listed:
        return asked.many(name)
    if asked.options.get("edges"):
        return len(asked.options["edges"]) - 1 + asked.groups_missing(name)
    usual = values.many if values.exact and values.many <= FEW_VALUES else USUAL_BINS
    return asked.many(name, asked.options.get("bins") or usual)


def _histogram(asked: StatisticSetting) -> Iterator[MechanismInput]:
    yield asked.names() if asked["column"].discovered else asked.counts((_bins(asked),))


def _cdf(asked: StatisticSetting) -> Iterator[MechanismInput]:
    """The bins, and perhaps runs of them, runs of these and so on: of each level a row is in one cell.

    How long the runs are is nobody's loss; there are fewer of them than of their parts, and two at least.
    """
    yield from _levels(asked, _bins(asked))


def _levels(asked: StatisticSetting, cells: int) -> Iterator[MechanismInput]:
    yield asked.cells((cells,))
    for (runs,) in asked.shapes[1:]:
        if not 1 < runs < cells:
            raise ValueError(f"{runs} runs of {cells}")
        yield asked.cells((runs,))
        cells = runs


def _crosstab(asked: StatisticSetting) -> Iterator[MechanismInput]:
    names = asked.options["columns"]
    if any(asked.columns[name].discovered for name in names):
        yield asked.names()
        return
    bins = asked.options.get("bins", {})
    yield asked.counts(tuple(asked.many(name, bins.get(name)) for name in names))


def _in_rounds(asked: StatisticSetting) -> Iterator[MechanismInput]:
    """With `mwem` and `pmw` each column by itself, then in turns scores of all wider tables, and one of them.

    A score is a sum of absolute differences to other numbers. A row changes the difference in its cell by 1, up or
    down: up in one table and down in another one. With `pmw` they are asked about in order.
    With `dual_query` cells of all tables are drawn, fifty at once: in round t a row adds t to its cell of each table.
    """
    bins, names = asked.options.get("bins", {}), asked.options["columns"]
    cells = [asked.many(name, bins.get(name)) for name in names]
    order = min(int(asked.options.get("order") or USUAL_ORDER), len(names))
    wider = [prod(own) for length in range(2, order + 1) for own in combinations(cells, length)]
    rows: list[Row]
    for many in cells:
        yield asked.cells((many,))
    if asked.options["method"] == "dual_query":
        for turn in range(1, int(asked.options.get("rounds") or ROUNDS) + 1):
            rows = [{(one, cell): turn for one in range(DRAWN)} for cell in (0, 1)]
            among = sum(cells) + sum(wider)
            yield MechanismInput("scores", (DRAWN, among), reach.of_scores(rows, asked.world, among))
        return
    sides = list(product((0, 1), repeat=2))
    signs: list[Row] = [{(0, table, side): way * (1 - 2 * side) for table, side in sides} for way in (1, -1)]
    for _ in range(int(asked.options.get("rounds") or min(2 * len(names), -(-len(wider) // 2)))):
        if asked.options["method"] == "mwem":
            yield MechanismInput("scores", (1, len(wider)), reach.of_scores(signs, asked.world, len(wider)))
        else:
            some = range(min(2, len(wider)))
            rows = [{(table,): way * (1 - 2 * table) for table in some} for way in (1, -1)]
            yield MechanismInput("questions", (len(wider),), reach.of_questions(rows, asked.world))
        yield asked.cells((max(wider),))


def _workload(asked: StatisticSetting) -> Iterator[MechanismInput]:
    """Noise goes on the residuals of each set of columns that some table has, or on each table that is in no other.

    Columns of one cell tell nothing apart.
    """
    bins, names = asked.options.get("bins", {}), asked.options["columns"]
    cells = {name: asked.many(name, bins.get(name)) for name in names}
    order = min(int(asked.options.get("order") or USUAL_ORDER), len(names))
    up_to = [chosen for length in range(1, order + 1) for chosen in combinations(names, length)]
    tables = list(asked.options.get("tables") or up_to)
    several = [frozenset(name for name in table if cells[name] > 1) for table in tables]
    if asked.by != "residual_gaussian":
        for place, (table, own) in enumerate(zip(tables, several, strict=True)):
            if own not in several[:place] and not any(own < other for other in several):
                yield asked.cells(tuple(cells[name] for name in names if name in table))
        return
    sets = {frozenset(part) for table in several for n in range(len(table) + 1) for part in combinations(table, n)}
    whole = sum(prod(cells[name] for name in part) for part in sets)
    family = reach.CountFamily(tuple(cells.values()), asked.world.rows, asked.world.substitute)
    yield MechanismInput("residuals", (whole,), reach.Reach(family=family))


def _synthetic(asked: StatisticSetting) -> Iterator[MechanismInput]:
    """Yield the inputs of a workload, or of what is chosen or drawn in rounds."""
    yield from (_in_rounds if asked.options.get("method") in IN_ROUNDS else _workload)(asked)


def _bounds(asked: StatisticSetting) -> Iterator[MechanismInput]:
    """Bins that end at 0 and at ±1, ±2, ±4, ... steps, within the bounds."""
    values = asked["column"]
    powers = {2**power for power in range(64)}
    firsts = {values.lowest, 0} | powers | {1 - power for power in powers}
    yield asked.cells((len([first for first in firsts if values.lowest <= first <= values.highest]),))


def _choice(asked: StatisticSetting) -> MechanismInput:
    """Return the scores of a choice of one value in each group: a row adds 1 to the score of its value."""
    groups, values = prod(asked.groups), asked["column"].many
    rows: list[Row] = [{(group, value): 1} for group in range(min(2, groups)) for value in range(min(3, values))]
    return MechanismInput("scores", (groups, values), reach.of_scores(rows, asked.world, values))


def _mode(asked: StatisticSetting) -> Iterator[MechanismInput]:
    yield _choice(asked)


def _top(asked: StatisticSetting) -> Iterator[MechanismInput]:
    """Yield the inputs of a top list. By counts, noise goes on those of all declared values, however few are shown."""
    if asked["column"].discovered:
        yield asked.names()
    elif asked.options.get("method", "counts") == "counts":
        yield asked.cells((asked["column"].many,))
    else:
        yield _choice(asked)


def _quantile(asked: StatisticSetting, share: Fraction) -> MechanismInput:
    """Candidates in order. The score of one is the lesser of two terms: p·n − q·below, and (q − p)·n − q·above.

    Which term counts is up to the rest of the table, so each may. Where a row stands matters only by the candidates
    below, at and above it; five candidates have all that two rows can be to a candidate.
    """
    p, q = share.numerator, share.denominator
    groups, values, given = prod(asked.groups), asked["column"].many, asked.options.get("candidates")
    usual = asked.options.get("cells") or (CELLS_BY_GROUP if asked.options.get("by") else USUAL_CELLS)
    many = len(given) if given else min(values, usual)
    shown = min(5, many)
    places = range(-1, 2 * shown) if given else range(0, 2 * shown, 2)
    rows: list[Row] = []
    for group in range(min(2, groups)):
        for place in places:
            row: dict[reach.Entry, int] = {}
            for candidate in range(shown):
                row[group, candidate, 0] = p - q * (place < 2 * candidate)
                row[group, candidate, 1] = (q - p) - q * (place > 2 * candidate)
            rows.append(row)
    return MechanismInput("scores", (groups, many), reach.of_scores(rows, asked.world, shown))


def _ordered(asked: StatisticSetting, shares: Sequence[Any]) -> Iterator[MechanismInput]:
    """Afterwards, where intervals are asked for: rows between edges at 0, 1, 3, 7, ... cells to either side of each.

    Or rows by bins of as many values or cells each, at several levels, of which all shares are read.
    """
    if asked.by in COUNTED:
        many = min(asked["column"].many, asked.options.get("cells") or USUAL_CELLS)
        (bins,) = asked.shapes[0]
        if asked.groups or asked.options.get("candidates") or not 1 < bins <= many:
            raise ValueError(f"{bins} bins of {many}")
        yield from _levels(asked, bins)
        return
    chosen = [_quantile(asked, Fraction(str(share))) for share in shares]
    yield from chosen
    if asked.options.get("interval"):
        given, cells = asked.options.get("candidates"), chosen[0].shape[1]
        if given:
            cells = partition.between(asked.stated[asked.options["column"]], given)
        edges = 2 * sum(1 for power in range(64) if 2**power <= cells)
        for _ in chosen:
            yield asked.cells((prod(asked.groups), edges + 1))


def _quantiles(asked: StatisticSetting) -> Iterator[MechanismInput]:
    return _ordered(asked, asked.options["probs"])


def _median(asked: StatisticSetting) -> Iterator[MechanismInput]:
    return _ordered(asked, [Fraction(1, 2)])


def _linear(asked: StatisticSetting) -> Iterator[MechanismInput]:
    """Or medians of the outcome by eight bins of a column, or by its values where these are fewer."""
    if asked.options.get("method") != "medians":
        yield from models.linear(asked)
        return
    (name,) = asked.options["on"]
    along = replace(asked.columns[name], steps=min(BINS, asked.columns[name].many) - 1)
    options = {"column": asked.options["outcome"], "by": [name], "interval": True, "cells": CELLS_BY_GROUP}
    medians, around = _median(replace(asked, options=options, columns={**asked.columns, name: along}))
    yield from (medians, asked.cells((along.many,)), around)


def _five_numbers(asked: StatisticSetting) -> Iterator[MechanismInput]:
    low, high = asked.options.get("whiskers", ("0.05", "0.95"))
    return _ordered(asked, [low, "0.25", "0.5", "0.75", high])


def _threshold(asked: StatisticSetting) -> Iterator[MechanismInput]:
    """A row is counted by some of the questions; two of them are enough to rise and to fall at once."""
    many = len(asked.options["questions"])
    rows: list[Row] = [{(0,): 1}] if many == 1 else [{(0,): 1}, {(1,): 1}, {(0,): 1, (1,): 1}]
    yield MechanismInput("questions", (many,), reach.of_questions(rows, asked.world))


def _survey(asked: StatisticSetting) -> Iterator[MechanismInput]:
    """Yield the input of a survey. Of answers that arrived changed, what was counted is not what was given."""
    found, column = reach.of_answers(asked.world), asked.stated[asked.options["column"]]
    told = column.get("randomized")
    if told is not None:
        found = replace(found, declared=Fraction(str(told["epsilon"])))
    yield MechanismInput("answers" if told is None else "arrived", (asked["column"].many,), found)


KINDS: Mapping[str, Kind] = {
    "count": _count,
    "answered": _answered,
    "units": _units,
    "sum": _sum,
    "mean": _mean,
    "ratio": _ratio,
    "proportion": _proportion,
    "rate": _rate,
    "variance": _spread,
    "std": _spread,
    "histogram": _histogram,
    "crosstab": _crosstab,
    "workload": _workload,
    "synthetic": _synthetic,
    "cdf": _cdf,
    "quantiles": _quantiles,
    "median": _median,
    "five_numbers": _five_numbers,
    "mode": _mode,
    "top": _top,
    "threshold": _threshold,
    "covariance": _matrix,
    "correlation": _matrix,
    "survey": _survey,
    "bounds": _bounds,
    "naive_bayes": models.classifier,
    "scorecard": models.classifier,
    "linear": _linear,
    "logistic": models.logistic,
    "clusters": models.clusters,
    "components": models.components,
}
