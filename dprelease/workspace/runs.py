"""The operations on runs: one charge for all editions of a plan, and each edition when its period is over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, overload

from dprelease.errors import InputError, InternalError, PlanError
from dprelease.model.actor import Actor
from dprelease.model.calendar import GIVEN_UP
from dprelease.model.encoding import canonical, digest
from dprelease.model.plan import Plan
from dprelease.model.population import Dataset
from dprelease.model.release import Release
from dprelease.model.report import Report
from dprelease.model.version import VERSION
from dprelease.statistics.planning.price import Price, price_of
from dprelease.store import datasets, plans, populations, runs
from dprelease.store.releases import Publication, ReleaseState, kept_round
from dprelease.store.runs import GONE, OpenedRun
from dprelease.words import phrase
from dprelease.workspace.calendar import Sealing, announced
from dprelease.workspace.embargo import EmbargoedRelease, as_shown
from dprelease.workspace.jobs import Job, Reached
from dprelease.workspace.operations import Noun
from dprelease.workspace.plans import ready
from dprelease.workspace.publish import carried_out, certified_price, losses, slug
from dprelease.workspace.state import State


class Runs(Noun):
    """Runs: the same tables for each of many periods, under one charge."""

    _listed, _heads = "runs", ("run", "plan", "published", "next")

    def _rows(self) -> list[tuple[str, ...]]:
        found = runs.every_run(self._state.database)
        return [(each.name, each.plan.id, _how_far(each), next(iter(each.open_periods), "")) for each in found]

    def open(self, plan: Plan | str, *, actor: Actor | None = None) -> OpenedRun:
        """Charge all editions of a plan's run at once; no row is read. The same plan again gives the run that it has.

        In a team it takes the approval of the plan, once. Raises InsufficientBudgetError where it does not fit.
        """
        acting = self._act("open_run", actor)
        state = self._state
        state.check_continues()
        plan_id = ready(state, plan, anew=False, actor=actor)
        record = plans.get(state.database, plan_id)
        dataset, location = datasets.get(state.database, record.dataset)
        population = populations.get(state.database, dataset.population)
        priced = price_of(record.plan, population.currency, population.discovers)
        if priced.plan.run is None:
            raise PlanError("run", found=phrase("model.nothing"), allowed=phrase("model.run_none"))
        if not all(each.edition_loss.within(priced.edition_loss) for each in priced.shapes if not _is_solved(priced)):
            raise InternalError("an edition of a run costs more than the one that was priced")
        dataset.check(priced.plan.whole, population)
        state.check_before_charge(location, priced)
        return runs.open_run(
            state.database,
            plan_id,
            priced.loss,
            actor=acting,
            name=slug(priced.plan.title or dataset.name),
            hashes=priced.edition_hashes,
            body={"mechanisms": losses(priced), "version": VERSION, "columns": _columns(state, priced.plan, dataset)},
        )

    @overload
    def publish(
        self, name: str, period: str | None = None, *, due: None = None, actor: Actor | None = None
    ) -> Release: ...

    @overload
    def publish(
        self,
        name: str,
        period: str | None = None,
        *,
        due: str | datetime,
        readers: Sequence[Mapping[str, Any]] = (),
        untitled: bool = False,
        actor: Actor | None = None,
    ) -> EmbargoedRelease: ...

    def publish(
        self,
        name: str,
        period: str | None = None,
        *,
        due: str | datetime | None = None,
        readers: Sequence[Mapping[str, Any]] = (),
        untitled: bool = False,
        actor: Actor | None = None,
    ) -> Release | EmbargoedRelease:
        """Publish one edition; a period that is published gives the same release. Nothing is spent.

        `period`: by default the last one that is over and can begin, or else was published last; what was begun is
        finished first. Raises InputError for a period that is not over, is closed, or is not the run's.
        `due`, `readers`, `untitled`: as of any release. No other edition of the run begins before that hour.
        """
        acting = self._act("publish", actor)
        sealing = Sealing.read(self._state, due, readers, untitled=untitled)
        release = publish_edition(self._state, name, period, actor=acting, sealing=sealing)
        return as_shown(self._state, release)

    def start(
        self,
        name: str,
        period: str | None = None,
        *,
        due: str | datetime | None = None,
        readers: Sequence[Mapping[str, Any]] = (),
        untitled: bool = False,
        actor: Actor | None = None,
    ) -> Job:
        """Publish an edition in the background, as `publish`, unless one of the run is under way."""
        acting = self._act("publish", actor)
        sealing = Sealing.read(self._state, due, readers, untitled=untitled)
        plan_id = runs.get_run(self._state.database, name).plan.id

        def work(reached: Reached) -> str:
            told: dict[str, Any] = {"reached": reached, "paced": True, "sealing": sealing}
            return publish_edition(self._state, name, period, actor=acting, **told).id

        return self._state.jobs.start(plan_id, acting.name, work)

    def abandon(self, name: str, period: str, reason: str, *, actor: Actor | None = None) -> OpenedRun:
        """Give an edition up that was begun and not drawn, for ever. `reason`: one of `GIVEN_UP`."""
        acting = self._act("end_run", actor)
        return runs.abandon(self._state.database, name, period, _reason(reason), actor=acting)

    def end(self, name: str, reason: str, *, actor: Actor | None = None) -> OpenedRun:
        """End a run early, for ever. Nothing is given back. `reason`: one of `GIVEN_UP`."""
        acting = self._act("end_run", actor)
        return runs.end(self._state.database, name, _reason(reason), actor=acting)

    def find(self, *, actor: Actor | None = None) -> list[OpenedRun]:
        """Return all runs, the last one opened first."""
        self._act("runs", actor)
        return runs.every_run(self._state.database)

    def get(self, name: str, *, actor: Actor | None = None) -> OpenedRun:
        """Return one run. Raises InputError where there is none of that name."""
        self._act("runs", actor)
        return runs.get_run(self._state.database, name)


def _is_solved(priced: Price) -> bool:
    return any(item.statistic.target_error is not None for item in priced.statistics)


def _how_far(run: OpenedRun) -> str:
    published = sum(each.state is ReleaseState.PUBLISHED for each in run.editions)
    return f"{published} of {len(run.recurrence.periods)}"


def _reason(reason: str) -> str:
    report = Report()
    chosen = report.choice(reason, "reason", GIVEN_UP)
    report.raise_any(InputError)
    return chosen or ""


def _today() -> date:
    return datetime.now(UTC).date()


def due(run: OpenedRun, today: date) -> str | None:
    """Return the period to publish next, on some day; None where none is over, or one waits for its hour."""
    if run.unfinished is not None:
        return run.unfinished.period
    if run.embargoed is not None:
        return None
    return next((name for name in run.open_periods if run.recurrence.days(name)[1] < today), None)


def publish_edition(
    state: State,
    name: str,
    period: str | None,
    *,
    actor: Actor,
    reached: Reached = lambda stage: None,
    paced: bool = False,
    sealing: Sealing | None = None,
) -> Release:
    """Publish an edition, or finish what a crash interrupted: as `publish`, and under the run's one charge.

    What begins is durable before a row is read; from then on the same call goes on where it stopped.
    """
    state.check_continues()
    with state.database.reading():
        _ = state.keys.current
        run = runs.get_run(state.database, name)
        chosen = period or due(run, _today()) or next((each.period for each in reversed(run.editions)), None)
        if chosen is None:
            chosen = next(iter(run.open_periods), run.recurrence.last)
        if chosen not in run.recurrence.periods:
            raise InputError("period", found=chosen, allowed=run.recurrence.allowed)
        record = run.plan
        dataset, location = datasets.get(state.database, record.dataset)
        population = populations.get(state.database, dataset.population)
    limits, begun = state.policy().grades, run.edition(chosen)
    plan = Plan.parse(record.mapping)
    priced = price_of(canonical(plan.edition(chosen).to_mapping()).decode(), population.currency, population.discovers)
    if begun is None or begun.state in (ReleaseState.CHARGED, *GONE):
        _check_over(run, chosen)
        dataset.check(priced.plan, population)
        _check_columns(run, _columns(state, plan, dataset))
        state.check_before_charge(location, priced, charged=True)
    hash_ = priced.mechanisms_hash
    last = runs.begin(
        state.database,
        name,
        chosen,
        priced.loss,
        hash=hash_,
        actor=actor,
        body=None if sealing is None else sealing.facts,
        announced=None if sealing is None else announced(state, priced.plan, sealing),
    )
    _check_rows(state, last, dataset.version)
    if last.certificate is not None:
        priced = certified_price(last.certificate)
    return carried_out(
        state, last, record, dataset, location, priced, limits, actor=actor, reached=reached, paced=paced
    )


def finish_edition(state: State, publication: Publication, *, actor: Actor, paced: bool) -> Release:
    """Finish an edition that was interrupted."""
    body = publication.charge.body
    return publish_edition(state, body["run"], body["edition"], actor=actor, paced=paced)


def _check_over(run: OpenedRun, period: str) -> None:
    """Raise InputError where a period is not over: half a month would use up its edition."""
    last = run.recurrence.days(period)[1]
    if not last < _today():
        found = phrase("workspace.period_not_over", period=period)
        raise InputError("period", found=found, allowed=phrase("workspace.period_after", day=last.isoformat()))


def _columns(state: State, plan: Plan, dataset: Dataset) -> str:
    """Return a digest of all by which rows are read for a plan: columns, the identifier and the layout of files."""
    names = [name for name in plan.schema.columns if name in dataset.schema]
    layout = datasets.layout(state.database, dataset.name)
    return digest(
        {
            "columns": {name: dataset.schema[name].to_mapping() for name in names},
            "unit": [dataset.unit_column, *dataset.unit_codes],
            "layout": None if layout is None else layout.to_mapping(),
        }
    )


def _check_columns(run: OpenedRun, now: str) -> None:
    """Raise PlanError where rows would be read otherwise than when the run was opened."""
    if now != run.charge.body["columns"]:
        found = phrase("workspace.run_columns_changed", dataset=run.plan.dataset)
        remedy = phrase("workspace.run_declare_again")
        raise PlanError("columns", found=found, allowed=phrase("workspace.run_columns"), remedy=remedy)


def _check_rows(state: State, publication: Publication, version: str) -> None:
    """Raise PlanError where a draw in rounds began on rows that were replaced since: its later ones need the same."""
    if publication.state is not ReleaseState.CHARGED or publication.charge.body["dataset_version"] == version:
        return
    if kept_round(state.database, publication.id, 0) is not None:
        found = phrase("store.rows_were_replaced_since", dataset=publication.charge.body["dataset"])
        remedy = phrase("workspace.run_give_up")
        raise PlanError("dataset", found=found, allowed=phrase("workspace.rows_of_first_round"), remedy=remedy)
