"""What models are given: tables of counts, or sums of products of a row's terms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dprelease.worstcase import classifiers, line, odds
from dprelease.worstcase.asked import Asked, Measured


def clusters(asked: Asked) -> Iterator[Measured]:
    """Rows by cell of a grid, as fine along each column as is declared or stated: how fine is nobody's loss."""
    most = [asked.columns[name].many for name in asked.options["on"]]
    cells = asked.options.get("grid") or max(asked.shapes[0])
    shape = tuple(min(cells, many) for many in most)
    if not 1 <= len(most) <= 4 or not 1 <= cells <= 40:
        raise ValueError(f"{cells} cells along {len(most)} columns")
    yield asked.cells(shape)


def classifier(asked: Asked) -> Iterator[Measured]:
    """Tables in each of which a row is in one cell; losses add up. Then second moments of a column by class."""
    bells = classifiers.bells(asked.options, asked.columns, asked.stated)
    counted = {**asked.options, "on": [name for name in asked.options["on"] if name not in bells]}
    for shape in classifiers.tables(counted, asked.columns, asked.shapes):
        yield asked.cells(shape)
    by_class = replace(asked, options={"by": [asked.options["outcome"]]})
    for name in bells:
        yield by_class.own_moments(asked.columns[name])


def linear(asked: Asked) -> Iterator[Measured]:
    predictors = [asked.columns[name] for name in asked.options["on"]]
    if asked.options.get("method") == "functional":
        yield Measured("sums", *line.objective(predictors, asked["outcome"], asked.world, asked.groups))
        return
    weights = line.WEIGHTS[asked.by == "discrete_gaussian"]
    yield Measured("sums", *line.products(predictors, asked["outcome"], asked.world, weights, asked.groups))


def components(asked: Asked) -> Iterator[Measured]:
    """All products of two columns: of the last one as of an outcome."""
    *others, last = (asked.columns[name] for name in asked.options["on"])
    yield Measured("sums", *line.products(others, last, asked.world, line.EQUAL))


def logistic(asked: Asked) -> Iterator[Measured]:
    predictors = [asked.columns[name] for name in asked.options["on"]]
    if asked.options.get("method") == "functional":
        yield Measured("sums", *line.taylor(predictors, asked["outcome"], asked.world))
        return
    yield Measured("sums", *odds.start(predictors, asked.world))
    for _ in range(int(asked.options.get("rounds", 4))):
        yield Measured("sums", *odds.step(predictors, asked.world))
    if asked.options.get("held_out"):
        yield asked.cells(classifiers.TRIED)
