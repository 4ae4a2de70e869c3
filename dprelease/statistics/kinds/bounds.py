"""A private guess of the range of a column, for curators who have no codebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import ClassVar

import numpy as np

from dprelease.mechanisms import Mechanism
from dprelease.model.column import NUMERIC
from dprelease.model.column_options import ColumnName
from dprelease.model.options import option
from dprelease.model.plan import Expected
from dprelease.model.presentation import ChartType, Presentation, Quantity, Trait, ValueKind
from dprelease.model.privacy import Terms
from dprelease.model.release import Axis, Estimates
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Key, TallyQuery
from dprelease.statistics.algebra.grouping import each_value
from dprelease.statistics.algebra.sensitivity import simplex
from dprelease.statistics.noise import half_width
from dprelease.statistics.tabulated import ExpectedError, Integers, Measurement, TallyStatistic
from dprelease.words import phrase, quoted

BETA = 0.05
"""The chance that some empty bin passes the threshold."""


@dataclass(frozen=True, kw_only=True)
class Bounds(TallyStatistic):
    """A lower and an upper bound that hold nearly all rows, out of declared powers of two.

    Declare the column with bounds far too wide. Bins end at 0, ±1, ±2, ±4, ... steps of its resolution; their counts
    get noise, sensitivity L1 m under add_remove and 2m under substitute, and the bounds are the ends of the outermost
    bins whose noisy count passes a threshold that no empty bin passes, with 95 %. Discrete Laplace noise, or Gaussian
    in zcdp. It is a published release like any other. The error is how many rows may lie outside at either end.
    """

    kind: ClassVar[str] = "bounds"
    offers: ClassVar[tuple[str, ...]] = ("noise",)
    presentation: ClassVar[Presentation] = Presentation(
        measure=Quantity.COLUMN,
        error=Quantity.RECORDS,
        values=ValueKind.GRADED,
        look=ChartType.SPAN,
        traits=(Trait.UNLIKE,),
    )
    column: str = option(ColumnName(NUMERIC))
    """A numeric column, declared with very wide bounds."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        if schema[self.column].lattice.steps < 4:
            report.add(
                f"{path}.column",
                found=phrase("statistics.declared_values", column=quoted(self.column), codes=schema[self.column].codes),
                allowed=phrase("statistics.column_declared_very_wide"),
            )

    def key(self, schema: Schema) -> Key:
        """Return the bins, by their first codes: (-4, -2], (-2, -1], (-1, 0] ... mirror [0, 1), [1, 2), [2, 4) ..."""
        column = schema[self.column]
        start, last = column.lattice.start, column.lattice.start + column.lattice.steps
        powers = [2**power for power in range(62)]
        up = list(takewhile(lambda power: power <= last, powers))
        down = [1 - power for power in reversed(list(takewhile(lambda power: -power >= start, powers)))]
        firsts = sorted({start, *(edge for edge in (*down, 0, *up) if start < edge <= last)})
        edges = tuple(first - start for first in firsts)
        return (
            each_value(column)
            if len(edges) == column.codes
            else Key(column.name, len(edges), column.codes, (*edges, column.codes))
        )

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        return (TallyQuery((self.key(schema),)),)

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        shape = TallyQuery((self.key(schema),)).shape
        return (Measurement(self.noise_for(terms), shape, simplex(terms, shape)),)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        return (tallies[0],)

    def threshold(self, schema: Schema, mechanisms: Sequence[Mechanism]) -> int:
        """Return the threshold that no empty bin's noise passes, with 95 % for all bins together (one side of each)."""
        return half_width(mechanisms[0], 1 - 2 * BETA / self.key(schema).cells)

    def estimates(
        self, schema: Schema, drawn: Sequence[Integers], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        column, key = schema[self.column], self.key(schema)
        passing = np.flatnonzero(drawn[0].ravel() > self.threshold(schema, mechanisms)).tolist() or [0, key.cells - 1]
        ends = [column.value(key.first_code(passing[0])), column.value(key.first_code(passing[-1] + 1) - 1)]
        return Estimates(axes=self.axes(schema), value=ends, lower95=[None] * 2, upper95=[None] * 2)

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        column, key = schema[self.column], self.key(schema)
        firsts = [key.first_code(cell) for cell in range(key.cells)]
        lasts = [key.first_code(cell + 1) - 1 for cell in range(key.cells)]
        lower, upper = (column.code(value) for value in table.value)
        return (
            not table.extra
            and (*table.lower95, *table.upper95) == (None,) * 4
            and lower in firsts
            and upper in lasts
            and firsts.index(lower) <= lasts.index(upper)
        )

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError:
        """Return rows in an outer bin that may be passed over."""
        return ExpectedError(float(self.threshold(schema, mechanisms) + half_width(mechanisms[0], confidence)), "bound")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        return float(expected.rows)

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        return (Axis(("bound",), (("lower",), ("upper",))),)

    def size(self, schema: Schema) -> int:
        return 2
