"""A model with another function in each group: each row is taken to the model of its group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dprelease.model.function.facts import ByGroup, LinearFacts
from dprelease.model.function.inputs import InputReader

if TYPE_CHECKING:
    from dprelease.model.function.fitted import FittedModel

Floats = NDArray[np.float64]
Column = Callable[[str], Sequence[Any]]
"""The values of a column by its name."""


def contributions(model: FittedModel, column: Column) -> Floats:
    """Return rows × inputs × 1: the input that tells the group adds the constant of its function."""
    found = _empty(model, column, len(model.columns))
    place = model.columns.index(_function(model).column)
    for own, rows, frame in _each(model, column):
        added = own.contributions(frame)[:, :, 0]
        constant = np.where(np.isnan(added).any(axis=1), np.nan, own.base[0])
        found[rows] = np.insert(added, place, constant, axis=1)
    return found[:, :, None]


def interval(model: FittedModel, column: Column) -> Floats:
    """Return rows × (lower, upper); NaN in groups whose function states no covariance."""
    found = _empty(model, column, 2)
    for own, rows, frame in _each(model, column):
        if own.states_noise:
            found[rows] = own.interval(frame)
    return found


def design(model: FittedModel, column: Column) -> Floats:
    """Return rows × features: for each group 1 and the features of its function, 0 in rows of other groups."""
    sizes = [1 + len(function.terms) for function in functions(model)]
    found = _empty(model, column, sum(sizes))
    for place, (own, rows, frame) in enumerate(_each(model, column)):
        features = own.design(frame)
        wrong = np.isnan(features).any(axis=1)
        start = sum(sizes[:place])
        block = np.zeros((len(features), sum(sizes)))
        block[:, start] = 1.0
        block[:, start + 1 : start + sizes[place]] = features
        block[wrong] = np.nan
        found[rows] = block
    return found


def functions(model: FittedModel) -> tuple[LinearFacts, ...]:
    """Return the function of each group."""
    return tuple(group.function for group in _function(model).groups)


def _function(model: FittedModel) -> ByGroup:
    function = model.facts.function
    assert isinstance(function, ByGroup)
    return function


def _places(model: FittedModel, column: Column) -> NDArray[np.int64]:
    """Return the group of each row; below 0 where it has none."""
    given = next(each for each in model.facts.inputs if each.column == _function(model).column)
    return InputReader(given).places(column(given.column))


def _empty(model: FittedModel, column: Column, width: int) -> Floats:
    return np.full((len(_places(model, column)), width), np.nan)


def _each(model: FittedModel, column: Column) -> Iterator[tuple[FittedModel, NDArray[np.int64], Mapping[str, Any]]]:
    """Yield each group's model, the places of its rows, and their values of its inputs."""
    places = _places(model, column)
    for place, own in enumerate(model.groups.values()):
        rows = np.flatnonzero(places == place)
        yield own, rows, {name: _taken(column(name), rows) for name in own.columns}


def _taken(values: Sequence[Any], rows: NDArray[np.int64]) -> Any:
    chosen: Any = values
    return chosen[rows] if hasattr(chosen, "dtype") else [chosen[int(row)] for row in rows]
