"""Publication: charge, look, draw, seal, write, announce. Each step is safe to repeat after a crash."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec import structs

from dprelease.bundle.entry import ProvenLine, entry
from dprelease.bundle.listing import facts_of
from dprelease.bundle.outputs import outputs_hash, packed, release_files, unpacked
from dprelease.bundle.signing import GivenSignature, SigningKey
from dprelease.errors import InputError, IntegrityError, PlanError
from dprelease.model.actor import Actor
from dprelease.model.certificate import Certificate
from dprelease.model.measured import measured_each
from dprelease.model.population import Dataset, Population
from dprelease.model.progress import reach
from dprelease.model.release import Output, Release
from dprelease.model.stated import Grades
from dprelease.model.version import VERSION
from dprelease.portal.moved import moved
from dprelease.statements.lead import stated as stated_of
from dprelease.statistics.answer import Draw, answers, draw, unrepeatable
from dprelease.statistics.planning.criteria import judge
from dprelease.statistics.planning.price import Price, price_of
from dprelease.store import checkpoints, datasets, notices, plans, populations, releases, runs
from dprelease.store.connection import Connection
from dprelease.store.event import LedgerEvent
from dprelease.store.plans import PlanRecord
from dprelease.store.releases import Publication, ReleaseState
from dprelease.verdict.certificate import certificate as stated
from dprelease.verdict.recompute import stated_price
from dprelease.words import phrase
from dprelease.workspace.calendar import Sealing, announced, tell_calendar
from dprelease.workspace.circumstances import circumstances, stated_edition, told_of_previews
from dprelease.workspace.given_files import GivenFiles, check_own
from dprelease.workspace.jobs import Reached, Stage, on_the_tick, remote_hold
from dprelease.workspace.scans import scanned
from dprelease.workspace.state import State


def publish(
    state: State,
    plan_id: str,
    *,
    again: bool,
    supersedes: str | None,
    actor: Actor,
    reached: Reached = reach,
    paced: bool = False,
    sealing: Sealing | None = None,
    kept: Callable[[Connection], None] | None = None,
) -> Release:
    """Publish an approved plan, or finish what a crash interrupted; a published plan gives the same release.

    `paced`: how long rows were read shows in ticks only, to whoever sees when what follows happened.

    The charge is durable before the first row is read, and nothing that follows gives it back: after a failure, the
    same call goes on where it stopped. What is announced first is in the ledger, then the files appear, whole.

    `kept`: what a program at a distance asked for, written in the transaction of the charge; whoever sees when that is
    committed sees a tick, too.

    `sealing`: the hour until which it is embargoed. Then the public account tells of the charge before a row is read.
    """
    state.check_continues()
    with state.database.reading():
        _ = state.keys.current  # else that a key is missing would be noticed after the charge
        last = _begun(state, plan_id)
        record, dataset, location, population = _meant(state, plan_id)
    limits = state.policy().grades  # before the charge: a policy that cannot be read fails here
    priced = price_of(record.plan, population.currency, population.discovers)
    if priced.plan.run is not None:
        found, allowed = phrase("store.plan_with_run"), phrase("store.plan_without_run")
        raise PlanError("run", found=found, allowed=allowed, remedy=phrase("store.run_open_it"))
    if last is None or last.state is ReleaseState.CHARGED or (again and last.state in releases.DONE):
        dataset.check(priced.plan, population)
        with on_the_tick() if kept is not None else nullcontext():
            is_charged = last is not None and last.state is ReleaseState.CHARGED
            state.check_before_charge(location, priced, charged=is_charged)
        body: dict[str, Any] = {"mechanisms": losses(priced), "version": VERSION}
        if supersedes is not None:
            _check_published(state, supersedes)
            body["supersedes"] = supersedes
        if sealing is not None:
            body |= sealing.facts
        reached(Stage.CHARGING)
        last = releases.begin(
            state.database,
            record.id,
            priced.loss,
            actor=actor,
            again=again,
            slug=slug(priced.plan.title or dataset.name),
            body=body,
            announced=None if sealing is None else announced(state, priced.plan, sealing),
            kept=kept,
        )
    return carried_out(
        state, last, record, dataset, location, priced, limits, actor=actor, reached=reached, paced=paced
    )


def carried_out(
    state: State,
    last: Publication,
    record: PlanRecord,
    dataset: Dataset,
    location: str,
    priced: Price,
    limits: Grades,
    *,
    actor: Actor,
    reached: Reached,
    paced: bool,
) -> Release:
    """Return the release of what was begun in the ledger: drawn, sealed, certified and announced where it is not."""
    if last.state is ReleaseState.CHARGED:
        if last.due is not None:
            tell_calendar(state, account=True)
        last = _draw(state, last, location, priced, actor=actor, reached=reached, paced=paced)
    if last.state is ReleaseState.LOST:  # meanwhile
        raise IntegrityError(phrase("workspace.draw_is_lost", release=last.id))
    if last.certificate is None:
        last = _certify(state, last, record, dataset, priced, limits)
    else:
        priced = certified_price(last.certificate)
    reached(Stage.WRITING)
    return announce(state, last, priced, actor)


def _begun(state: State, plan_id: str) -> Publication | None:
    """Return the publication that was begun last of a plan."""
    earlier = releases.of_plan(state.database, plan_id)
    return earlier[-1] if earlier else None


def _meant(state: State, plan_id: str) -> tuple[PlanRecord, Dataset, str, Population]:
    """Return the plan, its dataset with the table's location, and whose privacy is spent."""
    record = plans.get(state.database, plan_id)
    dataset, location = datasets.get(state.database, record.dataset)
    return record, dataset, location, populations.get(state.database, dataset.population)


def _draw(
    state: State, charged: Publication, location: str, priced: Price, *, actor: Actor, reached: Reached, paced: bool
) -> Publication:
    """Read the rows, draw, and seal what was drawn before anything is computed from it.

    So no error that may depend on the draw leads to another one: whatever fails later finds this draw again.
    """
    reached(Stage.DRAWING)
    try:
        is_remote = "key" in charged.charge.body
        tick = on_the_tick(remote_hold()) if is_remote else on_the_tick() if paced else nullcontext()
        with tick, scanned(state, location, priced) as inputs:
            payload = _json(draw(priced, inputs, _Rounds(state, charged.id, priced.mechanisms_hash)))
    except _SealedMeanwhileError:
        return releases.get(state.database, charged.id)
    reached(Stage.SEALING)
    day, body = _day(state, charged).isoformat(), {"mechanisms": priced.mechanisms_hash}
    return releases.seal(state.database, charged.id, payload, on=day, actor=actor, body=body)


def _certify(
    state: State, sealed: Publication, record: PlanRecord, dataset: Dataset, priced: Price, limits: Grades
) -> Publication:
    """Judge the sealed draw and write its certificate, which keeps nothing of a draw that fails what was asked.

    Raises PlanError where it was drawn with other noise than the certificate would state: by another version.
    """
    _check_noise(releases.sealing(state.database, sealed.id).body.get("mechanisms"), priced.mechanisms_hash)
    with state.database.reading():
        known = releases.get(state.database, sealed.id)
        if known.certificate is not None:
            return known  # another process was quicker, and of the draw may be left what is published
        made = _answers(state, known, priced)
    population, stands = circumstances(state, sealed)
    whole, seq = priced.plan.whole, sealed.charge.seq
    judgements = judge(priced, made)
    facts = stated(
        release_id=sealed.id,
        price=priced,
        population=population,
        stands=stands,
        previewed=told_of_previews(state, record.id, record.plan_hash, whole, dataset, seq),
        published=date.fromisoformat(sealed.sealed_on or ""),
        judgements=judgements,
        limits=limits,
        reaches=priced.reaches,
        run=stated_edition(state, sealed, priced.plan),
        noise_library=state.noise.version,
    )
    if not facts.is_withheld:
        facts = structs.replace(facts, statements=stated_of(Release(certificate=facts, outputs=made)))
    text = json.dumps(facts.to_mapping(), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    kept = [] if facts.is_withheld else [item.id for item in unrepeatable(priced)]
    beside = packed(facts, {name: made[name] for name in kept}) if kept else None
    return releases.certify(state.database, sealed.id, text, withheld=facts.is_withheld, answers=beside)


def _answers(state: State, publication: Publication, priced: Price) -> Mapping[str, Output]:
    """Return the answers to publish, of those that were sealed."""
    drawn = releases.payload(state.database, publication.id)
    beside = releases.kept_answers(state.database, publication.id)
    kept = {} if beside is None else unpacked(kept_certificate(publication), beside)
    return answers(priced, json.loads(drawn), kept)


def _check_noise(drawn: object, now: str) -> None:
    """Raise PlanError where mechanisms drew that are not those of now, by their hashes."""
    if drawn != now:
        raise PlanError(
            "statistics",
            found=phrase("workspace.draw_other_noise_than"),
            allowed=phrase("workspace.noise_certificate_states"),
            remedy=phrase("workspace.finish_release_version_dprelease"),
        )


class _SealedMeanwhileError(Exception):
    """Another process sealed its draw while rounds of this one were drawn: that one stands."""


@dataclass(frozen=True)
class _Rounds:
    """The rounds of a draw, in the ledger's database. What was drawn is never drawn again, whatever failed after it."""

    state: State
    release: str
    mechanisms: str
    """The hash of those that draw."""

    def kept(self, number: int) -> Draw | None:
        found = releases.kept_round(self.state.database, self.release, number)
        return None if found is None else self._read(found)

    def keep(self, number: int, drawn: Draw) -> Draw:
        data = _json({"mechanisms": self.mechanisms, "drawn": drawn})
        kept = releases.keep_round(self.state.database, self.release, number, data)
        if kept is None:
            raise _SealedMeanwhileError
        return self._read(kept)

    def _read(self, data: bytes) -> Draw:
        told = json.loads(data)
        _check_noise(told["mechanisms"], self.mechanisms)
        drawn: Draw = told["drawn"]
        return drawn


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def announce(state: State, publication: Publication, priced: Price, actor: Actor) -> Release:
    """Make public files of a seal: enter the release in the ledger under a new checkpoint, then write its bundle."""
    release = _release(state, publication, priced)
    if publication.state is ReleaseState.SEALED:
        if release.is_withheld:
            state.database.empty_log()  # once more: a crash may have come between the certificate and that
        given = GivenFiles.of(state, publication) if release.certificate.several else GivenFiles({})
        outputs, made_by = outputs_hash(facts_of(release_files(release))), release.certificate.made_by
        publication = releases.publish(
            state.database,
            release.id,
            on=release.certificate.day,
            body=lambda: {
                "signer": (given.signature or state.keys.current).fingerprint,
                "outputs": outputs,
                "version": made_by,
            },
            enter=lambda connection, event: given.entry_or(_entry(state, connection, publication, event)),
            measured=tuple(measured_each(priced.plan)),
        )
        release = replace(release, entry=json.loads(publication.entry or "{}"))
    is_embargoed = publication.state is ReleaseState.EMBARGOED
    if publication.charge.body.get("supersedes") and not is_embargoed:
        supersede(state, publication, actor)
    state.show(release, embargoed=is_embargoed)
    state.renew_checkpoint()
    state.keep_outside()
    return release


def losses(priced: Price) -> dict[str, list[Any]]:
    """Return, by statistic, each of its mechanisms with its loss."""
    return {
        measurement.id: [{"mechanism": each.name, **each.share.to_mapping()} for each in measurement.mechanisms]
        for measurement in priced.measurements
    }


def _entry(state: State, connection: Connection, publication: Publication, event: LedgerEvent) -> Mapping[str, Any]:
    # Later than the day of a release that was interrupted, and never earlier, where the clock was put back since.
    today = max(datetime.now(UTC).date().isoformat(), event.body["published_on"])
    signed, proofs = checkpoints.take_within(connection, on=today, sign=state.keys.sign)

    def line(event: LedgerEvent) -> ProvenLine:
        return ProvenLine(event.public, tuple(proofs.inclusion(event.seq)))

    older = publication.charge.body.get("supersedes")
    run = runs.of_edition(state.database, publication)
    return entry(
        charge=line(publication.charge),
        run=None if run is None else line(run.charge),
        published=line(event),
        superseded=None if older is None else line(releases.publication_within(connection, older)),
        signed=signed,
        previous=proofs.previous,
        consistency=proofs.consistency,
        rotations=state.keys.rotations(),
    )


def _day(state: State, publication: Publication) -> date:
    """Return today, but not before the charge or the superseded release, where the clock was put back since."""
    days = [datetime.now(UTC).date().isoformat(), publication.charge.day]
    older = publication.charge.body.get("supersedes")
    if older is not None:
        days.append(releases.get(state.database, older).published_on or "")
    return date.fromisoformat(max(days))


def _check_published(state: State, release_id: str) -> None:
    check_own(state, release_id, "supersedes")
    if releases.get(state.database, release_id).state is not ReleaseState.PUBLISHED:
        raise InputError("supersedes", found=release_id, allowed=phrase("store.id_published_release"))


def supersede(state: State, publication: Publication, actor: Actor) -> None:
    old = publication.charge.body["supersedes"]
    if not any(notice.superseded_by == publication.id for notice in notices.of_release(state.database, old)):
        notices.add(
            state.database,
            old,
            text=f"Superseded by {publication.id}.",
            on=publication.published_on or "" if publication.due is None else datetime.now(UTC).date().isoformat(),
            sign=state.keys.sign_statement,
            actor=actor,
            superseded_by=publication.id,
            moved=moved_between(state, old, publication.id),
        )
    state.write_notices(old)


def moved_between(state: State, old: str, new: str) -> dict[str, Any] | None:
    """Return how much published numbers moved from one release to another; None where one of them is not published."""
    try:
        both = [releases.get(state.database, each) for each in (old, new)]
    except InputError:  # which the notice is refused for
        return None
    if old == new or any(each.certificate is None for each in both):
        return None
    return moved(*(load(state, each) for each in both))


def load(state: State, publication: Publication) -> Release:
    """Return the release of a sealed publication: a function of what was sealed, and of its certificate."""
    return _release(state, publication, certified_price(publication.certificate or "null"))


@lru_cache(maxsize=256)
def certified_price(certificate: str) -> Price:
    """Return the price as it was certified: another version may measure the same plan otherwise."""
    return stated_price(Certificate.read(json.loads(certificate)))


def kept_certificate(publication: Publication) -> Certificate:
    """Return the certificate that was kept of a sealed draw. Raises IntegrityError where it was changed."""
    return Certificate.read(json.loads(publication.certificate or "null"))


def _release(state: State, publication: Publication, priced: Price) -> Release:
    certificate = kept_certificate(publication)
    given = GivenFiles({}) if certificate.several is None else GivenFiles.of(state, publication)
    return Release(
        certificate=certificate,
        outputs={} if certificate.is_withheld else _answers(state, publication, priced),
        entry=json.loads(publication.entry or "{}"),
        writer=lambda release, folder: _write(release, folder, state, given.signature),
        beside=given.round,
    )


def _write(release: Release, folder: Path, state: State, given: GivenSignature | None) -> Path:
    from dprelease.bundle.write import write

    return write(release, folder, given or _key(state, release))


def _key(state: State, release: Release) -> SigningKey:
    """Return the key that signed a release; the first one where nothing is said, for then there was no other."""
    return state.keys.of(release.entry["signer"]) if release.entry else state.keys.first


def slug(title: str) -> str:
    """Return a file name from a title: a to z, 0 to 9 and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40].strip("-") or "release"
