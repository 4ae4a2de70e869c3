"""How a look is taken: told to the ledger first, then one scan; or of a made-up table, of which nothing is told."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dprelease.model.actor import Actor
from dprelease.model.plan import Plan
from dprelease.model.preview_policy import PreviewPolicy
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import Query, TallyQuery
from dprelease.statistics.answer import Ask
from dprelease.store import datasets, facts, populations, previews
from dprelease.table import Discovery, Engine, Table, Tally
from dprelease.table.warehouse import Warehouse
from dprelease.workspace.bench import Bench, bench
from dprelease.workspace.look import Held, Look, Tallies
from dprelease.workspace.previews import lookalike, price_for, rows_of
from dprelease.workspace.sources import Sources, sources
from dprelease.workspace.state import State


def bench_for(state: State, plan: Plan) -> Bench:
    """What a plan would err at each ε, from public facts. Raises PlanError where it contradicts what is registered."""
    priced = price_for(state, plan)
    dataset, _ = datasets.get(state.database, plan.dataset)
    return bench(priced, populations.get(state.database, dataset.population))


def take(state: State, plan: Plan, *, invented: bool, since: Look | None, actor: Actor) -> Look:
    """A look at true values as the policy of the workspace allows it, or at made-up ones.

    Raises InputError where the policy allows neither what is asked.
    """
    policy = facts.preview_policy(state.database)
    if policy is PreviewPolicy.NONE or (policy is PreviewPolicy.BLIND and not invented):
        raise previews.not_allowed(policy)
    made = bench_for(state, plan)
    dataset, location = datasets.get(state.database, plan.dataset)
    population = populations.get(state.database, dataset.population)
    if invented:
        held = _made_up(made)
    else:
        previews.take(state.database, made.plan, dataset, actor=actor)
        known = {} if since is None else since.held.reusable(made.plan, location)
        held = _read(state, location, made, known)

    def complete(other: Plan) -> Plan:
        dataset.check(other, population)
        return dataset.completed(other).with_schema(dataset.schema)

    return Look(made, held, unit=population.unit, complete=complete)


def _read(state: State, location: str, made: Bench, known: Tallies) -> Held:
    """The tallies of a private table: those that are known, and the others in one scan."""
    table, engine, plan = state.table(location), state.engine_of(location), made.plan

    def ask(wanted: Sequence[Query], schema: Schema, unit: PrivacyUnit) -> list[Tally | Discovery]:
        return engine.answer(table, wanted, schema=schema, where=plan.where, unit=unit)

    def find() -> Sources:
        policy = facts.preview_policy(state.database)
        if policy is not PreviewPolicy.TRUE:
            raise previews.not_allowed(policy)
        (rows,) = ask([TallyQuery()], plan.schema, plan.unit)
        return sources(made.price, int(np.asarray(rows.values)), ask)

    new = [query for query in made.queries if query not in known]
    found = {tally.query: tally.values for tally in (ask(new, plan.schema, plan.unit) if new else ())}
    tallies = {query: found[query] if query in found else known[query] for query in made.queries}
    return Held(
        plan=plan, location=location, tallies=tallies, ask=_again(engine, table, made), invented=None, sources=find
    )


def _made_up(made: Bench) -> Held:
    """The tallies of a made-up table, in an engine of its own that knows no other."""
    plan, engine = made.plan, Engine()
    table = engine.hold(lookalike(plan))
    found = engine.answer(table, made.queries, schema=plan.schema, where=plan.where, unit=plan.unit)
    tallies = {tally.query: tally.values for tally in found}
    again, none = _again(engine, table, made), lambda: None
    return Held(plan=plan, location="", tallies=tallies, ask=again, invented=rows_of(plan), sources=none)


def _again(engine: Engine | Warehouse, table: Table, made: Bench) -> Ask:
    """What answers later rounds, at any ε: of the rows that were looked at first."""
    plan = made.plan

    def ask(wanted: Sequence[Query]) -> list[Tally | Discovery]:
        return engine.answer(table, wanted, schema=plan.schema, where=plan.where, unit=plan.unit, after=made.queries)

    return ask
