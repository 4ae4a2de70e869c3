"""Counts over categories that nobody declared: which of them are published is decided by a mechanism, with δ > 0.

A cell is published where its count with discrete Laplace noise reaches a threshold; sensitivity L0: a unit counts in
g = min(max_rows, max_groups) cells, L1 and L∞: m rows; double (L0, L1) under substitute. δ is the chance that a cell of
one unit alone appears.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dprelease.mechanisms import Mechanism, ThresholdedLaplace
from dprelease.model.plan import Plan
from dprelease.model.privacy import Terms
from dprelease.model.release import Axis, Cell, Estimates
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import UNDECLARED, Sensitivity
from dprelease.statistics.algebra.grouping import axes, each_value
from dprelease.statistics.tabulated import Measurement
from dprelease.words import phrase

if TYPE_CHECKING:
    from dprelease.statistics.noisy import NoisyTable


def check_plan(table: NoisyTable, path: str, plan: Plan, terms: Terms, report: Report) -> None:
    """Add problems of a population or a plan in which nothing can be discovered."""
    if not table.discovers(plan.schema):
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
    if table.noise is not None:
        report.add(f"{path}.noise", found=table.noise, allowed=phrase("statistics.nothing_where_categories_discovered"))


def measurement(terms: Terms) -> Measurement:
    """Return the mechanism that decides, with the sensitivity of all counts."""
    sides = 2 if terms.substitute else 1
    stated = Sensitivity(l1=sides * terms.max_rows, linf=terms.max_rows, l0=sides * terms.unit.groups, shape=UNDECLARED)
    return Measurement(ThresholdedLaplace, UNDECLARED, stated)


def found(table: NoisyTable, schema: Schema, drawn: Mapping[str, int]) -> list[tuple[tuple[Cell, ...], int]]:
    """Return the discovered cells with their noisy counts, sorted by name."""
    named, declared = [], _axes(table, schema)
    for text, count in drawn.items():
        cell: list[Cell] = []
        for name, part in zip(table.key_columns(), json.loads(text), strict=True):
            cell += [part] if schema[name].discover else declared[name].cells[part]
        named.append((tuple(cell), count))
    return sorted(named, key=lambda pair: [(isinstance(part, str), part) for part in pair[0]])


def _axes(table: NoisyTable, schema: Schema) -> dict[str, Axis]:
    """Return the names and declared entries of each key column's cells; no entries where they are discovered."""
    names = table.key_columns()
    keys = (each_value(schema[name]) if schema[name].discover else table.declared_key(schema, name) for name in names)
    return dict(zip(names, axes(schema, tuple(keys)), strict=True))


def axes_of(table: NoisyTable, schema: Schema) -> tuple[Axis, ...]:
    """Return the one axis of discovered cells, which nobody declared."""
    return (Axis(tuple(name for axis in _axes(table, schema).values() for name in axis.names), ()),)


def estimates(
    table: NoisyTable, schema: Schema, drawn: Mapping[str, int], mechanism: Mechanism, confidence: float
) -> Estimates:
    """Return the table of what was discovered."""
    cells = found(table, schema, drawn)
    counts = [count for _, count in cells]
    ends = [shown_interval(count, mechanism, confidence) for count in counts]
    return Estimates(
        axes=(Axis(table.axes(schema)[0].names, tuple(cell for cell, _ in cells)),),
        value=counts,
        lower95=[lower for lower, _ in ends],
        upper95=[upper for _, upper in ends],
    )


def could_be(own: NoisyTable, schema: Schema, table: Estimates, mechanisms: Sequence[Mechanism]) -> bool:
    """Check that some draw gives this table."""
    (mechanism,) = mechanisms
    assert isinstance(mechanism, ThresholdedLaplace)
    (axis,) = table.axes
    rows = list(zip(table.value, table.lower95, table.upper95, strict=True))
    order = [[(isinstance(part, str), part) for part in cell] for cell in axis.cells]
    return (
        not table.extra
        and axis.names == own.axes(schema)[0].names
        and order == sorted(order)
        and len({*axis.cells}) == len(axis.cells)
        and all(isinstance(value, int) and value >= mechanism.threshold for value in table.value)
        and all(_is_cell(own, schema, cell) for cell in axis.cells)
        and all((lower, upper) == shown_interval(value, mechanism, 0.95) for value, lower, upper in rows)
    )


def _is_cell(table: NoisyTable, schema: Schema, cell: tuple[Cell, ...]) -> bool:
    """Return True if declared columns have declared entries, and discovered ones a text."""
    rest = cell
    for name, axis in _axes(table, schema).items():
        part, rest = rest[: len(axis.names)], rest[len(axis.names) :]
        if not (isinstance(part[0], str) if schema[name].discover else part in axis.cells):
            return False
    return True


def shown_interval(count: Cell, mechanism: Mechanism, confidence: float) -> tuple[int, int]:
    """Return the interval of a shown count: just above the threshold, noise may have raised it from any count."""
    assert isinstance(mechanism, ThresholdedLaplace) and isinstance(count, int)
    half = mechanism.half_width(confidence)
    return (1 if count - half < mechanism.threshold else count - half), count + half
