"""The most common values, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any, ClassVar

import numpy as np
from msgspec import structs

from dprelease.mechanisms import Mechanism, NoisyTopK, ThresholdedLaplace
from dprelease.model.column_options import ColumnName
from dprelease.model.options import Choice, Whole, option
from dprelease.model.plan import Expected
from dprelease.model.presentation import ChartType, Presentation, Quantity, Trait, ValueKind
from dprelease.model.privacy import Terms
from dprelease.model.release import Axis, Cell, Estimates
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Key
from dprelease.statistics.algebra.grouping import GROUPING, check_cells, each_value
from dprelease.statistics.discovery import found as found_cells
from dprelease.statistics.discovery import shown_interval
from dprelease.statistics.kinds.mode import MAX_SCORES, scores
from dprelease.statistics.noise import half_width
from dprelease.statistics.noisy import NoisyTable
from dprelease.statistics.tabulated import ExpectedError, Measurement
from dprelease.words import phrase, quoted

COUNTS, SELECTION = "counts", "noisy_top_k"


@dataclass(frozen=True, kw_only=True)
class Top(NoisyTable):
    """The k most common values of a column, most common first.

    `counts` (the default) puts noise on the count of every declared value, sensitivity L1 m (2m under substitute), and
    ranks them: that costs the same however many values there are, and the counts are published too, with intervals that
    hold for all declared values together. `noisy_top_k` selects without counts, chosen privately: L∞ sensitivity of
    the scores m, ε = k·m over the noise's scale under add_remove (monotone), twice that under substitute. Values that
    are not declared (`categories: discover`) are ranked among those whose noisy count reaches a threshold, at a δ.
    """

    kind: ClassVar[str] = "top"
    offers: ClassVar[tuple[str, ...]] = ("noise",)
    example: ClassVar[tuple[str, ...]] = ("k=2",)
    presentation: ClassVar[Presentation] = Presentation(
        measure=Quantity.RECORDS,
        error=Quantity.RECORDS,
        values=ValueKind.NAMED,
        look=ChartType.MARKS,
        traits=(Trait.ADDITIVE, Trait.NEVER_NEGATIVE, Trait.RANKED),
    )
    column: str = option(ColumnName(GROUPING, discover=True))
    """A column of which each value is meant: not number columns."""
    k: int = option(Whole(1, 1000), default=5)
    """Number of values; 5 by default."""
    method: str = option(Choice((COUNTS, SELECTION)), default=COUNTS)
    """counts, or noisy_top_k."""

    @property
    def presented(self) -> Presentation:
        """Without counts, values of a column are all that is told."""
        if self.method == COUNTS:
            return self.presentation
        return structs.replace(self.presentation, measure=Quantity.COLUMN, look=ChartType.WORDS)

    def check_together(self, path: str, schema: Schema, report: Report) -> None:
        column = schema[self.column]
        if column.discover:
            if self.method == SELECTION:
                report.add(
                    f"{path}.method", found=self.method, allowed=phrase("statistics.counts_where_categories_discovered")
                )
            return
        check_cells((each_value(column),), path, report, most=MAX_SCORES)
        if self.k > column.codes:
            allowed = phrase("statistics.at_most_declared_values_2", codes=column.codes, column=quoted(self.column))
            report.add(f"{path}.k", found=self.k, allowed=allowed)
        if self.method == SELECTION and self.noise is not None:
            report.add(f"{path}.noise", found=self.noise, allowed=phrase("statistics.nothing_beside_method_noisy"))

    def key_columns(self) -> tuple[str, ...]:
        return (self.column,)

    def declared_key(self, schema: Schema, column: str) -> Key:
        return each_value(schema[column])

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        if self.method == COUNTS:
            return super().measurements(schema, terms)
        shape = (1, *self.count_query(schema).shape)
        return (Measurement(NoisyTopK, shape, scores(terms, shape), settings={"k": self.k}),)

    def exact(self, schema: Schema, tallies: Sequence[Any]) -> tuple[Any, ...]:
        return super().exact(schema, tallies) if self.method == COUNTS else (tallies[0].reshape(1, -1),)

    def estimates(
        self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        column = schema[self.column]
        if self.method == SELECTION:
            values = [column.value(int(code)) for code in drawn[0].ravel()]
            return self._ranked(values)
        if column.discover:
            pairs = found_cells(self, schema, drawn[0])
            names = [cell[0] for cell, _ in pairs]
            counts = np.array([count for _, count in pairs], dtype=np.int64)
        else:
            names = [column.value(code) for code in range(column.codes)]
            counts = drawn[0]
        order = np.argsort(-counts, kind="stable")[: self.k].tolist()
        found = [int(counts[place]) for place in order]
        intervals = self._intervals(schema, found, mechanisms[0], confidence)
        return self._ranked([names[place] for place in order], found, intervals)

    def _intervals(
        self, schema: Schema, counts: Sequence[int], mechanism: Mechanism, confidence: float = 0.95
    ) -> list[tuple[int, int]]:
        """Return intervals that hold for all declared values together (Bonferroni), or for k of those discovered."""
        column = schema[self.column]
        if column.discover:
            return [shown_interval(count, mechanism, 1 - (1 - confidence) / self.k) for count in counts]
        half = self._reach(schema, [mechanism], confidence)
        return [(count - half, count + half) for count in counts]

    def _ranked(
        self, values: Sequence[Cell], counts: Sequence[int] = (), intervals: Sequence[tuple[int, int]] = ()
    ) -> Estimates:
        nothing = [None] * len(values)
        extra: dict[str, Sequence[Cell]] = {}
        if self.method == COUNTS:
            extra["count"] = counts
            extra["count_lower95"] = [lower for lower, _ in intervals]
            extra["count_upper95"] = [upper for _, upper in intervals]
        ranks = Axis(("rank",), tuple((rank,) for rank in range(1, len(values) + 1)))
        return Estimates(axes=(ranks,), value=values, lower95=nothing, upper95=nothing, extra=extra)

    def _reach(self, schema: Schema, mechanisms: Sequence[Mechanism], confidence: float) -> int:
        """Return a half-width that holds for all values together (Bonferroni), so also for those on top."""
        return half_width(mechanisms[0], 1 - (1 - confidence) / schema[self.column].codes)

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        column = schema[self.column]
        values = list(table.value)
        if len({*values}) != len(values) or any(bound is not None for bound in (*table.lower95, *table.upper95)):
            return False
        if not (column.discover or all(column.code(value) is not None for value in values)):
            return False
        if self.method == SELECTION:
            return len(values) == self.k and not table.extra
        counts = [count for count in table.extra.get("count", ()) if isinstance(count, int)]
        if len(values) > self.k or len(counts) < len(values):
            return False
        mechanism = mechanisms[0]
        if isinstance(mechanism, ThresholdedLaplace) and counts and min(counts) < mechanism.threshold:
            return False
        again = self._ranked(values, counts, self._intervals(schema, counts, mechanism))
        ranks = tuple(cell for axis in table.axes for cell in axis.cells)
        return (
            counts == sorted(counts, reverse=True)
            and ranks == again.axes[0].cells
            and dict(again.extra) == {name: list(cells) for name, cells in table.extra.items()}
        )

    def error(
        self, schema: Schema, mechanisms: Sequence[Mechanism], expected: Expected | None, confidence: float = 0.95
    ) -> ExpectedError:
        """Return the half-width of counts; of a selection the rows a chosen value may have fewer than one left out."""
        if schema[self.column].discover:
            return super().error(schema, mechanisms, expected, confidence)
        if self.method == COUNTS:
            return ExpectedError(float(self._reach(schema, mechanisms, confidence)), "bound")
        values = schema[self.column].codes
        return ExpectedError(mechanisms[0].scale * log(values * self.k / (1 - confidence)), "bound")

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        return expected.rows / max(1, schema[self.column].codes)

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        if self.discovers(schema):
            return (Axis(("rank",), ()),)
        return (Axis(("rank",), tuple((rank,) for rank in range(1, self.k + 1))),)

    def size(self, schema: Schema) -> int:
        return 0 if self.discovers(schema) else self.k
