"""Tables of no rows, of one, of one bin or category, without a value: every kind publishes, or is refused in words."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.errors import PlanError, Problem
from dprelease.model.statistic import statistic_of
from dprelease.verdict.verify import Verdict
from tests.privacy.holds.kinds import KINDS
from tests.privacy.holds.settings import Setting, columns, rows

TABLES = {
    "no rows": Setting(seed=1, n=0, by=True),
    "one row": Setting(seed=2, n=1),
    "one bin": Setting(seed=3, n=300, bins=1, by=True),
    "one category": Setting(seed=4, n=300, categories=1),
    "no values": Setting(seed=5, n=300, shape="missing", by=True),
    "one value": Setting(seed=6, n=300, shape="upper", part=0.125, by=True),
    "skewed": Setting(seed=7, n=3000, shape="exponential", part=0.25, bins=50, rare=True, share=0.005),
}
SIDES = [("pure", "substitute", 0), ("zcdp", "add_remove", 3)]
PLACE = re.compile(r"(statistics|derived)\[(\d+)\]")


def asked_at(setting: Setting) -> dict[str, dict[str, Any]]:
    """By id what each kind of the grid asks for, k = 1 in place of 2, with what is derived of it."""
    found = {}
    for place, kind in enumerate(KINDS):
        declared = kind.declared(setting)
        one = {**(declared[0] if isinstance(declared, list) else declared), "id": f"s{place}"}
        beside = re.sub(r'"(d|p|q)"', rf'"\g<1>{place}"', json.dumps(kind.beside(setting))).replace(
            '"s0"', f'"s{place}"'
        )
        found[one["id"]] = {"statistics": [one | ({"k": 1} if "k" in one else {})], **json.loads(beside)}
    return found


def _problems(workspace: dprelease.Workspace, plan: dict[str, Any]) -> str | Sequence[Problem]:
    """The id of a plan that is submitted, or why it is refused."""
    try:
        return workspace.plans.submit(dprelease.Plan.parse(plan))
    except PlanError as error:
        return error.problems


def publish(setting: Setting, folder: Path) -> tuple[dict[str, str], Verdict]:
    """One release of all kinds that are not refused, and the words of those that are."""
    workspace = dprelease.Workspace.in_memory()
    unit = {"unit": "person", "neighbors": setting.neighbors, "currency": setting.currency}
    workspace.add_population("people", epsilon=1000, delta="1e-3", **unit)
    frame = rows(setting).drop(columns=[] if setting.unit else ["id"])
    identifier = "id" if setting.unit else None
    workspace.add_dataset("t", frame, population="people", unit_column=identifier, columns=columns(setting))
    asked, refused = asked_at(setting), {}
    of = {"column": "id", "max_rows": setting.unit} if setting.unit else "row"
    while True:
        parts = {"statistics": [], "derived": [], "public": {}}
        for each in asked.values():
            parts["statistics"] += each["statistics"]
            parts["derived"] += each.get("derived", [])
            parts["public"] |= each.get("public", {})
        privacy = {"unit": of, "neighbors": setting.neighbors, "epsilon": 30, "delta": 1e-6}
        plan = {"dprelease": 1, "dataset": "t", "expected": {"rows": max(1, setting.n)}, "privacy": privacy}
        submitted = _problems(workspace, plan | {name: part for name, part in parts.items() if part})
        if isinstance(submitted, str):
            break
        for problem in submitted:
            found = PLACE.match(problem.path)
            assert found, problem
            listed = parts[found[1]][int(found[2])]
            name = listed["id"] if found[1] == "statistics" else listed["of"]
            refused[name] = str(problem)
            asked.pop(name, None)
    workspace.plans.approve(submitted)
    return refused, dprelease.verify(workspace.publish(submitted).write(folder))


@pytest.mark.full
@pytest.mark.parametrize("side", SIDES, ids=lambda side: side[0])
@pytest.mark.parametrize("name", TABLES)
def test_every_kind_publishes_or_is_refused_in_words(name: str, side: tuple[Any, ...], tmp_path: Path) -> None:
    currency, neighbors, unit = side
    refused, verdict = publish(replace(TABLES[name], currency=currency, neighbors=neighbors, unit=unit), tmp_path)
    told = {statistic_of(table) for table in verdict.release.tables}
    assert len(told) > 40
    assert told.isdisjoint(refused)
