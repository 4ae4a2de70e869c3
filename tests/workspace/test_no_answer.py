"""Rows without an answer as a group of a published table: in files, on the page, and for whoever verifies it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import dprelease
from dprelease.bundle.unanswered import columns_left_out, left_out
from dprelease.errors import PlanError
from dprelease.model.release import NO_ANSWER, Release
from dprelease.statements.question import StatisticLabel
from dprelease.words.language import speaking
from tests.made import made

ROWS = 60
COLUMNS: dict[str, Any] = {
    "region": {"type": "category", "categories": ["north", "south"]},
    "sex": {"type": "category", "categories": ["F", "M"]},
    "age": {"type": "integer", "lower": 0, "upper": 99},
    "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31"},
    "member": {"type": "boolean"},
}
GROUP = "group"
STATISTICS: list[dict[str, Any]] = [
    {"id": "regions", "kind": "count", "by": ["region"], "missing": {"region": GROUP}, "margins": True},
    {"id": "ages", "kind": "histogram", "column": "age", "bins": 4, "missing": {"age": GROUP}},
    {"id": "days", "kind": "histogram", "column": "day", "levels": {"day": "month"}, "missing": {"day": GROUP}},
    {"id": "both", "kind": "crosstab", "columns": ["region", "sex"], "missing": {"region": GROUP, "sex": GROUP}},
    {"id": "age_by_sex", "kind": "mean", "column": "age", "by": ["sex"], "missing": {"sex": GROUP}},
    {
        "id": "members",
        "kind": "proportion",
        "where": [{"column": "member", "equals": True}],
        "by": ["region"],
        "missing": {"region": GROUP},
    },
]
FRAME = pd.DataFrame(
    {
        "region": ["north", "south", None, "north", "elsewhere", "south"] * (ROWS // 6),
        "sex": ["F", "M", "F", None, "M"] * (ROWS // 5),
        "age": [10, 30, 60, None, 90, 20] * (ROWS // 6),
        "day": ["2025-01-05", "2025-06-30", None, "2025-12-31", "none"] * (ROWS // 5),
        "member": [True, False, None, True, True, False] * (ROWS // 6),
    }
)


def plan(statistics: list[dict[str, Any]], **columns: Any) -> dprelease.Plan:
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 240}
    return dprelease.Plan.parse(
        {
            "dprelease": 1,
            "dataset": "t",
            "privacy": privacy,
            "columns": COLUMNS | columns,
            "statistics": statistics,
        }
    )


def publish(folder: Path) -> None:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("t", FRAME, epsilon=1000)
    workspace.publish(plan(STATISTICS)).write(folder / "bundle")


@pytest.fixture(scope="module")
def bundle() -> Path:
    (found,) = (made(publish) / "bundle").iterdir()
    return found


@pytest.fixture(scope="module")
def release(bundle: Path) -> Release:
    return dprelease.verify(bundle).release


def test_rows_without_an_answer_are_the_last_group(release: Release) -> None:
    table = release.tables["both"]
    assert [axis.cells[-1] for axis in table.axes] == [(NO_ANSWER,), (NO_ANSWER,)]
    region = FRAME["region"].where(FRAME["region"] != "elsewhere").fillna("_U")
    counted = pd.DataFrame({"region": region, "sex": FRAME["sex"].fillna("_U")})
    found = counted.groupby(["region", "sex"]).size()
    assert {row[:2]: row[2] for row in table.rows()} == {
        (region, sex): found.get((region, sex), 0) for region in ("north", "south", "_U") for sex in ("F", "M", "_U")
    }
    assert sum(table.value) == ROWS  # type: ignore[arg-type]


def test_a_total_holds_them_too(release: Release) -> None:
    assert [(row[0], row[1]) for row in release.tables["regions"].rows()] == [
        ("north", 20),
        ("south", 20),
        ("_U", 20),
        ("_T", 60),
    ]


def test_means_and_shares_are_of_the_group_too(release: Release) -> None:
    assert [row[0] for row in release.tables["age_by_sex"].rows()] == ["F", "M", "_U"]
    assert [(row[0], round(float(row[1]), 3)) for row in release.tables["members"].rows()] == [  # type: ignore[arg-type]
        ("north", 1),
        ("south", 0),
        ("_U", 1),
    ]


def test_bins_and_months_are_texts_beside_it(release: Release) -> None:
    ages, days = release.tables["ages"], release.tables["days"]
    assert ages.axes[0].cells == (("0", "24"), ("25", "49"), ("50", "74"), ("75", "99"), ("_U", "_U"))
    assert ages.value[-1] == 10
    assert days.axes[0].cells[-2:] == (("2025-12",), ("_U",))
    assert days.value[-1] == 24


def test_files_have_its_code_and_the_page_its_words(bundle: Path) -> None:
    assert "\n_U,20," in (bundle / "tables" / "regions.csv").read_text()
    page = (bundle / "index.html").read_text()
    assert "no answer" in page
    assert ">_U<" not in page
    structure = (bundle / "sdmx" / "structure.xml").read_text()
    assert '<str:Code id="_U">' in structure


def test_a_page_says_which_rows_are_left_out_and_how_many_where_that_was_paid_for(release: Release) -> None:
    """Of member, that no table groups, by the plan alone; of sex, age and region what their groups count."""
    found = {name: list(left_out(release, name)) for name in release.tables}
    assert found["regions"] == found["ages"] == found["both"] == []
    assert found["age_by_sex"] == ["About 10 rows (10 to 10) have no answer to age and are left out."]
    assert found["members"] == ["Rows without a value of member are left out; how many is not published."]
    with speaking("es"):
        assert "no se publica cuántas son" in next(left_out(release, "members"))


def test_what_a_page_says_of_left_out_rows_follows_from_the_plan_not_from_the_rows() -> None:
    asked = [{"id": "x", "kind": "crosstab", "columns": ["region", "sex"]}, {"id": "n", "kind": "count"}]
    asked.append({"id": "told", "kind": "answered", "columns": ["sex"]})
    said = []
    for frame in (FRAME, FRAME.dropna(), FRAME.iloc[:0]):
        workspace = dprelease.Workspace.in_memory()
        workspace.add_dataset("t", frame, epsilon=1000)
        release = workspace.publish(plan(asked))
        said.append([columns_left_out(release.certificate, name) for name in ("x", "n", "told")])
        assert list(left_out(release, "x"))[-1].startswith("Rows without a value of region are left out; how many")
    assert said == [[["region", "sex"], [], []]] * 3
    assert next(left_out(release, "x")) == "At most 0 rows have no answer to sex; they are left out."


def test_one_check_counts_the_rows_that_have_a_value_in_all_columns() -> None:
    """Whatever their number it costs what one costs; the others are those that a table over the columns leaves out."""
    columns = ["region", "sex", "age"]
    asked = [
        {"id": "all", "kind": "answered", "columns": columns},
        {"id": "one", "kind": "answered", "columns": ["sex"]},
    ]
    asked.append({"id": "x", "kind": "crosstab", "columns": columns, "bins": {"age": 2}})
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("t", FRAME, epsilon=1000)
    release = workspace.publish(plan(asked))
    price = dprelease.price(plan(asked))
    assert price["all"].mechanisms[0].scale == price["one"].mechanisms[0].scale
    yes, no = release.tables["all"].value
    assert (yes, yes + no) == (sum(release.tables["x"].value), ROWS)  # type: ignore[operator, arg-type]
    (said,) = left_out(release, "x")
    assert said == f"About {no} rows ({no} to {no}) have no answer to one of these and are left out: region, sex, age."
    question = StatisticLabel.of(release.certificate, "all").text
    assert question == "How many records have a value of each of region, sex and age, and how many do not?"


def test_a_check_in_detail_says_how_the_cells_of_one_column_are_read() -> None:
    frame = pd.DataFrame({"pay": ["5", "7", "-3", "900", "", "refused", "1.000.000"], "sex": ["F", "f", *"FMMMM"]})
    columns = {
        "pay": {"type": "integer", "lower": 0, "upper": 100, "missing_codes": ["refused"]},
        "sex": {"type": "category", "categories": ["F", "M"], "count_missing_as": "M"},
    }
    asked = [{"id": name, "kind": "answered", "columns": [name], "detail": True} for name in columns]
    asked.append({"id": "mean", "kind": "mean", "column": "pay"})
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("t", frame, epsilon=1000)
    base = plan(asked).to_mapping() | {"columns": columns}
    release = workspace.publish(dprelease.Plan.parse(base))
    pay, sex = release.tables["pay"], release.tables["sex"]
    assert [cell for (cell,) in pay.axes[0].cells] == ["within", "below", "above", "none", "not_understood"]
    assert pay.value == [2, 1, 1, 2, 1]
    assert [cell for (cell,) in sex.axes[0].cells] == ["within", "none", "not_understood"], "no bounds to lie beyond"
    assert sex.value == [6, 0, 1]
    assert next(left_out(release, "mean")).startswith("Rows without a value of pay are left out: the table pay says")
    question = StatisticLabel.of(release.certificate, "pay")
    with speaking("es"):
        assert question.coded("answered", "not_understood")[0] == "No se entiende"
    assert question.head_of("answered") == "Answer"
    with pytest.raises(PlanError, match="detail of several columns"):
        dprelease.price(dprelease.Plan.parse(base | {"statistics": [asked[0] | {"columns": ["pay", "sex"]}]}))


def test_a_check_of_columns_that_all_have_a_value_is_refused() -> None:
    whole = {name: {**COLUMNS[name], "count_missing_as": first} for name, first in (("region", "north"), ("sex", "F"))}
    asked = [{"id": "a", "kind": "answered", "columns": ["region", "sex"]}]
    with pytest.raises(PlanError, match="empty cells count as a value"):
        dprelease.price(plan(asked, **whole))
    dprelease.price(plan(asked, region=whole["region"]))


def test_pictures_of_numbers_and_days_leave_it_to_the_table(release: Release) -> None:
    from dprelease.charts.picture import picture

    for name, told in (("ages", True), ("days", True), ("regions", False), ("both", False)):
        drawn = picture(release, name)
        assert any("in the table" in note for note in drawn.notes) is told
        assert ("no answer" in drawn.svg().decode()) is not told
    with speaking("es"):
        assert any("sin respuesta" in note for note in picture(release, "ages").notes)


@pytest.mark.parametrize(
    ("statistic", "columns", "found"),
    [
        ({"missing": {"sex": GROUP}}, {}, "told apart by"),
        ({"missing": {"region": "drop"}}, {}, "group"),
        ({"missing": {}}, {}, "mapping"),
        ({"missing": GROUP}, {}, "mapping"),
        ({"missing": {"region": GROUP}}, {"region": COLUMNS["region"] | {"count_missing_as": "north"}}, "empty cells"),
        (
            {"missing": {"region": GROUP}},
            {"region": {"type": "category", "categories": ["a", "No answer"]}},
            "category",
        ),
        ({"missing": {"region": GROUP}}, {"region": {"type": "category", "categories": ["a", "_U"]}}, "category"),
    ],
)
def test_what_it_cannot_stand_beside_is_refused_in_words(
    statistic: dict[str, Any], columns: dict[str, Any], found: str
) -> None:
    asked = {"id": "n", "kind": "count", "by": ["region"], **statistic}
    with pytest.raises(PlanError, match="missing") as error:
        dprelease.price(plan([asked], **columns))
    assert found in str(error.value)


def test_a_table_of_discovered_categories_has_no_such_group() -> None:
    asked = {"id": "x", "kind": "crosstab", "columns": ["region", "ward"], "missing": {"region": GROUP}}
    with pytest.raises(PlanError, match="discovered"):
        dprelease.price(plan([asked], ward={"type": "category", "categories": "discover"}))
