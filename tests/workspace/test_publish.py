"""What publishing promises: charge first, one draw, the same release for the same plan."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import pytest

import dprelease
from dprelease.errors import AccessError, InputError, InsufficientBudgetError, PlanError
from dprelease.model.actor import PUBLIC
from dprelease.model.stated import StatedPreviews
from dprelease.statistics.planning.price import price_of
from dprelease.store.event import EventKind
from dprelease.table.answer import TableError
from dprelease.table.engine import Engine

COLUMNS = {
    "age": {"type": "integer", "lower": 0, "upper": 100},
    "sex": {"type": "category", "categories": ["F", "M"]},
}
ROWS = pandas.DataFrame({"age": [30, 40, 50], "sex": ["F", "M", "F"]})


def plan(epsilon: float = 0.5, title: str = "Ages", **changes: Any) -> dprelease.Plan:
    mapping = {
        "dprelease": 1,
        "title": title,
        "dataset": "people",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": epsilon},
        "statistics": [{"id": "n", "kind": "count"}, {"id": "by_sex", "kind": "count", "by": ["sex"]}],
    }
    return dprelease.Plan.parse(mapping | changes)


@pytest.fixture
def workspace() -> dprelease.Workspace:
    made = dprelease.Workspace.in_memory()
    made.add_dataset("people", ROWS, columns=COLUMNS, epsilon=1, unit="person")
    return made


def approved(workspace: dprelease.Workspace, wanted: dprelease.Plan) -> str:
    plan_id = workspace.plans.submit(wanted)
    workspace.plans.approve(plan_id)
    return plan_id


def test_a_release_that_another_version_measured_otherwise_is_read_by_its_certificate(
    workspace: dprelease.Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = [{"id": kind, "kind": kind, "column": "age"} for kind in ("mean", "std")]
    plan_id = approved(workspace, plan(statistics=asked))
    monkeypatch.setattr("dprelease.statistics.planning.sharing.ON", False)
    first = workspace.publish(plan_id)
    monkeypatch.undo()
    price_of.cache_clear()
    assert workspace.plans.price_of(plan_id)["mean"].source is not None
    for later in (workspace.publish(plan_id), workspace.releases.get(first.id)):
        assert (later.id, dict(later.tables)) == (first.id, dict(first.tables))


def test_a_published_plan_gives_the_same_release(workspace: dprelease.Workspace) -> None:
    plan_id = approved(workspace, plan())
    first = workspace.publish(plan_id)
    second = workspace.publish(approved(workspace, plan()))
    assert (first.id, dict(first.tables)) == (second.id, dict(second.tables))
    assert workspace.populations.budget("people").spent.epsilon == 0.5
    again = workspace.publish(plan_id, again=True)
    assert again.id != first.id
    assert workspace.populations.budget("people").remaining.epsilon == 0
    assert {release.id for release in workspace.releases.find(actor=PUBLIC)} == {first.id, again.id}


def test_one_person_publishes_a_plan_by_one_call(workspace: dprelease.Workspace) -> None:
    release = workspace.publish(plan())
    assert workspace.publish(plan()).id == release.id
    assert workspace.publish(plan(), again=True).id != release.id
    assert workspace.ledger.count(kinds=[EventKind.CHARGE]) == 2


def test_a_published_plan_is_not_approved_once_more(workspace: dprelease.Workspace) -> None:
    release = workspace.publish(plan())
    workspace.populations.raise_cap("people", epsilon=9, reason="more")
    approvals = workspace.ledger.count(kinds=[EventKind.PLAN_APPROVED])
    assert workspace.publish(plan()).id == release.id
    assert workspace.ledger.count(kinds=[EventKind.PLAN_APPROVED]) == approvals


def test_a_plan_over_the_cap_is_refused_and_reads_nothing(
    workspace: dprelease.Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (approved(workspace, plan(epsilon=0.75, title=title)) for title in ("First", "Second"))
    workspace.publish(first)
    monkeypatch.setattr(Engine, "answer", lambda *_, **__: pytest.fail("rows were read"))
    with pytest.raises(InsufficientBudgetError, match=r"0\.75"):
        workspace.publish(second)
    assert workspace.ledger.events("people")[-1].kind == "spend_refused"


def test_the_charge_is_committed_before_rows_are_read_and_survives_a_failure(
    workspace: dprelease.Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan_id = approved(workspace, plan())
    spent: list[Any] = []

    def fail(*_: Any, **__: Any) -> Any:
        spent.append(workspace.populations.budget("people").spent.epsilon)
        raise TableError("the engine was killed")

    with monkeypatch.context() as patch:
        patch.setattr(Engine, "answer", fail)
        with pytest.raises(TableError):
            workspace.publish(plan_id)
    assert spent == [0.5]
    assert workspace.releases.find() == []
    workspace.publish(plan_id)
    assert workspace.populations.budget("people").spent.epsilon == 0.5


def test_a_submitted_plan_needs_approval(workspace: dprelease.Workspace) -> None:
    with pytest.raises(AccessError, match="approved"):
        workspace.publish(workspace.plans.submit(plan()))


@pytest.mark.parametrize(
    ("privacy", "path"),
    [
        ({"unit": {"column": "age", "max_rows": 2}, "neighbors": "add_remove", "epsilon": 1}, "privacy.unit"),
        ({"unit": "row", "neighbors": "substitute", "epsilon": 1}, "privacy.neighbors"),
    ],
)
def test_a_plan_that_contradicts_its_population_is_refused(
    workspace: dprelease.Workspace, privacy: dict[str, Any], path: str
) -> None:
    with pytest.raises(PlanError) as caught:
        workspace.plans.submit(plan(privacy=privacy))
    assert [problem.path for problem in caught.value.problems] == [path]


def test_the_budget_follows_the_population(workspace: dprelease.Workspace) -> None:
    workspace.publish(approved(workspace, plan()))
    shuffled = ROWS.iloc[::-1].rename(columns={"age": "years"})
    workspace.add_dataset("renamed", shuffled, population="people", columns={"sex": COLUMNS["sex"]})
    later = plan(epsilon=0.6, dataset="renamed", statistics=[{"id": "n", "kind": "count"}])
    with pytest.raises(InsufficientBudgetError):
        workspace.publish(approved(workspace, later))


def test_previews_spend_nothing_and_are_logged(workspace: dprelease.Workspace) -> None:
    for _ in range(10):
        preview = workspace.preview(plan(), draws=5)
    assert "30" not in repr(preview) + repr(preview.statistics)
    assert workspace.populations.budget("people").spent.epsilon == 0
    taken = [event for event in workspace.ledger.events("people") if event.kind == "preview_taken"]
    assert len(taken) == 10
    assert set(taken[0].body) == {"dataset", "plan_hash", "measured"}


def test_the_certificate_says_whether_the_plan_came_after_a_look(workspace: dprelease.Workspace) -> None:
    honest = workspace.publish(approved(workspace, plan(epsilon=0.1, title="planned first")))
    assert honest.certificate.previews == StatedPreviews(
        policy="true", taken=False, plan_changed_after=False, schema_changed_after=False, changed="nothing"
    )
    workspace.preview(plan(epsilon=0.2), draws=5)
    same = workspace.publish(approved(workspace, plan(epsilon=0.2)))
    assert same.certificate.previews.plan_changed_after is False
    changed = workspace.publish(approved(workspace, plan(epsilon=0.3)))
    assert changed.certificate.previews.plan_changed_after is True
    workspace.datasets.describe("people", COLUMNS | {"age": {"type": "integer", "lower": 20, "upper": 60}})
    described = workspace.publish(approved(workspace, plan(epsilon=0.05)))
    assert described.certificate.previews.schema_changed_after is True


def test_empty_and_one_person_cells_look_the_same(workspace: dprelease.Workspace) -> None:
    workspace.add_population("twins", unit="person", neighbors="add_remove", epsilon=10)
    shapes = []
    for name, rows in (("empty", ROWS[ROWS.sex == "F"]), ("one", ROWS)):
        workspace.add_dataset(name, rows, population="twins", columns=COLUMNS)
        release = workspace.publish(approved(workspace, plan(dataset=name)))
        shapes.append([(table, frame.shape, frame.columns.tolist()) for table, frame in release.estimates.items()])
    assert shapes[0] == shapes[1]


def test_private_folders_and_keys_are_closed_to_others(tmp_path: Path) -> None:
    workspace = dprelease.Workspace.create(tmp_path / "home")
    workspace.add_dataset("people", ROWS, columns=COLUMNS, epsilon=1)
    assert workspace.public_key.startswith("ed25519:")
    for path in [tmp_path / "home" / "private", *(tmp_path / "home" / "private").rglob("*")]:
        assert path.stat().st_mode & 0o077 == 0, path
    assert (tmp_path / "home" / "ledger.db").stat().st_mode & 0o077 == 0


def test_a_workspace_opens_again_where_it_was(tmp_path: Path) -> None:
    workspace = dprelease.Workspace.create(tmp_path)
    workspace.add_dataset("people", ROWS, columns=COLUMNS, epsilon=1)
    release = workspace.publish(approved(workspace, plan()))
    reopened = dprelease.Workspace.open(tmp_path)
    assert dict(reopened.releases.get(release.id).tables) == dict(release.tables)
    assert reopened.publish(approved(reopened, plan())).id == release.id
    assert reopened.public_key == workspace.public_key


def test_a_folder_without_a_workspace_is_not_opened(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere", tmp_path / "nowhere" / "deeper"):
        with pytest.raises(InputError, match=r"dprelease init.*Workspace\.create"):
            dprelease.Workspace.open(place)
    assert list(tmp_path.iterdir()) == []


def test_a_ledger_that_was_cut_to_nothing_does_not_begin_anew(tmp_path: Path) -> None:
    dprelease.Workspace.create(tmp_path).add_dataset("people", ROWS, columns=COLUMNS, epsilon=1)
    (tmp_path / "ledger.db").write_bytes(b"")
    with pytest.raises(InputError, match="the folder of a workspace"):
        dprelease.Workspace.open(tmp_path)


def test_a_workspace_is_made_once(tmp_path: Path) -> None:
    first = dprelease.Workspace.create(tmp_path / "home")
    with pytest.raises(InputError, match=r"Workspace\.open"):
        dprelease.Workspace.create(tmp_path / "home")
    assert dprelease.Workspace.create(tmp_path / "home", exist_ok=True).public_key == first.public_key


@pytest.mark.parametrize("order", [1, -1])
def test_the_order_of_statistics_does_not_matter(workspace: dprelease.Workspace, order: int) -> None:
    statistics = [
        {"id": "h", "kind": "histogram", "column": "sex"},
        {"id": "m", "kind": "mean", "column": "age"},
        {"id": "s", "kind": "sum", "column": "age", "by": ["sex"]},
        {"id": "q", "kind": "median", "column": "age"},
    ]
    preview = workspace.preview(plan(statistics=statistics[::order]), draws=2)
    assert preview["h"].true.value == [2, 1]
    assert preview["m"].true.value == [pytest.approx(40)]
    assert preview["s"].true.value == [80, 40]
    assert preview["q"].true.value == [40]


def test_what_cannot_work_is_refused_before_the_charge(workspace: dprelease.Workspace) -> None:
    wide = {"statistics": [{"id": f"s{place}", "kind": "crosstab", "columns": ["a", "b"]} for place in range(20)]}
    columns = {name: {"type": "integer", "lower": 0, "upper": 1900} for name in "ab"}
    with pytest.raises(PlanError, match="in all"):
        workspace.plans.submit(plan(columns=columns, **wide))
    assert [event.kind for event in workspace.ledger.events("people")].count("charge") == 0
