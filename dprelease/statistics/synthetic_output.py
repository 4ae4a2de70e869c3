"""All that is published of synthetic rows, made of one draw, each when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import sqrt
from typing import Any

import numpy as np

from dprelease.model import families
from dprelease.model.release import Axis, Cell, Estimates
from dprelease.model.schema import Schema
from dprelease.model.tally import Key
from dprelease.statistics.adaptive_synthesis import AdaptiveSynthesis
from dprelease.statistics.algebra.raking import Codes
from dprelease.statistics.algebra.residual import Places
from dprelease.statistics.algebra.stream import Stream
from dprelease.statistics.synthesis import Misfit, Synthesis

MAX_ORDER = 3
"""Over up to how many columns tables are measured, and reported on."""
MAX_ROWS = 1_000_000
DIGITS = 9
"""Number of digits of numbers computed in floats."""


@dataclass(frozen=True, kw_only=True)
class SyntheticOutput:
    """All that is made of one draw, each when it is asked for: pictures need tables only, many times."""

    schema: Schema
    keys: tuple[Key, ...]
    """Key of each column."""
    parts: Mapping[str, Places]
    """The names of the tables, and the places of their columns."""
    count: int | None
    """Number of rows made: as many as the noise lets there be where that is open."""
    stream: Stream
    measured: Callable[[], Mapping[str, Estimates]]
    """The tables, by name."""
    made_by: Callable[[Mapping[str, Estimates], Stream], Synthesis | AdaptiveSynthesis]
    """Function that makes the source of rows of these tables."""

    @cached_property
    def tables(self) -> Mapping[str, Estimates]:
        """The measured ones; of tables that were not chosen what the model has, without an interval."""
        return self.measured()

    @cached_property
    def source(self) -> Synthesis | AdaptiveSynthesis:
        """Source that rows are made by."""
        return self.made_by(self.tables, self.stream)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Columns of a row."""
        return tuple(key.column for key in self.keys)

    @cached_property
    def rows(self) -> Codes:
        """The cell of each row, of each column."""
        return self.source.rows(min(MAX_ROWS, self.source.count) if self.count is None else self.count)

    def column(self, place: int) -> list[Cell]:
        """Return the values of a column: one within the cell of each row, each of the declared ones as likely."""
        key, column = self.keys[place], self.schema[self.columns[place]]
        firsts = np.array([_first(key, cell, column.codes) for cell in range(key.cells + 1)], dtype=np.int64)
        cells = self.rows[place]
        width = (firsts[1:] - firsts[:-1])[cells]
        within = (self.stream.uniform(f"within {place}", len(cells)) * width).astype(np.int64)
        codes, among = np.unique(firsts[cells] + np.minimum(within, width - 1), return_inverse=True)
        values = [column.value(code) for code in codes.tolist()]
        return [values[each] for each in among.tolist()]

    def report(self) -> Estimates:
        """Estimate each table's root mean squared error by cell in the rows, over up to three columns.

        Of tables that were not measured nothing is known.
        """
        names = families.tables(self.columns, MAX_ORDER)
        cells = {name: self.tables[name] for name, places in self.parts.items() if self._is_measured(places)}
        known = dict(zip(cells, self._misfits(), strict=True))
        found = [
            (None, None, None) if (own := known.get(name)) is None else _told(own, len(cells[name])) for name in names
        ]
        value, lower, upper = (list(each) for each in zip(*found, strict=True))
        noise = [_lost(cells[name]) if name in cells else None for name in names]
        keys = Axis(("table", "covered"), tuple((name, self._covered(name)) for name in names))
        sizes = [len(cells[name]) if name in cells else None for name in names]
        extra = {"cells": sizes, "cells_of_noise": noise}
        return Estimates(axes=(keys,), value=value, lower95=lower, upper95=upper, extra=extra)

    def _covered(self, name: str) -> str:
        """Return "yes" if a table is measured, "no" if not, "if_chosen" where that is not known before."""
        places = self.parts.get(name)
        if places is None:
            return "no"
        if not isinstance(self.source, AdaptiveSynthesis) or len(places) == 1:
            return "yes"
        return "if_chosen" if self.source.chooses else "no"

    def _is_measured(self, places: Places) -> bool:
        return isinstance(self.source, Synthesis) or places in self.source.model.known

    def _misfits(self) -> Iterator[Misfit | None]:
        measured = [places for places in self.parts.values() if self._is_measured(places)]
        if not self.rows.shape[1]:
            yield from [None] * len(measured)
            return
        found = dict(self.source.misfits(self.rows))
        yield from (found[places] for places in measured)


class Later(Mapping[str, Any]):
    """Mapping of values that are made when first read."""

    def __init__(self, names: Sequence[str], made: Callable[[str], Any]) -> None:
        self._names, self._made = tuple(names), cache(made)

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        return self._made(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _first(key: Key, cell: int, codes: int) -> int:
    return codes if cell == key.cells else key.first_code(cell)


def _told(misfit: Misfit, cells: int) -> tuple[float, float, float]:
    """Return the root of the mean square of what cells are off, with its interval."""
    value, lower, upper = (
        _rounded(sqrt(max(0.0, square) / cells)) for square in (misfit.square, misfit.lower, misfit.upper)
    )
    return value, lower, upper


def _lost(table: Estimates) -> int:
    """Count the cells that are not told apart from none."""
    return sum(1 for lower in table.lower95 if isinstance(lower, int | float) and lower <= 0)


def _rounded(number: float) -> float:
    return float(f"{number:.{DIGITS}g}")
