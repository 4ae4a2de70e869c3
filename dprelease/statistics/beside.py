"""The noisy integers of means and shares, which stand beside their tables; that the tables are made of them."""

from __future__ import annotations

from math import isclose, prod

import numpy as np

from dprelease.model.presentation import Trait
from dprelease.model.release import Cell, Estimates, Output
from dprelease.model.schema import Schema
from dprelease.statistics.planning.priced import StatisticPrice


def tells_integers(item: StatisticPrice) -> bool:
    """Return True if noisy integers stand beside its table: means and shares, of which no number tells them."""
    return item.derivation.own is not None and item.statistic.presentation.has(Trait.QUOTIENT)


def follows_integers(item: StatisticPrice, schema: Schema, output: Output) -> bool:
    """Check that the table of such an answer is that of the integers beside it, up to the last digits."""
    shapes = [each.sensitivity.shape or () for each in item.mechanisms]
    if not isinstance(output, Estimates) or list(map(prod, shapes)) != list(map(len, output.integers)):
        return False
    parts = [np.array(own, dtype=np.int64).reshape(shape) for own, shape in zip(output.integers, shapes, strict=True)]
    again = item.statistic.estimates(schema, parts, item.mechanisms)
    return _near(output, again, values_only=item.bounded_by is not None)


def _near(one: Estimates, other: Estimates, *, values_only: bool = False) -> bool:
    names = ["value"] if values_only else [*other.numbers]
    pairs = [(one.numbers.get(name, ()), other.numbers[name]) for name in names]
    return all(len(told) == len(own) and all(map(_alike, told, own)) for told, own in pairs)


def _alike(told: Cell, own: Cell) -> bool:
    if isinstance(told, int | float) and isinstance(own, int | float):
        return isclose(told, own, rel_tol=1e-9, abs_tol=1e-12)
    return told == own
