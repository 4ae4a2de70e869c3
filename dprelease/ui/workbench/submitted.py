"""The progress of the plan in hand: a draft, submitted, returned, approved, charged or published."""

from __future__ import annotations

from enum import StrEnum

from dprelease.model.population import Dataset
from dprelease.ui.kit import session
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.workbench.draft import Draft
from dprelease.ui.workbench.draft_status import DraftStatus
from dprelease.ui.workbench.own_plans import title_of_plan
from dprelease.ui.workbench.progress import charged
from dprelease.workspace import PlanRecord, PlanState


class SubmittedState(StrEnum):
    """The state that the badge shows."""

    DRAFT = "draft"
    UNSAVED = "unsaved"
    WAITS = "waits"
    RETURNED = "returned"
    APPROVED = "approved"
    UNFINISHED = "unfinished"
    PUBLISHED = "published"


def record_of(standing: DraftStatus) -> PlanRecord | None:
    """Return the plan as it was submitted for the present rows, if it was."""
    if standing.bench is None:
        return None
    plan, dataset = standing.bench.price.plan, standing.dataset
    records = workspace().plans.find(dataset=dataset.name, plan_hash=plan.hash, actor=actor())
    return next((each for each in records if each.dataset_version == dataset.version), None)


def state_of(standing: DraftStatus) -> SubmittedState:
    """Return the state of the plan in hand."""
    if standing.draft.stale:
        return SubmittedState.UNSAVED
    record = record_of(standing)
    if record is None:
        return SubmittedState.DRAFT
    if record.id in charged():
        return SubmittedState.UNFINISHED
    if record.state is PlanState.RETURNED:
        return SubmittedState.RETURNED
    if record.state is PlanState.PUBLISHED:
        return SubmittedState.PUBLISHED
    if record.state is PlanState.APPROVED:
        return SubmittedState.APPROVED
    return SubmittedState.WAITS if session.in_team() else SubmittedState.DRAFT


def returned_plan(draft: Draft, dataset: Dataset) -> PlanRecord | None:
    """Return the returned plan that the draft came of, else the last of its title, while no other plan follows it."""
    own = workspace().plans.find(dataset=dataset.name, author=actor().name, actor=actor())
    title = draft.title or dataset.name
    titled = next((each for each in reversed(own) if title_of_plan(each) == title), None)
    found = next((each for each in own if each.id == draft.plan_id), titled)
    if found is None or found.state is not PlanState.RETURNED or any(_follows(each, found) for each in own):
        return None
    return found


def _follows(later: PlanRecord, earlier: PlanRecord) -> bool:
    if later.created < earlier.created or later.id == earlier.id:
        return False
    return earlier.id in [each.id for each in workspace().plans.versions(later.id, actor=actor())]
