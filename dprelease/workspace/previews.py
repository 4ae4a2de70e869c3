"""Looking at a plan before it is published: its price, previews, what they may show, and what came after them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dprelease.errors import InputError
from dprelease.model.actor import Actor
from dprelease.model.certificate import StatedPreviews
from dprelease.model.difference import Change, changes
from dprelease.model.plan import Plan
from dprelease.model.preview_policy import PreviewPolicy
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.tally import Query, TallyQuery
from dprelease.statistics.answer import queries
from dprelease.statistics.planning.price import Price, price
from dprelease.store import datasets, facts, plans, populations, previews
from dprelease.store.previews import Taken
from dprelease.table import Discovery, Engine, Tally
from dprelease.workspace.circumstances import told_of_previews
from dprelease.workspace.lookalike import lookalike, rows_of
from dprelease.workspace.operations import Operations
from dprelease.workspace.preview import Preview, simulate
from dprelease.workspace.sources import sources as find_sources
from dprelease.workspace.state import State


@dataclass(frozen=True, kw_only=True)
class SincePreview:
    """What was changed between a preview and a plan that was submitted after it. Never a value."""

    taken: Taken
    changes: tuple[Change, ...] | None
    """None where an earlier version took the preview, which did not keep its plan."""


class Previews(Operations):
    """What a plan would cost and show. Previews spend nothing and store nothing but that they were taken."""

    def price(self, plan: Plan, *, actor: Actor | None = None) -> Price:
        """Mechanism, scale, loss and expected error of each statistic. Reads no rows.

        Raises PlanError where the plan contradicts its dataset or population.
        """
        self._act("price", actor)
        return price_for(self._state, plan)

    def preview(self, plan: Plan, draws: int = 200, *, sources: bool = False, actor: Actor | None = None) -> Preview:
        """True values beside simulated ones, for the curator. Spends nothing, stores nothing but that it was taken.

        `sources`: also how much of the error is noise, bounds and rows left out. Under the policy `blind` everything
        is of a made-up table and no rows are read; under `none` InputError is raised.
        """
        acting = self._act("preview", actor)
        policy = self.preview_policy
        if policy is PreviewPolicy.NONE:
            raise previews.not_allowed(policy)
        priced = price_for(self._state, plan)
        if policy is PreviewPolicy.BLIND:
            return _blind(priced, draws)
        dataset, location = datasets.get(self._state.database, plan.dataset)
        previews.take(self._state.database, priced.plan, dataset, actor=acting)
        table, where, engine = self._state.table(location), priced.plan.where, self._state.engine_of(location)

        def ask(wanted: Sequence[Query], schema: Schema, unit: PrivacyUnit) -> list[Tally | Discovery]:
            return engine.answer(table, wanted, schema=schema, where=where, unit=unit)

        wanted = dict.fromkeys([*queries(priced), TallyQuery()])
        tallies = ask(list(wanted), priced.plan.schema, priced.plan.unit)
        found = None
        if sources:
            (rows,) = (tally.values for tally in tallies if tally.query == TallyQuery())
            found = find_sources(priced, int(np.asarray(rows)), ask)
        return simulate(priced, tallies, draws, sources=found)

    @property
    def preview_policy(self) -> PreviewPolicy:
        """What previews show here: `true` values, those of a made-up table (`blind`), or nothing (`none`)."""
        return facts.preview_policy(self._state.database)

    def set_preview_policy(self, policy: str, *, actor: Actor | None = None) -> None:
        """Decides what previews show from now on. Going back is possible, and stays in the ledger like every change."""
        acting = self._act("set_preview_policy", actor)
        report = Report()
        chosen = report.choice(policy, "previews", [each.value for each in PreviewPolicy])
        report.raise_any(InputError)
        facts.set_preview_policy(self._state.database, PreviewPolicy(chosen or ""), actor=acting)

    def told_of_previews(self, plan: Plan, *, actor: Actor | None = None) -> StatedPreviews:
        """What a certificate would say of previews, were the plan submitted and published now."""
        self._act("told_of_previews", actor)
        complete = price_for(self._state, plan).plan
        dataset, _ = datasets.get(self._state.database, plan.dataset)
        plan_id = plans.identify(complete, dataset.version)
        return told_of_previews(self._state, plan_id, complete.hash, dataset)

    def changes_since_preview(self, plan_id: str, *, actor: Actor | None = None) -> list[SincePreview]:
        """What a submitted plan has otherwise than the first and the last plan previewed before it, in that order.

        Of the same population, whatever the dataset; nothing where no true values were previewed before.
        """
        self._act("changes_since_preview", actor)
        record = plans.get(self._state.database, plan_id)
        dataset, _ = datasets.get(self._state.database, record.dataset)
        return [
            SincePreview(taken=taken, changes=None if taken.plan is None else changes(taken.plan, record.mapping))
            for taken in previews.before_plan(self._state.database, dataset.population, plan_id)
        ]


def price_for(state: State, plan: Plan) -> Price:
    """The price of a plan, complete with its columns. Raises PlanError where it contradicts what is registered."""
    dataset, _ = datasets.get(state.database, plan.dataset)
    population = populations.get(state.database, dataset.population)
    dataset.check(plan, population)
    return price(dataset.completed(plan), dataset.schema, currency=population.currency)


def _blind(priced: Price, draws: int) -> Preview:
    """A preview of a made-up table, in an engine of its own that knows no other."""
    plan, engine = priced.plan, Engine()
    table = engine.hold(lookalike(plan))
    tallies = engine.answer(table, queries(priced), schema=plan.schema, where=plan.where, unit=plan.unit)
    return simulate(priced, tallies, draws, invented=rows_of(plan))
