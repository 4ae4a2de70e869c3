"""Publication: charge, look, draw, seal, write, announce. Each step is safe to repeat after a crash."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from dprelease.bundle.history import entry
from dprelease.bundle.listing import facts_of
from dprelease.bundle.outputs import outputs_hash, release_files
from dprelease.bundle.signing import SigningKey
from dprelease.bundle.write import remove_abandoned
from dprelease.errors import DPReleaseError, InputError
from dprelease.model.actor import Actor
from dprelease.model.population import Dataset, Population
from dprelease.model.privacy import Currency
from dprelease.model.release import Release, is_withheld
from dprelease.model.version import VERSION
from dprelease.statistics import Plan
from dprelease.statistics.answer import draw, exact, tables
from dprelease.statistics.criteria import judge
from dprelease.statistics.price import Price, price
from dprelease.store import checkpoints, datasets, notices, plans, populations, previews, releases
from dprelease.store.connection import Connection
from dprelease.store.event import LedgerEvent
from dprelease.store.plans import PlanRecord
from dprelease.store.registered import registered_within
from dprelease.store.releases import Publication, ReleaseState
from dprelease.workspace.certificate import Circumstances, Overlapping, certificate
from dprelease.workspace.jobs import Step, Told
from dprelease.workspace.state import State
from dprelease.workspace.tick import on_the_tick


def publish(
    state: State,
    plan_id: str,
    *,
    again: bool,
    supersedes: str | None,
    actor: Actor,
    told: Told = lambda step: None,
    paced: bool = False,
) -> Release:
    """Publishes an approved plan, or finishes what a crash interrupted; a published plan gives the same release.

    `paced`: how long rows were read shows in ticks only, to whoever sees when what follows happened.

    The charge is durable before the first row is read, and nothing that follows gives it back: after a failure, the
    same call goes on where it stopped. What is announced first is in the ledger, then the files appear, whole.
    """
    state.check_continues()
    _ = state.keys.current  # else that a key is missing would be noticed after the charge
    with state.database.reading():
        record = plans.get(state.database, plan_id)
        dataset, location = datasets.get(state.database, record.dataset)
        population = populations.get(state.database, dataset.population)
    earlier = [] if again else releases.of_plan(state.database, plan_id)
    if earlier and earlier[-1].state is ReleaseState.PUBLISHED:
        return announce(state, earlier[-1], _priced(record.plan, _currency(earlier[-1])), actor)
    priced = _priced(record.plan, population.currency)
    dataset.check(priced.plan, population)
    state.check_before_charge(location, priced)

    title = priced.plan.title or dataset.name
    body: dict[str, Any] = {"mechanisms": losses(priced), "version": VERSION}
    if supersedes is not None:
        _check_published(state, supersedes)
        body["supersedes"] = supersedes
    told(Step.CHARGING)
    publication = releases.begin(
        state.database, plan_id, priced.loss, actor=actor, again=again, slug=slug(title), body=body
    )
    if publication.state is ReleaseState.CHARGED:
        population, stands = _circumstances(state, publication)
        told(Step.DRAWING)
        with on_the_tick() if paced else nullcontext():
            tallies = state.tallies(location, priced, keep=True)
            drawn = draw(priced, exact(priced, tallies))
        judgements = judge(priced, tables(priced, drawn))
        if not all(judgement.held for judgement in judgements):
            drawn = []  # nothing of what was drawn is kept
        facts = certificate(
            release_id=publication.id,
            price=priced,
            population=population,
            stands=stands,
            previewed=told_of_previews(state, record.id, record.plan_hash, dataset, publication.charge.seq),
            published=datetime.now(UTC).date(),
            judgements=judgements,
        )
        text = json.dumps(facts, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        told(Step.SEALING)
        payload = json.dumps(drawn, separators=(",", ":")).encode()
        publication = releases.seal(state.database, publication.id, payload, text, actor=actor)
    told(Step.WRITING)
    return announce(state, publication, priced, actor)


def announce(state: State, publication: Publication, priced: Price, actor: Actor) -> Release:
    """From a seal to public files: enters the release in the ledger under a new checkpoint, then writes its bundle."""
    release = _release(state, publication, priced)
    if publication.state is ReleaseState.SEALED:
        outputs, made_by = outputs_hash(facts_of(release_files(release))), release.certificate["versions"]["dprelease"]
        publication = releases.publish(
            state.database,
            release.id,
            on=release.certificate["published"],
            body=lambda: {"signer": state.keys.current.fingerprint, "outputs": outputs, "version": made_by},
            enter=lambda connection, event: _entry(state, connection, event),
        )
        release = _release(state, publication, priced)
    if publication.charge.body.get("supersedes"):
        _supersede(state, publication, actor)
    state.show(release)
    state.keep_outside()
    return release


def unfinished(state: State) -> list[Publication]:
    """Releases that are charged or sealed and not published, oldest first."""
    states = (ReleaseState.CHARGED, ReleaseState.SEALED)
    found = (each for wanted in states for each in releases.all(state.database, wanted))
    return sorted(found, key=lambda each: each.charge.seq)


@dataclass(frozen=True, slots=True)
class Resumed:
    """What became of interrupted releases."""

    finished: list[Release]
    failed: dict[str, str]
    """By release id: why it could not be finished. It stays charged."""


def resume(state: State, actor: Actor, *, paced: bool = False) -> Resumed:
    """Finishes what was interrupted, and writes public files that are missing. `paced`: as of `publish`."""
    state.check_continues()
    finished, failed = [], {}
    for publication in unfinished(state):
        try:
            finished.append(publish(state, publication.plan_id, again=False, supersedes=None, actor=actor, paced=paced))
        except DPReleaseError as error:
            failed[publication.id] = str(error)
    if state.home is not None:
        for publication in releases.all(state.database, ReleaseState.PUBLISHED):
            if publication.charge.body.get("supersedes"):
                _supersede(state, publication, actor)
            if not (state.home.public / publication.id).exists():
                state.show(load(state, publication))
            state.write_notices(publication.id)
        remove_abandoned(state.home.public)
        state.keep_outside()
    return Resumed(finished, failed)


def losses(priced: Price) -> dict[str, list[Any]]:
    """By statistic: each of its mechanisms with its loss."""
    return {
        item.id: [{"mechanism": each.name, **each.share.to_mapping()} for each in item.mechanisms]
        for item in priced.statistics
        if item.mechanisms
    }


def _entry(state: State, connection: Connection, event: LedgerEvent) -> Mapping[str, Any]:
    today = datetime.now(UTC).date().isoformat()  # may be later than the day of a release that was interrupted
    signed, proofs = checkpoints.take_within(connection, on=today, sign=state.sign)
    return entry(
        event.to_mapping(),
        proofs.inclusion,
        signed,
        proofs.previous,
        proofs.consistency,
        state.keys.rotations(),
    )


def _circumstances(state: State, publication: Publication) -> tuple[Population, Circumstances]:
    """What a certificate states beside plan and price, with the cap and the period as they were at the charge."""
    event = publication.charge
    assert event.population is not None and event.spent is not None and event.charges is not None
    with state.database.reading() as connection:
        registered = registered_within(connection, event.population, event.seq)
        overlapping = tuple(
            Overlapping.of(overlap.value, other, account.spent, account.charges)
            for overlap, other, account in populations.overlapping_within(connection, event.population)
        )
        attested = populations.overlaps_within(connection, event.population).values()
        stands = Circumstances(
            seq=event.seq,
            hash=event.hash,
            spent=event.spent,
            releases=event.charges,
            before=registered.before,
            overlapping=overlapping,
            unattested=sum(overlap is None for overlap in attested),
            earlier_releases=tuple(populations.earlier_releases_within(connection, event.population)),
            team=event.body.get("two_people", False),
            supersedes=event.body.get("supersedes"),
        )
    return registered.population, stands


def _check_published(state: State, release_id: str) -> None:
    if releases.get(state.database, release_id).state is not ReleaseState.PUBLISHED:
        raise InputError("supersedes", found=release_id, allowed="the id of a published release")


def _supersede(state: State, publication: Publication, actor: Actor) -> None:
    old = publication.charge.body["supersedes"]
    if not any(notice.superseded_by == publication.id for notice in notices.of_release(state.database, old)):
        notices.add(
            state.database,
            old,
            text=f"Superseded by {publication.id}.",
            on=publication.published_on or "",
            sign=state.sign_statement,
            actor=actor,
            superseded_by=publication.id,
        )
    state.write_notices(old)


def load(state: State, publication: Publication) -> Release:
    """The release that a sealed publication stands for: a function of what was sealed."""
    record = plans.get(state.database, publication.plan_id)
    return _release(state, publication, _priced(record.plan, _currency(publication)))


def _currency(publication: Publication) -> Currency:
    return Currency(json.loads(publication.certificate or "")["population"]["currency"])


@lru_cache(maxsize=256)
def _priced(plan: str, currency: Currency) -> Price:
    return price(Plan.parse(json.loads(plan)), currency=currency)


def _release(state: State, publication: Publication, priced: Price) -> Release:
    certificate = json.loads(publication.certificate or "")
    drawn = json.loads(releases.payload(state.database, publication.id))
    return Release(
        id=publication.id,
        certificate=certificate,
        tables={} if is_withheld(certificate) else tables(priced, drawn),
        entry=json.loads(publication.entry or "{}"),
        writer=lambda release, folder: _write(release, folder, state),
    )


def _write(release: Release, folder: Path, state: State) -> Path:
    from dprelease.bundle.write import write

    return write(release, folder, _key(state, release))


def _key(state: State, release: Release) -> SigningKey:
    """The key that signed a release; the first one where nothing is said, for then there was no other."""
    return state.keys.of(release.entry["signer"]) if release.entry else state.keys.first


def told_of_previews(
    state: State, plan_id: str, plan_hash: str, dataset: Dataset, seq: int = previews.NEVER
) -> dict[str, Any]:
    """What a certificate says of previews: what they showed and whether any was taken before an event, the charge;
    and whether plan or schema was created or changed after true values of the population were previewed.

    A plan counts as changed where any other plan was previewed before it was submitted.
    """
    population = dataset.population
    with state.database.reading() as connection:
        return {
            "policy": previews.policy_at(connection, seq).value,
            "taken": previews.any_before(connection, population, seq),
            "plan_changed_after": previews.others_before(connection, population, plan_id, plan_hash),
            "schema_changed_after": previews.any_before_schema(connection, population, plan_id, dataset.name),
        }


def changed_after_preview(state: State, record: PlanRecord, dataset: Dataset) -> dict[str, bool]:
    """Whether plan and schema were created or changed after true values of the population were previewed."""
    told = told_of_previews(state, record.id, record.plan_hash, dataset)
    return {word: told[f"{word}_changed_after"] for word in ("plan", "schema")}


def slug(title: str) -> str:
    """A file name from a title: a to z, 0 to 9 and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40].strip("-") or "release"
