"""Columns made of others from a file to a release: figures of the rows, words in the certificate, and who is told."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

import dprelease
from dprelease.bundle.guarantee import caveats
from dprelease.errors import InputError, PlanError
from dprelease.model.schema import Schema
from dprelease.ui.data.sheet import ColumnSheet
from dprelease.words.language import speaking
from dprelease.workspace.checks import PlanCheck

COLUMNS: dict[str, dict[str, Any]] = {
    "admitted": {"type": "date", "lower": "2020-01-01", "upper": "2020-12-31"},
    "discharged": {"type": "date", "lower": "2020-01-01", "upper": "2021-06-30"},
    "cost": {"type": "number", "lower": 0, "upper": 1000, "resolution": 1, "missing_codes": [-9]},
    "stay": {"made": {"days_between": ["admitted", "discharged"]}, "lower": 0, "upper": 90},
}
OWN = {
    "length": {"made": {"cut": {"of": "stay", "at": [7, 30], "labels": ["days", "weeks", "months"]}}},
    "long": {"made": {"holds": [{"column": "stay", "at_least": 30}]}},
    "daily": {"made": {"ratio": {"of": "cost", "to": "stay"}}, "resolution": 1, "upper": 100},
}
STAYS = [0, 3, 7, 29, 30, 200] * 20
COSTS = [100, -9, 70, 580, 3000, 0] * 20


def plan(**changed: Any) -> dict[str, Any]:
    statistics = [
        {"id": "stays", "kind": "mean", "column": "stay"},
        {"id": "lengths", "kind": "histogram", "column": "length"},
        {"id": "long", "kind": "histogram", "column": "long"},
        {"id": "costs", "kind": "mean", "column": "daily", "by": ["length"]},
    ]
    privacy = {"unit": {"column": "person", "max_rows": 2}, "neighbors": "add_remove", "epsilon": 50_000}
    whole = {"dprelease": 1, "dataset": "stays", "privacy": privacy, "columns": OWN, "statistics": statistics}
    whole["where"] = [{"column": "stay", "at_least": 0}]
    return whole | changed


@pytest.fixture
def workspace(tmp_path: Path) -> dprelease.Workspace:
    first = date(2020, 3, 1)
    lines = ["person,admitted,discharged,cost"]
    lines += [
        f"{place},{first},{first + timedelta(days=stay)},{cost}"
        for place, (stay, cost) in enumerate(zip(STAYS, COSTS, strict=True))
    ]
    (tmp_path / "stays.csv").write_text("\n".join(lines))
    made = dprelease.Workspace.create(tmp_path / "home")
    made.add_dataset("stays", tmp_path / "stays.csv", unit_column="person", columns=COLUMNS, epsilon=100_000)
    return made


def test_a_release_of_made_columns_has_the_figures_of_the_rows(workspace: dprelease.Workspace, tmp_path: Path) -> None:
    release = workspace.publish(dprelease.Plan.parse(plan()))
    clipped = [min(stay, 90) for stay in STAYS]
    assert release.tables["stays"].value[0] == pytest.approx(sum(clipped) / len(clipped), abs=0.1)
    assert [round(value) for value in release.tables["lengths"].value] == [40, 40, 40]
    daily = release.tables["costs"].value  # 70 / 7 and 580 / 29; 1000 / 30 and 0 / 90
    assert [round(value, 1) for value in daily[1:]] == pytest.approx([15, 16.5], abs=0.2)
    columns = release.certificate.plan["columns"]
    assert set(columns) == {"stay", "length", "long", "daily", "admitted", "discharged", "cost"}
    assert (columns["stay"]["lower"], columns["stay"]["upper"]) == (0, 90)
    assert columns["length"]["categories"] == ["days", "weeks", "months"]
    assert release.certificate.plan["columns"]["daily"]["upper"] == 100
    assert [round(value) for value in release.tables["long"].value] == [80, 40]
    assert dprelease.verify(release.write(tmp_path), key=workspace.public_key).signer_known
    for language, words in (("en", "“stay” is discharged minus admitted, in days, 0 to 90"), ("es", "«stay»")):
        with speaking(language):
            assert words in " ".join(caveats(release.certificate))


def test_values_beyond_bounds_are_told_only_of_made_columns_that_are_narrowed(workspace: dprelease.Workspace) -> None:
    """Bounds that follow from the inputs cut nothing: nobody is told that they do."""
    own = {"months": {"made": {"months_between": ["admitted", "discharged"]}}, "daily": {**OWN["daily"]}}
    statistics = [{"id": name, "kind": "mean", "column": name} for name in own]
    days = {name: {**COLUMNS[name], "outside": "missing"} for name in ("admitted", "discharged")}
    release = workspace.publish(dprelease.Plan.parse(plan(columns=own | days, statistics=statistics)))
    (told,) = [each for each in caveats(release.certificate) if "count as the nearest bound" in each]
    assert "daily" in told
    assert "months" not in told


def test_a_look_counts_what_a_made_column_cuts(workspace: dprelease.Workspace) -> None:
    """Of `stay` a sixth lies above 90 days; `daily` has no value where a stay is of 0 days or costs are not known."""
    report = {each.column: each.counts for each in workspace.datasets.reading("stays").columns}
    assert report["stay"] == {state: {"understood": 100, "above": 20}.get(state.value, 0) for state in report["stay"]}
    preview = workspace.preview(dprelease.Plan.parse(plan(where=None)), draws=2)
    assert all(sum(each.counts.values()) == len(STAYS) for each in preview.reading.columns)
    found = {each.column: each.counts for each in preview.reading.columns}
    assert {state.value: count for state, count in found["daily"].items() if count} == {"understood": 80, "empty": 40}
    assert preview["stays"].is_clipped


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"who": {"made": {"known": "person"}}}, "person"),
        ({"who": {"made": {"known": "stai"}}}, "Did you mean 'stay'"),
        ({"cost2": {"made": {"days_between": ["cost", "admitted"]}}}, "column of type date"),
        ({"stay": {"made": {"days_between": ["admitted", "discharged"]}, "upper": 9999}}, "546 or less"),
    ],
)
def test_a_plan_is_refused_with_the_column_and_the_remedy(
    workspace: dprelease.Workspace, columns: dict[str, Any], words: str
) -> None:
    name = next(iter(columns))
    asked = plan(columns=columns, statistics=[{"id": "n", "kind": "histogram", "column": name}])
    with pytest.raises(PlanError, match=words):
        workspace.price(dprelease.Plan.parse(asked))


def test_the_column_of_the_unit_is_no_input(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("person,x\n1,2\n2,3\n")
    columns = {
        "person": {"type": "integer", "lower": 0, "upper": 9},
        "x": {"type": "integer", "lower": 0, "upper": 9},
        "y": {"made": {"sum": ["person", "x"]}},
    }
    made = dprelease.Workspace.create(tmp_path / "home")
    with pytest.raises(InputError, match=r"columns\.y\.made.*whose row it is"):
        made.add_dataset("t", tmp_path / "t.csv", unit_column="person", columns=columns, epsilon=1)
    with pytest.raises(InputError, match="a stored column of this name"):
        made.add_dataset(
            "t", tmp_path / "t.csv", columns={"x": {"made": {"known": "y"}}, "y": {"type": "boolean"}}, epsilon=1
        )


def test_a_page_and_a_terminal_keep_a_made_column_and_what_follows_follows_again(
    workspace: dprelease.Workspace,
) -> None:
    schema = workspace.datasets.get("stays").schema
    sheet = ColumnSheet.of(schema.columns, schema.said())
    assert sheet.rows["stay"].brief().startswith("{days_between: [admitted, discharged]} · 0 – 90")
    assert Schema.parse(sheet.declared()) == schema
    narrower = sheet.rows["discharged"].changed({"upper": "2020-12-31"})
    workspace.datasets.describe("stays", sheet.changed({"discharged": narrower}).declared() | OWN)
    now = workspace.datasets.get("stays").schema
    assert {column.name for column in now} == {*COLUMNS, *OWN}
    assert now.said()["length"] == {"type": "category", **OWN["length"]}


def test_a_made_up_table_has_made_columns_too(workspace: dprelease.Workspace) -> None:
    workspace.plans.set_preview_policy("blind")
    preview = workspace.preview(dprelease.Plan.parse(plan()), draws=2)
    assert preview.invented
    assert sum(preview["lengths"].true.value) > 0


def test_only_bounds_that_somebody_declared_are_asked_about(workspace: dprelease.Workspace) -> None:
    columns: dict[str, dict[str, Any]] = {"months": {"made": {"sum": {"of": {"cost": 1}, "plus": 87}}}}
    statistics = [{"id": "m", "kind": "mean", "column": "months"}]
    for upper, told in ((None, []), (947, [{"column": "months", "bound": "947"}])):
        columns["months"]["upper"] = upper
        plan_id = workspace.plans.submit(dprelease.Plan.parse(plan(columns=columns, statistics=statistics)))
        found = workspace.plans.review(plan_id).findings
        assert [each.about for each in found if each.check is PlanCheck.EXACT_BOUNDS] == told
