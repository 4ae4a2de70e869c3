"""Editions of a monthly table, joined by the days that they are of: one line, and breaks where the measure changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request

from dprelease import Plan, Workspace
from dprelease.errors import PlanError
from dprelease.portal.pages import Portal
from dprelease.portal.series import find
from dprelease.portal.series_pages import series_page, trends_of
from dprelease.portal.shelf import BundleIndex
from dprelease.portal.source import PublicFolder
from dprelease.portal.trend import Trend
from dprelease.portal.trend_chart import picture
from dprelease.web.api import series
from dprelease.web.public import Window
from tests.workspace.test_publish import approved
from tests.workspace.test_runs import COLUMNS, births
from tests.workspace.test_runs import plan as run_plan

YEARS = {"2024": ("2024-01-01", "2024-12-31", 100), "2025": ("2025-01-01", "2025-12-31", 100)}
EDITIONS = YEARS | {"2026": ("2025-12-01", "2026-03-20", 120)}
BY_MONTH = {"by": ["day"], "levels": {"day": "month"}}


def plan(edition: str, *, columns: dict[str, Any] | None = None, about: dict[str, Any] | None = None) -> dict[str, Any]:
    first, last, upper = EDITIONS[edition]
    days = {"type": "date", "lower": first, "upper": last, "outside": "missing"}
    return {
        "dprelease": 1,
        "title": f"Visits {edition}",
        "about": {
            "series": "visits",
            "edition": edition,
            "reference_period": f"{first}/{last}",
            "reference": {"column": "day"},
            **(about or {}),
        },
        "dataset": f"v{edition}",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 3},
        "charts": False,
        "columns": {"day": days, "age": {"type": "integer", "lower": 0, "upper": upper}} | (columns or {}),
        "statistics": [
            {"id": "visits", "kind": "count", **BY_MONTH},
            {"id": "age", "kind": "mean", "column": "age", **BY_MONTH},
            {"id": "bins", "kind": "histogram", "column": "day", "bins": 4},
        ],
    }


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> BundleIndex:
    folder = tmp_path_factory.mktemp("periods")
    workspace = Workspace.create(folder / "home")
    for edition, (first, last, _) in EDITIONS.items():
        months = [f"{year}-{month:02}" for year in (2024, 2025, 2026) for month in range(1, 13)]
        rows = "".join(f"{each}-10,40\n" * 60 for each in months if first[:7] <= each <= last[:7])
        (folder / f"{edition}.csv").write_text(f"day,age\n{rows}")
        asked = plan(edition)
        workspace.add_dataset(f"v{edition}", folder / f"{edition}.csv", columns=asked["columns"], epsilon=10)
        workspace.publish(approved(workspace, Plan.parse(asked)))
    return BundleIndex(PublicFolder(Path(workspace.releases.folder)))


def joined(shelf: BundleIndex, editions: int) -> dict[str, Trend]:
    """Tables through the first so many editions."""
    found = find(shelf, "visits")[0]
    first = type(found)(found.name, found.chain, found.editions[len(EDITIONS) - editions :])
    return {each.points[-1].table: each for each in trends_of(first)}


@pytest.mark.full
def test_two_years_of_a_monthly_table_are_one_line(shelf: BundleIndex) -> None:
    found = joined(shelf, 2)
    for table in ("visits", "age"):
        trend = found[table]
        months = [f"{year}-{month:02}" for year in (2024, 2025) for month in range(1, 13)]
        assert (list(trend.axis), list(trend.breaks)) == (months, [None])
        assert [list(line) for line in trend.lines.values()] == [months]
        assert list(trend.lines) == [()]
        assert (trend.changes, trend.moved) == ([], None), "no month was published twice"
        svg = picture(trend).decode()
        assert svg.count('fill-opacity="1" stroke=') == 24
        assert 'stroke-dasharray="5,5"' not in svg


def test_bins_follow_the_bounds_and_say_how_to_join(shelf: BundleIndex) -> None:
    """Four bins of a leap year are of other days than four of the next one: they measure something else."""
    assert not joined(shelf, 2)["bins"].is_drawn
    (broken,) = joined(shelf, 2)["bins"].breaks
    assert broken is not None
    assert "by month, quarter or year" in broken.words


def test_a_bound_of_another_column_is_a_break_that_is_named(shelf: BundleIndex) -> None:
    """December stands in two editions: the newest gives it. March is cut: no line leads to it."""
    found = joined(shelf, 3)
    visits, age = found["visits"], found["age"]
    assert list(visits.breaks) == [None, None]
    assert [each is not None for each in age.breaks] == [False, True]
    assert age.breaks[-1] is not None
    assert "age upper: 120 instead of 100" in age.breaks[-1].words
    (line,) = visits.lines.values()
    assert len(line) == 27
    assert line["2025-12"].edition == 2
    assert line["2025-11"].edition == 1
    assert [month for month, place in line.items() if place.partial] == ["2026-03"]
    assert (visits.is_broken(1, 2), age.is_broken(2, 1), age.is_broken(0, 1)) == (False, True, False)
    assert 'stroke-dasharray="5,5"' in picture(age).decode()
    assert picture(visits).decode().count('fill-opacity="0" stroke=') == 1, "the part of a month is hollow"


def test_what_was_published_twice_says_how_much_it_moved(shelf: BundleIndex) -> None:
    """One month in both: its difference has the whole risk. Two equal counts differ by more in 1 of 20 runs."""
    moved = joined(shelf, 3)["visits"].moved
    assert moved is not None
    assert moved.of == 1
    assert moved.count == (moved.most.verdict != "noise")
    page = series_page(Portal(shelf), "visits")
    assert "Moved by more than noise explains: " in page
    assert moved.label in ("2025-12", "December 2025")
    assert "chart-visits.svg" in page
    assert "chart-bins.svg" not in page, "no bin is in two editions"


@pytest.mark.parametrize(
    ("columns", "about", "words"),
    [
        ({}, {"reference_period": "2024-01-01/2024-06-30"}, "the days of `day` are 2024-01-01 to 2024-12-31"),
        ({}, {"reference": {"column": "age"}}, "a date column that a statistic or a condition uses"),
        ({}, {"reference": {"column": "night"}}, "a date column that a statistic or a condition uses"),
        ({"day": {"type": "date", "lower": "2024-01-01", "upper": "2024-12-31"}}, {}, "`outside: missing` for `day`"),
    ],
)
def test_days_that_do_not_agree_are_refused(columns: dict[str, Any], about: dict[str, Any], words: str) -> None:
    wanted = Plan.parse(plan("2024", columns=columns, about=about))
    with pytest.raises(PlanError, match=words):
        wanted.check(wanted.schema)


def test_conditions_may_choose_the_days() -> None:
    """Of five years, one: then the bounds decide nothing, and clipped days are left out with their ends."""
    wide = {"day": {"type": "date", "lower": "2020-01-01", "upper": "2029-12-31"}}
    asked = plan("2025", columns=wide)
    with pytest.raises(PlanError, match="reference period"):
        Plan.parse(asked).check(Plan.parse(asked).schema)
    asked["where"] = [{"column": "day", "at_least": "2025-01-01"}, {"column": "day", "at_most": "2025-12-31"}]
    found = Plan.parse(asked)
    found.check(found.schema)
    assert Plan.parse(found.to_mapping()) == found


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A run of which a month was missed."""
    workspace = Workspace.create(tmp_path_factory.mktemp("run") / "home")
    workspace.add_dataset("births", births(12), unit_column="person", columns=COLUMNS, epsilon=10)
    unit = {"column": "person", "max_rows": 2}
    by_day = {"id": "days", "kind": "count", "by": ["day"], "levels": {"day": "month"}}
    asked = {**run_plan(unit=unit, at_most=2, last="2027-06"), "charts": False, "title": "Births"}
    asked["statistics"] = [*asked["statistics"], by_day]
    workspace.runs.open(Plan.parse(asked))
    for month in (1, 2, 4, 5):
        workspace.runs.publish("births", f"2025-{month:02}")
    return workspace


def test_a_missed_month_of_a_run_is_a_gap_that_is_named(run: Workspace) -> None:
    shelf = BundleIndex(PublicFolder(Path(run.releases.folder)))
    found = {each.points[-1].table: each for each in trends_of(find(shelf, "births")[0])}
    for table in ("births", "days"):
        trend = found[table]
        assert list(trend.axis) == ["2025-01", "2025-02", "2025-03", "2025-04", "2025-05"]
        assert (trend.missed, trend.breaks) == (["2025-03"], [None] * 3)
        drawn = list(trend.lines.values())
        assert all("2025-03" not in line for line in drawn)
        svg = picture(trend).decode()
        assert svg.count("×") == 1
        strokes = svg.count('stroke-width="2"') - sum(map(len, drawn))
        assert strokes == 2 * len(drawn), "of points, and of lines, none of which leads over it"
    page = series_page(Portal(shelf), "births")
    assert "× Not published: 2025-03." in page
    assert "do not measure the same" not in page
    assert "series, monthly" in page
    assert "editions of this run share that loss" in page


def test_programs_read_the_run_of_a_series(run: Workspace) -> None:
    window = Window(BundleIndex(PublicFolder(Path(run.releases.folder))))
    request = Request({"type": "http", "path_params": {"id": "births"}, "query_string": b"", "headers": []})
    told = json.loads(series.make(window, request).data)
    assert told["run"] == {
        "name": "births",
        "every": "month",
        "first": "2025-01",
        "last": "2027-06",
        "periods": 30,
        "at_most": 2,
        "factor": 2,
        "charge": told["run"]["charge"],
        "published": ["2025-01", "2025-02", "2025-04", "2025-05"],
        "closed": ["2025-03"],
    }
    assert [each["edition"] for each in told["editions"]] == ["2025-05", "2025-04", "2025-02", "2025-01"]
