"""Rows that are nobody's, made of noisy tables of real ones, with what these tables tell of how far off they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from math import prod
from typing import Any, ClassVar

import numpy as np

from dprelease.mechanisms import Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.mechanisms.residual import MAX_AXES
from dprelease.model import families
from dprelease.model.column import CODED
from dprelease.model.column_options import ColumnNames, WholeByColumn
from dprelease.model.encoding import canonical
from dprelease.model.options import Choice, StatisticName, Whole, option
from dprelease.model.plan import Expected, Plan
from dprelease.model.presentation import Presentation, Quantity, Trait, shown
from dprelease.model.privacy import Terms
from dprelease.model.release import Estimates, Output, SyntheticRows
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.stated import OutputKind
from dprelease.model.tally import TallyQuery
from dprelease.statistics.adaptive import Adaptive
from dprelease.statistics.adaptive_synthesis import AdaptiveSynthesis
from dprelease.statistics.algebra.grouping import axes
from dprelease.statistics.algebra.residual import Places, Wholes
from dprelease.statistics.algebra.stream import Stream
from dprelease.statistics.dual_query import DualQuery
from dprelease.statistics.noise import half_width
from dprelease.statistics.pmw import Pmw
from dprelease.statistics.source_tables import check_source
from dprelease.statistics.synthesis import Synthesis
from dprelease.statistics.synthetic_output import MAX_ORDER, MAX_ROWS, Later, SyntheticOutput
from dprelease.statistics.table_family import TableFamily, places_of
from dprelease.statistics.tabulated import ExpectedError, Integers, Measurement
from dprelease.words import phrase

TREE, MWEM, PMW, DUAL = METHODS = ("residual_tree", "mwem", "pmw", "dual_query")
ADAPTIVE: Mapping[str, type[Adaptive]] = {MWEM: Adaptive, PMW: Pmw, DUAL: DualQuery}
"""Methods that choose tables, or rows, one after the other."""
MAX_CELLS = 2_000_000
"""Largest number of cells of all tables together."""
MAX_COMBINATIONS = 2_000_000
"""Largest number of combinations of cells of all columns: a model has a number for each."""
MAX_ROUNDS = 30
MAX_DRAWN = 5_000
"""Cells of all tables, among which dual_query draws."""


@dataclass(frozen=True, kw_only=True)
class Synthetic(TableFamily):
    """Rows that are nobody's, whose tables are near the noisy tables over up to `order` of some columns.

    What is measured is what a `workload` measures, and answers it: rows that lack a value in any of the columns are
    left out. In zcdp discrete Gaussian noise is added to residuals; sensitivity L2: that of all residuals together
    (`ResidualGaussian`). In pure discrete Laplace noise is added to the widest tables, which share ε; sensitivity L1 of
    each: m under add_remove, 2m under substitute. The rows are computed of that.

    With `method: mwem` tables are chosen one after the other, privately (permute-and-flip, or exponential in zcdp) by
    how far a model is from each: sensitivity of these scores m under add_remove, 2m under substitute. Then the table
    gets Laplace or Gaussian noise: L1 m and 2m, L2 m and √2·m. At first each column is measured by itself, the same.
    With `method: pmw` a sparse vector of these scores, of the same sensitivity, asks in order for the first table that
    is far from the model. With `method: dual_query` cells are drawn (exponential) by how many rows are missing in each
    of t records: sensitivity t·m, in which all cells move one way under add_remove.
    """

    kind: ClassVar[str] = families.ROWS
    output: ClassVar[OutputKind] = "rows"
    presentation: ClassVar[Presentation] = shown(Quantity.RECORDS, Trait.ADDITIVE, Trait.NEVER_NEGATIVE)
    columns: tuple[str, ...] = option(ColumnNames(CODED, most=MAX_AXES))
    """Columns of a row."""
    order: int | None = option(Whole(1, MAX_ORDER), default=None)
    """Over up to how many columns tables are measured, which the rows are near to: 2 by default."""
    rows: int | None = option(Whole(0, MAX_ROWS), default=None)
    """Number of rows made: as many as the noise lets there be by default."""
    bins: tuple[tuple[str, int], ...] = option(WholeByColumn(1, 100_000), default=())
    """Number of bins of equal width by column in the tables; rows have a value within. Number columns need them."""

    method: str = option(Choice(METHODS), default=TREE)
    """Method, by the tables rows are made of: `residual_tree`, all tables at once; `mwem`, those chosen one by one;
    `pmw`, in order those that rows made so far are far from; `dual_query`, of drawn cells that lack rows."""
    rounds: int | None = option(Whole(1, MAX_ROUNDS), default=None)
    """With mwem and pmw: how many tables are chosen. By default twice as many as columns, or half of all. With
    dual_query: how many different rows are made, less one; 30 by default."""
    source: str | None = option(StatisticName(), default=None)
    """A workload of the same plan that has these tables: rows are made of them, and nothing more is spent."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        before = len(report.problems)
        self._check_alone(path, report)
        self.check_bins(path, schema, report)
        if len(report.problems) == before:
            self.check_sizes(path, schema, report, MAX_CELLS)
        if len(report.problems) == before:
            self._check_method(path, schema, report)

    def _check_alone(self, path: str, report: Report) -> None:
        """Add problems of options that cannot be where tables are measured for another statistic."""
        if self.source is None:
            return
        if self.is_adaptive:
            report.add(f"{path}.source", found=self.source, allowed=phrase("statistics.source_of_tree"))
        shares = {"epsilon": self.epsilon_nano, "target_error": self.target_error}
        given = [name for name, share in shares.items() if share is not None] + ["weight"] * (self.weight != 1)
        for name in given:
            allowed, remedy = phrase("statistics.source_costs_nothing"), phrase("statistics.source_leave_out")
            report.add(f"{path}.{name}", found=phrase("statistics.source_share"), allowed=allowed, remedy=remedy)

    def _check_method(self, path: str, schema: Schema, report: Report) -> None:
        """Add problems that keep tables from being chosen one after the other."""
        pairs = sum(len(places) > 1 for places in self.places)
        if not self.is_adaptive:
            if self.rounds is not None:
                report.add(f"{path}.rounds", found=self.rounds, allowed=phrase("statistics.rounds_of_chosen"))
            return
        if not pairs:
            allowed = phrase("statistics.chosen_pairs", method=self.method)
            report.add(f"{path}.method", found=self.method, allowed=allowed, remedy=phrase("statistics.mwem_order"))
            return
        cells = sum(prod(self.keys(schema)[place].cells for place in places) for places in self.places)
        if self.method == DUAL and cells > MAX_DRAWN:
            report.add(
                f"{path}.columns",
                found=phrase("statistics.cells_of_all", count=cells),
                allowed=phrase("model.at_most", max_text=MAX_DRAWN),
                remedy=phrase("statistics.dual_query_fewer_cells"),
            )
        if self.method != DUAL and (self.rounds or 1) > pairs:
            allowed = phrase("statistics.mwem_rounds", tables=pairs)
            report.add(f"{path}.rounds", found=self.rounds, allowed=allowed)
        combinations = prod(key.cells for key in self.keys(schema))
        if combinations > MAX_COMBINATIONS:
            report.add(
                f"{path}.columns",
                found=phrase("statistics.combinations", count=combinations),
                allowed=phrase("model.at_most", max_text=MAX_COMBINATIONS),
                remedy=phrase("statistics.mwem_fewer_combinations"),
            )

    def check_plan(self, path: str, plan: Plan, terms: Terms, report: Report) -> None:
        if self.source is not None:
            check_source(self, self.source, path, plan, report)
        elif not self.is_adaptive:
            super().check_plan(path, plan, terms, report)

    @property
    def follows(self) -> str | None:
        return self.source

    @property
    def is_adaptive(self) -> bool:
        """True if tables are chosen one after the other."""
        return self.method in ADAPTIVE

    def adaptive(self, schema: Schema) -> Adaptive:
        """Return the family of tables that the adaptive method measures."""
        pairs = sum(len(places) > 1 for places in self.places)
        cells = tuple(key.cells for key in self.keys(schema))
        usual = MAX_ROUNDS if self.method == DUAL else min(2 * len(self.columns), -(-pairs // 2))
        return _adaptive(self.method, cells, self.places, self.rounds or usual)

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        return () if self.source is not None else super().queries(schema)

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
        return f"{self.method} {self.rounds}" if self.is_adaptive else "equalise"

    @property
    def report(self) -> str:
        """The name of the table that tells how far rows are off."""
        return families.report(self.columns, self.order or families.USUAL_ORDER)

    def table_names(self, schema: Schema) -> tuple[str, ...]:
        return tuple(f"{self.id}.{part}" for part in (*self.parts, self.report))

    def answered(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> Output:
        return self.answered_by(self, schema, drawn, mechanisms)

    def answered_by(
        self, by: TableFamily, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]
    ) -> Output:
        """Return the same, of what was measured of a family that has its tables."""
        integers = [np.ravel(each).tolist() for each in drawn]
        stream = Stream(sha256(canonical(integers)).digest())
        made = (
            self._chosen(schema, drawn, mechanisms, stream)
            if self.is_adaptive
            else self._tree(by, schema, drawn, mechanisms, stream)
        )
        names = (*self.parts, self.report)
        parts = Later(names, lambda name: made.report() if name == self.report else made.tables[name])
        columns = Later(self.columns, lambda name: made.column(self.columns.index(name)))
        return SyntheticRows(parts=parts, columns=columns, integers=integers)

    def _tree(
        self, by: TableFamily, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism], stream: Stream
    ) -> SyntheticOutput:
        """Return the output by tables that were measured all at once."""
        way, family = by.measuring(schema, type(mechanisms[0])), self.family(schema)

        def source(tables: Mapping[str, Estimates], stream: Stream) -> Synthesis:
            estimates = {
                places: np.array(tables[name].value, dtype=np.float64).reshape([family.cells[p] for p in places])
                for name, places in self.parts.items()
            }
            squares = dict(zip(way.family.sets, way.squares(mechanisms).tolist(), strict=True))
            own = np.array([squares[self.among(by, places)] for places in family.sets])
            ordered = tuple(place for place, name in enumerate(self.columns) if name in dict(self.bins))
            return Synthesis(family, estimates, own, stream, way.excess, ordered)

        return SyntheticOutput(
            schema=schema,
            keys=self.keys(schema),
            parts=self.parts,
            count=self.rows,
            stream=stream,
            measured=lambda: self.measured(schema, drawn, mechanisms, by),
            made_by=source,
        )

    def _chosen(
        self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism], stream: Stream
    ) -> SyntheticOutput:
        """Return the output by tables that were chosen one after the other."""
        own, keys = self.adaptive(schema), self.keys(schema)

        def measured() -> dict[str, Estimates]:
            model, found = own.model(drawn, mechanisms, ends=True), {}
            for name, places in self.parts.items():
                axis, known = axes(schema, [keys[place] for place in places]), model.known.get(places)
                if known is None:
                    value = model.counts(places).ravel().tolist()
                    nothing = [None] * len(value)
                    found[name] = Estimates(axes=axis, value=value, lower95=nothing, upper95=nothing)
                else:
                    value, half = known[0].ravel().tolist(), half_width(known[1])
                    lower, upper = ([number + end for number in value] for end in (-half, half))
                    found[name] = Estimates(axes=axis, value=value, lower95=lower, upper95=upper)
            return found

        return SyntheticOutput(
            schema=schema,
            keys=keys,
            parts=self.parts,
            count=self.rows,
            stream=stream,
            measured=measured,
            made_by=lambda _, stream: AdaptiveSynthesis(
                own.cells, own.model(drawn, mechanisms, ends=True), stream, own.chooses
            ),
        )

    def could_answer(self, schema: Schema, output: Output, mechanisms: Sequence[Mechanism]) -> bool:
        return self.could_answer_by(self, schema, output, mechanisms)

    def could_answer_by(self, by: TableFamily, schema: Schema, output: Output, mechanisms: Sequence[Mechanism]) -> bool:
        """Return the same, of what was measured of a family that has its tables."""
        if not isinstance(output, SyntheticRows) or tuple(output.parts) != (*self.parts, self.report):
            return False
        drawn = self.drawn_of(by, schema, output.integers, mechanisms)
        if drawn is None or tuple(output.columns) != self.columns:
            return False
        again = self.answered_by(by, schema, drawn, mechanisms)
        assert isinstance(again, SyntheticRows)
        return all(output.parts[name] == table for name, table in again.parts.items()) and all(
            list(output.columns[name]) == list(column) for name, column in again.columns.items()
        )

    def drawn_of(
        self, by: TableFamily, schema: Schema, integers: Sequence[Sequence[int]], mechanisms: Sequence[Mechanism]
    ) -> list[Wholes] | None:
        """Return published integers as they were drawn; None where they are no draw of these mechanisms."""
        read = self.adaptive(schema).read if self.is_adaptive else by.read
        return read(integers, mechanisms)

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError:
        if not self.is_adaptive:
            return super().error(schema, mechanisms, expected, confidence)
        largest = max(half_width(noise, confidence) for noise in mechanisms if isinstance(noise, Noise))
        return ExpectedError(float(largest), "mechanism")

    def size(self, schema: Schema) -> int:
        family = self.family(schema)
        return int(family.sizes(family.tables).sum()) + len(families.tables(self.columns, MAX_ORDER))


@lru_cache(maxsize=64)
def _adaptive(method: str, cells: tuple[int, ...], tables: tuple[Places, ...], rounds: int) -> Adaptive:
    """Return the one of these tables, with what it keeps."""
    return ADAPTIVE[method](cells, tables, rounds)
