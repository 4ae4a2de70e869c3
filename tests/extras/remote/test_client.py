"""`dprelease.connect`: a process with nothing but an address and a token works against a real server."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.errors import AccessError, BudgetError, InputError, NotFoundError, PlanError, WaitingError
from dprelease.extras.remote import client as wire
from dprelease.workspace import Workspace
from tests.extras.remote.office import approve, charges, plan, token
from tests.web.listening import listening

JOB = """
import sys, yaml, dprelease
plan = dprelease.Plan.load(sys.argv[1])
release = dprelease.connect(sys.argv[2]).publish(plan, wait=float(sys.argv[3]))
print(release.id, len(release["by_sex"].rows()))
"""


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "POLL", 0.1)


@pytest.fixture
def address(ours: Any, workspace: Workspace) -> Iterator[str]:
    with listening(ours) as found:
        yield found


def run(folder: Path, address: str, secret: str, wait: float = 0) -> subprocess.CompletedProcess[str]:
    """The job of an office's analyst, in a folder with the plan alone."""
    (folder / "plan.yaml").write_text(dprelease.Plan.parse(plan()).to_yaml())
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(dprelease.__file__).parents[1])}
    command = [sys.executable, "-c", JOB, "plan.yaml", address, str(wait)]
    return subprocess.run(
        command,
        cwd=folder,
        env={**environment, "DPRELEASE_TOKEN": secret, "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_process_with_an_address_and_a_token_publishes(address: str, workspace: Workspace, tmp_path: Path) -> None:
    """Not before somebody approves, not with a token for less, and once however often it runs."""
    folder, secret = tmp_path / "job", token(workspace)
    folder.mkdir()
    waits = run(folder, address, secret)
    assert waits.returncode != 0
    assert "WaitingError" in waits.stderr
    assert secret not in waits.stderr
    (record,) = workspace.plans.find(actor=workspace.people.get("jonas"))
    approve(workspace, record.id)
    less = run(folder, address, token(workspace, profile="analyst"))
    assert less.returncode != 0
    assert "AccessError: scope" in less.stderr
    assert not charges(workspace)
    outs = {run(folder, address, secret).stdout for _ in range(2)}
    assert outs == {f"{workspace.releases.ids()[0]} 2\n"}
    assert len(charges(workspace)) == 1


def test_it_waits_for_the_approval(address: str, workspace: Workspace) -> None:
    office = dprelease.connect(address, token=token(workspace))
    plan_id = office.plans.submit(dprelease.Plan.parse(plan()))
    threading.Timer(0.5, lambda: approve(workspace, plan_id)).start()
    release = office.publish(plan_id, wait=60)
    assert office.releases.get(release.id).id == release.id
    assert dprelease.load(f"{address}/api/releases/{release.id}", workspace.public_key).id == release.id
    with pytest.raises(NotFoundError):
        office.publish("plan-000000000000")
    with pytest.raises(WaitingError):
        office.publish(dprelease.Plan.parse(plan(0.25)), wait=0.2)


def test_the_nouns_are_those_of_a_workspace(address: str, workspace: Workspace) -> None:
    office, maria = dprelease.connect(address, token=token(workspace)), workspace.people.get("maria")
    asked = dprelease.Plan.parse({key: value for key, value in plan().items() if key != "columns"})
    assert office.price(asked).to_mapping() == workspace.price(asked, actor=maria).to_mapping()
    assert office.datasets.get("people").schema == workspace.datasets.get("people", actor=maria).schema
    assert [each.name for each in office.datasets.find()] == ["people"]
    assert office.populations.budget("people")["cap"] == {"epsilon": "4", "delta": "0"}
    plan_id = office.plans.submit(asked)
    workspace.plans.remark(plan_id, text="Why?", actor=workspace.people.get("jonas"))
    (remark,) = office.plans.remarks(plan_id)
    office.plans.answer(plan_id, remark["id"], text="For the board.")
    assert office.plans.get(plan_id)["state"] == "submitted"
    assert [each["plan"] for each in office.plans.find()] == [plan_id]
    assert [each["kind"] for each in office.events()] == ["plan_submitted", "plan_remarked", "remark_answered"]
    assert office.me()["name"] == "ana"
    for noun in ("datasets", "populations", "plans", "releases"):
        own = {name for name in dir(getattr(office, noun)) if not name.startswith("_")}
        assert own <= set(dir(getattr(workspace, noun))), noun


def test_errors_are_those_of_a_workspace(address: str, workspace: Workspace) -> None:
    office = dprelease.connect(address, token=token(workspace))
    privacy = {"unit": "row", "neighbors": "substitute", "epsilon": 1}
    with pytest.raises(PlanError, match=r"privacy\.neighbors: found 'substitute'"):
        office.price(dprelease.Plan.parse(plan(privacy=privacy)))
    first, second = (office.plans.submit(dprelease.Plan.parse(plan(epsilon))) for epsilon in (3, 2))
    approve(workspace, first)
    approve(workspace, second)
    office.publish(first)
    with pytest.raises(BudgetError):
        office.publish(second)
    with pytest.raises(NotFoundError):
        office.datasets.get("others")
    with pytest.raises(AccessError, match="no_token"):
        dprelease.connect(address, token="dpr_made-up").me()


def test_a_token_goes_nowhere_else(address: str, workspace: Workspace) -> None:
    secret = token(workspace)
    for wrong in ("http://stats.example.org", "stats.example.org", "https://ana@stats.example.org", "file:///etc", ""):
        with pytest.raises(InputError, match="url"):
            dprelease.connect(wrong, token=secret)
    for wrong in ("", "a b", "x\r\ny: z", "ñ" * 20):
        with pytest.raises(InputError, match="token"):
            dprelease.connect(address, token=wrong)
    assert secret not in repr(dprelease.connect(address, token=secret)._wire)
    with pytest.raises(dprelease.IntegrityError):
        dprelease.connect(f"{address}/public", token=secret).me()
