"""Work at a distance over HTTP: what a token opens, and what it does not."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from dprelease.extras.remote import routes
from dprelease.extras.remote.doors import DOORS
from dprelease.model.actor import Role
from dprelease.web.limits import RateLimit
from dprelease.workspace import Workspace, process
from dprelease.workspace.access import PROFILES
from tests.extras.remote.office import BASE, approve, charges, plan, token
from tests.trust import world


def by(secret: str, key: str = "") -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}", **({"Idempotency-Key": key} if key else {})}


def submit(client: TestClient, secret: str, key: str = "submit-01", **changes: Any) -> str:
    answer = client.post(f"{BASE}/plans", json=plan(**changes), headers=by(secret, key))
    assert answer.status_code == 201, answer.text
    return str(answer.json()["plan"])


def publish(client: TestClient, secret: str, plan_id: str, key: str = "publish-01") -> dict[str, Any]:
    address = f"{BASE}/plans/{plan_id}/publication"
    begun = client.post(address, json={}, headers=by(secret, key))
    assert begun.status_code == 202, begun.text
    assert begun.headers["location"] == address
    while (state := client.get(address, headers=by(secret)).json())["state"] == "running":
        time.sleep(0.05)
    return dict(state)


class TestTheWay:
    def test_from_columns_to_a_release(self, client: TestClient, workspace: Workspace) -> None:
        secret = token(workspace)
        me = client.get(f"{BASE}/me", headers=by(secret)).json()
        assert (me["name"], me["operations"]) == ("ana", sorted(PROFILES["publish"]))
        (dataset,) = client.get(f"{BASE}/datasets", headers=by(secret)).json()["datasets"]
        assert dataset["name"] == "people"
        assert (
            dataset["columns"]
            == workspace.datasets.get("people", actor=workspace.people.get("maria")).schema.to_mapping()
        )
        price = client.post(f"{BASE}/prices", json=plan(), headers=by(secret)).json()
        assert price["price"]["epsilon"] == 0.5
        assert price["fits"]
        assert price["after"]["remaining"] == {"epsilon": "3.5", "delta": "0"}
        plan_id = submit(client, secret)
        waits = client.post(f"{BASE}/plans/{plan_id}/publication", json={}, headers=by(secret, "too-early"))
        assert (waits.status_code, waits.json()["code"]) == (409, "waits_for_approval")
        assert waits.headers["content-type"] == "application/problem+json"
        assert not charges(workspace)
        approve(workspace, plan_id)
        done = publish(client, secret, plan_id)
        assert done["state"] == "published"
        assert client.get(done["address"]).json()["id"] == done["release"]
        budget = client.get(f"{BASE}/populations/people/budget", headers=by(secret)).json()
        assert budget["spent"] == {"epsilon": "0.5", "delta": "0"}
        kinds = [each["kind"] for each in client.get(f"{BASE}/events", headers=by(secret)).json()["events"]]
        assert kinds == ["plan_submitted", "plan_approved", "charge", "published"]
        later = client.get(f"{BASE}/events?after=3", headers=by(secret)).json()["events"]
        assert [(each["number"], each["plan"], each["release"]) for each in later] == [(4, plan_id, done["release"])]

    def test_remarks_go_both_ways(self, client: TestClient, workspace: Workspace) -> None:
        secret = token(workspace, profile="analyst")
        plan_id, jonas = submit(client, secret), workspace.people.get("jonas")
        said = workspace.plans.remark(plan_id, text="Why the median?", on="middle", actor=jonas)
        (seen,) = client.get(f"{BASE}/plans/{plan_id}/remarks", headers=by(secret)).json()["remarks"]
        assert (seen["on"], seen["said"]) == ("middle", [{"by": "jonas", "text": "Why the median?"}])
        address = f"{BASE}/plans/{plan_id}/remarks/{said.id}/answers"
        for _ in range(2):
            answer = client.post(address, json={"text": "It is robust."}, headers=by(secret, "answer-01"))
            assert answer.status_code == 201
        (known,) = workspace.plans.remarks(plan_id, actor=jonas)
        assert [each.text for each in known.answers] == ["It is robust."]

    def test_the_ledger_has_who_and_by_which_token_and_no_secret(
        self, client: TestClient, workspace: Workspace, caplog: pytest.LogCaptureFixture
    ) -> None:
        secret = token(workspace)
        plan_id = submit(client, secret)
        approve(workspace, plan_id)
        publish(client, secret, plan_id)
        (mine,) = workspace.people.tokens(actor=workspace.people.get("ana"))
        events = workspace.ledger.events(actor=workspace.people.get("maria"))
        told = {each.kind: each for each in events if each.body.get("token") == mine.id}
        assert {"plan_submitted", "charge"} <= told.keys()
        assert told["charge"].actor == "ana"
        assert "token" not in told["charge"].public["facts"]
        held = json.dumps([each.to_record() for each in events]) + caplog.text
        assert secret not in held
        assert "publish-01" not in held
        workspace.ledger.verify(actor=workspace.people.get("maria"))

    def test_a_retried_request_has_the_same_answer(self, client: TestClient, workspace: Workspace) -> None:
        secret = token(workspace)
        first = client.post(f"{BASE}/plans", json=plan(), headers=by(secret, "the-same-1"))
        again = client.post(f"{BASE}/plans", json=plan(), headers=by(secret, "the-same-1"))
        assert (again.status_code, again.json()) == (first.status_code, first.json())
        assert again.headers["idempotency-replayed"] == "true"
        assert "idempotency-replayed" not in first.headers
        other = client.post(f"{BASE}/plans", json=plan(0.25), headers=by(secret, "the-same-1"))
        assert (other.status_code, other.json()["code"]) == (422, "key_reused")
        without = client.post(f"{BASE}/plans", json=plan(0.25), headers=by(secret))
        assert (without.status_code, without.json()["code"]) == (428, "needs_key")
        somebody = client.post(f"{BASE}/plans", json=plan(0.25), headers=by(token(workspace, "bo"), "the-same-1"))
        assert somebody.status_code == 201

    @pytest.mark.parametrize("keys", [["one-key-for-all"] * 10, [f"key-number-{place}" for place in range(10)]])
    def test_ten_clients_at_once_are_one_charge(
        self, keys: list[str], client: TestClient, workspace: Workspace
    ) -> None:
        secret = token(workspace)
        plan_id = submit(client, secret)
        approve(workspace, plan_id)
        with ThreadPoolExecutor(10) as pool:
            found = list(pool.map(lambda key: publish(client, secret, plan_id, key), keys))
        assert {each["state"] for each in found} == {"published"}
        assert len({each["release"] for each in found}) == len(charges(workspace)) == 1

    def test_a_key_is_kept_with_its_charge(self, client: TestClient, workspace: Workspace) -> None:
        secret = token(workspace)
        plan_id = submit(client, secret)
        approve(workspace, plan_id)
        publish(client, secret, plan_id)
        address = f"{BASE}/plans/{plan_id}/publication"
        again = client.post(address, json={}, headers=by(secret, "publish-01"))
        assert (again.status_code, again.headers["idempotency-replayed"]) == (202, "true")
        other = submit(client, secret, "submit-02", epsilon=0.25)
        reused = client.post(f"{BASE}/plans/{other}/publication", json={}, headers=by(secret, "publish-01"))
        assert reused.json()["code"] == "key_reused"

    def test_what_does_not_fit_is_said_before_a_charge(self, client: TestClient, workspace: Workspace) -> None:
        secret = token(workspace)
        first, second = submit(client, secret, epsilon=3), submit(client, secret, "submit-02", epsilon=2)
        for each in (first, second):
            approve(workspace, each)
        publish(client, secret, first)
        refused = client.post(f"{BASE}/plans/{second}/publication", json={}, headers=by(secret, "publish-02"))
        assert (refused.status_code, refused.json()["code"]) == (409, "no_budget")
        assert len(charges(workspace)) == 1

    def test_what_fails_after_the_charge_says_nothing(self, client: TestClient, workspace: Workspace) -> None:
        secret = token(workspace)
        plan_id = submit(client, secret)
        approve(workspace, plan_id)
        for table in (workspace.home / "private" / "tables").rglob("*.parquet"):
            table.unlink()
        failed = publish(client, secret, plan_id)
        assert failed == {"plan": plan_id, "state": "failed", "code": "failed_here", "charged": False}


class TestWhoMay:
    @pytest.mark.parametrize("profile", PROFILES)
    def test_a_token_opens_what_it_is_for(self, profile: str, client: TestClient, workspace: Workspace) -> None:
        """Every address with every profile: 403 with the code of the scope, or anything else."""
        secret = token(workspace, profile=profile)
        for place, door in enumerate(DOORS):
            path = door.path.replace("{dataset}", "people").replace("{population}", "people")
            body = {"json": {"text": "x"} if "answers" in path else {}} if door.body else {}
            answer = client.request(door.verb, f"{BASE}{path}", headers=by(secret, f"try-{place:06}"), **body)
            allowed = door.operation in PROFILES[profile]
            assert (answer.status_code != 403) == allowed, (profile, path)
            if not allowed:
                assert answer.json()["code"] == "scope"

    @pytest.mark.parametrize("role", Role)
    def test_a_role_opens_what_is_its_own(self, role: Role, client: TestClient, workspace: Workspace) -> None:
        workspace.people.sign_in(workspace.people.invite("new", [role], actor=workspace.people.get("nora")))
        secret = token(workspace, "new")
        for place, door in enumerate(DOORS):
            body = {"json": {"text": "x"} if "answers" in door.path else {}} if door.body else {}
            answer = client.request(door.verb, f"{BASE}{door.path}", headers=by(secret, f"try-{place:06}"), **body)
            assert (answer.status_code != 403) == (role in (Role.CURATOR, Role.ANALYST)), (role, door.path)

    def test_a_person_who_loses_the_role_loses_the_token(self, client: TestClient, workspace: Workspace) -> None:
        secret, nora = token(workspace), workspace.people.get("nora")
        workspace.people.set_roles("ana", ["reviewer"], actor=nora)
        assert client.get(f"{BASE}/me", headers=by(secret)).json()["code"] == "role"
        workspace.people.disable("ana", actor=nora)
        assert client.get(f"{BASE}/me", headers=by(secret)).status_code == 401

    def test_nothing_else_opens_it(self, client: TestClient, workspace: Workspace) -> None:
        """No cookie, no made-up, ended or local token, and every refusal is the same."""
        ended = token(workspace)
        (mine,) = workspace.people.tokens(actor=workspace.people.get("ana"))
        workspace.people.revoke_token(mine.id, actor=workspace.people.get("nora"))
        session = workspace.people.sign_in(workspace.people.sign_in_link(workspace.people.get("maria")))
        client.cookies.set("__Host-dprelease_session", session)
        client.cookies.set("dprelease_session", session)
        tried = [{}, by("dpr_made-up"), by(ended), by(session), {"Authorization": "Basic x"}]
        answers = {(each.status_code, each.content) for each in (client.get(f"{BASE}/me", headers=h) for h in tried)}
        assert len(answers) == 1
        assert next(iter(answers))[0] == 401
        answer = client.get(f"{BASE}/me")
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert answer.headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in answer.headers

    def test_what_is_not_open_is_not_there(self, client: TestClient, workspace: Workspace) -> None:
        """A closed dataset, one that does not exist, and another analyst's plan: the same bytes."""
        ana, bo = token(workspace), token(workspace, "bo")
        plan_id = submit(client, ana)
        paths = ["datasets/others", "datasets/none", "populations/others/budget", "populations/none/budget"]
        paths += [
            f"plans/{plan_id}",
            "plans/plan-000000000000",
            f"plans/{plan_id}/remarks",
            f"plans/{plan_id}/publication",
        ]
        answers = [client.get(f"{BASE}/{path}", headers=by(bo)) for path in paths]
        answers.append(client.post(f"{BASE}/prices", json=plan(dataset="others"), headers=by(bo)))
        answers.append(client.post(f"{BASE}/prices", json=plan(dataset="none"), headers=by(bo)))
        answers.append(client.post(f"{BASE}/plans", json=plan(dataset="others"), headers=by(bo, "no-such-set")))
        assert {(each.status_code, each.content) for each in answers} == {(404, answers[0].content)}
        assert client.get(f"{BASE}/plans", headers=by(bo)).json() == {"plans": []}
        workspace.datasets.open_to_analysts("people", is_open=False, actor=workspace.people.get("maria"))
        assert client.get(f"{BASE}/plans/{plan_id}", headers=by(ana)).status_code == 404
        assert client.get(f"{BASE}/datasets", headers=by(ana)).json() == {"datasets": []}

    def test_a_token_of_one_dataset_knows_no_other(self, client: TestClient, workspace: Workspace) -> None:
        secret = token(workspace, "maria", dataset="others")
        assert [each["name"] for each in client.get(f"{BASE}/datasets", headers=by(secret)).json()["datasets"]] == [
            "others"
        ]
        assert client.post(f"{BASE}/prices", json=plan(), headers=by(secret)).status_code == 404

    def test_one_person_alone_has_none_of_it(self, ours: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv(process.VARIABLE, str(tmp_path / "solo"))
        process.current.cache_clear()
        secret = token(world.solo(tmp_path / "solo"), "owner")
        answer = TestClient(ours, base_url="https://127.0.0.1").get(f"{BASE}/me", headers=by(secret))
        process.current.cache_clear()
        assert (answer.status_code, answer.json()["code"]) == (403, "needs_team")


class TestTheWire:
    def test_a_token_goes_over_https_or_stays_on_this_machine(self, ours: Any, workspace: Workspace) -> None:
        secret = by(token(workspace))
        plain, here = ("http://127.0.0.1:8501", ("203.0.113.7", 1)), ("http://127.0.0.1:8501", ("127.0.0.1", 1))
        secure = ("https://127.0.0.1:8501", ("203.0.113.7", 1))
        statuses = [
            TestClient(ours, base_url=base, client=who).get(f"{BASE}/me", headers=secret).status_code
            for base, who in (plain, here, secure)
        ]
        assert statuses == [403, 200, 200]

    def test_bodies_have_limits(self, client: TestClient, workspace: Workspace) -> None:
        secret = token(workspace)
        deep = "[" * 200 + "]" * 200
        bodies = {
            b'{"a": "' + b"x" * 1_000_001 + b'"}': 413,
            b"not json": 400,
            b"[]": 400,
            b'{"a": 1, "a": 2}': 400,
            b'{"a": NaN}': 400,
            f'{{"a": {deep}}}'.encode(): 400,
            b"{" * 100_000: 400,
            b'{"a": "\xff"}': 400,
            b'{"a": 1' + b"0" * 5000 + b"}": 400,
            b"{}": 422,
        }
        for body, status in bodies.items():
            told = {**by(secret), "Content-Type": "application/json"}
            assert client.post(f"{BASE}/prices", content=body, headers=told).status_code == status, body[:40]
        assert client.post(f"{BASE}/prices", content=b"{}", headers=by(secret)).status_code == 415
        assert client.delete(f"{BASE}/plans", headers=by(secret)).headers["allow"] == "GET, POST"
        assert client.get(f"{BASE}/nowhere", headers=by(secret)).json()["code"] == "not_found"

    def test_a_plan_has_all_its_problems_named_and_little_of_it_repeated(
        self, client: TestClient, workspace: Workspace
    ) -> None:
        wrong = plan() | {"title": 7, "statistics": [{"id": "n", "kind": "x" * 5000}]}
        answer = client.post(f"{BASE}/prices", json=wrong, headers=by(token(workspace)))
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
        assert {each["path"] for each in answer.json()["problems"]} >= {"title", "statistics[0].kind"}
        assert all(len(each["found"]) <= 80 for each in answer.json()["problems"])

    def test_limits_are_of_a_token(
        self, client: TestClient, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(routes, "LIMITS", routes.TokenLimits())
        monkeypatch.setattr(routes, "WRONG", RateLimit(10, 60))
        secret = token(workspace)
        for door, most in ((f"{BASE}/me", 60), (f"{BASE}/none", 10)):
            sent = by(secret) if most == 60 else by("dpr_x")
            found = [client.get(door, headers=sent).status_code for _ in range(most + 10)]
            assert set(found[:most]) == {200 if most == 60 else 401}
            assert 429 in found
        assert client.get(f"{BASE}/me", headers=by(token(workspace, "bo"))).status_code == 200
        prices = [client.post(f"{BASE}/prices", json=plan(), headers=by(secret)) for _ in range(12)]
        assert prices[-1].status_code == 429
        assert prices[-1].headers["retry-after"] == "60"
