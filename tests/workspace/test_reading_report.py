"""The reading report: for whoever may see true values, noted as a look, and part of nothing that others see."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

import dprelease
from dprelease import cli
from dprelease.errors import AccessError, InputError
from dprelease.model.actor import Actor, Role
from dprelease.model.reading_report import CellState
from dprelease.table import Engine
from dprelease.web import site
from dprelease.workspace import process
from tests.mechanisms.seeded import restart
from tests.workspace import alike

COLUMNS: dict[str, Any] = {
    "pay": {"type": "number", "lower": 0, "upper": 200, "resolution": 1},
    "region": {"type": "category", "categories": ["North", "South"]},
}
PLAN: dict[str, Any] = {
    "dprelease": 1,
    "dataset": "staff",
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
    "statistics": [
        {"id": "mean", "kind": "mean", "column": "pay"},
        {"id": "regions", "kind": "histogram", "column": "region"},
    ],
}
OTHERS = [
    {"id": "days", "kind": "histogram", "column": "day", "bins": 12},
    {"id": "works", "kind": "histogram", "column": "works"},
]
PAY = ["100"] * 2 + ["40000", "50000"] * 24
CURATOR, REVIEWER = Actor("cur", frozenset({Role.CURATOR})), Actor("rev", frozenset({Role.REVIEWER}))


def staff(folder: Path | None, *, last: str | None = "about 99", region: str = "NORTH") -> dprelease.Workspace:
    made = dprelease.Workspace.in_memory() if folder is None else dprelease.Workspace.create(folder)
    table = pa.table({"pay": [*PAY, last], "region": ["North"] * len(PAY) + [region]})
    made.add_dataset("staff", table, columns=COLUMNS, epsilon=4)
    return made


def kinds(workspace: dprelease.Workspace) -> list[str]:
    return [event.kind for event in workspace.ledger.events()]


def test_it_is_noted_as_a_look_before_rows_are_read_and_without_a_count(monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = staff(None)
    found = workspace.datasets.reading("staff")
    assert (found["pay"][CellState.ABOVE], found["pay"][CellState.UNREADABLE], found["pay"].rows) == (48, 1, 51)
    assert found["region"][CellState.UNDECLARED] == 1
    event = workspace.ledger.events()[-1]
    assert (event.kind, event.body) == ("reading_taken", {"dataset": "staff", "columns": ["pay", "region"]})
    assert [each.column for each in workspace.datasets.reading("staff", columns=["region"])] == ["region"]
    monkeypatch.setattr(Engine, "answer", lambda *_, **__: pytest.fail("rows were read first"))
    before = len(kinds(workspace))
    with pytest.raises(pytest.fail.Exception):
        workspace.datasets.reading("staff")
    assert kinds(workspace)[before:] == ["reading_taken"]
    assert workspace.ledger.verify() == before + 1


def test_a_certificate_tells_that_it_was_looked_at() -> None:
    workspace = staff(None)
    plan = dprelease.Plan.parse(PLAN)
    assert workspace.plans.told_of_previews(plan).taken is False
    workspace.datasets.reading("staff")
    assert workspace.plans.told_of_previews(plan).taken is True
    workspace.datasets.describe("staff", COLUMNS | {"pay": COLUMNS["pay"] | {"upper": 90000}})
    assert workspace.plans.told_of_previews(plan).schema_changed_after is True


@pytest.mark.parametrize("policy", ["blind", "none"])
def test_where_no_true_values_are_shown_no_row_is_read(policy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = staff(None)
    workspace.plans.set_preview_policy(policy)
    monkeypatch.setattr(Engine, "answer", lambda *_, **__: pytest.fail("rows were read"))
    with pytest.raises(InputError, match=f"the policy {policy}"):
        workspace.datasets.reading("staff")
    assert "reading_taken" not in kinds(workspace)


def test_a_reviewer_and_a_token_without_previews_get_nothing() -> None:
    workspace = staff(None)
    for actor in (REVIEWER, Actor("cur", CURATOR.roles, scope=frozenset({"publish", "datasets"}))):
        with pytest.raises(AccessError):
            workspace.datasets.reading("staff", actor=actor)
    assert "reading_taken" not in kinds(workspace)


def test_a_value_after_clipping_is_not_called_true() -> None:
    seen = staff(None).preview(dprelease.Plan.parse(PLAN), draws=2)
    mean, regions = seen["mean"], seen["regions"]
    assert list(mean.frame().columns) == ["true_within_bounds", "noisy", "low", "high"]
    assert [str(each) for each in mean.caveats] == [
        "94 % of the rows lie above 200 (pay)",
        "2 % of the cells of pay cannot be read",
        "without bounds: 43\u202f204",
    ]
    assert "true" in regions.frame().columns
    assert [str(each) for each in regions.caveats] == ["2 % of the rows have a value of region that is not declared"]


def test_a_table_that_is_read_whole_has_no_caveats() -> None:
    seen = staff(None, last="100", region="South")
    wide = COLUMNS | {"pay": COLUMNS["pay"] | {"upper": 90000}}
    seen.datasets.describe("staff", wide)
    shown = seen.preview(dprelease.Plan.parse(PLAN), draws=2)
    assert [each.caveats for each in shown.statistics] == [(), ()]
    assert "true" in shown["mean"].frame().columns


def test_the_rows_of_units_are_reported_before_any_is_left_out() -> None:
    workspace = dprelease.Workspace.in_memory()
    table = pa.table({"who": [1, 1, 1, None], "pay": ["5", "6", "x", "900"]})
    workspace.add_dataset("staff", table, unit_column="who", columns={"pay": COLUMNS["pay"]}, epsilon=4)
    unit = {"column": "who", "max_rows": 1}
    plan = PLAN | {"privacy": PLAN["privacy"] | {"unit": unit}, "statistics": PLAN["statistics"][:1]}
    seen = workspace.preview(dprelease.Plan.parse(plan), draws=1)
    assert seen.reading is not None
    assert (seen.reading["pay"].rows, seen.reading["pay"][CellState.ABOVE]) == (4, 1)


def test_a_look_has_it_from_its_own_scan() -> None:
    workspace = staff(None)
    look = workspace.plans.look(dprelease.Plan.parse(PLAN))
    assert look.reading is not None
    assert look.reading["pay"][CellState.ABOVE] == 48
    wide = look.unclipped("mean")
    assert wide is not None
    assert round(wide.value[0]) == 43204  # type: ignore[arg-type]
    assert look.unclipped("regions") is None
    assert kinds(workspace).count("reading_taken") == 0
    assert workspace.plans.look(dprelease.Plan.parse(PLAN), invented=True).reading is None


VOLATILE = re.compile(
    r"(?:ed25519:[0-9a-f]+|[0-9a-fA-F]{8,}|[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]+(?:Z|[+]00:00)?)?"
    r"|[0-9]{2}:[0-9]{2}|[\w+/-]{40,}=*)+"
)
"""What differs between two workspaces that did the same: random names, hashes, days and times, signatures, keys."""


def others_see(folder: Path, seed: int, monkeypatch: pytest.MonkeyPatch, caplog: Any, capsys: Any) -> dict[str, str]:
    """All that a reviewer, a curator with blind previews, and a visitor get; and the errors of what is not theirs."""
    restart()
    workspace = dprelease.Workspace.create(folder)
    table = pa.table(dict(zip(alike.COLUMNS, map(list, zip(*alike.rows(seed), strict=True)), strict=True)))
    workspace.plans.set_preview_policy("blind")
    workspace.add_dataset("staff", table, columns=alike.COLUMNS, written=alike.WRITTEN, epsilon=9)
    workspace.plans.set_preview_policy("true")
    workspace.datasets.reading("staff")
    workspace.plans.set_preview_policy("blind")
    caplog.clear()
    plan, got = dprelease.Plan.parse({**PLAN, "statistics": [*PLAN["statistics"], *OTHERS]}), dict[str, str]()
    (folder.parent / "again.csv").write_text(alike.text(seed))
    layout = {"encoding": "utf-8", "delimiter": ",", "header": 1, "units": False}
    more: dict[str, Any] = {"population": "staff", "reading": layout, "written": {**alike.WRITTEN, "accept": True}}
    brought = workspace.add_dataset("again", folder.parent / "again.csv", columns=alike.COLUMNS, **more)
    written = workspace.datasets.written("again")
    got["brought"] = str((brought.schema.to_mapping(), workspace.datasets.columns("again"), written, written.texts))
    got["unlike"] = str(workspace.datasets.unlike("again", folder.parent / "again.csv"))
    blind = workspace.preview(plan, draws=2)
    got["blind"] = str([each.frame().to_json() for each in blind.statistics]) + str(blind.reading)
    for name, actor in (("blind", CURATOR), ("reviewer", REVIEWER)):
        with pytest.raises((InputError, AccessError)) as refused:
            workspace.datasets.reading("staff", actor=actor)
        got[f"refused {name}"] = str(refused.value)
    (folder.parent / "plan.json").write_text(json.dumps(plan.to_mapping()))
    for command in (
        ("dataset", "reading", "staff"),
        ("price", str(folder.parent / "plan.json"), "--data"),
        ("preview", str(folder.parent / "plan.json")),
        ("dataset", "detect", str(folder.parent / "again.csv")),
    ):
        capsys.readouterr()
        code = cli.main([*command, "--home", str(folder), "--json"])
        got[f"terminal, {command[0]} {len(got)}"] = f"{code} {capsys.readouterr()}".replace(str(folder.parent), "")
    plan_id = workspace.plans.submit(plan)
    got["review"] = repr(workspace.plans.review(plan_id, actor=REVIEWER))
    workspace.plans.approve(plan_id)
    workspace.publish(plan_id)
    got["audit"] = workspace.ledger.audit_report("staff", actor=REVIEWER).html()
    got["events"] = str([event.to_mapping() for event in workspace.ledger.events(actor=REVIEWER)])
    for path in sorted((folder / "public").rglob("*")):
        if path.suffix in (".json", ".html", ".csv", ".md", ".txt", ".xml", ".yaml"):
            got[VOLATILE.sub("#", str(path.relative_to(folder)))] = path.read_text("utf-8")
    monkeypatch.setenv(process.VARIABLE, str(folder))
    process.current.cache_clear()
    client = TestClient(Starlette(routes=site.routes(), middleware=site.middleware()), base_url="http://127.0.0.1:8501")
    for address in ("/", "/releases", "/api/v1/releases", "/feed.xml", "/upload", "/reports/staff"):
        answer = client.get(address)
        got[address] = f"{answer.status_code} {answer.text}"
    process.current.cache_clear()
    got["log"] = caplog.text.replace(str(folder.parent), "")
    return {name: VOLATILE.sub("#", text) for name, text in got.items()}


@pytest.fixture(scope="module")
def first() -> dict[str, str]:
    """What others see of the first table; filled by whichever test asks first."""
    return {}


@pytest.mark.usefixtures("seeded")
@pytest.mark.one_in(50)
@pytest.mark.parametrize("seed", range(1, 51))
def test_nobody_else_sees_anything_of_it(
    first: dict[str, str], seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: Any, capsys: Any
) -> None:
    """Two tables that differ in cells without a value, outside and ambiguous: nothing others get differs by a byte."""
    if not first:
        first.update(others_see(tmp_path / "one" / "home", 0, monkeypatch, caplog, capsys))
    other = others_see(tmp_path / "two" / "home", seed, monkeypatch, caplog, capsys)
    assert alike.rows(0) != alike.rows(seed)
    assert first.keys() == other.keys()
    assert len(first) > 20
    for name in first:
        assert first[name] == other[name], name
