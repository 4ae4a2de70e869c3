"""The operations of programs at a distance, from public facts alone: before a charge nothing here reaches a row."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from typing import Any

from dprelease.errors import (
    AccessError,
    BudgetError,
    InputError,
    InsufficientBudgetError,
    NotFoundError,
    RefusalError,
    WaitingError,
)
from dprelease.model.actor import Actor, Role
from dprelease.model.plan import Plan
from dprelease.model.population import Dataset
from dprelease.model.privacy import Currency, PrivacyLoss, decimal_text
from dprelease.statistics.planning import criteria
from dprelease.statistics.planning.price import Price, price_of
from dprelease.store import account, datasets, plans, populations, releases, remarks, remote, submitted, terms, tokens
from dprelease.store.account import Account, loss_text
from dprelease.store.facts import WorkspaceMode
from dprelease.store.plans import PlanRecord
from dprelease.store.releases import DONE, ReleaseState
from dprelease.store.remote import RepeatableRequest, Reply
from dprelease.words import phrase
from dprelease.workspace.access import PROFILES
from dprelease.workspace.jobs import Reached, remote_hold, until_next
from dprelease.workspace.operations import Operations, read_text
from dprelease.workspace.plans import check_period
from dprelease.workspace.previews import price_for
from dprelease.workspace.publish import publish

MOST_PLANS = 5000
"""Plans that one person may hand in."""
RUNNING = "running"
Told = dict[str, Any]


class BusyError(RefusalError):
    """Another publication of the same person is under way."""


class Remote(Operations):
    """Work at a distance: columns, prices, own plans, own publications. What it answers is JSON."""

    def _enter(self, operation: str, actor: Actor | None) -> Actor:
        acting = self._act(operation, actor)
        if self._mode is WorkspaceMode.SOLO:
            raise AccessError(phrase("remote.needs_team"))
        return acting

    def me(self, *, actor: Actor | None = None) -> Told:
        """Return who acts, and what for: name, operations, dataset, and when the token ends."""
        acting = self._enter("remote_read", actor)
        own = PROFILES["publish"] if acting.scope is None else acting.scope & PROFILES["publish"]
        ends = None if acting.token is None else tokens.get(self._state.database, acting.token).expires
        return {"name": acting.name, "operations": sorted(own), "dataset": acting.dataset, "expires": ends}

    def schema(self, *, actor: Actor | None = None) -> Told:
        """Return the JSON Schema of a plan."""
        self._enter("remote_read", actor)
        found: Told = json.loads(files("dprelease.model").joinpath("plan.schema.json").read_text("utf-8"))
        return found

    def datasets(self, *, actor: Actor | None = None) -> list[Told]:
        """Return the public part of the datasets that are open to somebody."""
        return [self._described(each) for each in self._open(self._enter("remote_read", actor)).values()]

    def dataset(self, name: str, *, actor: Actor | None = None) -> Told:
        """Return the public part of one dataset. Raises NotFoundError where there is none, or it is not open."""
        return self._described(_one(self._open(self._enter("remote_read", actor)), name))

    def budget(self, population: str, *, actor: Actor | None = None) -> Told:
        """Return cap, spending and rest of a population of which a dataset is open."""
        known = {each.population for each in self._open(self._enter("remote_read", actor)).values()}
        _one(dict.fromkeys(known, population), population)
        return self._told(account.account(self._state.database, population))

    def price(self, plan: Plan, *, actor: Actor | None = None) -> Told:
        """Return the complete plan with its price, and the budget after it."""
        acting = self._enter("remote_price", actor)
        priced, dataset = self._priced(plan, acting)
        now = account.account(self._state.database, dataset.population)
        after = replace(now, spent=now.spent + priced.loss, charges=now.charges + 1)
        counted = {"currency": priced.currency.value, "discovers": priced.discovers}
        told = {"plan": priced.plan.whole.to_mapping(), **counted, "price": priced.to_mapping()}
        return {**told, "fits": now.covers(priced.loss), "after": self._told(after)}

    def submit(self, plan: Plan, *, request: RepeatableRequest, actor: Actor | None = None) -> tuple[Reply, bool]:
        """Hand in a plan; return it, and True where this repeats a request. No table is opened for it."""
        acting = replace(self._enter("remote_submit", actor), request=request.key[:16])
        database = self._state.database
        if (found := remote.reply(database, acting.name, request)) is not None:
            return found, True
        priced, dataset = self._priced(plan, acting)
        check_period(plan, priced.plan)
        criteria.check(priced)

        def act() -> Reply:
            known = submitted.find(database, dataset=dataset.name, plan_hash=priced.plan.whole.hash)
            same = next((each for each in known if each.dataset_version == dataset.version), None)
            if same is not None and same.author != acting.name:
                said = phrase("remote.plan_of_somebody_else")
                raise InputError("plan", found=said, allowed=phrase("remote.plan_of_ones_own"))
            if same is None and submitted.count(database, acting.name) >= MOST_PLANS:
                allowed = phrase("model.at_most", max_text=MOST_PLANS)
                raise InputError("plans", found=phrase("remote.too_many_plans"), allowed=allowed)
            return self._plan(plans.add(database, priced.plan.whole, dataset.version, author=acting))

        return remote.once(database, acting.name, request, act)

    def plans(self, *, actor: Actor | None = None) -> list[Told]:
        """Return the latest hundred of one's own plans, in the order of submission."""
        acting = self._enter("remote_read", actor)
        found = submitted.find(self._state.database, author=acting.name, latest=remote.MOST)
        return [self._plan(each) for each in found if each.dataset in self._open(acting)]

    def plan(self, plan_id: str, *, actor: Actor | None = None) -> Told:
        """Return one of one's own plans, its state, and why no approval holds, where none does."""
        return self._plan(self._own(plan_id, self._enter("remote_read", actor)))

    def remarks(self, plan_id: str, *, actor: Actor | None = None) -> list[Told]:
        """Return the remarks on one of one's own plans and on its earlier versions."""
        record = self._own(plan_id, self._enter("remote_read", actor))
        return [_remark(each) for each in remarks.remarks(self._state.database, record.id)]

    def answer(
        self, plan_id: str, remark_id: str, text: str, *, request: RepeatableRequest, actor: Actor | None = None
    ) -> tuple[Reply, bool]:
        """Answer a remark on one of one's own plans; return it, and True where this repeats a request."""
        acting = replace(self._enter("remote_submit", actor), request=request.key[:16])
        record, said, database = self._own(plan_id, acting), read_text(text, "text"), self._state.database

        def act() -> Reply:
            return _remark(remarks.answer(database, record.id, remark_id, said, actor=acting))

        return remote.once(database, acting.name, request, act)

    def publish(self, plan_id: str, *, request: RepeatableRequest, actor: Actor | None = None) -> tuple[Reply, bool]:
        """Begin to publish one of one's own approved plans; return its state, and True where this repeats a request.

        The key is kept in the transaction that charges. Another key for the same plan charges nothing more.
        """
        acting = replace(self._enter("remote_publish", actor), request=request.key[:16])
        record, state = self._own(plan_id, acting), self._state
        reply = {"plan": record.id, "state": RUNNING}
        if (found := remote.reply(state.database, acting.name, request)) is not None:
            return found, True
        if any(each.runs and each.by == acting.name and each.plan_id != record.id for each in state.jobs.all()):
            raise BusyError(phrase("remote.one_publication_at_a_time"))
        begun = releases.of_plan(state.database, record.id)
        if begun and begun[-1].state in DONE:
            return remote.once(state.database, acting.name, request, lambda: reply)
        priced = self._price(record)
        if not begun:
            self._check_charge(record, priced)
        location = datasets.get(state.database, record.dataset)[1]

        def work(reached: Reached) -> str:
            if not begun:
                state.rehearse(location, priced)
            kept = None if begun else _keeper(acting, request, reply)
            options: Told = {"again": False, "supersedes": None, "reached": reached, "paced": True, "kept": kept}
            return publish(state, record.id, actor=acting, **options).id

        state.jobs.start(record.id, acting.name, lambda reached: _held(lambda: work(reached)))
        return reply, False

    def publication(self, plan_id: str, *, actor: Actor | None = None) -> Told:
        """Return how far the publication of one of one's own plans is, in nothing but fixed steps of time."""
        record, state = self._own(plan_id, self._enter("remote_read", actor)), self._state
        job = next((each for each in state.jobs.all() if each.plan_id == record.id), None)
        last = next(iter(reversed(releases.of_plan(state.database, record.id))), None)
        if job is not None and job.runs:
            return {"plan": record.id, "state": RUNNING}
        if last is not None and last.state is ReleaseState.PUBLISHED:
            address = f"/api/releases/{last.id}"
            return {"plan": record.id, "state": "published", "release": last.id, "address": address}
        if last is not None and last.state is ReleaseState.EMBARGOED:
            return {"plan": record.id, "state": "embargoed"}
        if last is None and job is None:
            raise absent()
        error = None if job is None or last is not None else job.error
        code = "no_budget" if isinstance(error, BudgetError) else "refused"
        why = code if isinstance(error, AccessError | BudgetError) else "failed_here"
        return {"plan": record.id, "state": "failed", "code": why, "charged": last is not None}

    def events(self, after: int = 0, *, actor: Actor | None = None) -> list[Told]:
        """Return a hundred events of one's own plans and releases, from the one after a number on."""
        acting = self._enter("remote_read", actor)
        return remote.events(self._state.database, acting.name, self._open(acting), after)

    def _open(self, acting: Actor) -> dict[str, Dataset]:
        """Return the datasets that somebody works with: an analyst those that were opened, a token its own."""
        found = {each.name: each for each in datasets.every(self._state.database)}
        is_staff, only = Role.CURATOR in acting.roles, acting.dataset
        return {key: is_ for key, is_ in found.items() if (is_staff or is_.analysts) and only in (None, key)}

    def _own(self, plan_id: str, acting: Actor) -> PlanRecord:
        """Return one's own plan about a dataset that is open. Raises NotFoundError, alike for all that is not."""
        try:
            record = plans.get(self._state.database, plan_id)
        except NotFoundError:
            raise absent() from None
        if record.author != acting.name or record.dataset not in self._open(acting):
            raise absent()
        return record

    def _priced(self, plan: Plan, acting: Actor) -> tuple[Price, Dataset]:
        dataset = _one(self._open(acting), plan.dataset)
        return price_for(self._state, plan), dataset

    def _price(self, record: PlanRecord) -> Price:
        of = populations.get(self._state.database, datasets.get(self._state.database, record.dataset)[0].population)
        return price_of(record.plan, of.currency, of.discovers)

    def _check_charge(self, record: PlanRecord, priced: Price) -> None:
        """Raise WaitingError or InsufficientBudgetError where a charge would be refused by what is known now."""
        database = self._state.database
        if "run" in record.mapping:
            found, allowed = phrase("store.plan_with_run"), phrase("store.plan_without_run")
            raise InputError("run", found=found, allowed=allowed, remedy=phrase("store.run_open_it"))
        lapsed = plans.lapse(database, record.id, priced.loss)
        if lapsed is not None:
            raise WaitingError(phrase("store.needs_approval", plan=record.id, lapsed=lapsed), record.id)
        now = account.account(database, datasets.get(database, record.dataset)[0].population)
        if not now.covers(priced.loss):
            asked = loss_text(priced.loss, now.currency)
            raise InsufficientBudgetError(now.population, requested=asked, remaining=now.remaining_text)

    def _plan(self, record: PlanRecord) -> Told:
        lapsed = plans.lapse(self._state.database, record.id, self._price(record).loss)
        told = {"plan": record.id, "dataset": record.dataset, "state": record.state.value, "submitted": record.created}
        return {**told, "content": record.mapping, "waits": None if lapsed is None else str(lapsed)}

    def _described(self, dataset: Dataset) -> Told:
        population = populations.get(self._state.database, dataset.population)
        return {
            "name": dataset.name,
            "population": population.name,
            "unit": population.unit,
            "neighbors": population.neighbors.value,
            "size": population.size,
            "unit_column": dataset.unit_column,
            "unit_codes": list(dataset.unit_codes),
            "max_rows": terms.get(self._state.database, dataset.name).max_rows,
            "columns": dataset.schema.to_mapping(),
        }

    def _told(self, now: Account) -> Told:
        population = populations.get(self._state.database, now.population)
        amounts = {"cap": now.cap, "spent": now.spent, "remaining": now.remaining}
        about = {"population": now.population, "unit": population.unit, "neighbors": population.neighbors.value}
        counted = {"currency": now.currency.value, "period": now.period, "charges": now.charges}
        return {**about, **counted, **{name: _loss(each, now.currency) for name, each in amounts.items()}}


def absent() -> NotFoundError:
    """Return the one error for what is not there, not open or somebody else's."""
    return NotFoundError("address", found=phrase("model.nothing"), allowed=phrase("remote.of_ones_own"))


def _one(found: dict[str, Any], name: str) -> Any:
    if name not in found:
        raise absent()
    return found[name]


def _loss(loss: PrivacyLoss, currency: Currency) -> Told:
    spent = {"epsilon": loss.epsilon} if currency is Currency.PURE else {"rho": loss.rho}
    return {name: decimal_text(amount) for name, amount in {**spent, "delta": loss.delta}.items()}


def _remark(remark: remarks.Remark) -> Told:
    said = [{"by": each.by, "text": each.text} for each in (remark.said, *remark.answers)]
    return {"id": remark.id, "plan": remark.plan_id, "on": remark.on, "open": remark.is_open, "said": said}


def _keeper(acting: Actor, request: RepeatableRequest, reply: Reply) -> Callable[[Any], None]:
    return lambda connection: remote.keep_within(connection, acting.name, request, reply)


def _held(work: Callable[[], str]) -> str:
    """Do the work; what failed by what only this machine knows shows at a moment that tells nothing of it."""
    began = time.monotonic()
    try:
        return work()
    except (AccessError, BudgetError):
        raise
    except Exception:
        time.sleep(until_next(time.monotonic() - began, remote_hold()))
        raise
