"""Synthetic rows that are made of the tables of a workload in the same plan: at no cost, and of nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas
import pytest

import dprelease
from dprelease.errors import IntegrityError, PlanError
from dprelease.model.encoding import pretty
from dprelease.model.release import MeasuredTables, SyntheticRows
from tests.bundle.releases import snapshot
from tests.bundle.test_formats import resigned
from tests.statistics.kinds.test_synthetic import BINS, COLUMNS, apart, people

TABLES = {"id": "all", "kind": "workload", "columns": list(COLUMNS), "bins": BINS, "order": 3}
ROWS: dict[str, Any] = {
    "id": "rows",
    "kind": "synthetic",
    "columns": ["pay", "sex", "age"],
    "bins": BINS,
    "source": "all",
}


def opened(
    folder: Path, table: pandas.DataFrame, currency: str = "zcdp", neighbors: str = "add_remove"
) -> dprelease.Workspace:
    workspace = dprelease.Workspace.create(folder / "w")
    delta: Any = "1e-6" if currency == "zcdp" else 0
    workspace.add_population("all", unit="row", neighbors=neighbors, epsilon=1000, delta=delta, currency=currency)
    workspace.add_dataset("t", table, population="all", columns=COLUMNS)
    return workspace


def plan_of(
    *statistics: dict[str, Any], currency: str = "zcdp", neighbors: str = "add_remove", **more: Any
) -> dprelease.Plan:
    delta = 1e-7 if currency == "zcdp" else 0
    privacy = {"unit": "row", "neighbors": neighbors, "epsilon": 4, "delta": delta}
    return dprelease.Plan.parse(
        {"dprelease": 1, "dataset": "t", "privacy": privacy, "statistics": list(statistics), "charts": False, **more}
    )


def published(workspace: dprelease.Workspace, plan: dprelease.Plan) -> Any:
    plan_id = workspace.plans.submit(plan)
    workspace.plans.approve(plan_id)
    return workspace.publish(plan_id)


def sold(asked: dict[str, Any]) -> dict[str, Any]:
    """The bins of columns that there are."""
    bins = {name: count for name, count in BINS.items() if name in asked["columns"]}
    return {**asked, "bins": bins} if bins else {key: each for key, each in asked.items() if key != "bins"}


@pytest.mark.full
@pytest.mark.parametrize(("currency", "neighbors"), [("pure", "add_remove"), ("zcdp", "substitute")])
def test_rows_of_a_workload_cost_nothing_and_are_near_its_tables(tmp_path: Path, currency: str, neighbors: str) -> None:
    """At ε = 4 and 8,000 rows noise moves no table by a tenth: false alarms below 1e-9. Columns stand in another order
    than in the workload, and not all of them."""
    true = people(8000)
    workspace = opened(tmp_path, true, currency, neighbors)
    alone = workspace.price(plan_of(TABLES, currency=currency, neighbors=neighbors))
    plan = plan_of(TABLES, sold(ROWS), currency=currency, neighbors=neighbors)
    both = workspace.price(plan)
    assert both.loss == alone.loss
    assert both.statistics[1].loss.nano == 0
    assert both.statistics[0].mechanisms == alone.statistics[0].mechanisms
    assert both.statistics[1].error95 <= both.statistics[0].error95
    release = published(workspace, plan)
    given, output = release.outputs["all"], release.outputs["rows"]
    assert isinstance(given, MeasuredTables)
    assert isinstance(output, SyntheticRows)
    assert output.integers == given.integers
    wanted = given.parts["sex_pay"]
    assert sorted(output.parts["pay_sex"].value) == sorted(wanted.value)
    assert sorted(map(float, output.parts["pay_sex"].upper95)) == sorted(map(float, wanted.upper95))
    rows = pandas.DataFrame(dict(output.columns))
    assert list(rows) == ["pay", "sex", "age"]
    for names in [("pay",), ("sex",), ("age",), ("pay", "sex"), ("pay", "age"), ("sex", "age")]:
        assert apart(true, rows.assign(region="West"), names) < 0.1, names
    assert dprelease.verify(release.write(tmp_path / "b"))


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"source": "none"}, r"source: found .*none.*allowed: the id of a workload of this plan \(all, few, two\)"),
        ({"source": "rows"}, r"source: found .*rows"),
        ({"source": "n"}, r"source: found .*n.*a workload"),
        ({"source": "few"}, r"columns: found column 'pay', which it does not count"),
        ({"bins": {"age": 4, "pay": 4}}, r"columns: found column 'age' in 4 cells, which it counts in 5"),
        ({"source": "two", "columns": ["sex", "age", "region"], "bins": {"age": 5}, "order": 2}, r"over sex, region"),
        ({"method": "mwem"}, r"source: found .*residual_tree"),
        ({"epsilon": 1}, r"epsilon: found a share.*nothing more is spent"),
        ({"weight": 2}, r"weight: found a share"),
        ({"target_error": {"value": 5, "confidence": 0.95}}, r"target_error: found a share"),
        ({"source": "No such"}, r"source"),
    ],
)
def test_a_source_that_has_not_the_tables_is_refused_before_anything_is_charged(
    tmp_path: Path, asked: dict[str, Any], said: str
) -> None:
    workspace = opened(tmp_path, people(10))
    others = [
        {"id": "n", "kind": "count"},
        {"id": "few", "kind": "workload", "columns": ["sex", "age"], "bins": {"age": 5}},
        {
            "id": "two",
            "kind": "workload",
            "columns": ["sex", "age", "region"],
            "bins": {"age": 5},
            "tables": [["sex", "age"], ["age", "region"], ["sex"], ["age"], ["region"]],
        },
    ]
    with pytest.raises(PlanError, match=said):
        workspace.price(plan_of(TABLES, *others, {**sold(ROWS), **asked}))


@pytest.mark.full
@pytest.mark.parametrize(
    ("count", "columns", "more", "currency", "neighbors"),
    [
        (0, ["sex", "region"], {}, "zcdp", "substitute"),
        (1, ["sex"], {"rows": 1}, "pure", "add_remove"),
        (1, ["pay", "region", "sex"], {"order": 3}, "pure", "substitute"),
        (30, ["age"], {"rows": 0, "order": 1}, "zcdp", "add_remove"),
        (30, ["age", "pay"], {"bins": {"age": 1, "pay": 1}}, "zcdp", "substitute"),
    ],
)
def test_few_rows_one_column_one_bin_and_none(
    tmp_path: Path, count: int, columns: list[str], more: dict[str, Any], currency: str, neighbors: str
) -> None:
    """From price and preview to a bundle that verifies, and at no cost."""
    asked = {**sold({**ROWS, "columns": columns}), **more}
    workspace = opened(tmp_path, people(count), currency, neighbors)
    tables = {**TABLES, "bins": {**BINS, **more.get("bins", {})}}
    plan = plan_of(tables, asked, currency=currency, neighbors=neighbors)
    alone = plan_of(tables, currency=currency, neighbors=neighbors)
    assert workspace.price(plan).loss == workspace.price(alone).loss
    assert workspace.preview(plan, draws=2)
    release = published(workspace, plan)
    assert "rows" not in more or len(release.outputs["rows"].columns[columns[0]]) == more["rows"]
    assert dprelease.verify(release.write(tmp_path / "b"))


@pytest.mark.full
def test_a_workload_pays_with_a_share_of_its_own_or_one_that_is_chosen_by_errors(tmp_path: Path) -> None:
    """Also where it is measured together with other rows that have the same tables."""
    workspace = opened(tmp_path, people(300))
    twin = {**TABLES, "id": "twin", "kind": "synthetic"}
    expected = {"expected": {"rows": 300}, "weights": "equalise"}
    for first, more in (({**TABLES, "epsilon": 0.5}, {}), (TABLES, expected)):
        price = workspace.price(plan_of(first, sold(ROWS), {"id": "n", "kind": "count"}, **more))
        assert [each.loss.nano > 0 for each in price.statistics] == [True, False, True]
    release = published(workspace, plan_of(twin, TABLES, sold(ROWS)))
    assert [each.source for each in release.certificate.statistics] == [None, "twin", "twin"]
    assert dprelease.verify(release.write(tmp_path / "b"))


@pytest.mark.full
def test_rows_do_not_make_a_workload_cheaper_and_need_it(tmp_path: Path) -> None:
    """Neither by a share that they hand on nor by standing before it; nothing is measured for them."""
    workspace = opened(tmp_path, people(300))
    many = [{**sold(ROWS), "id": f"rows{number}", "order": 1 + number} for number in range(3)]
    alone, more = (workspace.price(plan_of(TABLES, *each)) for each in ([], many))
    first = workspace.price(plan_of(*many, TABLES))
    assert alone.loss == more.loss == first.loss
    assert len(alone.to_mapping()["measurements"]) == len(more.to_mapping()["measurements"]) == 1
    assert first.statistics[-1].mechanisms == alone.statistics[0].mechanisms
    release = published(workspace, plan_of(*many, TABLES))
    kinds = {each.id: each.derivation for each in release.certificate.statistics}
    assert kinds.pop("all") == "own"
    assert len(set(kinds.values())) == 1
    assert dprelease.verify(release.write(tmp_path / "b"))


@pytest.mark.full
@pytest.mark.parametrize("lie", ["integers", "table", "own", "rows"])
def test_what_does_not_follow_from_the_workload_is_refused(tmp_path: Path, lie: str) -> None:
    """Also where the checksums are signed anew."""
    workspace = opened(tmp_path, people(200))
    release = published(workspace, plan_of(TABLES, sold({**ROWS, "rows": 20})))
    contents = snapshot(release.write(tmp_path / "b"))
    if lie == "integers":
        told = json.loads(contents["measured/rows.json"])
        told["integers"][0][0] += 1
        forged = {**contents, "measured/rows.json": pretty(told)}
    elif lie == "own":
        told = json.loads(contents["release.json"])
        told["statistics"][1] |= {"derivation": "own", "measurements": ["rows"]}
        forged = {**contents, "release.json": pretty(told)}
    else:
        name = "tables/rows.sex.csv" if lie == "table" else "rows/rows.synthetic.csv"
        head, first, second, *rest = contents[name].splitlines()
        forged = {**contents, name: b"\n".join([head, second, first, *rest]) + b"\n"}
    (tmp_path / "forged").mkdir()
    with pytest.raises(IntegrityError):
        dprelease.verify(resigned(forged, tmp_path / "forged", workspace._state.keys.current))
