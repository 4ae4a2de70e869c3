"""Terms and columns of models: functions that are fitted to noisy integers, published with these, and made of them."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

from dprelease.mechanisms import DiscreteLaplace, Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.column import LISTED, Column, ColumnType
from dprelease.model.encoding import plain
from dprelease.model.release import Cell
from dprelease.statistics.algebra.solving import nine
from dprelease.statistics.predictors import Term

EPOCH = 719_163
"""1970-01-01, in days from the first of the year 1."""


def deviation(mechanism: Mechanism, unit: int) -> float:
    """Return the standard deviation of the noise on one integer, in units of the largest product."""
    assert isinstance(mechanism, Noise)
    return mechanism.scale * (sqrt(2.0) if isinstance(mechanism, DiscreteLaplace) else 1.0) / unit


def named(term: Term) -> tuple[str, str]:
    """Return the column of a term, and the category that it stands for."""
    if term.category is not None:
        return term.column.name, term.column.labels[term.category]
    return term.column.name, term.column.labels[-1] if term.column.type in LISTED else ""


def half(term: Term) -> float:
    """Return the width of a term's step by 1 in the column's own units; of a category from 0 to 1: ½ or 1."""
    if term.category is not None:
        return 1.0
    if term.column.type in LISTED:
        return 0.5
    return float(term.column.lattice.steps * term.column.lattice.resolution) / 2.0


def middle(term: Term) -> float:
    """Return the value at which the term is 0, in the column's own units; of days, as they are counted from 1970."""
    if term.category is not None:
        return 0.0
    if term.column.type in LISTED:
        return 0.5
    lattice = term.column.lattice
    first = lattice.start - EPOCH if term.column.type is ColumnType.DATE else lattice.start
    return float(first * lattice.resolution) + half(term)


def across(term: Term) -> float:
    """Return the difference of the term between the ends of its column."""
    return 1.0 if term.category is not None else 2.0


def stated_column(column: Column) -> dict[str, Any]:
    """Return a column as a model's file states it."""
    found: dict[str, Any] = {"column": column.name, "type": column.type.value}
    if column.type in LISTED:
        return found | {"categories": list(column.labels)}
    return found | {
        "lower": column.value(0),
        "upper": column.value(column.lattice.steps),
        "resolution": plain(column.lattice.resolution),
    }


def ends_of(values: Sequence[float], halves: Sequence[float]) -> list[list[Cell]]:
    """Return the lower and the upper ends of intervals that reach so far on both sides."""
    return [[nine(value + sign * own) for value, own in zip(values, halves, strict=True)] for sign in (-1, 1)]
