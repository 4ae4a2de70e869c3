"""Rows that are nobody's, made of noisy tables of real ones, with what these tables tell of how far off they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from math import sqrt
from typing import Any, ClassVar

import numpy as np

from dprelease.mechanisms import Mechanism
from dprelease.mechanisms.residual import MOST_AXES
from dprelease.model import families
from dprelease.model.column import CODED
from dprelease.model.column_options import ColumnNames, WholeByColumn
from dprelease.model.encoding import canonical
from dprelease.model.options import Whole, option
from dprelease.model.presentation import Answers, Look, Presentation, Quantity, Trait
from dprelease.model.release import Axis, Cell, Estimates, Output, Rows
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.stated import OutputKind
from dprelease.model.tally import Key
from dprelease.statistics.algebra.raking import Codes
from dprelease.statistics.algebra.residual import Places
from dprelease.statistics.algebra.stream import Stream
from dprelease.statistics.familied import Familied, places_of
from dprelease.statistics.synthesis import Misfit, Synthesis

MOST_ORDER = 3
MOST_ROWS = 1_000_000
MOST_CELLS = 2_000_000
"""Of all tables together."""
DIGITS = 9
"""Of what is computed in floats."""


@dataclass(frozen=True, kw_only=True)
class Synthetic(Familied):
    """Rows that are nobody's, whose tables are near the noisy tables over up to `order` of some columns.

    What is measured is what a `workload` measures, and answers it: rows that lack a value in any of the columns are
    left out. In zcdp discrete Gaussian noise is added to residuals; sensitivity L2: that of all residuals together
    (`ResidualGaussian`). In pure discrete Laplace noise is added to the widest tables, which share ε; sensitivity L1 of
    each: m under add_remove, 2m under substitute. The rows are computed of that.
    """

    kind: ClassVar[str] = families.ROWS
    output: ClassVar[OutputKind] = "rows"
    presentation: ClassVar[Presentation] = Presentation(
        measure=Quantity.RECORDS,
        error=Quantity.RECORDS,
        values=Answers.NOISY,
        look=Look.MARKS,
        traits=(Trait.ADDITIVE, Trait.NEVER_NEGATIVE),
    )
    columns: tuple[str, ...] = option(ColumnNames(CODED, most=MOST_AXES))
    """What a row has."""
    order: int | None = option(Whole(1, MOST_ORDER), default=None)
    """Over up to how many columns tables are measured, which the rows are near to: 2 by default."""
    rows: int | None = option(Whole(0, MOST_ROWS), default=None)
    """How many are made: as many as the noise lets there be by default."""
    bins: tuple[tuple[str, int], ...] = option(WholeByColumn(1, 100_000), default=())
    """How many bins of equal width a column has in the tables; rows have a value within. Number columns need them."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        before = len(report.problems)
        self.check_bins(path, schema, report)
        if len(report.problems) == before:
            self.check_sizes(path, schema, report, MOST_CELLS)

    @property
    def places(self) -> tuple[Places, ...]:
        return places_of(self.columns, self.order or families.USUAL_ORDER, ())

    @property
    def parts(self) -> Mapping[str, Places]:
        named = families.tables(self.columns, self.order or families.USUAL_ORDER)
        return dict(zip(named, self.places, strict=True))

    @property
    def planned_for(self) -> str:
        return "equalise"

    @property
    def report(self) -> str:
        """The name of the table that tells how far rows are off."""
        return families.report(self.columns, self.order or families.USUAL_ORDER)

    def table_names(self, schema: Schema) -> tuple[str, ...]:
        return tuple(f"{self.id}.{part}" for part in (*self.parts, self.report))

    def answered(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> Output:
        integers = [np.ravel(each).tolist() for each in drawn]
        made = _Made(self, schema, drawn, mechanisms, Stream(sha256(canonical(integers)).digest()))
        names = (*self.parts, self.report)
        parts = Later(names, lambda name: made.report() if name == self.report else made.tables[name])
        columns = Later(self.columns, lambda name: made.column(self.columns.index(name)))
        return Rows(parts=parts, columns=columns, integers=integers)

    def could_answer(self, schema: Schema, output: Output, mechanisms: Sequence[Mechanism]) -> bool:
        if not isinstance(output, Rows) or tuple(output.parts) != (*self.parts, self.report):
            return False
        drawn = self.read(output.integers, mechanisms)
        if drawn is None or tuple(output.columns) != self.columns:
            return False
        again = self.answered(schema, drawn, mechanisms)
        assert isinstance(again, Rows)
        return all(output.parts[name] == table for name, table in again.parts.items()) and all(
            list(output.columns[name]) == list(column) for name, column in again.columns.items()
        )

    def size(self, schema: Schema) -> int:
        family = self.family(schema)
        return int(family.sizes(family.tables).sum()) + len(families.tables(self.columns, MOST_ORDER))


@dataclass(frozen=True)
class _Made:
    """All that is made of one draw, each when it is asked for: pictures need tables only, many times."""

    statistic: Synthetic
    schema: Schema
    drawn: Sequence[Any]
    mechanisms: Sequence[Mechanism]
    stream: Stream

    @cached_property
    def tables(self) -> dict[str, Estimates]:
        """The measured ones."""
        return self.statistic.measured(self.schema, self.drawn, self.mechanisms)

    @cached_property
    def synthesis(self) -> Synthesis:
        """What rows are made by."""
        way = self.statistic.measuring(self.schema, type(self.mechanisms[0]))
        estimates = {
            places: np.array(self.tables[name].value, dtype=np.float64).reshape([way.family.cells[p] for p in places])
            for name, places in self.statistic.parts.items()
        }
        return Synthesis(way.family, estimates, way.squares(self.mechanisms), self.stream, way.excess)

    @cached_property
    def rows(self) -> Codes:
        """The cell of each row, of each column."""
        asked = self.statistic.rows
        if asked is None:
            counts = self.synthesis.estimates[self.synthesis.family.tables[0]]
            asked = min(MOST_ROWS, max(0, round(sum(counts.ravel().tolist()))))
        return self.synthesis.rows(asked)

    def column(self, place: int) -> list[Cell]:
        """The values of a column: one within the cell of each row, each of the declared ones as likely."""
        key, column = self.statistic.keys(self.schema)[place], self.schema[self.statistic.columns[place]]
        firsts = np.array([_first(key, cell, column.codes) for cell in range(key.cells + 1)], dtype=np.int64)
        cells = self.rows[place]
        width = (firsts[1:] - firsts[:-1])[cells]
        within = (self.stream.uniform(f"within {place}", len(cells)) * width).astype(np.int64)
        codes, among = np.unique(firsts[cells] + np.minimum(within, width - 1), return_inverse=True)
        values = [column.value(code) for code in codes.tolist()]
        return [values[each] for each in among.tolist()]

    def report(self) -> Estimates:
        """Of each table over up to three columns how far its cells are off in the rows, as a root of the mean square.

        Of tables with more columns than were measured together nothing is known.
        """
        names = families.tables(self.statistic.columns, MOST_ORDER)
        known = dict(zip(self.statistic.parts, self._misfits(), strict=True))
        cells = dict(zip(self.statistic.parts, self.tables.values(), strict=True))
        found = [
            (None, None, None) if (own := known.get(name)) is None else _told(own, len(cells[name])) for name in names
        ]
        value, lower, upper = (list(each) for each in zip(*found, strict=True))
        noise = [_lost(cells[name]) if name in cells else None for name in names]
        keys = Axis(("table", "covered"), tuple((name, "yes" if name in known else "no") for name in names))
        sizes = [len(cells[name]) if name in cells else None for name in names]
        extra = {"cells": sizes, "cells_of_noise": noise}
        return Estimates(axes=(keys,), value=value, lower95=lower, upper95=upper, extra=extra)

    def _misfits(self) -> Iterator[Misfit | None]:
        if not self.rows.shape[1]:
            yield from [None] * len(self.statistic.parts)
            return
        found = dict(self.synthesis.misfits(self.rows))
        yield from (found[places] for places in self.statistic.places)


class Later(Mapping[str, Any]):
    """What is made when it is first read."""

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
    """The root of the mean square of what cells are off, with its interval."""
    value, lower, upper = (
        _rounded(sqrt(max(0.0, square) / cells)) for square in (misfit.square, misfit.lower, misfit.upper)
    )
    return value, lower, upper


def _lost(table: Estimates) -> int:
    """How many cells are not told apart from none."""
    return sum(1 for lower in table.lower95 if isinstance(lower, int | float) and lower <= 0)


def _rounded(number: float) -> float:
    return float(f"{number:.{DIGITS}g}")
