"""Number of rows with a value in all of some columns, and without; or of readings of one column's cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprelease.model.column import CODED, ORDERED
from dprelease.model.column_options import ColumnNames
from dprelease.model.options import Flag, option
from dprelease.model.plan import Expected
from dprelease.model.presentation import Presentation, Quantity, Trait, shown
from dprelease.model.privacy import Terms
from dprelease.model.reading_report import STATES, CellState
from dprelease.model.release import Axis
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Measure, TallyQuery
from dprelease.statistics.algebra.moments import with_nulls
from dprelease.statistics.algebra.sensitivity import simplex
from dprelease.statistics.noisy import NoisyTable
from dprelease.statistics.tabulated import GROUPS, Integers, Measurement
from dprelease.words import phrase, quoted

MAX_COLUMNS = 200
ANSWERED = "answered"
"""The key of the two numbers: yes, then no; or of those of `READ`."""
READ = {
    "within": (CellState.UNDERSTOOD,),
    "below": (CellState.BELOW,),
    "above": (CellState.ABOVE,),
    "none": (CellState.EMPTY, CellState.MISSING),
    "not_understood": (CellState.UNREADABLE, CellState.UNDECLARED),
}
"""With `detail`: the cells of the table, and the states of a column's cells that each counts."""
BEYOND = ("below", "above")
"""Readings of columns with bounds alone."""


@dataclass(frozen=True, kw_only=True)
class Answered(NoisyTable):
    """The number of rows with a value in all of some columns, and of the others, in all or in each group.

    With `detail` rows are counted by how the cell of one column is read: within the bounds, below, above, without an
    answer, or not understood. A row counts in one of these cells, however many columns there are: sensitivity m under
    add_remove, 2m under substitute (L1; L2 = √2·m). Discrete Laplace noise, or Gaussian in zcdp.
    """

    kind: ClassVar[str] = "answered"
    offers: ClassVar[tuple[str, ...]] = (*GROUPS, "noise")
    presentation: ClassVar[Presentation] = shown(
        Quantity.RECORDS, Trait.ADDITIVE, Trait.NEVER_NEGATIVE, Trait.OWN_NOISE, Trait.OF_COLUMNS
    )
    columns: tuple[str, ...] = option(ColumnNames(CODED, most=MAX_COLUMNS))
    """In all of which a row has to have a value; at least one of them may be without. With `detail` one column."""
    detail: bool = option(Flag(), default=False)
    """Separate counts of cells within the bounds (or declared), below, above, without an answer and not understood."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        super().check_together(path, schema, report)
        if self.detail and len(self.columns) > 1:
            report.add(
                f"{path}.detail",
                found=phrase("statistics.detail_of_several"),
                allowed=phrase("statistics.detail_of_one"),
                remedy=phrase("statistics.detail_each_alone"),
            )
        if not (self.detail or with_nulls(self.columns, schema)):
            report.add(
                f"{path}.columns",
                found=phrase("statistics.column_counts_missing", column=", ".join(map(quoted, self.columns))),
                allowed=phrase("statistics.column_without_values"),
                remedy=phrase("statistics.count_instead_of_answered"),
            )
        if ANSWERED in self.by:
            report.add(f"{path}.by", found=quoted(ANSWERED), allowed=phrase("statistics.another_name_beside"))

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        keys = self.keys(schema)
        if self.detail:
            return (TallyQuery(keys, states=self.columns),)
        return TallyQuery(keys), TallyQuery(keys, Measure((), with_nulls(self.columns, schema)))

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        shape = (*TallyQuery(self.keys(schema)).shape, len(self.cells(schema)))
        return (Measurement(self.noise_for(terms), shape, simplex(terms, shape)),)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        if self.detail:
            (states,) = tallies
            counted = [[STATES.index(state) for state in READ[cell]] for cell in self.cells(schema)]
            return (np.stack([states[..., places].sum(axis=-1) for places in counted], axis=-1),)
        rows, answered = tallies
        return (np.stack([answered, rows - answered], axis=-1),)

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        return expected.rows / self.size(schema)

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        return (*super().axes(schema), Axis((ANSWERED,), tuple((cell,) for cell in self.cells(schema))))

    def size(self, schema: Schema) -> int:
        return len(self.cells(schema)) * super().size(schema)

    def cells(self, schema: Schema) -> tuple[str, ...]:
        """Return the codes of the last key: of a column without bounds none lies below or above."""
        if not self.detail:
            return "yes", "no"
        ordered = schema[self.columns[0]].type in ORDERED
        return tuple(cell for cell in READ if ordered or cell not in BEYOND)
