"""Models: functions that are fitted to noisy integers, published with these, and made again of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod, sqrt
from typing import Any, ClassVar

import numpy as np

from dprelease.errors import InternalError
from dprelease.mechanisms import DiscreteLaplace, Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.column import LISTED, Column, ColumnType
from dprelease.model.encoding import plain
from dprelease.model.release import Cell, Estimates, FittedOutput, Output
from dprelease.model.schema import Schema
from dprelease.model.stated import OutputKind
from dprelease.model.tally import Shape
from dprelease.statistics.algebra.solving import nine
from dprelease.statistics.noise import Noisy
from dprelease.statistics.predictors import Term

EPOCH = 719_163
"""1970-01-01, in days from the first of the year 1."""


@dataclass(frozen=True, kw_only=True)
class Modelled(Noisy):
    """A function of a row, with the tables that say what it is."""

    output: ClassVar[OutputKind] = "model"
    PARTS: ClassVar[tuple[str, ...]] = ("coefficients",)

    def table_names(self, schema: Schema) -> tuple[str, ...]:
        return tuple(f"{self.id}.{part}" for part in self.PARTS)

    def could_answer(self, schema: Schema, output: Output, mechanisms: Sequence[Mechanism]) -> bool:
        """Check that its published integers make it: it is made again of them, round after round."""
        listed = output.facts.get("integers") if isinstance(output, FittedOutput) else None
        if not isinstance(listed, list) or len(listed) != len(mechanisms):
            return False
        drawn = []
        for numbers, shape in zip(listed, self.sealed_shapes(schema, mechanisms), strict=True):
            if not isinstance(numbers, list) or len(numbers) != prod(shape):
                return False
            if not all(type(number) is int and abs(number) < 2**63 for number in numbers):
                return False
            drawn.append(np.array(numbers, dtype=np.int64).reshape(shape))
        return self.may_be_drawn(schema, drawn) and output == self.answered(schema, drawn, mechanisms)

    def sealed_shapes(self, schema: Schema, mechanisms: Sequence[Mechanism]) -> list[Shape]:
        """Return the shapes of the published integers: those of what was measured, where noise was added to it."""
        return [mechanism.sensitivity.shape or () for mechanism in mechanisms]

    def may_be_drawn(self, schema: Schema, drawn: Sequence[Any]) -> bool:
        """Return True if integers of these shapes can be drawn: of noisy ones any."""
        return True

    def estimates(
        self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        raise InternalError("a model answers with several tables")

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        raise InternalError("a model answers with several tables")


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
