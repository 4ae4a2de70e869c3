"""Levels of key columns, from rows to a bundle that verifies: months, regions, bands, and what is refused before."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import dprelease
from dprelease.errors import PlanError, SchemaError
from dprelease.model.release import Release
from dprelease.verdict.verify import verify

FIRST = date(2023, 1, 5)
DAYS = [FIRST + timedelta(days=17 * place % 800) for place in range(2400)]
ROWS = pa.table(
    {"day": DAYS, "age": [place % 101 for place in range(2400)], "p": ["abcde"[place % 5] for place in range(2400)]}
)
REGIONS = {
    "r": {"North": ["a", "d"], "South": ["b", "c"], "East": ["e"]},
    "coast": {"yes": ["North", "e"], "no": ["South"]},
}
COLUMNS: dict[str, dict[str, Any]] = {
    "day": {"type": "date", "lower": "2023-01-05", "upper": "2025-03-14"},
    "age": {
        "type": "integer",
        "lower": 0,
        "upper": 100,
        "levels": {"broad": {"edges": [0, 16, 65]}, "five": {"width": 5}},
    },
    "p": {"type": "category", "categories": list("abcde"), "levels": REGIONS},
}


def released(
    home: Path, *statistics: dict[str, Any], columns: dict[str, Any] = COLUMNS, epsilon: float = 50_000
) -> Release:
    workspace = dprelease.Workspace.create(home)
    workspace.add_dataset("visits", ROWS, columns=columns, epsilon=100_000)
    plan_id = workspace.plans.submit(dprelease.Plan.parse(plan(*statistics, epsilon=epsilon)))
    workspace.plans.approve(plan_id)
    return workspace.publish(plan_id)


def plan(*statistics: dict[str, Any], epsilon: float = 1, **others: Any) -> dict[str, Any]:
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": epsilon}
    return {"dprelease": 1, "dataset": "visits", "privacy": privacy, "statistics": list(statistics), **others}


def by(level: str, **others: Any) -> dict[str, Any]:
    return {"id": level, "kind": "count", "by": ["day"], "levels": {"day": level}, **others}


@pytest.mark.full
def test_months_regions_and_bands_are_published_and_verify(tmp_path: Path) -> None:
    release = released(
        tmp_path / "home",
        by("month"),
        by("week"),
        by("day"),
        by("quarter", id="whole", partial="drop"),
        {"id": "regions", "kind": "crosstab", "columns": ["p", "day"], "levels": {"p": "coast", "day": "weekday"}},
        {"id": "bands", "kind": "mean", "column": "age", "by": ["age"], "levels": {"age": "broad"}},
        {"id": "middle", "kind": "median", "column": "age", "by": ["p"], "levels": {"p": "r"}},
    )
    months = release.tables["month"]
    assert months.key_names == ("day", "day_partial")
    named = {row[0]: row[1:3] for row in months.rows()}
    assert named["2023-01"] == ("yes", sum(day < date(2023, 2, 1) for day in DAYS))
    assert named["2024-02"] == ("no", sum((day.year, day.month) == (2024, 2) for day in DAYS))
    assert [row[0] for row in release.tables["whole"].rows()] == [
        *(f"2023-Q{quarter}" for quarter in (2, 3, 4)),
        *(f"2024-Q{quarter}" for quarter in (1, 2, 3, 4)),
    ]
    coast = [row for row in release.tables["regions"].rows() if row[:2] == ("yes", "1")]
    assert coast[0][2] == sum(day.isoweekday() == 1 and place % 5 in (0, 3, 4) for place, day in enumerate(DAYS))
    assert [row[:2] for row in release.tables["bands"].rows()] == [(0, 15), (16, 64), (65, 100)]
    assert [row[0] for row in release.tables["middle"].rows()] == ["North", "South", "East"]
    assert verify(release.write(tmp_path / "out")).release.id == release.id


@pytest.mark.full
def test_tables_at_several_levels_agree_after_postprocessing(tmp_path: Path) -> None:
    workspace = dprelease.Workspace.create(tmp_path / "home")
    workspace.add_dataset("visits", ROWS, columns=COLUMNS, epsilon=10)
    asked = plan(by("month"), by("year"), by("weekday"), postprocess=["consistent", "nonnegative", "integer"])
    plan_id = workspace.plans.submit(dprelease.Plan.parse(asked))
    workspace.plans.approve(plan_id)
    release = workspace.publish(plan_id)
    years = {str(row[0]): int(row[2]) for row in release.tables["year"].rows()}  # type: ignore[arg-type]
    for year, total in years.items():
        months = [int(row[2]) for row in release.tables["month"].rows() if str(row[0]).startswith(year)]  # type: ignore[arg-type]
        assert sum(months) == total
    assert sum(years.values()) == sum(int(row[1]) for row in release.tables["weekday"].rows())  # type: ignore[arg-type]
    assert verify(release.write(tmp_path / "out")).release.id == release.id


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("lower", "upper", "level", "names"),
    [
        ("2025-05-05", "2025-05-06", "month", ["2025-05"]),
        ("2020-01-01", "2020-12-31", "week", [f"2020-W{week:02}" for week in range(1, 54)]),
        ("2025-05-05", "2025-05-06", "weekday", ["1", "2"]),
        ("2025-05-05", "2025-05-06", "day", ["2025-05-05", "2025-05-06"]),
    ],
)
def test_bounds_within_one_period_and_years_of_53_weeks(
    tmp_path: Path, lower: str, upper: str, level: str, names: list[str]
) -> None:
    columns = COLUMNS | {"day": {"type": "date", "lower": lower, "upper": upper}}
    release = released(tmp_path / "home", by(level), columns=columns)
    assert [row[0] for row in release.tables[level].rows()] == names
    assert verify(release.write(tmp_path / "out")).release.id == release.id


def test_one_category_in_one_group_is_a_table_of_one_row(tmp_path: Path) -> None:
    columns = {"p": {"type": "category", "categories": ["a"], "levels": {"r": {"All": ["a"]}}}}
    release = released(
        tmp_path / "home", {"id": "n", "kind": "histogram", "column": "p", "levels": {"p": "r"}}, columns=columns
    )
    assert list(release.tables["n"].rows()) == [("All", 480, 480, 480)]


def test_edges_may_end_on_the_day_after_the_upper_bound(tmp_path: Path) -> None:
    edges = ["2023-01-05", "2024-01-01", "2025-01-01", "2025-03-15"]
    release = released(tmp_path / "home", {"id": "years", "kind": "histogram", "column": "day", "edges": edges})
    assert [row[:2] for row in release.tables["years"].rows()] == [
        ("2023-01-05", "2023-12-31"),
        ("2024-01-01", "2024-12-31"),
        ("2025-01-01", "2025-03-14"),
    ]
    assert sum(int(row[2]) for row in release.tables["years"].rows()) == len(DAYS)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"r": {"North": ["a", "b"]}}, "a level without 'c'.*Add each of them to a group"),
        ({"r": {"North": ["a", "b"], "South": ["b", "c"]}}, "'b'.*each category in one group"),
        ({"r": {"North": ["a", "b", "x"], "South": ["c"]}}, "'x'.*declared categories, or groups of one other level"),
        ({"r": {"a": ["a", "b"], "South": ["c"]}}, "'a'.*groups with names of their own"),
        ({"r": {"N": ["a", "b"], "S": ["c"]}, "all": {"one": ["N"]}}, "a level without 'c'"),
    ],
)
def test_a_level_that_leaves_out_or_repeats_a_category_is_refused(declared: dict[str, Any], said: str) -> None:
    with pytest.raises(SchemaError, match=said):
        dprelease.Schema.parse({"p": {"type": "category", "categories": list("abc"), "levels": declared}})


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ({"broad": {"edges": [16, 65]}}, "0, the lower bound, first.*would be in none"),
        ({"broad": {"edges": [0, 65, 16]}}, "increasing first values"),
        ({"broad": {"edges": [0, 101]}}, "at most 100"),
        ({"broad": {"width": 5, "edges": [0]}}, "width or edges"),
        ({"broad": {"width": 0}}, "from 1"),
    ],
)
def test_bands_that_do_not_cover_the_bounds_once_are_refused(declared: dict[str, Any], said: str) -> None:
    with pytest.raises(SchemaError, match=said):
        dprelease.Schema.parse({"age": {"type": "integer", "lower": 0, "upper": 100, "levels": declared}})


@pytest.mark.parametrize(
    ("statistic", "said"),
    [
        (by("fortnight"), "day, week, month"),
        (
            {"id": "n", "kind": "count", "by": ["p"], "levels": {"day": "month"}},
            "a column that this table is told apart by",
        ),
        ({"id": "n", "kind": "count", "by": ["flag"], "levels": {"flag": "r"}}, "a column without levels"),
        ({"id": "n", "kind": "count", "by": ["p"], "levels": {"p": "r"}, "partial": "drop"}, "parts of periods"),
        (
            {"id": "n", "kind": "histogram", "column": "age", "levels": {"age": "five"}, "bins": 3},
            "both bins and a level",
        ),
    ],
)
def test_a_level_that_is_not_there_is_refused_with_what_there_is(statistic: dict[str, Any], said: str) -> None:
    columns = {**COLUMNS, "flag": {"type": "boolean"}}
    with pytest.raises(PlanError, match=said):
        dprelease.Plan.parse(plan(statistic, columns=columns))


def test_no_whole_period_within_the_bounds_is_refused_where_parts_are_dropped() -> None:
    columns = {"day": {"type": "date", "lower": "2025-05-05", "upper": "2025-05-06"}}
    with pytest.raises(PlanError, match="no whole month within the bounds"):
        dprelease.Plan.parse(plan(by("month", partial="drop"), columns=columns))
