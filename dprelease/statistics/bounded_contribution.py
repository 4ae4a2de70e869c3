"""Tables of counts in which a unit counts at most once in each cell, so that units spread over cells cost less.

Of the rows of a unit, after `max_rows`, each cell may count at most one: units by cell. A unit then changes at most
g = min(max_rows, max_groups) cells by 1: L1 g, L2 √g under add_remove; 2g, √(2g) under substitute. Sums of cells count
a unit several times, so nothing else is computed of it, and it of nothing else.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from dprelease.mechanisms import DiscreteGaussian
from dprelease.model.plan import Plan
from dprelease.model.privacy import Terms
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.statistics.algebra.sensitivity import once, simplex
from dprelease.words import phrase, quoted

if TYPE_CHECKING:
    from dprelease.statistics.noisy import NoisyTable

BESIDE = ("survey_weights", "margins", "shares")
"""Options that take cells for rows that can be added up."""


def check(table: NoisyTable, path: str, schema: Schema, report: Report) -> None:
    """Add problems of options that take rows for what is counted."""
    if not table.once:
        return
    at = f"{path}.max_rows_per_cell"
    for name in (each for each in BESIDE if getattr(table, each)):
        found = phrase("statistics.once_a_cell_beside", name=quoted(name))
        report.add(at, found=found, allowed=phrase("model.one_them"))
    if table.discovers(schema):
        allowed = phrase("statistics.nothing_where_categories_discovered")
        report.add(at, found=table.max_rows_per_cell, allowed=allowed)


def check_plan(table: NoisyTable, path: str, plan: Plan, terms: Terms, report: Report) -> None:
    """Add a problem where rows of a unit cost no more than one."""
    if table.once and gain(table, plan.schema, terms) == 1:
        report.add(
            f"{path}.max_rows_per_cell",
            found=phrase("statistics.once_a_cell_gains_nothing"),
            allowed=phrase("statistics.once_a_cell_where_it_gains"),
            remedy=phrase("statistics.leave_out_once_a_cell"),
        )


def gain(table: NoisyTable, schema: Schema, terms: Terms) -> float:
    """Return the scale of its noise in that of a table that counts all rows of a unit; 1 where it is the same."""
    shape = table.count_query(schema).shape
    own, every = once(terms, shape), simplex(terms, shape)
    if table.noise_for(terms) is DiscreteGaussian:
        return sqrt(own.l2_squared / every.l2_squared)
    return own.l1 / every.l1
