"""An office with a table that is open to analysts, one that is not, and programs of two analysts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dprelease
from dprelease.model.actor import Actor, Role
from tests.trust import world

JONAS = Actor("jonas", frozenset({Role.REVIEWER}))
BASE = "/remote/v1"
COLUMNS = {name: dict(column) for name, column in world.COLUMNS.items()}


def made(home: Path, *, rows: int = 60, epsilon: float = 4) -> dprelease.Workspace:
    """A team with maria (curator), jonas (reviewer), nora (administrator), ana and bo (analysts)."""
    workspace = dprelease.Workspace.create(home)
    for name in ("people", "others"):
        workspace.add_dataset(name, world.people(rows), columns=COLUMNS, epsilon=epsilon, unit="person")
    workspace.people.sign_in(workspace.people.invite("nora", ["administrator"]))
    workspace.people.sign_in(workspace.people.invite("maria", ["curator"]))
    workspace.people.sign_in(workspace.people.invite("jonas", ["reviewer"]))
    for name in ("ana", "bo"):
        workspace.people.sign_in(workspace.people.invite(name, ["analyst"]))
    workspace.people.require_two_people()
    workspace.datasets.open_to_analysts("people", actor=workspace.people.get("maria"))
    return workspace


def token(workspace: dprelease.Workspace, name: str = "ana", profile: str = "publish", **more: Any) -> str:
    return workspace.people.create_token("job", profile=profile, actor=workspace.people.get(name), **more)[1]


def plan(epsilon: float = 0.5, title: str = "Ages", **changes: Any) -> dict[str, Any]:
    return world.plan(epsilon, title, **changes).to_mapping()


def approve(workspace: dprelease.Workspace, plan_id: str) -> None:
    workspace.plans.approve(plan_id, actor=workspace.people.get("jonas"))


def charges(workspace: dprelease.Workspace) -> list[Any]:
    nora = workspace.people.get("maria")
    return [each for each in workspace.ledger.events(actor=nora) if each.kind == "charge"]
