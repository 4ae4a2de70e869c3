"""Publication: charge, look, draw, seal, write, announce. Each step is safe to repeat after a crash."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

from dprelease.model.actor import Actor
from dprelease.model.population import Dataset
from dprelease.model.privacy import Currency
from dprelease.model.release import Release
from dprelease.statistics import Plan
from dprelease.statistics.answer import draw, exact, tables
from dprelease.statistics.price import Price, price
from dprelease.store import datasets, ledger, plans, populations, releases
from dprelease.store.event import EventKind
from dprelease.store.plans import PlanRecord
from dprelease.store.releases import Publication, ReleaseState
from dprelease.table.engine import check_columns
from dprelease.workspace.certificate import Charge, certificate
from dprelease.workspace.state import State


def publish(state: State, plan_id: str, *, again: bool, actor: Actor) -> Release:
    """Publishes an approved plan, or finishes what a crash interrupted; a published plan gives the same release.

    The charge is durable before the first row is read, and nothing that follows gives it back: after a failure, the
    same call goes on where it stopped.
    """
    with state.database.reading():
        record = plans.get(state.database, plan_id)
        dataset, location = datasets.get(state.database, record.dataset)
        population = populations.get(state.database, dataset.population)
    priced = _priced(record.plan, population.currency)
    dataset.check(priced.plan, population)
    check_columns(state.table(location), priced.plan.schema, priced.plan.unit)

    title = priced.plan.title or dataset.name
    publication = releases.begin(state.database, plan_id, priced.loss, actor=actor, again=again, slug=slug(title))
    if publication.state is ReleaseState.CHARGED:
        facts = certificate(
            release_id=publication.id,
            price=priced,
            population=population,
            charge=_charge(publication),
            changed=changed_after_preview(state, record, dataset),
            published=datetime.now(UTC).date(),
        )
        tallies = state.tallies(location, priced, keep=True)
        drawn = json.dumps(draw(priced, exact(priced, tallies)), separators=(",", ":")).encode()
        text = json.dumps(facts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        publication = releases.seal(state.database, publication.id, drawn, text, actor=actor)
    release = _release(state, publication, priced)
    if publication.state is ReleaseState.SEALED:
        if state.home is not None:
            release.write(state.home.public)
        signature = state.key.sign((publication.certificate or "").encode())
        releases.publish(
            state.database,
            release.id,
            on=release.certificate["published"],
            actor=actor,
            body={"signer": state.key.fingerprint, "signature": signature.hex()},
        )
    return release


def _charge(publication: Publication) -> Charge:
    event = publication.charge
    assert event.spent is not None and event.charges is not None
    return Charge(seq=event.seq, hash=event.hash, spent=event.spent, charges=event.charges)


def load(state: State, publication: Publication) -> Release:
    """The release that a sealed publication stands for: a function of what was sealed."""
    record = plans.get(state.database, publication.plan_id)
    currency = json.loads(publication.certificate or "")["population"]["currency"]
    return _release(state, publication, _priced(record.plan, Currency(currency)))


@lru_cache(maxsize=256)
def _priced(plan: str, currency: Currency) -> Price:
    return price(Plan.parse(json.loads(plan)), currency=currency)


def _release(state: State, publication: Publication, priced: Price) -> Release:
    return Release(
        id=publication.id,
        certificate=json.loads(publication.certificate or ""),
        tables=tables(priced, json.loads(releases.payload(state.database, publication.id))),
        writer=lambda release, folder: _write(release, folder, state),
    )


def _write(release: Release, folder: Path, state: State) -> Path:
    from dprelease.bundle.write import write

    return write(release, folder, state.key)


def changed_after_preview(state: State, record: PlanRecord, dataset: Dataset) -> dict[str, bool]:
    """Whether plan or schema was created or changed after true values of the population were previewed.

    A plan counts as changed where any other plan was previewed before it was submitted.
    """
    declared = (EventKind.DATASET_REGISTERED, EventKind.SCHEMA_DECLARED)
    kinds = (EventKind.PREVIEW_TAKEN, EventKind.PLAN_SUBMITTED, *declared)
    changed = {"plan": False, "schema": False}
    previewed: set[str] = set()
    for event in ledger.events(state.database, population=dataset.population, kinds=kinds):
        if event.kind == EventKind.PREVIEW_TAKEN:
            previewed.add(event.body["plan_hash"])
        elif event.kind in declared and event.body["dataset"] == dataset.name:
            changed["schema"] = changed["schema"] or bool(previewed)
        elif event.kind == EventKind.PLAN_SUBMITTED and event.body["plan"] == record.id:
            changed["plan"] = bool(previewed - {record.plan_hash})
            return changed
    return changed


def slug(title: str) -> str:
    """A file name from a title: a to z, 0 to 9 and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40].strip("-") or "release"
