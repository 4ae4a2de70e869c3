"""Circumstances of a release in its certificate, beside plan and price, as they were at the charge."""

from __future__ import annotations

import json
from collections.abc import Mapping

from msgspec import UNSET

from dprelease.model.encoding import digest
from dprelease.model.measured import measured_of
from dprelease.model.plan import Plan
from dprelease.model.population import Dataset, Population
from dprelease.model.recurring import stated_run
from dprelease.model.stated import Place, StatedEdition, StatedPreviews, StatedRun
from dprelease.store import accepted, populations, previews, runs
from dprelease.store.plans import PlanRecord
from dprelease.store.registered import registered_within
from dprelease.store.releases import Publication, ReleaseState
from dprelease.verdict.certificate import Circumstances
from dprelease.verdict.ledger_checks import stated_overlap
from dprelease.workspace.state import State


def circumstances(state: State, publication: Publication) -> tuple[Population, Circumstances]:
    """Return what a certificate states beside plan and price, with cap and period as they were at the charge."""
    event = publication.charge
    assert event.population is not None and event.spent is not None and event.charges is not None
    with state.database.reading() as connection:
        registered = registered_within(connection, event.population, event.seq)
        overlapping = tuple(
            stated_overlap(overlap, other, account.spent, account.charges)
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
            due=event.body.get("due"),
        )
    return registered.population, stands


def stated_edition(state: State, publication: Publication, plan: Plan) -> StatedRun | None:
    """Return what a certificate states of the run that it is an edition of, as it stood when that began."""
    run = runs.of_edition(state.database, publication)
    if run is None:
        return None
    before = [each for each in run.editions if each.begun_seq < publication.charge.seq]
    given_up = [each.period for each in before if each.state in runs.GONE]
    begun = [*(each.period for each in before), str(plan.about.edition)]
    published = [each for each in before if each.state is ReleaseState.PUBLISHED and each.certificate is not None]
    return StatedRun(
        name=run.name,
        charge=Place(seq=run.charge.seq, hash=run.charge.hash),
        closed=runs.closed(run.recurrence.periods, begun, given_up, run.is_ordered),
        earlier=tuple(
            StatedEdition(period=each.period, release=each.release, hash=digest(json.loads(each.certificate or "")))
            for each in published
        ),
        **stated_run(plan),
    )


def told_of_previews(
    state: State, plan_id: str, plan_hash: str, plan: Plan, dataset: Dataset, seq: int = previews.NEVER
) -> StatedPreviews:
    """Return what a certificate says of previews: what they showed, whether any was taken before an event, the charge;
    and what was created or changed after true values of the population were previewed.

    A plan counts as changed where any other plan was previewed before it was submitted, and only its ε, shares or
    titles where all of them measured the same, or where its own was looked at with another ε. `plan`: complete.
    """
    population = dataset.population
    same = previews.PlanIdentity(plan_hash=plan_hash, measured=measured_of(plan), epsilon_nano=plan.epsilon_nano)
    with state.database.reading() as connection:
        proposed = tuple(accepted.before_plan(connection, dataset, plan_id, plan.schema))
        return StatedPreviews(
            policy=previews.policy_at(connection, seq).value,
            taken=previews.any_before(connection, population, seq),
            plan_changed_after=previews.others_before(connection, population, plan_id, plan_hash),
            schema_changed_after=previews.declared_after_look(
                connection, population, plan_id, dataset.name, at="population"
            ),
            changed=previews.changed_before(connection, population, plan_id, same),
            readings_proposed=proposed or UNSET,
        )


def proposed_readings(state: State, record: PlanRecord, plan: Plan, dataset: Dataset) -> Mapping[str, bool]:
    """Return columns of a plan whose cells proposed how they are read; whether that was accepted after a look."""
    with state.database.reading() as connection:
        return accepted.before_plan(connection, dataset, record.id, plan.schema)
