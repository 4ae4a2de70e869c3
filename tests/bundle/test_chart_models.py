"""Charts of models: slopes with both intervals, told apart by thickness; bins as steps, pale where nothing is told."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas
import pytest

import dprelease
from dprelease.charts.picture import picture
from dprelease.model.release import Axis, FittedOutput, Release
from dprelease.statements.question import StatisticLabel
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


def rows(release: Release, table: str) -> list[dict[str, Any]]:
    """Of all marks of a chart what they draw."""
    return [row for rows in json.loads(picture(release, table).specification)["datasets"].values() for row in rows]


@pytest.mark.parametrize("table", ["line.coefficients", "one.coefficients"])
@pytest.mark.parametrize("narrow", [False, True])
def test_a_slope_has_both_intervals_and_a_legend(release: Release, table: str, narrow: bool) -> None:
    text = svg(release, table, narrow=narrow)
    own = release.tables[table]
    slopes = len(own) - 1
    assert text.count('stroke-width="4"') == slopes
    drawn = [(row["lower"], row["upper"], row["left"], row["right"]) for row in rows(release, table) if "left" in row]
    ends = zip(own.lower95, own.upper95, own.extra["lower95_both"], own.extra["upper95_both"], strict=True)
    assert drawn == list(ends)[1:], "all but the constant's"
    assert len(drawn) == slopes
    assert ">Thick: 95 % interval, noise only<" in text
    assert ">Thin: 95 % interval, noise and sampling<" in text


def test_its_legend_is_told_in_spanish(release: Release) -> None:
    with speaking("es"):
        text = svg(release, "line.coefficients")
        assert ">Línea fina: intervalo del 95 %, del ruido y del muestreo<" in text


@pytest.mark.parametrize("table", ["points.points", "bayes.points"])
@pytest.mark.parametrize("narrow", [False, True])
def test_bins_are_steps_with_bands_each_pale_where_it_covers_0(release: Release, table: str, narrow: bool) -> None:
    text = svg(release, table, narrow=narrow)
    own = release.tables[table]
    ends = zip(own.lower95, own.upper95, strict=True)
    known = [(low, high) for low, high in ends if isinstance(low, float) and isinstance(high, float) and low < high]
    pale = sum(low <= 0 <= high for low, high in known)
    assert (">Pale: the interval covers 0<" in text) == (pale > 0)
    assert text.count('opacity="0.4"') + text.count('opacity="0.14"') == len(known) > 0
    assert text.count('opacity="0.14"') == pale


@pytest.mark.parametrize(("table", "cells"), [("two.centres", 16), ("three.centres", 27)])
@pytest.mark.parametrize("narrow", [False, True])
def test_groups_stand_in_maps_of_the_noisy_grid(release: Release, table: str, cells: int, narrow: bool) -> None:
    text = svg(release, table, narrow=narrow)
    maps = cells // 9 if cells == 27 else 1
    drawn = rows(release, table)
    counts = [row["count"] for row in drawn if "count" in row]
    assert len(counts) == cells
    assert sum("number" in row for row in drawn) == 2 * maps, "each centre, in each map"
    assert "x (km)" in text
    statistic = release.outputs[table.partition(".")[0]]
    assert isinstance(statistic, FittedOutput)
    assert sum(counts) == maps * sum(statistic.facts["integers"][0])


def test_parts_of_models_are_called_by_words_in_both_languages(release: Release) -> None:
    own = StatisticLabel.of(release.certificate, "points.points")
    tried = replace(own, part="performance")
    assert tried.coded("measure", "auc") == ("Right order of a pair (AUC)", "en")
    assert own.coded("input", "x") == ("", ""), "beside its bins it is called as in the file"
    assert StatisticLabel.of(release.certificate, "two.centres").coded("column", "x") == ("x (km)", "en")
    with speaking("es"):
        assert tried.coded("measure", "accuracy") == ("Predicciones acertadas", "es")
        assert [tried.head_of(name) for name in ("predicted_from", "cluster")] == [
            "Probabilidad predicha, desde",
            "Grupo",
        ]
        assert tried.axis_title(Axis(("predicted_from", "predicted_to"), ((0.0, 1.0),))) == "Probabilidad predicha"
    assert replace(tried, names=("measure",)).head_of("measure") == "measure", "a column of the data is no word of ours"
    assert replace(own, part="").coded("measure", "auc") == ("", "")


def test_the_whole_release_is_verified(release: Release, tmp_path: Path) -> None:
    assert dprelease.verify(release.write(tmp_path))
