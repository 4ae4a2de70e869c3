"""Addresses that places had before lead where their work is now; each begins where its work is."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from dprelease.model.actor import Actor, Role
from dprelease.web.former import FORMER
from dprelease.workspace import Workspace
from tests.web.conftest import ADDRESS


@pytest.mark.parametrize(("former", "now"), FORMER.items())
def test_a_former_address_leads_on(client: TestClient, former: str, now: str) -> None:
    answer = client.get(former, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (308, now)
    assert client.get(now, follow_redirects=True).status_code == 200


def test_what_a_former_address_asked_for_goes_along(client: TestClient) -> None:
    answer = client.get("/data?dataset=visits", follow_redirects=False)
    assert answer.headers["location"] == "/tables?dataset=visits"


@pytest.mark.parametrize(
    ("roles", "start"),
    [
        ({Role.CURATOR, Role.REVIEWER}, "/"),
        ({Role.CURATOR}, "/"),
        ({Role.REVIEWER}, "/review"),
        ({Role.AUDITOR}, "/budget"),
        ({Role.ADMINISTRATOR}, "/settings?tab=people"),
    ],
)
def test_each_begins_where_its_work_is(workspace: Workspace, client: TestClient, roles: set[Role], start: str) -> None:
    token = workspace.people.sign_in_link(Actor("-".join(sorted(roles)), frozenset(roles)))
    answer = client.post("/sign-in", data={"token": token}, headers={"origin": ADDRESS}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, start)
