"""What previews may show, what is kept of them, and what they say about the error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import pytest

import dprelease
from dprelease.bundle.guarantee import caveats
from dprelease.errors import AccessError, InputError, IntegrityError
from dprelease.model.actor import Actor, Role
from dprelease.model.stated import StatedPreviews
from dprelease.table import Engine
from dprelease.workspace.outcomes import parts
from dprelease.workspace.previews import lookalike

COLUMNS: dict[str, Any] = {
    "who": {"type": "text"},
    "age": {"type": "integer", "lower": 0, "upper": 100},
    "cost": {"type": "number", "lower": 0, "upper": 50, "resolution": 0.5},
    "region": {"type": "category", "categories": ["n", "s", "e"]},
    "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31"},
}
ROWS = pandas.DataFrame(
    {
        "who": ["a", "a", "a", "b", "c", None],
        "age": [30, 30, 30, 40, 150, 50],
        "cost": [10.0, 10.0, 10.0, 2003.5, None, 20.0],
        "region": ["n", "n", "n", "s", "x", "e"],
        "day": pandas.to_datetime(["2025-02-01"] * 4 + ["2024-12-31", "2030-01-01"]).date,
    }
)
STATISTICS: list[dict[str, Any]] = [
    {"id": "n", "kind": "count", "by": ["region"]},
    {"id": "total", "kind": "sum", "column": "cost"},
    {"id": "mean", "kind": "mean", "column": "age"},
    {"id": "days", "kind": "histogram", "column": "day", "bins": 4},
]
REVIEWER = Actor("rea", frozenset({Role.REVIEWER}))


def plan(epsilon: float = 0.5, max_rows: int = 2, **changes: Any) -> dprelease.Plan:
    mapping = {
        "dprelease": 1,
        "title": "Costs",
        "dataset": "people",
        "privacy": {"unit": {"column": "who", "max_rows": max_rows}, "neighbors": "add_remove", "epsilon": epsilon},
        "statistics": STATISTICS,
    }
    return dprelease.Plan.parse(mapping | changes)


@pytest.fixture
def workspace() -> dprelease.Workspace:
    made = dprelease.Workspace.in_memory()
    made.add_dataset("people", ROWS, columns=COLUMNS, unit_column="who", epsilon=10, unit="person")
    return made


def kinds(workspace: dprelease.Workspace) -> list[str]:
    return [event.kind for event in workspace.ledger.events()]


# What the workspace allows


def test_a_policy_is_the_administrators_and_each_change_stays_in_the_ledger(tmp_path: Path) -> None:
    workspace = dprelease.Workspace.create(tmp_path / "home")
    assert workspace.plans.preview_policy == "true"
    for policy in ("blind", "none", "none", "true"):
        workspace.plans.set_preview_policy(policy)
    assert dprelease.Workspace.open(tmp_path / "home").plans.preview_policy == "true"
    told = [event.body for event in workspace.ledger.events() if event.kind == "policy_changed"]
    assert [body["value"] for body in told] == ["blind", "none", "true"]
    with pytest.raises(InputError, match="previews"):
        workspace.plans.set_preview_policy("some")
    with pytest.raises(AccessError):
        workspace.plans.set_preview_policy("blind", actor=Actor("cur", frozenset({Role.CURATOR})))
    assert workspace.ledger.verify() == len(workspace.ledger.events())
    with workspace._state.database.writing() as connection:
        connection.execute("UPDATE facts SET value = 'blind' WHERE name = 'previews'")
    with pytest.raises(IntegrityError, match="facts"):
        workspace.ledger.verify()


def test_a_blind_preview_reads_no_rows_and_is_no_look_at_true_values(
    workspace: dprelease.Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.plans.set_preview_policy("blind")
    location = workspace._state.table
    monkeypatch.setattr(workspace._state, "table", lambda *_: pytest.fail("the table was opened"))
    monkeypatch.setattr(workspace._state, "tallies", lambda *_, **__: pytest.fail("rows were read"))
    monkeypatch.setattr(workspace._state.engine, "cursor", lambda: pytest.fail("the engine was asked"))
    wanted = plan(expected={"rows": 1200, "units": 400})
    seen = workspace.preview(wanted, draws=3, sources=True)
    assert seen.invented == 1200
    counts = [value for value in seen["n"].true.value if isinstance(value, int)]
    assert sum(counts) == 800, "two rows of each of the 400 expected units"
    assert max(counts) - min(counts) < 60
    assert seen["days"].true.value == pytest.approx([200] * 4, abs=20)
    assert workspace.preview(wanted, draws=1)["n"].true.value == seen["n"].true.value
    assert "preview_taken" not in kinds(workspace)
    monkeypatch.setattr(workspace._state, "table", location)


def test_a_lookalike_depends_on_the_schema_alone(workspace: dprelease.Workspace) -> None:
    complete = workspace.price(plan()).plan
    assert lookalike(complete).equals(lookalike(complete))
    assert lookalike(complete).num_rows == 1000
    assert set(lookalike(complete)["region"].to_pylist()) == {"n", "s", "e"}


def test_with_no_previews_nobody_sees_anything(workspace: dprelease.Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace.plans.set_preview_policy("none")
    monkeypatch.setattr(Engine, "answer", lambda *_, **__: pytest.fail("rows were read"))
    with pytest.raises(InputError, match="the policy none"):
        workspace.preview(plan())
    assert "preview_taken" not in kinds(workspace)


# What is kept of previews


def test_a_reviewer_sees_what_changed_since_previews_and_never_a_value(workspace: dprelease.Workspace) -> None:
    first, last = plan(0.5), plan(0.4, max_rows=1)
    workspace.preview(first, draws=1)
    workspace.preview(plan(0.3), draws=1)
    workspace.preview(last, draws=1)
    submitted = workspace.plans.submit(last)
    workspace.preview(plan(0.2), draws=1)
    since_first, since_last = workspace.plans.changes_since_preview(submitted, actor=REVIEWER)
    assert since_last.changes == ()
    assert since_first.changes is not None
    assert {change.path: (change.before, change.after) for change in since_first.changes} == {
        "privacy.epsilon": (0.5, 0.4),
        "privacy.unit.max_rows": (2, 1),
    }
    assert (since_first.taken.actor, since_first.taken.seq < since_last.taken.seq) == ("owner", True)
    with pytest.raises(AccessError):
        workspace.preview(last, actor=REVIEWER)


def test_columns_that_were_narrowed_after_a_look_are_a_change(workspace: dprelease.Workspace) -> None:
    workspace.preview(plan(), draws=1)
    workspace.datasets.describe(
        "people", COLUMNS | {"cost": {"type": "number", "lower": 0, "upper": 20, "resolution": 0.5}}
    )
    (since,) = workspace.plans.changes_since_preview(workspace.plans.submit(plan()))
    assert since.changes is not None
    assert [(change.path, change.before, change.after) for change in since.changes] == [
        ("columns.cost.upper", 50, 20),
    ]


def test_nothing_changed_where_nothing_was_previewed(workspace: dprelease.Workspace) -> None:
    assert workspace.plans.changes_since_preview(workspace.plans.submit(plan())) == []


def test_the_certificate_states_policy_and_looks_as_of_the_charge(workspace: dprelease.Workspace) -> None:
    def published(wanted: dprelease.Plan) -> Any:
        plan_id = workspace.plans.submit(wanted)
        workspace.plans.approve(plan_id)
        told = workspace.plans.told_of_previews(wanted)
        certificate = workspace.publish(plan_id).certificate
        assert certificate.previews == told, "what the summary says is what the certificate states"
        return certificate

    workspace.plans.set_preview_policy("blind")
    workspace.preview(plan())
    blind = published(plan(0.1))
    assert blind.previews == StatedPreviews(
        policy="blind", taken=False, plan_changed_after=False, schema_changed_after=False, changed="nothing"
    )
    assert any("invented rows" in caveat for caveat in caveats(blind))
    assert any("No true values of this population were previewed" in caveat for caveat in caveats(blind))
    workspace.plans.set_preview_policy("true")
    workspace.preview(plan(0.2), draws=1)
    seen = published(plan(0.3))
    assert (seen.previews.policy, seen.previews.taken) == ("true", True)
    assert seen.previews.plan_changed_after is True


# Where the error comes from


def test_clipping_cutting_and_noise_are_told_apart(workspace: dprelease.Workspace) -> None:
    seen = workspace.preview(plan(epsilon=8), draws=40, sources=True)
    assert seen.sources is not None
    assert "2003" not in repr(seen) + repr(seen.sources) + repr(seen.reading)
    assert (seen.sources.rows, seen.sources.identified, seen.sources.kept) == (6, 5, 4)
    assert seen.reading is not None
    about = {each.column: each.to_mapping() for each in seen.reading}
    assert (about["cost"]["below"], about["cost"]["above"], about["cost"]["empty"]) == (0, 1, 1)
    assert (about["age"]["below"], about["age"]["above"], about["age"]["empty"]) == (0, 1, 0)
    assert (about["day"]["below"], about["day"]["above"]) == (1, 1)
    assert (about["region"]["undeclared"], about["region"]["empty"]) == (1, 0)
    (total,) = parts(seen["total"])
    assert total.clipping == -1953.5, "2003.5 counts as 50"
    assert total.cutting == -30, "one of three rows of a is left out, and the row of nobody"
    assert total.noise is not None
    assert total.largest == "clipping"
    (mean,) = parts(seen["mean"])
    assert mean.clipping == pytest.approx((100 - 150) / 6)
    assert mean.cutting == pytest.approx((30 * 2 + 40 + 100) / 4 - (30 * 3 + 40 + 100 + 50) / 6)
    assert [part.cutting for part in parts(seen["n"])] == [-1, 0, -1]
    assert [part.clipping for part in parts(seen["n"])] == [None] * 3


def test_a_filter_keeps_its_meaning(workspace: dprelease.Workspace) -> None:
    """A column that rows are chosen by is not looked at beyond its bounds: other rows would be chosen."""
    seen = workspace.preview(plan(where=[{"column": "age", "at_most": 100}]), draws=2, sources=True)
    assert seen.sources is not None
    assert [part.clipping for part in parts(seen["mean"])] == [None]


# Publishing in the background


def test_publishing_in_the_background_charges_once_however_often_it_is_begun(workspace: dprelease.Workspace) -> None:
    plan_id = workspace.plans.submit(plan())
    workspace.plans.approve(plan_id)
    for _ in range(5):
        workspace.releases.start(plan_id)
    (job,) = workspace.releases.publishing()
    assert job.ended.wait(300)
    assert job.release_id == workspace.releases.find()[0].id
    assert kinds(workspace).count("charge") == 1


def test_what_stops_a_publication_is_told_and_it_can_be_finished(
    workspace: dprelease.Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan_id = workspace.plans.submit(plan())
    workspace.plans.approve(plan_id)
    with monkeypatch.context() as patch:
        patch.setattr("dprelease.workspace.publish.draw", lambda *_: (_ for _ in ()).throw(OSError("full")))
        job = workspace.releases.start(plan_id)
        assert job.ended.wait(300)
    assert isinstance(job.error, OSError)
    assert (job.stage, job.release_id) == ("drawing", None)
    assert [each.plan_id for each in workspace.releases.unfinished()] == [plan_id]
    assert workspace.releases.start(plan_id).ended.wait(300)
    assert workspace.releases.publishing()[0].release_id is not None
    assert kinds(workspace).count("charge") == 1
