"""Scans of a plan's rows: once for the tallies of its first round, and once more for each round that asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from dprelease.model.plan import Plan
from dprelease.model.recurring import window
from dprelease.model.tally import Query
from dprelease.statistics.answer import Ask, Inputs, exact, queries, without_noise
from dprelease.statistics.planning.price import Price
from dprelease.table import Discovery, Engine, Tally
from dprelease.table.again import again
from dprelease.table.answer import Session, Table
from dprelease.table.warehouse import Warehouse
from dprelease.workspace.warehouses import is_elsewhere

if TYPE_CHECKING:
    from dprelease.workspace.state import State

FEW_ROUNDS = 2
"""With more, keeping codes in memory is quicker than reading the rows in each."""
Asked = Engine | Warehouse | Session
"""Source that answers tallies of a table."""


def seen(table: Table, plan: Plan) -> Table:
    """Return a table as a plan sees it: an edition of a run, only what units have in few enough periods so far."""
    return replace(table, window=window(plan))


def first(engine: Asked, table: Table, price: Price) -> list[Tally | Discovery]:
    """Return the tallies of a plan's first round."""
    plan = price.plan
    return engine.answer(seen(table, plan), queries(price), schema=plan.schema, where=plan.where, unit=plan.unit)


def later(engine: Asked, table: Table, price: Price) -> Ask:
    """Return what answers the tallies of later rounds, of the rows that the first one kept of each unit."""
    plan, before = price.plan, queries(price)
    own = seen(table, plan)

    def ask(wanted: Sequence[Query]) -> list[Tally | Discovery]:
        return engine.answer(own, wanted, schema=plan.schema, where=plan.where, unit=plan.unit, after=before)

    return ask


@contextmanager
def scanned(state: State, location: str, price: Price) -> Iterator[dict[str, Inputs]]:
    """Yield the inputs of a plan's mechanisms; while this is open, later rounds ask the same rows.

    Rows that are stored here never change; many rounds keep their codes in memory. Those on a server are read in one
    session for all rounds; when a publication goes on after a crash, its later rounds see the rows as they are by then.
    That costs no more: each round's loss holds whatever the table is, and a unit's losses add up.
    """
    table = state.table(location)
    if is_elsewhere(location) and price.rounds > 1:
        with state.warehouses.open(location).session() as session:
            yield exact(price, first(session, table, price), later(session, table, price))
        return
    engine = state.engine_of(location)
    tallies = state.tallies(location, price, keep=True)
    if isinstance(engine, Engine) and price.rounds > FEW_ROUNDS:
        with again(engine, queries(price), price.plan.schema) as session:
            yield exact(price, tallies, later(session, table, price))
        return
    yield exact(price, tallies, later(engine, table, price))


def rehearse(engine: Asked, table: Table, price: Price) -> None:
    """Ask a table without rows all that a plan asks, so that what cannot work fails before anything is charged."""
    tallies = first(engine, table, price)
    if price.rounds > 1:
        for given in exact(price, tallies, later(engine, table, price)).values():
            without_noise(given)
