"""What a plan would cost and show, before it is published. Nothing here is charged or stored but that it was shown."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dprelease.model.actor import Actor
from dprelease.model.plan import Plan
from dprelease.model.preview_policy import PreviewPolicy
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import Query, TallyQuery
from dprelease.statistics.answer import queries
from dprelease.statistics.planning.price import Price, price
from dprelease.store import datasets, facts, populations, previews
from dprelease.table import Discovery, Engine, Tally
from dprelease.workspace.lookalike import lookalike, rows_of
from dprelease.workspace.preview import Preview, simulate
from dprelease.workspace.sources import sources as find_sources
from dprelease.workspace.state import State


def price_for(state: State, plan: Plan) -> Price:
    """The price of a plan, complete with its columns. Raises PlanError where it contradicts what is registered."""
    dataset, _ = datasets.get(state.database, plan.dataset)
    population = populations.get(state.database, dataset.population)
    dataset.check(plan, population)
    return price(dataset.completed(plan), dataset.schema, currency=population.currency)


def look(state: State, plan: Plan, draws: int, *, sources: bool, actor: Actor) -> Preview:
    """A preview as the policy of the workspace has it, of which the ledger is told first."""
    policy = facts.preview_policy(state.database)
    if policy is PreviewPolicy.NONE:
        raise previews.not_allowed(policy)
    priced = price_for(state, plan)
    if policy is PreviewPolicy.BLIND:
        return _blind(priced, draws)
    dataset, location = datasets.get(state.database, plan.dataset)
    previews.take(state.database, priced.plan, dataset, actor=actor)
    table, where, engine = state.table(location), priced.plan.where, state.engine_of(location)

    def ask(wanted: Sequence[Query], schema: Schema, unit: PrivacyUnit) -> list[Tally | Discovery]:
        return engine.answer(table, wanted, schema=schema, where=where, unit=unit)

    wanted = dict.fromkeys([*queries(priced), TallyQuery()])
    tallies = ask(list(wanted), priced.plan.schema, priced.plan.unit)
    found = None
    if sources:
        (rows,) = (tally.values for tally in tallies if tally.query == TallyQuery())
        found = find_sources(priced, int(np.asarray(rows)), ask)
    return simulate(priced, tallies, draws, sources=found)


def _blind(priced: Price, draws: int) -> Preview:
    """A preview of a made-up table, in an engine of its own that knows no other."""
    plan, engine = priced.plan, Engine()
    table = engine.hold(lookalike(plan))
    tallies = engine.answer(table, queries(priced), schema=plan.schema, where=plan.where, unit=plan.unit)
    return simulate(priced, tallies, draws, invented=rows_of(plan))
