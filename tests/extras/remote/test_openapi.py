"""The description of work at a distance, tried with whatever it allows, with a token and without one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies
from starlette.testclient import TestClient

from dprelease.extras.remote.doors import BASE, DOORS, ERRORS, description
from dprelease.workspace import Workspace
from tests.extras.remote.office import approve, charges, plan, token
from tests.web.listening import listening

if TYPE_CHECKING:  # it takes more than a second to load
    import schemathesis

QUIET: Any = {"phases": [Phase.generate], "suppress_health_check": list(HealthCheck)}
EACH = [(door.verb, door.path) for door in DOORS]


@pytest.fixture
def described(ours: Any, workspace: Workspace) -> Iterator[schemathesis.BaseSchema]:
    import schemathesis

    with listening(ours) as address:
        yield schemathesis.openapi.from_url(f"{address}{BASE}/openapi.json")


@pytest.mark.one_in(5)
@pytest.mark.parametrize(("verb", "path"), EACH)
def test_any_request_is_answered_as_described(
    verb: str, path: str, described: schemathesis.BaseSchema, client: TestClient, workspace: Workspace
) -> None:
    """Never a status or a body that is not described, no failure of the server, and no charge.

    Some requests are about what is there. What a plan has to be the description leaves to the plan's own schema.
    """
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    secret = token(workspace)
    sent = {"Authorization": f"Bearer {secret}", "Idempotency-Key": "before-it"}
    plan_id = client.post(f"{BASE}/plans", json=plan(), headers=sent).json()["plan"]
    remark = workspace.plans.remark(plan_id, text="Why?", actor=workspace.people.get("jonas"))
    known = {"dataset": "people", "population": "people", "plan": plan_id, "remark": remark.id}
    statuses, took = set(), strategies.booleans()

    @given(case=described[f"{BASE}{path}"][verb].as_strategy(), real=took, with_token=took)
    @settings(
        max_examples=12,
        phases=[Phase.generate],
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    def check(case: schemathesis.Case, real: bool, with_token: bool) -> None:
        if real:
            case.path_parameters = {name: known[name] for name in case.path_parameters or {}}
            case.body = plan() if path in ("/plans", "/prices") else case.body
        heads = {"Authorization": f"Bearer {secret}"} if with_token else {}
        answer = case.call(headers=heads)
        case.validate_response(answer, excluded_checks=[positive_data_acceptance], headers=heads)
        assert with_token or answer.status_code in (401, 404)  # of an address that no server has
        statuses.add(answer.status_code)

    check()
    (door,) = [each for each in DOORS if (each.verb, each.path) == (verb, path)]
    reached = {409} if door.method == "publish" else {404} if door.method == "publication" else {door.status}
    assert statuses >= reached | {401}
    assert not charges(workspace)


def test_every_refusal_is_described() -> None:
    told = description()
    assert {path.removeprefix(BASE) for path in told["paths"]} == {door.path for door in DOORS}
    for methods in told["paths"].values():
        for operation in methods.values():
            assert ERRORS.keys() <= operation["responses"].keys()


def test_what_was_approved_is_published_once(client: TestClient, workspace: Workspace) -> None:
    """The answers of a publication are those of the description too, which the others never reach."""
    import jsonschema

    secret = token(workspace)
    sent = {"Authorization": f"Bearer {secret}", "Idempotency-Key": "publish-it"}
    plan_id = client.post(f"{BASE}/plans", json=plan(), headers=sent).json()["plan"]
    approve(workspace, plan_id)
    address, door = f"{BASE}/plans/{plan_id}/publication", next(each for each in DOORS if each.method == "publication")
    begun = client.post(address, json={}, headers={**sent, "Idempotency-Key": "another-key"})
    assert begun.status_code == door.status + 2
    states = set()
    while "published" not in states:
        jsonschema.validate(found := client.get(address, headers=sent).json(), door.answer)
        states.add(found["state"])
    assert states == {"running", "published"}
