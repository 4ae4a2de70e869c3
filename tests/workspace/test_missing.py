"""A fifth of the rows hold -99: from CSV text to the published mean, nothing of them is in a number."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import dprelease
from dprelease.bundle.guarantee import caveats
from dprelease.errors import InputError, PlanError, SchemaError
from dprelease.model.policy import PlanCheck
from dprelease.model.reading_report import CellState
from dprelease.model.release import Release

AGES = [-99 if place % 5 == 0 else 30 + 10 * (place % 4) for place in range(2000)]
ANSWERED = [age for age in AGES if age != -99]
TRUE_MEAN = sum(ANSWERED) / len(ANSWERED)
AGE: dict[str, Any] = {"type": "integer", "lower": 0, "upper": 120}
NUMBER: dict[str, Any] = {"type": "number", "lower": 0, "upper": 120, "resolution": 0.5}
ASKED = [
    {"id": "mean", "kind": "mean", "column": "age"},
    {"id": "answers", "kind": "count", "column": "age"},
    {"id": "ages", "kind": "histogram", "column": "age", "bins": 12},
]


def released(home: Path, source: Any, columns: dict[str, Any], *statistics: Any, **others: Any) -> Release:
    """With so large an ε that noise is next to nothing."""
    workspace = dprelease.Workspace.create(home)
    workspace.add_dataset("visits", source, columns=columns, epsilon=100_000)
    plan = {
        "dprelease": 1,
        "dataset": "visits",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 50_000},
        "statistics": list(statistics or ASKED),
        **others,
    }
    plan_id = workspace.plans.submit(dprelease.Plan.parse(plan))
    workspace.plans.approve(plan_id)
    return workspace.publish(plan_id)


def stored(kind: str, folder: Path) -> Any:
    if kind.startswith("csv"):
        folder.mkdir()
        text = {"csv": "-99", "csv with blanks": " -99.0 ", "csv with a word": "n/a"}[kind]
        lines = ["age", *(text if age == -99 else str(age) for age in AGES)]
        (folder / "visits.csv").write_text("\n".join(lines))
        return folder / "visits.csv"
    types = {"integer": pa.int32(), "float": pa.float64(), "text": pa.string()}
    values = [str(age) for age in AGES] if kind == "text" else AGES
    return pa.table({"age": pa.array(values, types[kind])})


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", ["csv", "csv with blanks", "csv with a word", "integer", "float", "text"])
@pytest.mark.parametrize("declared", [AGE, NUMBER])
def test_a_fifth_of_codes_moves_no_mean(tmp_path: Path, kind: str, declared: dict[str, Any]) -> None:
    columns = {"age": {**declared, "missing_codes": [-99, "n/a"]}}
    release = released(tmp_path / "home", stored(kind, tmp_path / "files"), columns)
    assert release.tables["mean"].value[0] == pytest.approx(TRUE_MEAN, abs=0.05)
    assert release.tables["answers"].value[0] == pytest.approx(len(ANSWERED), abs=2)
    assert release.tables["ages"].value[0] == pytest.approx(0, abs=2), "nobody is from 0 to 9"
    told = " ".join(caveats(release.certificate))
    assert "Codes for no answer, whose rows count as rows without a value: age (-99, n/a)." in told
    assert release.certificate.plan["columns"]["age"]["missing_codes"] == [-99, "n/a"]


def declared(column: list[str], *, cell: bool) -> dict[str, Any]:
    return {"type": "category", "categories": [*column, "none"], **({"count_missing_as": "none"} if cell else {})}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("cell", [True, False])
def test_consistent_tables_count_a_declared_cell_for_rows_without_a_value(tmp_path: Path, cell: bool) -> None:
    """With it, all tables add up to all rows; without it, the certificate says which columns keep them apart."""
    sex = [None if place % 5 == 0 else "FM"[place % 2] for place in range(2000)]
    region = [None if place % 7 == 0 else "NS"[place % 3 == 0] for place in range(2000)]
    release = released(
        tmp_path / "home",
        pa.table({"sex": pa.array(sex, pa.string()), "region": pa.array(region, pa.string())}),
        {"sex": declared(["F", "M"], cell=cell), "region": declared(["N", "S"], cell=cell)},
        {"id": "people", "kind": "count", "epsilon": 0.2},
        {"id": "sexes", "kind": "histogram", "column": "sex", "epsilon": 0.3},
        {"id": "both", "kind": "crosstab", "columns": ["sex", "region"], "epsilon": 0.5},
        postprocess=["consistent"],
    )
    tables = {name: table.value for name, table in release.tables.items()}
    rows = [sum(tables["both"][place : place + 3]) for place in (0, 3, 6)]
    told = " ".join(caveats(release.certificate))
    if cell:
        assert tables["sexes"] == pytest.approx(rows, abs=0.005)
        assert sum(tables["sexes"]) == pytest.approx(tables["people"][0], abs=0.005)
        assert tables["sexes"][2] == pytest.approx(400, abs=70), "a fifth has none: noise is above 70 once in e^20"
        people = release.tables["people"]
        assert people.upper95[0] - people.value[0] < 14, "15 by its own noise"  # type: ignore[operator]
        assert "consistent" not in told
    else:
        assert tables["sexes"][2] == pytest.approx(0, abs=70)
        assert "made consistent with any other table, since none counts the same rows: people, sexes, both." in told
        assert "Rows without a value in region, sex are left out of some tables" in told
    home = tmp_path / "home"
    assert dprelease.verify(release.write(home / "public")).release.tables == release.tables


def test_a_code_that_nobody_declared_is_caught_by_what_lies_outside(tmp_path: Path) -> None:
    release = released(tmp_path / "home", stored("integer", tmp_path), {"age": {**AGE, "outside": "missing"}})
    assert release.tables["mean"].value[0] == pytest.approx(TRUE_MEAN, abs=0.05)
    assert "Values outside the declared bounds count as no value." in caveats(release.certificate)


def test_codes_of_all_columns_stand_beside_their_own(tmp_path: Path) -> None:
    source = pa.table(
        {
            "age": ["30", "-99", "NA", "50"],
            "sex": ["F", "NA", "9", "M"],
            "day": ["2025-01-02", "NA", "2025-01-03", "9999-12-31"],
            "ill": ["yes", "NA", "no", "9"],
        }
    )
    columns = {
        "age": {**AGE, "missing_codes": [-99]},
        "sex": {"type": "category", "categories": ["F", "M"], "other": True, "missing_codes": [9]},
        "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31", "missing_codes": ["9999-12-31"]},
        "ill": {"type": "boolean", "missing_codes": ["9"]},
    }
    counts = [{"id": name, "kind": "count", "column": name} for name in columns]
    by_sex = {"id": "sexes", "kind": "histogram", "column": "sex"}
    release = released(tmp_path / "home", source, columns, *counts, by_sex, missing_codes=["NA"])
    assert [round(release.tables[name].value[0]) for name in columns] == [2, 2, 2, 2]
    assert [round(value) for value in release.tables["sexes"].value] == [1, 1, 0], "no code is another category"
    assert release.certificate.plan["columns"]["ill"]["missing_codes"] == ["9", "NA"]


def test_the_old_key_is_refused_with_both_new_ones() -> None:
    with pytest.raises(SchemaError, match=r"missing_codes.*count_missing_as") as error:
        dprelease.Schema.parse({"age": {**AGE, "missing": -99}})
    assert [problem.path for problem in error.value.problems] == ["columns.age.missing"]


@pytest.mark.parametrize(
    ("declared", "path"),
    [
        ({**AGE, "missing_codes": [{"from": 0, "to": 120}]}, "missing_codes[0]"),
        ({**AGE, "missing_codes": [{"from": 9, "to": 1}]}, "missing_codes[0]"),
        ({**AGE, "missing_codes": [{"from": "2025-01-01"}]}, "missing_codes[0]"),
        ({**AGE, "missing_codes": [-99, 7], "count_missing_as": 7}, "missing_codes[1]"),
        ({**AGE, "missing_codes": ["9999999999999999"]}, "missing_codes[0]"),
        ({**AGE, "missing_codes": -99}, "missing_codes"),
        ({"type": "category", "categories": ["1", "9"], "missing_codes": [9]}, "missing_codes[0]"),
        ({"type": "category", "categories": ["1", "9"], "missing_codes": [{"from": 8}]}, "missing_codes[0]"),
        ({"type": "boolean", "missing_codes": [True]}, "missing_codes[0]"),
        ({"type": "text", "missing_codes": [0]}, "missing_codes[0]"),
        ({"type": "boolean", "outside": "missing"}, "outside"),
        ({**AGE, "outside": "drop"}, "outside"),
    ],
)
def test_codes_that_cannot_be_meant_are_refused(declared: dict[str, Any], path: str) -> None:
    with pytest.raises(SchemaError) as error:
        dprelease.Schema.parse({"x": declared})
    assert [problem.path for problem in error.value.problems] == [f"columns.x.{path}"]


def test_a_code_of_all_columns_that_is_a_category_is_refused() -> None:
    plan = {
        "dprelease": 1,
        "dataset": "visits",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
        "missing_codes": ["9"],
        "statistics": [{"id": "sexes", "kind": "histogram", "column": "sex"}],
    }
    schema = dprelease.Schema.parse({"sex": {"type": "category", "categories": [1, 9]}})
    with pytest.raises(PlanError, match="also a declared value"):
        dprelease.Plan.parse(plan).with_schema(schema)


def test_a_filter_never_sees_a_code(tmp_path: Path) -> None:
    asked = {"id": "young", "kind": "count"}
    where = [{"column": "age", "at_most": 40}]
    columns = {"age": {**AGE, "missing_codes": [-99]}}
    release = released(tmp_path / "home", stored("integer", tmp_path), columns, asked, where=where)
    assert release.tables["young"].value[0] == pytest.approx(sum(age <= 40 for age in ANSWERED), abs=2)


# Identifiers


def persons(values: Any, type_: pa.DataType) -> pa.Table:
    return pa.table({"person": pa.array(values, type_), "age": pa.array([30] * len(values))})


def test_rows_of_nobody_are_left_out_and_it_is_said(tmp_path: Path) -> None:
    workspace = dprelease.Workspace.create(tmp_path)
    people = persons([0, 0, 0, -1, 5, 6, 6], pa.int64())
    asked = {"columns": {"age": AGE}, "epsilon": 100_000, "unit_column": "person"}
    dataset = workspace.add_dataset("visits", people, unit_codes=[0, "-1"], **asked)
    assert workspace.datasets.get("visits").unit_codes == dataset.unit_codes == ("0", "-1")
    plan = {
        "dprelease": 1,
        "dataset": "visits",
        "privacy": {"unit": {"column": "person", "max_rows": 3}, "neighbors": "add_remove", "epsilon": 50_000},
        "statistics": [{"id": "n", "kind": "count"}, {"id": "people", "kind": "units"}],
    }
    plan_id = workspace.plans.submit(dprelease.Plan.parse(plan))
    workspace.plans.approve(plan_id)
    release = workspace.publish(plan_id)
    assert [round(release.tables[name].value[0]) for name in ("n", "people")] == [3, 2]
    assert release.certificate.plan["privacy"]["unit"]["missing_codes"] == ["0", "-1"]
    assert any(
        "that stand for nobody, whose rows are left out: 0, -1." in caveat for caveat in caveats(release.certificate)
    )
    plan["privacy"]["unit"]["missing_codes"] = [7]
    with pytest.raises(PlanError, match="registered with"):
        workspace.plans.submit(dprelease.Plan.parse(plan))


def test_identifiers_that_a_float_cannot_tell_apart_are_refused_when_a_file_is_registered(tmp_path: Path) -> None:
    workspace = dprelease.Workspace.create(tmp_path)
    asked: dict[str, Any] = {"columns": {"age": AGE}, "epsilon": 1, "unit_column": "person"}
    with pytest.raises(InputError, match="several whole numbers") as error:
        workspace.add_dataset("visits", persons([1.0, 2.0**53], pa.float64()), **asked)
    assert "9007199254740992" not in str(error.value).replace("below 9007199254740992", "")
    assert workspace.datasets.find() == []
    workspace.add_dataset("visits", persons([1.0, None], pa.float64()), **asked)
    with pytest.raises(InputError, match="several whole numbers"):
        workspace.datasets.replace_rows("visits", persons([2.0**60], pa.float64()))
    workspace.add_dataset("others", persons([2**60, 2**60 + 1], pa.int64()), **asked)


def test_a_preview_counts_codes_apart_for_the_curator_alone(tmp_path: Path) -> None:
    workspace = dprelease.Workspace.create(tmp_path)
    columns = {"age": {**AGE, "missing_codes": [-99]}, "income": {**AGE, "missing_codes": ["refused"]}}
    table = pa.table({"age": [*AGES, None, 500], "income": ["refused", *map(str, AGES), "x"]})
    workspace.add_dataset("visits", table, columns=columns, epsilon=2)
    plan = {
        "dprelease": 1,
        "dataset": "visits",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
        "where": [{"column": "income", "at_least": 0}],
        "statistics": [{"id": "mean", "kind": "mean", "column": "age"}],
    }
    seen = workspace.preview(dprelease.Plan.parse(plan), draws=2, sources=True)
    assert seen.reading is not None
    age = seen.reading["age"]
    coded = sum(each == -99 for each in AGES) - 1  # the row whose income is a code is not chosen
    assert (age[CellState.MISSING], age[CellState.ABOVE], age.outside) == (coded, 0, 0)
    assert str(coded) not in repr(seen.reading)


def test_reviewers_are_told_of_codes_between_the_bounds_and_of_filters(tmp_path: Path) -> None:
    workspace = dprelease.Workspace.create(tmp_path)
    columns = {"age": {**AGE, "missing_codes": [-99, 99, {"from": 110, "to": 999}]}}
    workspace.add_dataset("visits", stored("integer", tmp_path), columns=columns, epsilon=2)
    plan = {
        "dprelease": 1,
        "dataset": "visits",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
        "where": [{"column": "age", "at_least": 18}],
        "statistics": [{"id": "n", "kind": "count"}],
    }
    plan_id = workspace.plans.submit(dprelease.Plan.parse(plan))
    found = [each for each in workspace.plans.review(plan_id).findings if each.check is PlanCheck.MISSING_CODES]
    assert [each.detail for each in found] == ["within", "where"]
    assert found[0].about == {"column": "age", "codes": "99, 110 … 999"}
