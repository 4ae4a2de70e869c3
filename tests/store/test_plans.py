from __future__ import annotations

import pytest

from dprelease.errors import InputError
from dprelease.store import ledger, plans, submitted
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.plans import PlanState
from tests.store.world import CENT, CURATOR, REVIEWER, plan

pytestmark = pytest.mark.quick


def test_a_submitted_plan_comes_back(registered: Database) -> None:
    record = plans.add(registered, plan(), "v1", author=CURATOR)
    assert record.id.startswith("plan-")
    assert record.mapping == plan().to_mapping()
    assert (record.plan_hash, record.dataset, record.dataset_version) == (plan().hash, "visits", "v1")
    assert (record.state, record.author, record.approver) == (PlanState.SUBMITTED, "maria", None)
    assert plans.get(registered, record.id) == record
    event = ledger.events(registered)[-1]
    assert (event.kind, event.population, event.body["plan"]) == (EventKind.PLAN_SUBMITTED, "patients", record.id)


def test_the_same_plan_for_the_same_rows_is_one_plan(registered: Database) -> None:
    first = plans.add(registered, plan(), "v1", author=CURATOR)
    approved = plans.approve(registered, first.id, CENT, approver=REVIEWER)
    assert plans.add(registered, plan(), "v1", author=REVIEWER) == approved
    others = [
        plans.add(registered, plan(), "v2", author=CURATOR),
        plans.add(registered, plan("B"), "v1", author=CURATOR),
    ]
    assert submitted.find(registered) == [approved, *others]
    assert len({record.id for record in submitted.find(registered)}) == 3
    assert ledger.count(registered, kinds=[EventKind.PLAN_SUBMITTED]) == 3


def test_the_first_approval_stands(registered: Database) -> None:
    record = plans.add(registered, plan(), "v1", author=CURATOR)
    approved = plans.approve(registered, record.id, CENT, approver=REVIEWER)
    assert (approved.state, approved.approver) == (PlanState.APPROVED, "jonas")
    assert plans.approve(registered, record.id, CENT, approver=CURATOR) == approved == plans.get(registered, record.id)
    (event,) = ledger.events(registered, kinds=[EventKind.PLAN_APPROVED])
    assert (event.actor, event.body["plan"], event.body["plan_hash"]) == ("jonas", record.id, record.plan_hash)
    (decision,) = plans.decisions(registered, record.id)
    assert decision.binding == event.body["binding"]


def test_what_is_not_there_is_said(registered: Database) -> None:
    with pytest.raises(InputError, match="the id of a submitted plan"):
        plans.get(registered, "plan-000000000000")
    with pytest.raises(InputError):
        plans.approve(registered, "plan-000000000000", CENT, approver=REVIEWER)
