"""Counts over categories that nobody declared: which of them are published is decided by a mechanism, with δ > 0."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dprelease.mechanisms import Mechanism, ThresholdedLaplace
from dprelease.model.plan import Plan
from dprelease.model.privacy import Terms
from dprelease.model.release import Axis, Cell, Estimates
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import UNDECLARED, DiscoveryQuery, Key, Query, Sensitivity
from dprelease.statistics.algebra.grouping import axes, each_value
from dprelease.statistics.counted import CountTable
from dprelease.statistics.tabulated import Measurement
from dprelease.words import phrase


@dataclass(frozen=True, kw_only=True)
class Discovering(CountTable):
    """A table of counts whose columns may have undeclared categories.

    A cell is published where its count with discrete Laplace noise reaches a threshold; sensitivity L0: a unit counts
    in g = min(max_rows, max_groups) cells, L1 and L∞: m rows; double (L0, L1) under substitute. δ is the chance that a
    cell of one unit alone appears.
    """

    @abstractmethod
    def key_columns(self) -> tuple[str, ...]:
        """Return the columns of its keys."""

    @abstractmethod
    def declared_key(self, schema: Schema, column: str) -> Key:
        """Return the key of a column with declared values."""

    def discovers(self, schema: Schema) -> bool:
        return any(schema[name].discover for name in self.key_columns())

    def is_plain(self, schema: Schema) -> bool:
        return not self.discovers(schema) and super().is_plain(schema)

    def check_plan(self, path: str, plan: Plan, terms: Terms, report: Report) -> None:
        if not self.discovers(plan.schema):
            return
        if not terms.discovers:
            report.add(
                path,
                found=phrase("statistics.categories_discover"),
                allowed=phrase("statistics.declared_categories_population"),
                remedy=phrase("statistics.declare_categories_or_population"),
            )
        if plan.delta_atto == 0:
            report.add(
                path,
                found=phrase("statistics.categories_discover_0"),
                allowed=phrase("statistics.above_0_without_one"),
                remedy=phrase("statistics.set_privacy_delta_such"),
            )
        if self.noise is not None:
            report.add(
                f"{path}.noise", found=self.noise, allowed=phrase("statistics.nothing_where_categories_discovered")
            )

    def keys(self, schema: Schema) -> tuple[Key, ...]:
        return tuple(self.declared_key(schema, name) for name in self.key_columns() if not schema[name].discover)

    def queries(self, schema: Schema) -> tuple[Query, ...]:  # type: ignore[override]
        if not self.discovers(schema):
            return super().queries(schema)
        parts = (name if schema[name].discover else self.declared_key(schema, name) for name in self.key_columns())
        return (DiscoveryQuery(tuple(parts)),)

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        if not self.discovers(schema):
            return super().measurements(schema, terms)
        sides = 2 if terms.substitute else 1
        most = terms.max_rows
        stated = Sensitivity(l1=sides * most, linf=most, l0=sides * terms.unit.groups, shape=UNDECLARED)
        return (Measurement(ThresholdedLaplace, UNDECLARED, stated),)

    def found(self, schema: Schema, drawn: Mapping[str, int]) -> list[tuple[tuple[Cell, ...], int]]:
        """Return the discovered cells with their noisy counts, sorted by name."""
        named, declared = [], self._axes(schema)
        for text, count in drawn.items():
            cell: list[Cell] = []
            for name, part in zip(self.key_columns(), json.loads(text), strict=True):
                cell += [part] if schema[name].discover else declared[name].cells[part]
            named.append((tuple(cell), count))
        return sorted(named, key=lambda pair: [(isinstance(part, str), part) for part in pair[0]])

    def _axes(self, schema: Schema) -> dict[str, Axis]:
        """Return the names and declared entries of each key column's cells; no entries where they are discovered."""
        columns = self.key_columns()
        keys = (
            each_value(schema[name]) if schema[name].discover else self.declared_key(schema, name) for name in columns
        )
        return dict(zip(columns, axes(schema, tuple(keys)), strict=True))

    def axes(self, schema: Schema) -> tuple[Axis, ...]:
        if not self.discovers(schema):
            return super().axes(schema)
        return (Axis(tuple(name for axis in self._axes(schema).values() for name in axis.names), ()),)

    def estimates(
        self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism], confidence: float = 0.95
    ) -> Estimates:
        if not self.discovers(schema):
            return super().estimates(schema, drawn, mechanisms, confidence)
        found = self.found(schema, drawn[0])
        counts = [count for _, count in found]
        ends = [shown_interval(count, mechanisms[0], confidence) for count in counts]
        return Estimates(
            axes=(Axis(self.axes(schema)[0].names, tuple(cell for cell, _ in found)),),
            value=counts,
            lower95=[lower for lower, _ in ends],
            upper95=[upper for _, upper in ends],
        )

    def could_be(self, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
        if not self.discovers(schema):
            return super().could_be(schema, table, mechanisms)
        (mechanism,) = mechanisms
        assert isinstance(mechanism, ThresholdedLaplace)
        (axis,) = table.axes
        rows = list(zip(table.value, table.lower95, table.upper95, strict=True))
        order = [[(isinstance(part, str), part) for part in cell] for cell in axis.cells]
        return (
            not table.extra
            and axis.names == self.axes(schema)[0].names
            and order == sorted(order)
            and len({*axis.cells}) == len(axis.cells)
            and all(isinstance(value, int) and value >= mechanism.threshold for value in table.value)
            and all(self._is_cell(schema, cell) for cell in axis.cells)
            and all((lower, upper) == shown_interval(value, mechanism, 0.95) for value, lower, upper in rows)
        )

    def _is_cell(self, schema: Schema, cell: tuple[Cell, ...]) -> bool:
        """Return True if declared columns have declared entries, and discovered ones a text."""
        rest = cell
        for name, axis in self._axes(schema).items():
            part, rest = rest[: len(axis.names)], rest[len(axis.names) :]
            if not (isinstance(part[0], str) if schema[name].discover else part in axis.cells):
                return False
        return True

    def size(self, schema: Schema) -> int:
        return 0 if self.discovers(schema) else super().size(schema)


def shown_interval(count: Cell, mechanism: Mechanism, confidence: float) -> tuple[int, int]:
    """Return the interval of a shown count: just above the threshold, noise may have raised it from any count."""
    assert isinstance(mechanism, ThresholdedLaplace) and isinstance(count, int)
    half = mechanism.half_width(confidence)
    return (1 if count - half < mechanism.threshold else count - half), count + half
