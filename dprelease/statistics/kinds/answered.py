"""How many rows have a value in all of some columns, and how many do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dprelease.model.column import CODED
from dprelease.model.column_options import ColumnNames
from dprelease.model.options import option
from dprelease.model.plan import Expected
from dprelease.model.presentation import COUNTED, Presentation
from dprelease.model.privacy import Terms
from dprelease.model.release import Axis
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Measure, TallyQuery
from dprelease.statistics.algebra.moments import with_nulls
from dprelease.statistics.algebra.sensitivity import simplex
from dprelease.statistics.grouped import Grouped
from dprelease.statistics.noisy import NoisyTable
from dprelease.statistics.tabulated import Integers, Measurement
from dprelease.words import phrase, quoted

MOST_COLUMNS = 200
ANSWERED = "answered"
"""The key of the two numbers: yes, then no."""


@dataclass(frozen=True, kw_only=True)
class Answered(Grouped, NoisyTable):
    """The number of rows with a value in all of some columns, and of the others, in all or in each group.

    A row counts in one of two cells, however many columns there are: sensitivity m under add_remove, 2m under
    substitute (L1; L2 = √2·m). Discrete Laplace noise, or Gaussian in zcdp.
    """

    kind: ClassVar[str] = "answered"
    presentation: ClassVar[Presentation] = COUNTED
    columns: tuple[str, ...] = option(ColumnNames(CODED, most=MOST_COLUMNS))
    """In all of which a row has to have a value; at least one of them may be without."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        super().check_together(path, schema, report)
        if not with_nulls(self.columns, schema):
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
        return TallyQuery(keys), TallyQuery(keys, Measure((), with_nulls(self.columns, schema)))

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        shape = (*TallyQuery(self.keys(schema)).shape, 2)
        return (Measurement(self.noise_for(terms), shape, simplex(terms, shape)),)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        rows, answered = tallies
        return (np.stack([answered, rows - answered], axis=-1),)

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        return expected.rows / self.size(schema)

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        return (*super().axes(schema), Axis((ANSWERED,), (("yes",), ("no",))))

    def size(self, schema: Schema) -> int:
        return 2 * super().size(schema)
