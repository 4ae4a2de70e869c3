"""Charts of models: slopes with both intervals, told apart by thickness; bins as steps, pale where nothing is told."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pandas
import pytest

import dprelease
from dprelease.bundle.chart_values import Chart
from dprelease.bundle.charts import picture
from dprelease.errors import IntegrityError
from dprelease.model.release import Release
from dprelease.words.language import speaking

COLUMNS: Mapping[str, Any] = {
    "x": {"type": "integer", "lower": 0, "upper": 9, "unit": "km"},
    "y": {"type": "integer", "lower": 0, "upper": 20},
    "c": {"type": "category", "categories": ["a", "b", "·"]},
    "yes": {"type": "boolean"},
}
TABLE = pandas.DataFrame(
    {
        "x": [row % 10 for row in range(600)],
        "y": [row % 10 + row * row % 7 for row in range(600)],
        "c": [("a", "b", "·")[row % 3] for row in range(600)],
        "yes": [row % 10 + row % 4 > 6 for row in range(600)],
    }
)
STATISTICS = [
    {"id": "line", "kind": "linear", "outcome": "y", "on": ["x", "c"]},
    {"id": "one", "kind": "linear", "outcome": "y", "on": ["x"]},
    {"id": "points", "kind": "scorecard", "outcome": "yes", "on": ["x", "c"]},
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
