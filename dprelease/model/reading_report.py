"""The reading report: how many cells of each declared column have a value, and why the others have none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

MANY = 0.05
"""Minimum share of cells, unreadable or outside what is declared, that is marked."""


class CellState(StrEnum):
    """State of a cell: one is true of each cell of a declared column, so that their counts sum to the rows."""

    UNDERSTOOD = "understood"
    """Cell with a value within the bounds, or among the declared categories."""
    EMPTY = "empty"
    """Empty cell: null, not a number (NaN), or a text of blanks that is no declared value."""
    MISSING = "missing"
    """A declared code for no answer."""
    UNREADABLE = "unreadable"
    """Unreadable cell: neither of these, and no value of the column's type."""
    BELOW = "below"
    """Cell under the lower bound by more than rounding."""
    ABOVE = "above"
    UNDECLARED = "undeclared"
    """A text that is not among the declared categories, where the column has no cell for others."""


STATES = tuple(CellState)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnReading:
    """Reading results of one declared column's cells, as exact counts: confidential. The repr shows none."""

    column: str
    counts: Mapping[CellState, int] = field(repr=False)
    """Number of cells by state; all seven are there."""
    shapes: tuple[tuple[str, int], ...] = field(default=(), repr=False)
    """Unreadable cells by how they are written (`9.999,99`), the most frequent first; "" stands for all others."""

    def __getitem__(self, state: CellState) -> int:
        return self.counts[state]

    @property
    def rows(self) -> int:
        """Number of cells, which is that of the rows."""
        return sum(self.counts.values())

    @property
    def outside(self) -> int:
        """Number of cells with a value beyond the bounds, or one that is not among the categories."""
        return self[CellState.BELOW] + self[CellState.ABOVE] + self[CellState.UNDECLARED]

    @property
    def answered(self) -> int:
        """Number of cells that hold anything: neither empty nor a code for no answer."""
        return self.rows - self[CellState.EMPTY] - self[CellState.MISSING]

    @property
    def share(self) -> float:
        """Share of the cells with content that are unreadable or outside; 0 where they hold nothing."""
        return (self[CellState.UNREADABLE] + self.outside) / self.answered if self.answered else 0.0

    @property
    def many(self) -> bool:
        """True if so many cells are unreadable or outside that it is marked, or no cell of some rows has a value."""
        return self.share >= MANY or (self.rows > 0 and self.answered == 0)

    @property
    def whole(self) -> bool:
        """True if every cell that holds anything was understood."""
        return self.share == 0

    def to_mapping(self) -> dict[str, Any]:
        """Return the counts as JSON, for those who may see true values."""
        shapes = [{"shape": shape or None, "cells": cells} for shape, cells in self.shapes]
        return {"column": self.column, **{state.value: self[state] for state in STATES}, "shapes": shapes}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingReport:
    """Reading results of a dataset's declared columns: exact counts, for those who may see true values.

    It is made in memory when it is asked for, and never written. The repr shows no count.
    """

    dataset: str
    columns: tuple[ColumnReading, ...] = field(repr=False)

    def __iter__(self) -> Iterator[ColumnReading]:
        return iter(self.columns)

    def __getitem__(self, column: str) -> ColumnReading:
        for each in self.columns:
            if each.column == column:
                return each
        raise KeyError(column)

    def get(self, column: str) -> ColumnReading | None:
        """Return the report of one column; None of a column that is not in the report."""
        return next((each for each in self.columns if each.column == column), None)

    def beyond(self, columns: Iterable[str]) -> bool:
        """Return True if some cells of these columns lie beyond the bounds, and so count as them or as no value."""
        found = [each for each in self.columns if each.column in set(columns)]
        return any(each[CellState.BELOW] + each[CellState.ABOVE] for each in found)

    def to_mapping(self) -> list[dict[str, Any]]:
        """Return the counts as JSON, for those who may see true values."""
        return [each.to_mapping() for each in self.columns]
