"""Most frequent value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import ClassVar

from dprelease.mechanisms import SELECTION, Mechanism
from dprelease.model.column_options import ColumnName
from dprelease.model.options import option
from dprelease.model.plan import Expected
from dprelease.model.presentation import ChartType, Presentation, Quantity, ValueKind
from dprelease.model.privacy import Terms
from dprelease.model.release import Axis, Estimates
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Key, Sensitivity, Shape, TallyQuery
from dprelease.statistics.algebra.grouping import GROUPING, axes, check_cells, each_value
from dprelease.statistics.algebra.sensitivity import simplex
from dprelease.statistics.tabulated import GROUPS, ExpectedError, Integers, Measurement, TallyStatistic

MAX_SCORES = 8_000_000


@dataclass(frozen=True, kw_only=True)
class Mode(TallyStatistic):
    """The most common declared value, chosen privately by its count, in all or in each group.

    Permute-and-flip, or in zcdp the exponential mechanism. The score of a value is its number of rows; L∞ sensitivity m
    under add_remove, where all scores move the same way (monotone, which halves the noise); under substitute m, by
    groups 2m over all groups together. No interval is published; the error is how many rows the chosen value may have
    fewer than the most common one.
    """

    kind: ClassVar[str] = "mode"
    offers: ClassVar[tuple[str, ...]] = GROUPS
    presentation: ClassVar[Presentation] = Presentation(
        measure=Quantity.COLUMN,
        error=Quantity.RECORDS,
        values=ValueKind.NAMED,
        look=ChartType.MARKS,
        traits=(),
    )
    column: str = option(ColumnName(GROUPING))
    """A column of which each declared value is meant: not number columns."""

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        check_cells(self._keys(schema), path, report, most=MAX_SCORES)

    def _keys(self, schema: Schema) -> tuple[Key, ...]:
        return (*self.keys(schema), each_value(schema[self.column]))

    def queries(self, schema: Schema) -> tuple[TallyQuery, ...]:
        return (TallyQuery(self._keys(schema)),)

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        shape = (self.size(schema), schema[self.column].codes)
        return (Measurement(SELECTION[terms.currency], shape, scores(terms, shape)),)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        return (tallies[0].reshape(self.size(schema), -1),)

    def estimates(
        self, schema: Schema, drawn: Sequence[Integers], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        column = schema[self.column]
        values = [column.value(int(code)) for code in drawn[0].ravel()]
        nothing = [None] * len(values)
        return Estimates(axes=self.axes(schema), value=values, lower95=nothing, upper95=nothing)

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        column = schema[self.column]
        return (
            not table.extra
            and all(column.code(value) is not None for value in table.value)
            and all(bound is None for bound in (*table.lower95, *table.upper95))
        )

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError:
        """Rows that the chosen value may have fewer than the most common one: scale·ln(values / (1 − confidence))."""
        values = schema[self.column].codes
        return ExpectedError(mechanisms[0].scale * log(values / (1 - confidence)), "bound")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        return expected.rows / self.size(schema) / schema[self.column].codes

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        return axes(schema, self.keys(schema))


def scores(terms: Terms, shape: Shape) -> Sensitivity:
    """Return the sensitivity of counts as scores, a row a group: the largest change of each, summed over groups."""
    stated = simplex(terms, shape[:1])
    return Sensitivity(l1=0, linf=stated.l1, monotone=stated.monotone, shape=shape)
