"""Cost and preview of a plan before it is published. Nothing is charged, and only that it was shown is stored."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dprelease.errors import PlanError
from dprelease.model.actor import Actor
from dprelease.model.column import Column, ColumnType
from dprelease.model.forbidden import forbidden
from dprelease.model.plan import Plan
from dprelease.model.preview_policy import PreviewPolicy
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Query, TallyQuery
from dprelease.statistics.answer import queries
from dprelease.statistics.planning.price import Price, price
from dprelease.store import datasets, facts, populations, previews
from dprelease.table import Discovery, Engine, Tally
from dprelease.words import phrase, verbatim
from dprelease.workspace.preview import Preview, simulate
from dprelease.workspace.reading_report import of_one_scan, reading
from dprelease.workspace.scans import first, later, seen
from dprelease.workspace.sources import sources as find_sources
from dprelease.workspace.sources import unclipped
from dprelease.workspace.state import State

if TYPE_CHECKING:
    import pyarrow

ROWS = 1000
"""Number of made-up rows where the plan does not say how many are expected."""
MAX_ROWS = 200_000
MAX_CELLS = 4_000_000
NAMES = 8
"""Made-up categories of a column whose categories are to be discovered."""
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)


def price_for(state: State, plan: Plan) -> Price:
    """Return the price of a plan, complete with its columns: of a run as its newest edition that is over.

    Raises PlanError where it contradicts what is registered, or asks what the policy of the workspace forbids.
    """
    dataset, _ = datasets.get(state.database, plan.dataset)
    population = populations.get(state.database, dataset.population)
    dataset.check(plan, population)
    complete, counted = dataset.completed(plan), population.currency
    priced, report = price(complete, dataset.schema, currency=counted, discovers=population.discovers), Report()
    if complete.run is not None and not complete.run.period:
        newest = priced.plan.whole.edition(complete.run.newest(datetime.now(UTC).date()))
        priced = price(newest, currency=counted, discovers=population.discovers)
    for place, statistic, rule in forbidden(state.policy().forbidden, priced.plan):
        asked = verbatim(statistic.to_mapping()["kind"])
        allowed, why = phrase("workspace.not_forbidden"), verbatim(rule.reason)
        report.add(f"statistics[{place}]", found=asked, allowed=allowed, remedy=why)
    report.raise_any(PlanError)
    return priced


def look(state: State, plan: Plan, draws: int, *, sources: bool, actor: Actor) -> Preview:
    """Return a preview as the policy of the workspace has it, of which the ledger is told first."""
    policy = facts.preview_policy(state.database)
    if policy is PreviewPolicy.NONE:
        raise previews.not_allowed(policy)
    priced = price_for(state, plan)
    if policy is PreviewPolicy.BLIND:
        return _blind(priced, draws)
    dataset, location = datasets.get(state.database, plan.dataset)
    previews.take(state.database, priced.plan.whole, dataset, actor=actor)
    where, engine = priced.plan.where, state.engine_of(location)
    table = seen(state.table(location), priced.plan)

    def ask(wanted: Sequence[Query], schema: Schema, unit: PrivacyUnit) -> list[Tally | Discovery]:
        return engine.answer(table, wanted, schema=schema, where=where, unit=unit)

    wanted = dict.fromkeys([*queries(priced), TallyQuery(), *of_one_scan(priced.plan)])
    tallies = ask(list(wanted), priced.plan.schema, priced.plan.unit)
    read = reading(engine, table, priced.plan, tallies)
    found = None
    if sources:
        (rows,) = (tally.values for tally in tallies if tally.query == TallyQuery())
        found = find_sources(priced, int(np.asarray(rows)), ask)
    plan = priced.plan
    beyond = found is None and plan.unit.column is None and read.beyond(plan.schema.with_inputs(plan.used_columns()))
    wide = unclipped(priced, ask) if beyond else {}
    return simulate(
        priced, tallies, draws, ask=later(engine, table, priced), sources=found, reading=read, unclipped=wide
    )


def _blind(priced: Price, draws: int) -> Preview:
    """Return a preview of a made-up table, in an engine of its own that knows no other."""
    plan, engine = priced.plan, Engine()
    table = engine.hold(lookalike(plan))
    again = later(engine, table, priced)
    return simulate(priced, first(engine, table, priced), draws, ask=again, invented=rows_of(plan))


def rows_of(plan: Plan) -> int:
    """Return the number of rows of the made-up table."""
    wanted = ROWS if plan.expected is None else min(plan.expected.rows, MAX_ROWS)
    return min(wanted, max(ROWS, MAX_CELLS // max(1, len(plan.schema.columns))))


def lookalike(plan: Plan) -> pyarrow.Table:
    """Return rows of a complete plan's columns and identifier. Reads nothing, and is the same each time.

    Row i of column j has the value at the fraction (i + ½)·√prime(j) mod 1 of its domain, which spreads evenly along
    every column and over every pair of them (Kronecker). Rows are dealt out to the expected units in turn.
    """
    import pyarrow

    rows = rows_of(plan)
    stored = [column for column in plan.schema if column.made is None]
    columns = {column.name: _values(column, _fractions(place, rows)) for place, column in enumerate(stored)}
    if plan.unit.column is not None:
        expected = plan.expected.units if plan.expected is not None else None
        units = min(rows, expected or rows)
        columns[plan.unit.column] = np.array([f"unit {row % units}" for row in range(rows)], dtype=object)
    return pyarrow.table(columns or {"row": np.arange(rows)})


def _fractions(place: int, rows: int) -> NDArray[np.float64]:
    step = sqrt(PRIMES[place % len(PRIMES)]) * (1 + place // len(PRIMES))
    return np.asarray(np.mod((np.arange(rows) + 0.5) * step, 1.0), dtype=np.float64)


def _values(column: Column, fractions: NDArray[np.float64]) -> Any:
    if column.discover:
        return np.array([f"{column.name} {number + 1}" for number in range(NAMES)], dtype=object)[
            (fractions * NAMES).astype(int)
        ]
    if column.type is ColumnType.CATEGORY:
        names = np.array(column.categories, dtype=object)
        return names[(fractions * len(names)).astype(int)]
    if column.type is ColumnType.BOOLEAN:
        return fractions < 0.5
    if column.type is ColumnType.TEXT:
        return np.array([f"text {row}" for row in range(len(fractions))], dtype=object)
    lattice = column.lattice
    codes = np.minimum((fractions * (lattice.steps + 1)).astype(np.int64), lattice.steps)
    if column.type is ColumnType.DATE:
        assert isinstance(column.lower, date)
        return np.datetime64(column.lower.isoformat()) + codes
    assert isinstance(column.lower, Decimal)
    return float(column.lower) + codes * float(lattice.resolution)
