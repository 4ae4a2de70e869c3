"""Charts as they are drawn are those of their tables by the check that verification makes, whatever their shape."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Any

import pytest

from dprelease.bundle.chart_values import Chart
from dprelease.charts.picture import chart, picture
from dprelease.errors import IntegrityError
from dprelease.model.release import Axis, Cell, Release
from tests.bundle.releases import COLUMNS, REGION, SEX, ages, binned, listed, make_release, table

DAYS = [(date(2025, 1, 1) + timedelta(day)).isoformat() for day in range(365)]
COUNT = {"kind": "histogram", "column": "code"}
CROSS = {"kind": "crosstab", "columns": ["code", "region"]}
AGES = {"kind": "histogram", "column": "age"}
MEANS = {"kind": "mean", "column": "income", "by": ["region"]}
SUMS = {"kind": "sum", "column": "income", "by": ["region"]}
FIVE = [0.05, 0.25, 0.5, 0.75, 0.95]
SHAPES: dict[str, tuple[dict[str, Any], tuple[Axis, ...]]] = {
    "a number": ({"kind": "count"}, ()),
    "points": (MEANS, (REGION,)),
    "bars of sums": (SUMS, (REGION,)),
    "points in groups": (MEANS, (REGION, SEX)),
    "two bars": (COUNT, (listed("code", "a", "b"),)),
    "one category": (COUNT, (listed("code", "a"),)),
    "long names": (COUNT, (listed("code", *(f"a rather long name of a code, number {place}" for place in range(5))),)),
    "very long names": (COUNT, (listed("code", *(f"{'many words ' * 9}{place}" for place in range(30))),)),
    "names without blanks": (COUNT, (listed("code", *(f"{'x' * 150}{place}" for place in range(30))),)),
    "names that are numbers": (COUNT, (listed("code", "10", "9", "1e3", "5 %"),)),
    "sixty bars": (COUNT, (listed("code", *(f"code {place}" for place in range(60))),)),
    "bins": (AGES, (binned("age", 0, 100, 20),)),
    "one bin": (AGES, (Axis(("age_from", "age_to"), ((0, 100),)),)),
    "single ages": (AGES, (listed("age", *range(101)),)),
    "days": (
        {"kind": "histogram", "column": "day"},
        (Axis(("day_from", "day_to"), tuple(zip(DAYS[:4], DAYS[:4], strict=True))),),
    ),
    "a year of days": ({"kind": "count", "by": ["day"]}, (listed("day", *DAYS),)),
    "days of regions": ({"kind": "count", "by": ["region", "day"]}, (REGION, listed("day", *DAYS))),
    "panels beside": (CROSS, (listed("code", *"abcdef"), SEX)),
    "panels of bins": ({"kind": "crosstab", "columns": ["age", "region"]}, (binned("age", 0, 100, 10), REGION)),
    "a numbered grid": (CROSS, (listed("code", *"abcdefgh"), REGION)),
    "a grid of colours": (CROSS, (listed("code", *map(str, range(30))), listed("region", *map(str, range(40))))),
    "steps": (COUNT, (listed("code", *map(str, range(300))),)),
    "quantiles": ({"kind": "quantiles", "column": "income"}, (listed("probability", 0.25, 0.5, 0.75),)),
    "quantiles of groups": (
        {"kind": "quantiles", "column": "income", "by": ["region"]},
        (REGION, listed("probability", 0.9, 0.5)),
    ),
    "five numbers of groups": (
        {"kind": "five_numbers", "column": "income", "by": ["region"]},
        (REGION, listed("probability", *FIVE)),
    ),
    "a distribution": ({"kind": "cdf", "column": "age"}, (listed("age_up_to", *range(9, 101, 10)),)),
    "bounds": ({"kind": "bounds", "column": "age"}, (listed("bound", "lower", "upper"),)),
    "three keys": ({"kind": "crosstab", "columns": ["age", "region", "sex"]}, (binned("age", 0, 100, 4), REGION, SEX)),
    "too many": (CROSS, (listed("code", *map(str, range(100))), listed("region", *map(str, range(51))))),
}

CODE = {"type": "category", "categories": ["a"]}


def counted(cells: int) -> list[Cell]:
    return [100 + place * 37 % 91 for place in range(cells)]


def negative(cells: int) -> list[Cell]:
    return [place * 37 % 91 - 45.125 for place in range(cells)]


def some(cells: int) -> list[Cell]:
    return [None if place % 3 == 1 else place * 1e-7 for place in range(cells)]


def huge(cells: int) -> list[Cell]:
    return [10**15 + place * 10**13 for place in range(cells)]


def same(cells: int) -> list[Cell]:
    return [0] * cells


VALUES = {each.__name__: each for each in (counted, negative, some, huge, same)}


def release_of(asked: dict[str, Any], axes: tuple[Axis, ...], values: list[Cell], half: float | None) -> Release:
    return make_release([({"id": "x", **asked}, table(axes, values, half))], columns={**COLUMNS, "code": CODE})


CASES = [(shape, "counted", 4) for shape in SHAPES] + [
    *((shape, values, 0.25) for shape in ("points", "bars of sums") for values in VALUES),
    *((shape, "some", None) for shape in ("a numbered grid", "panels of bins", "quantiles of groups")),
    *((shape, "same", None) for shape in ("a number", "two bars", "bins")),
]


@pytest.mark.parametrize(("shape", "values", "half"), CASES)
def test_a_chart_is_that_of_its_table(shape: str, values: str, half: float | None) -> None:
    asked, axes = SHAPES[shape]
    cells = 1
    for axis in axes:
        cells *= len(axis.cells)
    own = VALUES[values](cells)
    if asked["kind"] in ("five_numbers", "cdf"):
        own = sorted(each / 200 for each in own if isinstance(each, int))
    release = release_of(asked, axes, own, half)
    chart(release, "x").to_dict(validate=True)  # as Vega-Lite's schema has it
    drawn = picture(release, "x")
    told = Chart(release, "x").check(drawn.svg(), "x")
    assert Chart(release, "x").check(drawn.figure, "x") == told
    Chart(release, "x").check_notes("".join(f"{note}. " for note in drawn.notes), "x")


def test_a_chart_in_days_is_that_of_its_table() -> None:
    asked = {"kind": "quantiles", "column": "day", "by": ["region"]}
    release = release_of(asked, (REGION, listed("probability", 0.25, 0.75)), DAYS[:10], None)
    assert Chart(release, "x").check(picture(release, "x").svg(), "x") > 10


def test_a_chart_of_hostile_names_is_that_of_its_table(hostile_release: Release) -> None:
    for statistic in hostile_release.tables:
        assert Chart(hostile_release, statistic).check(picture(hostile_release, statistic).svg(), "x")


def test_a_chart_of_many_ages_is_that_of_its_table() -> None:
    release = release_of(AGES, (listed("age", *range(250)),), ages(250), 4)
    Chart(release, "x").check(picture(release, "x").svg(), "x")


CORRELATED = ("age", "income", "day")
CORRELATION = ({"kind": "correlation", "columns": [*CORRELATED]}, [1.0, 0.5, -0.5, 0.5, 1.0, 0.2, -0.5, 0.2, 1.0])


@pytest.mark.parametrize("grid", ["a numbered grid", "a grid of colours", "a correlation"])
def test_colours_of_cells_are_in_the_order_of_their_values(grid: str) -> None:
    """Two cells that change their colours are refused; other colours, in the same order, are not."""
    if grid == "a correlation":
        axes: tuple[Axis, ...] = (listed("column", *CORRELATED), listed("with_column", *CORRELATED))
        release = make_release([({**CORRELATION[0], "id": "x"}, table(axes, [*CORRELATION[1]], 0.1))], columns=COLUMNS)
    else:
        asked, axes = SHAPES[grid]
        cells: list[Cell] = [place * 37 % 1201 for place in range(len(axes[0].cells) * len(axes[1].cells))]
        release = make_release([({**asked, "id": "x"}, table(axes, cells, 4))], columns={**COLUMNS, "code": CODE})
    drawn, chart = picture(release, "x").svg().decode(), Chart(release, "x")
    chart.check(drawn.encode(), "x.svg")
    colours = re.findall(r'fill="(rgb\([^"]*\))"', drawn)
    ordered = sorted(set(colours), key=lambda colour: [int(part) for part in re.findall("[0-9]+", colour)])
    first, other = ordered[0], ordered[len(ordered) // 2]
    swapped = drawn.replace(first, "rgb()").replace(other, first).replace("rgb()", other)
    with pytest.raises(IntegrityError, match="its colours are not in the order of the values"):
        chart.check(swapped.encode(), "x.svg")
    with pytest.raises(IntegrityError, match="no colour that stands for its value"):
        chart.check(drawn.replace(f'fill="{first}"', 'fill="white"', 1).encode(), "x.svg")
    greyer = re.sub(r"rgb\((\d+), (\d+), (\d+)\)", lambda found: f"rgb({found[1]}, {found[1]}, {found[2]})", drawn)
    chart.check(greyer.encode(), "x.svg")
