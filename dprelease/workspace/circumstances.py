"""What a certificate states of a release beside its plan and price, as it was at the charge."""

from __future__ import annotations

from typing import Any

from dprelease.model.column import Column
from dprelease.model.encoding import canonical, digest
from dprelease.model.plan import Plan
from dprelease.model.population import Dataset, Population
from dprelease.model.stated import StatedPreviews
from dprelease.model.statistic import COMMON_KEYS, Statistic
from dprelease.store import populations, previews
from dprelease.store.plans import PlanRecord
from dprelease.store.registered import registered_within
from dprelease.store.releases import Publication
from dprelease.verdict.certificate import Circumstances, stated_overlap
from dprelease.workspace.state import State

SAID = ("description", "unit")
"""What is said of a column and decides no number."""


def circumstances(state: State, publication: Publication) -> tuple[Population, Circumstances]:
    """Returns what a certificate states beside plan and price, with cap and period as they were at the charge."""
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
        )
    return registered.population, stands


def told_of_previews(
    state: State, plan_id: str, plan_hash: str, dataset: Dataset, seq: int = previews.NEVER
) -> StatedPreviews:
    """Returns what a certificate says of previews: what they showed, whether any was taken before an event, the charge;
    and whether plan or schema was created or changed after true values of the population were previewed.

    A plan counts as changed where any other plan was previewed before it was submitted.
    """
    population = dataset.population
    with state.database.reading() as connection:
        return StatedPreviews(
            policy=previews.policy_at(connection, seq).value,
            taken=previews.any_before(connection, population, seq),
            plan_changed_after=previews.others_before(connection, population, plan_id, plan_hash),
            schema_changed_after=previews.any_before_schema(connection, population, plan_id, dataset.name),
        )


def changed_after_preview(state: State, record: PlanRecord, dataset: Dataset) -> dict[str, bool]:
    """Tells whether plan and schema were created or changed after true values of the population were previewed."""
    told = told_of_previews(state, record.id, record.plan_hash, dataset)
    return {"plan": told.plan_changed_after, "schema": told.schema_changed_after}


def measured(statistic: Statistic, plan: Plan) -> str:
    """The same for two statistics that are the same function of the same rows: two draws of it tell more than one.

    Decided by the kind, its options, the declarations of the columns that it uses, the plan's conditions, dataset and
    unit. Titles, ids, shares, descriptions, other statistics and other columns change nothing, nor does any order.
    """
    options = {key: value for key, value in statistic.to_mapping().items() if key not in COMMON_KEYS}
    used = {*statistic.used_columns(), *(condition.column for condition in plan.where)}
    facts = {
        "kind": statistic.kind,
        "options": options,
        "columns": {name: _deciding(plan.schema[name]) for name in sorted(used)},
        "where": [condition.to_mapping() for condition in plan.where],
        "dataset": plan.dataset,
        "unit": plan.unit.to_mapping(),
    }
    return digest(_unordered(facts))


def _deciding(column: Column) -> dict[str, Any]:
    return {key: value for key, value in column.to_mapping().items() if key not in SAID}


def _unordered(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _unordered(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return sorted((_unordered(each) for each in value), key=lambda each: canonical([each]))
    return value
