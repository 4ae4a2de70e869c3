"""Tables with their totals: sums of the same noisy integers, so that parts and wholes agree exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, prod
from typing import TYPE_CHECKING

import numpy as np
from msgspec import structs

from dprelease.mechanisms import Mechanism
from dprelease.model.column import LISTED
from dprelease.model.options import Flag, option
from dprelease.model.plan import Expected, Plan
from dprelease.model.presentation import Presentation, Trait
from dprelease.model.privacy import Terms
from dprelease.model.release import TOTAL, Axis, Cell, Estimates, is_partial
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Key
from dprelease.statistics.algebra.grouping import MAX_CELLS, axes
from dprelease.statistics.algebra.reach import sum_reach
from dprelease.statistics.noise import half_width
from dprelease.statistics.noisy import NoisyTable, alike, scaled
from dprelease.statistics.tabulated import Integers
from dprelease.words import phrase, quoted


@dataclass(frozen=True, kw_only=True)
class Margined(NoisyTable):
    """A table of counts or sums that may have a total along each key: the sum of the noisy cells, with all their noise.

    What is measured, and so its sensitivity, is that of the table without totals. A total of n cells has the noise of
    n draws; its interval is that of their sum.
    """

    margins: bool = option(Flag(), default=False)
    """Totals along each key, and of all: sums of the published cells, at no cost."""

    if TYPE_CHECKING:

        def keys(self, schema: Schema) -> tuple[Key, ...]: ...

    @property
    def presented(self) -> Presentation:
        """A total has the noise of several draws."""
        if not self.margins:
            return self.presentation
        traits = tuple(trait for trait in self.presentation.traits if trait is not Trait.OWN_NOISE)
        return structs.replace(self.presentation, traits=traits)

    def check(self, path: str, schema: Schema, report: Report) -> None:
        before = len(report.problems)
        super().check(path, schema, report)
        if not self.margins or len(report.problems) > before:
            return
        if self.discovers(schema):
            allowed = phrase("statistics.margins_of_declared")
            report.add(f"{path}.margins", found=phrase("statistics.margins_discovered"), allowed=allowed)
            return
        if not self.keys(schema):
            allowed, remedy = phrase("statistics.margins_of_groups"), phrase("statistics.name_groups_or_leave_margins")
            report.add(f"{path}.margins", found=phrase("statistics.margins_of_one"), allowed=allowed, remedy=remedy)
            return
        texts = [key for key in self.keys(schema) if key.level or schema[key.column].type in LISTED]
        named = [axis.names[0] for axis in axes(schema, texts) if any(TOTAL in cell for cell in axis.cells)]
        for name in named:
            found = phrase("statistics.category_named_total", name=quoted(name), total=quoted(TOTAL))
            remedy = phrase("statistics.name_category_otherwise")
            report.add(f"{path}.margins", found=found, allowed=phrase("statistics.another_name_beside"), remedy=remedy)
        if self.size(schema) > MAX_CELLS:
            found = phrase("statistics.cells", cells=self.size(schema))
            report.add(f"{path}.margins", found=found, allowed=phrase("model.at_most", max_text=MAX_CELLS))

    def check_plan(self, path: str, plan: Plan, terms: Terms, report: Report) -> None:
        super().check_plan(path, plan, terms, report)
        if self.margins and plan.postprocess:
            report.add(
                f"{path}.margins",
                found=phrase("statistics.margins_beside_postprocess"),
                allowed=phrase("model.one_them"),
                remedy=phrase("statistics.leave_out_margins_or_postprocess"),
            )

    def is_plain(self, schema: Schema) -> bool:
        return not self.margins and super().is_plain(schema)  # type: ignore[misc]

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        own = super().axes(schema)  # type: ignore[safe-super]
        return tuple(map(_with_total, own)) if self.margins else own

    def size(self, schema: Schema) -> int:
        if not self.margins:
            return super().size(schema)  # type: ignore[safe-super]
        return prod(key.cells + 1 for key in self.keys(schema))

    def magnitude(self, schema: Schema, expected: Expected) -> float:
        """Return the magnitude of a cell: what it takes for the table's rows are those without totals."""
        whole = super().magnitude(schema, expected)  # type: ignore[safe-super]
        return whole * self.size(schema) / prod(key.cells for key in self.keys(schema)) if self.margins else whole

    def estimates(
        self, schema: Schema, drawn: Sequence[Integers], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        if not self.margins:
            return super().estimates(schema, drawn, mechanisms, confidence)
        shape = tuple(key.cells for key in self.keys(schema))
        counts = with_sums(np.asarray(drawn[0], dtype=object).reshape(shape))
        terms = with_sums(np.ones(shape, dtype=np.int64))
        halves = {int(count): _half(mechanisms[0], int(count), confidence) for count in np.unique(terms)}
        values, numbers = counts.ravel().tolist(), terms.ravel().tolist()
        step, reaches = self.step(schema), [halves[count] for count in numbers]
        lower: list[Cell] = [scaled(value - half, step) for value, half in zip(values, reaches, strict=True)]
        upper: list[Cell] = [scaled(value + half, step) for value, half in zip(values, reaches, strict=True)]
        return Estimates(
            axes=self.axes(schema), value=[scaled(value, step) for value in values], lower95=lower, upper95=upper
        )

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        if not self.margins:
            return super().could_be(schema, table, mechanisms)
        steps = self.in_steps(schema, table.without_totals())
        return steps is not None and alike(table, self.estimates(schema, [steps], mechanisms))


def with_sums(cells: Integers) -> Integers:
    """Return the cells, and behind the last one along each axis their sum."""
    for axis in range(cells.ndim):
        cells = np.concatenate([cells, cells.sum(axis=axis, keepdims=True)], axis=axis)
    return cells


def _half(mechanism: Mechanism, terms: int, confidence: float) -> int:
    if terms == 1 or confidence == 0:
        return half_width(mechanism, confidence)
    return ceil(sum_reach(mechanism, terms, confidence))


def _with_total(axis: Axis) -> Axis:
    """Return the axis with cells as texts, and the total after them; a total of periods is cut by nothing."""
    cells = [tuple(None if entry is None else str(entry) for entry in cell) for cell in axis.cells]
    total = tuple("no" if is_partial(name) else TOTAL for name in axis.names)
    return replace(axis, cells=(*cells, total))
