"""Rows that are nobody's, made of noisy tables of real ones, with what these tables tell of how far off they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from math import prod, sqrt
from typing import Any, ClassVar

import numpy as np

from dprelease.mechanisms import Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.mechanisms.residual import MOST_AXES
from dprelease.model import families
from dprelease.model.column import CODED
from dprelease.model.column_options import ColumnNames, WholeByColumn
from dprelease.model.encoding import canonical
from dprelease.model.options import Choice, Whole, option
from dprelease.model.plan import Expected, Plan
from dprelease.model.presentation import Answers, Look, Presentation, Quantity, Trait
from dprelease.model.privacy import Terms
from dprelease.model.release import Axis, Cell, Estimates, Output, Rows
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.stated import OutputKind
from dprelease.model.tally import Key
from dprelease.statistics.adaptive import Adaptive, adaptive
from dprelease.statistics.algebra.grouping import axes
from dprelease.statistics.algebra.raking import Codes
from dprelease.statistics.algebra.residual import Places
from dprelease.statistics.algebra.stream import Stream
from dprelease.statistics.chosen import Chosen
from dprelease.statistics.familied import Familied, places_of
from dprelease.statistics.noise import half_width
from dprelease.statistics.synthesis import Misfit, Synthesis
from dprelease.statistics.tabulated import ExpectedError, Integers, Measurement
from dprelease.words import phrase

TREE, MWEM = METHODS = ("residual_tree", "mwem")
MOST_ORDER = 3
MOST_ROWS = 1_000_000
MOST_CELLS = 2_000_000
"""Of all tables together."""
MOST_COMBINATIONS = 2_000_000
"""Of cells of all columns: a model has a number for each."""
MOST_ROUNDS = 30
DIGITS = 9
"""Of what is computed in floats."""


@dataclass(frozen=True, kw_only=True)
class Synthetic(Familied):
    """Rows that are nobody's, whose tables are near the noisy tables over up to `order` of some columns.

    What is measured is what a `workload` measures, and answers it: rows that lack a value in any of the columns are
    left out. In zcdp discrete Gaussian noise is added to residuals; sensitivity L2: that of all residuals together
    (`ResidualGaussian`). In pure discrete Laplace noise is added to the widest tables, which share ε; sensitivity L1 of
    each: m under add_remove, 2m under substitute. The rows are computed of that.

    With `method: mwem` tables are chosen one after the other, privately (permute-and-flip, or exponential in zcdp) by
    how far a model is from each: sensitivity of these scores m under add_remove, 2m under substitute. Then the table
    gets Laplace or Gaussian noise: L1 m and 2m, L2 m and √2·m. At first each column is measured by itself, the same.
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

    method: str = option(Choice(METHODS), default=TREE)
    """By which tables rows are made: `residual_tree`, all tables at once; `mwem`, those chosen one after the other."""
    rounds: int | None = option(Whole(1, MOST_ROUNDS), default=None)
    """With mwem: how many tables are chosen. By default twice as many as columns, or half of all."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        before = len(report.problems)
        self.check_bins(path, schema, report)
        if len(report.problems) == before:
            self.check_sizes(path, schema, report, MOST_CELLS)
        if len(report.problems) == before:
            self._check_method(path, schema, report)

    def _check_method(self, path: str, schema: Schema, report: Report) -> None:
        """Adds what keeps tables from being chosen one after the other."""
        pairs = sum(len(places) > 1 for places in self.places)
        if not self.is_adaptive:
            if self.rounds is not None:
                report.add(f"{path}.rounds", found=self.rounds, allowed=phrase("statistics.rounds_of_mwem"))
            return
        if not pairs:
            allowed = phrase("statistics.mwem_pairs")
            report.add(f"{path}.method", found=self.method, allowed=allowed, remedy=phrase("statistics.mwem_order"))
            return
        if (self.rounds or 1) > pairs:
            allowed = phrase("statistics.mwem_rounds", tables=pairs)
            report.add(f"{path}.rounds", found=self.rounds, allowed=allowed)
        combinations = prod(key.cells for key in self.keys(schema))
        if combinations > MOST_COMBINATIONS:
            report.add(
                f"{path}.columns",
                found=phrase("statistics.combinations", count=combinations),
                allowed=phrase("model.at_most", max_text=MOST_COMBINATIONS),
                remedy=phrase("statistics.mwem_fewer_combinations"),
            )

    def check_plan(self, path: str, plan: Plan, terms: Terms, report: Report) -> None:
        if not self.is_adaptive:
            super().check_plan(path, plan, terms, report)

    @property
    def is_adaptive(self) -> bool:
        """Tells whether tables are chosen one after the other."""
        return self.method == MWEM

    def adaptive(self, schema: Schema) -> Adaptive:
        """How that is done."""
        pairs = sum(len(places) > 1 for places in self.places)
        cells = tuple(key.cells for key in self.keys(schema))
        return adaptive(cells, self.places, self.rounds or min(2 * len(self.columns), -(-pairs // 2)))

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        if not self.is_adaptive:
            return super().measurements(schema, terms)
        return self.adaptive(schema).measurements(terms)

    def given(
        self, schema: Schema, tallies: Sequence[Integers], mechanisms: Sequence[type[Mechanism]]
    ) -> tuple[Integers, ...]:
        if not self.is_adaptive:
            return super().given(schema, tallies, mechanisms)
        own = self.adaptive(schema)
        return own.start(own.counted(tallies))

    def given_after(
        self, schema: Schema, tallies: Sequence[Any], drawn: Sequence[Any], mechanisms: Sequence[Mechanism]
    ) -> tuple[Any, ...]:
        own = self.adaptive(schema)
        return own.later(own.counted(tallies), drawn, mechanisms)

    @property
    def places(self) -> tuple[Places, ...]:
        return places_of(self.columns, self.order or families.USUAL_ORDER, ())

    @property
    def parts(self) -> Mapping[str, Places]:
        named = families.tables(self.columns, self.order or families.USUAL_ORDER)
        return dict(zip(named, self.places, strict=True))

    @property
    def planned_for(self) -> str:
        return f"{MWEM} {self.rounds}" if self.is_adaptive else "equalise"

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
        read = self.adaptive(schema).read if self.is_adaptive else self.read
        drawn = read(output.integers, mechanisms)
        if drawn is None or tuple(output.columns) != self.columns:
            return False
        again = self.answered(schema, drawn, mechanisms)
        assert isinstance(again, Rows)
        return all(output.parts[name] == table for name, table in again.parts.items()) and all(
            list(output.columns[name]) == list(column) for name, column in again.columns.items()
        )

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError:
        if not self.is_adaptive:
            return super().error(schema, mechanisms, expected, confidence)
        largest = max(half_width(noise, confidence) for noise in mechanisms if isinstance(noise, Noise))
        return ExpectedError(float(largest), "mechanism")

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
        """The measured ones; of tables that were not chosen what the model has, without an interval."""
        if not self.statistic.is_adaptive:
            return self.statistic.measured(self.schema, self.drawn, self.mechanisms)
        assert isinstance(self.source, Chosen)
        keys, found = self.statistic.keys(self.schema), {}
        for name, places in self.statistic.parts.items():
            own = axes(self.schema, [keys[place] for place in places])
            known = self.source.model.known.get(places)
            if known is None:
                value = self.source.model.counts(places).ravel().tolist()
                nothing = [None] * len(value)
                found[name] = Estimates(axes=own, value=value, lower95=nothing, upper95=nothing)
            else:
                value, half = known[0].ravel().tolist(), half_width(known[1])
                lower, upper = ([number + end for number in value] for end in (-half, half))
                found[name] = Estimates(axes=own, value=value, lower95=lower, upper95=upper)
        return found

    @cached_property
    def source(self) -> Synthesis | Chosen:
        """What rows are made by."""
        if self.statistic.is_adaptive:
            own = self.statistic.adaptive(self.schema)
            return Chosen(own.cells, own.model(self.drawn, self.mechanisms, ends=True), self.stream)
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
        return self.source.rows(min(MOST_ROWS, self.source.count) if asked is None else asked)

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

        Of tables that were not measured nothing is known.
        """
        names = families.tables(self.statistic.columns, MOST_ORDER)
        cells = {name: self.tables[name] for name, places in self.statistic.parts.items() if self._is_measured(places)}
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
        """Whether a table is measured, as far as that is known before."""
        places = self.statistic.parts.get(name)
        if places is None:
            return "no"
        return "if_chosen" if self.statistic.is_adaptive and len(places) > 1 else "yes"

    def _is_measured(self, places: Places) -> bool:
        return isinstance(self.source, Synthesis) or places in self.source.model.known

    def _misfits(self) -> Iterator[Misfit | None]:
        measured = [places for places in self.statistic.places if self._is_measured(places)]
        if not self.rows.shape[1]:
            yield from [None] * len(measured)
            return
        found = dict(self.source.misfits(self.rows))
        yield from (found[places] for places in measured)


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
