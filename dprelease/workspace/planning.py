"""The operations that help to make a plan. They read what is declared, never a row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np

from dprelease.accounting.epsilon_explained import Meaning, meaning
from dprelease.accounting.rho_conversion import together
from dprelease.errors import InputError
from dprelease.model.actor import Actor
from dprelease.model.difference import Change, changes
from dprelease.model.plan import Plan
from dprelease.model.preview_policy import PreviewPolicy
from dprelease.model.privacy import PrivacyUnit, read_epsilon
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.stated import GroupGuarantee, StatedPreviews
from dprelease.model.tally import Query, TallyQuery
from dprelease.statistics.answer import Ask
from dprelease.statistics.planning import criteria
from dprelease.statistics.planning.codebook import codebook as every_column
from dprelease.statistics.planning.criteria import Outlook
from dprelease.statistics.planning.figures import figures
from dprelease.statistics.planning.needed import needed_epsilon
from dprelease.statistics.planning.price import Price
from dprelease.store import datasets, facts, plans, populations, previews
from dprelease.store.previews import PreviewRecord
from dprelease.table import Discovery, Engine, Table, Tally
from dprelease.table.warehouse import Warehouse
from dprelease.verdict.certificate import GROUPS
from dprelease.words import phrase
from dprelease.workspace.bench import PriceLadder, bench
from dprelease.workspace.circumstances import told_of_previews
from dprelease.workspace.look import PlanPreview, Tallies, TrueTallies
from dprelease.workspace.operations import Operations
from dprelease.workspace.previews import lookalike, price_for, rows_of
from dprelease.workspace.reading_report import of_one_scan, reading
from dprelease.workspace.scans import seen
from dprelease.workspace.sources import Sources, sources, unclipped
from dprelease.workspace.state import State


def bench_for(state: State, plan: Plan) -> PriceLadder:
    """Return a plan's errors at each ε, from public facts. Raises PlanError where it contradicts what is registered."""
    priced = price_for(state, plan)
    dataset, _ = datasets.get(state.database, plan.dataset)
    return bench(priced, populations.get(state.database, dataset.population))


def take(state: State, plan: Plan, *, invented: bool, since: PlanPreview | None, actor: Actor) -> PlanPreview:
    """Return a look at true values as the policy of the workspace allows it, or at made-up ones.

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
        previews.take(state.database, made.plan.whole, dataset, actor=actor)
        known = {} if since is None else since.held.reusable(made.plan, location)
        held = _read(state, location, made, known)

    def complete(other: Plan) -> Plan:
        dataset.check(other, population)
        whole, run = dataset.completed(other).with_schema(dataset.schema), made.plan.run
        return whole if whole.run is None or whole.run.period or run is None else whole.edition(run.period)

    return PlanPreview(made, held, unit=population.unit, complete=complete)


def _read(state: State, location: str, made: PriceLadder, known: Tallies) -> TrueTallies:
    """Return the tallies of a private table: those that are known, and the others in one scan."""
    engine, plan = state.engine_of(location), made.plan
    table = seen(state.table(location), plan)

    def ask(wanted: Sequence[Query], schema: Schema, unit: PrivacyUnit) -> list[Tally | Discovery]:
        return engine.answer(table, wanted, schema=schema, where=plan.where, unit=unit)

    def find() -> Sources:
        policy = facts.preview_policy(state.database)
        if policy is not PreviewPolicy.TRUE:
            raise previews.not_allowed(policy)
        (rows,) = ask([TallyQuery()], plan.schema, plan.unit)
        return sources(made.price, int(np.asarray(rows.values)), ask)

    new: list[Query] = [query for query in made.queries if query not in known]
    answered = ask([*new, *of_one_scan(plan)], plan.schema, plan.unit)
    found = {tally.query: tally.values for tally in answered}
    tallies = {query: found[query] if query in found else known[query] for query in made.queries}
    return TrueTallies(
        plan=plan,
        location=location,
        tallies=tallies,
        ask=_again(engine, table, made),
        invented=None,
        sources=find,
        reading=reading(engine, table, plan, answered),
        unclipped=lambda: unclipped(made.price, ask),
    )


def _made_up(made: PriceLadder) -> TrueTallies:
    """Return the tallies of a made-up table, in an engine of its own that knows no other."""
    plan, engine = made.plan, Engine()
    table = engine.hold(lookalike(plan))
    found = engine.answer(table, made.queries, schema=plan.schema, where=plan.where, unit=plan.unit)
    tallies = {tally.query: tally.values for tally in found}
    again, none = _again(engine, table, made), lambda: None
    return TrueTallies(plan=plan, location="", tallies=tallies, ask=again, invented=rows_of(plan), sources=none)


def _again(engine: Engine | Warehouse, table: Table, made: PriceLadder) -> Ask:
    """Return the function that answers later rounds, at any ε, of the rows that were looked at first."""
    plan = made.plan

    def ask(wanted: Sequence[Query]) -> list[Tally | Discovery]:
        return engine.answer(table, wanted, schema=plan.schema, where=plan.where, unit=plan.unit, after=made.queries)

    return ask


@dataclass(frozen=True, kw_only=True)
class SincePreview:
    """Changes between a preview and a plan that was submitted after it. Never a value."""

    taken: PreviewRecord
    changes: tuple[Change, ...] | None
    """None where another copy of this ledger noted the preview."""


class Planning(Operations):
    """Meaning of ε, needs of an error, and a plan for a whole codebook."""

    def bench(self, plan: Plan, *, actor: Actor | None = None) -> PriceLadder:
        """Return what a plan costs and how far it may err at each ε up to its population's cap. Reads no rows."""
        self._act("price", actor)
        return bench_for(self._state, plan)

    def look(
        self, plan: Plan, *, invented: bool = False, since: PlanPreview | None = None, actor: Actor | None = None
    ) -> PlanPreview:
        """Return the true tables of a plan, and its noise at any ε, for the curator: told to the ledger, then one scan.

        `invented`: of a made-up table; then no row is read and the ledger is told nothing. `since`: an earlier look, of
        which tallies are used again. Raises InputError where the policy for previews does not allow it.
        """
        return take(self._state, plan, invented=invented, since=since, actor=self._act("preview", actor))

    def figures(self, plan: Plan, delta: Any, *, actor: Actor | None = None) -> Mapping[str, Any]:
        """Return what a plan comes to by other ways of adding up, at some δ: shown only, never charged or summed."""
        self._act("figures", actor)
        return figures(price_for(self._state, plan), float(delta))

    def meaning(self, priced: Price, *, actor: Actor | None = None) -> tuple[Meaning, tuple[GroupGuarantee, ...]]:
        """Return what a plan's guarantee means for one unit, and for units that belong together."""
        self._act("meaning", actor)
        groups = (together(priced.loss, priced.currency, priced.rho_delta_atto, size) for size in GROUPS)
        return meaning(float(priced.epsilon), float(priced.delta)), tuple(groups)

    def foreseen(self, priced: Price, *, actor: Actor | None = None) -> list[Outlook]:
        """Return the outlook of a plan's criteria: if they can be expected to hold."""
        self._act("foreseen", actor)
        return criteria.foreseen(priced)

    def needed_epsilon(self, plan: Plan, errors: Mapping[str, float], *, actor: Actor | None = None) -> Decimal:
        """Return the smallest ε of a plan at which each named statistic's expected error is at most as stated.

        Raises PlanError where there is none, or where an error needs `expected`.
        """
        self._act("needed_epsilon", actor)
        dataset, _ = datasets.get(self._state.database, plan.dataset)
        population = populations.get(self._state.database, dataset.population)
        dataset.check(plan, population)
        complete, counted = dataset.completed(plan), population.currency
        return needed_epsilon(complete, dataset.schema, counted, errors, discovers=population.discovers)

    def codebook(self, dataset: str, *, actor: Actor | None = None) -> list[dict[str, Any]]:
        """Return statistics for every declared column of a dataset, as in a plan file."""
        self._act("codebook_statistics", actor)
        found, _ = datasets.get(self._state.database, dataset)
        return every_column(found.schema, leaving_out=[found.unit_column] if found.unit_column else [])

    @property
    def preview_policy(self) -> PreviewPolicy:
        """Policy of previews here: `true` values, those of a made-up table (`blind`), or nothing (`none`)."""
        return facts.preview_policy(self._state.database)

    def set_preview_policy(self, policy: str, *, actor: Actor | None = None) -> None:
        """Decide what previews show from now on. Going back is possible, and stays in the ledger like every change."""
        acting = self._act("set_preview_policy", actor)
        report = Report()
        chosen = report.choice(policy, "previews", [each.value for each in PreviewPolicy])
        report.raise_any(InputError)
        facts.set_preview_policy(self._state.database, PreviewPolicy(chosen or ""), actor=acting)

    def told_of_previews(self, plan: Plan, *, actor: Actor | None = None) -> StatedPreviews:
        """Return what a certificate would say of previews, were the plan submitted and published now."""
        self._act("told_of_previews", actor)
        complete = price_for(self._state, plan).plan.whole
        dataset, _ = datasets.get(self._state.database, plan.dataset)
        plan_id = plans.identify(complete, dataset.version)
        return told_of_previews(self._state, plan_id, complete.hash, complete, dataset)

    def swept(
        self, plan: Plan, *, statistic: str, least: Any, most: Any, looks: int, actor: Actor | None = None
    ) -> None:
        """Note that somebody looked at true values of a statistic, so often, at ε from `least` to `most`.

        The workbench calls it when they are left and after each pause; a look has begun with `preview_taken`. Raises
        InputError where previews show no true values here, where no look began, and for a range that is none.
        """
        acting = self._act("preview", actor)
        complete, report = price_for(self._state, plan).plan.whole, Report()
        first, last = (read_epsilon(value, name, report) for name, value in (("least", least), ("most", most)))
        report.choice(statistic, "statistic", [each.id for each in complete.statistics])
        if last < first:
            report.add("most", found=most, allowed=phrase("workspace.no_less_than", least=least))
        if type(looks) is not int or looks < 1:
            report.add("looks", found=looks, allowed=phrase("workspace.one_or_more"))
        report.raise_any(InputError)
        dataset, _ = datasets.get(self._state.database, plan.dataset)
        sweep = previews.Sweep(statistic=statistic, epsilon_nano_from=first, epsilon_nano_to=last, looks=looks)
        previews.swept(self._state.database, complete, dataset, sweep, actor=acting)

    def changes_since_preview(self, plan_id: str, *, actor: Actor | None = None) -> list[SincePreview]:
        """Return what a submitted plan has otherwise than the first and the last plan previewed before it.

        Of the same population, whatever the dataset; nothing where no true values were previewed before.
        """
        self._act("changes_since_preview", actor)
        record = plans.get(self._state.database, plan_id)
        dataset, _ = datasets.get(self._state.database, record.dataset)
        return [
            SincePreview(taken=taken, changes=None if taken.plan is None else changes(taken.plan, record.mapping))
            for taken in previews.before_plan(self._state.database, dataset.population, plan_id)
        ]
