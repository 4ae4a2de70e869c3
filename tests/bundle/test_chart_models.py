"""Charts of models: slopes with both intervals, told apart by thickness; bins as steps, pale where nothing is told."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas
import pytest

import dprelease
from dprelease.bundle.chart_values import Chart
from dprelease.charts.picture import picture
from dprelease.charts.question import Question
from dprelease.errors import IntegrityError
from dprelease.model.release import Axis, Model, Release
from dprelease.words.language import speaking

COLUMNS: Mapping[str, Any] = {
    "x": {"type": "integer", "lower": 0, "upper": 9, "unit": "km"},
    "y": {"type": "integer", "lower": 0, "upper": 20},
    "z": {"type": "number", "lower": 0, "upper": 1, "resolution": 0.25},
    "c": {"type": "category", "categories": ["a", "b", "·"]},
    "yes": {"type": "boolean"},
}
TABLE = pandas.DataFrame(
    {
        "x": [row % 10 for row in range(600)],
        "y": [row % 10 + row * row % 7 for row in range(600)],
        "z": [row % 5 / 4 for row in range(600)],
        "c": [("a", "b", "·")[row % 3] for row in range(600)],
        "yes": [row % 10 + row % 4 > 6 for row in range(600)],
    }
)
STATISTICS = [
    {"id": "line", "kind": "linear", "outcome": "y", "on": ["x", "c"]},
    {"id": "one", "kind": "linear", "outcome": "y", "on": ["x"]},
    {"id": "points", "kind": "scorecard", "outcome": "yes", "on": ["x", "c"]},
    {"id": "two", "kind": "clusters", "on": ["x", "y"], "k": 2, "grid": 4},
    {"id": "three", "kind": "clusters", "on": ["x", "y", "z"], "k": 2, "grid": 3},
    {"id": "bayes", "kind": "naive_bayes", "outcome": "c", "on": ["x", "yes"]},
]


@pytest.fixture(scope="module")
def release() -> Release:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("d", TABLE, columns=COLUMNS, epsilon=10**4)
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 400}
    plan = workspace.plans.submit(
        dprelease.Plan.parse({"dprelease": 1, "dataset": "d", "privacy": privacy, "statistics": STATISTICS})
    )
    workspace.plans.approve(plan)
    return workspace.publish(plan)


def svg(release: Release, table: str, *, narrow: bool = False) -> str:
    found = picture(release, table, narrow=narrow)
    return (found.below_heading() if narrow else found.svg()).decode()


def check(release: Release, table: str, text: str) -> int:
    return Chart(release, table).check(text.encode(), table)


@pytest.mark.parametrize("table", ["line.coefficients", "one.coefficients"])
@pytest.mark.parametrize("narrow", [False, True])
def test_a_slope_has_both_intervals_and_a_legend(release: Release, table: str, narrow: bool) -> None:
    text = svg(release, table, narrow=narrow)
    assert check(release, table, text)
    slopes = len(release.tables[table]) - 1
    assert len(re.findall(r"\.lower95_both=", text)) == len(re.findall(r"\.lower95=", text)) == slopes
    assert ">Thick: 95 % interval, noise only<" in text
    assert ">Thin: 95 % interval, noise and sampling<" in text


def test_its_legend_is_told_in_spanish(release: Release) -> None:
    with speaking("es"):
        text = svg(release, "line.coefficients")
        assert ">Línea fina: intervalo del 95 %, del ruido y del muestreo<" in text
        assert check(release, "line.coefficients", text)


def test_intervals_that_look_alike_or_are_left_out_are_found(release: Release) -> None:
    text = svg(release, "line.coefficients")
    assert 'stroke-width="4"' in text
    with pytest.raises(IntegrityError, match="look alike"):
        check(release, "line.coefficients", text.replace('stroke-width="4"', 'stroke-width="1.25"'))
    wider = re.findall(r"<[a-z]+ [^>]*_both=[^>]*/>", text)
    assert len(wider) == 3
    with pytest.raises(IntegrityError, match="left out"):
        check(release, "line.coefficients", text.replace(wider[0], ""))
    with pytest.raises(IntegrityError):
        check(release, "line.coefficients", text.replace("_both=", "_both=1"))
    moved = re.sub(r'x([12])="[0-9.-]+"', r'x\1="3"', wider[0])
    assert moved != wider[0]
    with pytest.raises(IntegrityError):
        check(release, "line.coefficients", text.replace(wider[0], moved))
    assert check(release, "line.coefficients", re.sub("|".join(map(re.escape, wider)), "", text)), "as before 0.9.0"


@pytest.mark.parametrize("table", ["points.points", "bayes.points"])
@pytest.mark.parametrize("narrow", [False, True])
def test_bins_are_steps_with_bands_each_pale_where_it_covers_0(release: Release, table: str, narrow: bool) -> None:
    text = svg(release, table, narrow=narrow)
    assert check(release, table, text)
    own = release.tables[table]
    ends = zip(own.lower95, own.upper95, strict=True)
    known = [(low, high) for low, high in ends if isinstance(low, float) and isinstance(high, float) and low < high]
    pale = sum(low <= 0 <= high for low, high in known)
    assert (">Pale: the interval covers 0<" in text) == (pale > 0)
    bands = re.findall(r"<[^>]*\.lower95=[^>]*/>", text)
    assert len(bands) == len(known) > 0
    assert sum('opacity="0.14"' in each for each in bands) == pale


def test_a_band_that_is_pale_otherwise_is_found(release: Release) -> None:
    text = svg(release, "points.points")
    assert 'opacity="0.4"' in text
    with pytest.raises(IntegrityError, match="band is pale"):
        check(release, "points.points", text.replace('opacity="0.4"', 'opacity="0.14"', 1))


@pytest.mark.parametrize(("table", "cells"), [("two.centres", 16), ("three.centres", 27)])
@pytest.mark.parametrize("narrow", [False, True])
def test_groups_stand_in_maps_of_the_noisy_grid(release: Release, table: str, cells: int, narrow: bool) -> None:
    text = svg(release, table, narrow=narrow)
    maps = cells // 9 if cells == 27 else 1
    assert check(release, table, text) == cells + 3 * 2 * maps, "each centre has two coordinates and a number"
    assert len(re.findall(r"grid[0-9]=", text)) == cells
    assert "x (km)" in text
    statistic = release.outputs[table.partition(".")[0]]
    assert isinstance(statistic, Model)
    shown = sum(int(number) for number in re.findall(r"grid0=(-?[0-9]+)", text))
    assert shown == sum(statistic.facts["integers"][0])


def test_a_map_that_shows_something_else_is_found(release: Release) -> None:
    text = svg(release, "two.centres")
    cells = re.findall(r"<[^>]*grid0=[^>]*/>", text)
    fills = {re.findall(r'fill="(rgb[^"]*)"', each)[0]: each for each in cells}
    (dark, darker), *_ = zip(sorted(fills), sorted(fills)[1:], strict=False)
    points = re.findall(r"<path[^>]*[0-9]\.value=[^>]*/>", text)
    assert len(points) == 2
    moved = re.sub(r"translate\(([0-9.]+),", "translate(9\\1,", points[0])
    assert moved != points[0]
    numbers = re.findall(r"<text[^>]*cluster=1[^>]*>1</text>", text)
    assert len(numbers) == 1
    changed = {
        "another count": re.sub(r"grid0=", "grid0=9", text, count=1),
        "a cell less": text.replace(cells[3], ""),
        "a cell twice": text.replace(cells[3], cells[3] * 2),
        "another colour": text.replace(dark, "x").replace(darker, dark).replace("x", darker),
        "a centre elsewhere": text.replace(points[0], moved),
        "a centre less": text.replace(points[0], ""),
        "another number": text.replace(numbers[0], numbers[0].replace(">1<", ">2<")),
        "a map too many": text.replace("grid0=", "grid1="),
        "another axis": text.replace(">20<", ">40<"),
    }
    for what, chart in changed.items():
        assert chart != text, what
        with pytest.raises(IntegrityError):
            check(release, "two.centres", chart)


def test_parts_of_models_are_called_by_words_in_both_languages(release: Release) -> None:
    own = Question.of(release.certificate, "points.points")
    tried = replace(own, part="performance")
    assert tried.coded("measure", "auc") == ("Right order of a pair (AUC)", "en")
    assert own.coded("input", "x") == ("", ""), "beside its bins it is called as in the file"
    assert Question.of(release.certificate, "two.centres").coded("column", "x") == ("x (km)", "en")
    with speaking("es"):
        assert tried.coded("measure", "accuracy") == ("Predicciones acertadas", "es")
        assert [tried.head_of(name) for name in ("predicted_from", "cluster")] == [
            "Probabilidad predicha, desde",
            "Grupo",
        ]
        assert tried.axis_title(Axis(("predicted_from", "predicted_to"), ((0.0, 1.0),))) == "Probabilidad predicha"
    assert replace(tried, names=("measure",)).head_of("measure") == "measure", "a column of the data is no word of ours"
    assert replace(own, part="").coded("measure", "auc") == ("", "")


def test_no_other_table_has_a_map(release: Release) -> None:
    with pytest.raises(IntegrityError):
        check(release, "line.coefficients", svg(release, "two.centres"))


def test_the_whole_release_is_verified(release: Release, tmp_path: Path) -> None:
    assert dprelease.verify(release.write(tmp_path))
