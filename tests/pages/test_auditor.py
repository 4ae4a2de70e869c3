"""An auditor in the dashboard reads budgets and ledger, and is offered nothing that changes them."""

from __future__ import annotations

from dprelease.model.actor import Actor, Role
from dprelease.model.plan import Plan
from dprelease.ui.screens import SCREENS
from dprelease.ui.words import say
from dprelease.workspace import Workspace
from dprelease.workspace.access import PERMISSIONS
from tests.pages.conftest import PLAN, Opener, SignIn, html, words

AUDITOR = Actor("aud", frozenset({Role.AUDITOR}))
READ = {"desk", "releases", "budget", "settings"}


def test_the_ledger_is_read_with_its_budgets(small: Workspace, sign_in: SignIn, visit: Opener) -> None:
    plan_id = small.plans.submit(Plan.parse(PLAN))
    small.plans.approve(plan_id)
    small.publish(plan_id)
    small.people.require_two_people()
    sign_in(AUDITOR)
    page = visit("budget")
    assert not page.exception
    assert "few" in html(page)
    assert say("event_charge") in words(page)
    for screen in SCREENS:
        allowed = PERMISSIONS[screen.operation]
        assert (not allowed or Role.AUDITOR in allowed) == (screen.key in READ), screen.key
