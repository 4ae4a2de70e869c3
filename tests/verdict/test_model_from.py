"""Models that are fitted to the tables of a published bundle: those that the same noisy counts give inside of one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.cli import main
from dprelease.errors import InputError, IntegrityError

COLUMNS: dict[str, Any] = {
    "ill": {"type": "boolean", "count_missing_as": False},
    "sex": {"type": "category", "categories": ["F", "M"], "count_missing_as": "F"},
    "age": {"type": "integer", "lower": 0, "upper": 99, "count_missing_as": 0},
    "region": {"type": "category", "categories": ["a", "b", "c"], "count_missing_as": "a"},
}
PLAN: dict[str, Any] = {
    "dprelease": 1,
    "dataset": "people",
    "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 3},
    "columns": COLUMNS,
    "statistics": [
        {"id": "sexes", "kind": "crosstab", "columns": ["sex", "ill"], "margins": True},
        {"id": "ages", "kind": "crosstab", "columns": ["ill", "age"], "bins": {"age": 10}},
        {"id": "regions", "kind": "crosstab", "columns": ["region", "ill"]},
        {"id": "rough", "kind": "crosstab", "columns": ["region", "ill"], "epsilon": 0.01},
        {"id": "three", "kind": "crosstab", "columns": ["region", "ill", "sex"], "epsilon": 0.1},
        {"id": "mean", "kind": "mean", "column": "age"},
    ],
}


@pytest.fixture(scope="module")
def release() -> dprelease.Release:
    rng = np.random.default_rng(6)
    age = rng.integers(0, 100, 6000)
    frame = pandas.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["F", "M"], 6000),
            "region": rng.choice(["a", "b", "c"], 6000, p=[0.7, 0.2, 0.1]),
            "ill": rng.random(6000) < 1 / (1 + np.exp(3 - age / 20)),
        }
    )
    workspace = dprelease.Workspace.in_memory()
    workspace.add_population("p", unit="row", neighbors="add_remove", epsilon=4)
    workspace.add_dataset("people", frame, population="p", columns=COLUMNS)
    return workspace.publish(dprelease.Plan.parse(PLAN))


@pytest.fixture(scope="module")
def bundle(release: dprelease.Release, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release.write(tmp_path_factory.mktemp("model"))


@pytest.mark.parametrize("kind", ["scorecard", "naive_bayes"])
def test_a_model_of_published_tables_predicts_from_its_file(bundle: Path, kind: str, tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    arguments = ["--outcome", "ill", "--on", "age", "--on", "sex", "--kind", kind, "--out", str(file)]
    assert main(["model", "from", str(bundle), *arguments]) == 0
    model = dprelease.load_model(file)
    assert model.columns == ("age", "sex")
    chances = model.predict_proba(pandas.DataFrame({"age": [5, 55, 95], "sex": ["F", "M", "F"]}))[:, 1]
    true = 1 / (1 + np.exp(3 - np.array([4.5, 54.5, 94.5]) / 20))
    assert chances == pytest.approx(true, abs=0.1)
    assert main(["model", "from", str(bundle), *arguments]) == 1  # what stands there is kept
    assert file.read_bytes() == file.read_bytes()


def test_it_is_that_of_the_published_counts(release: dprelease.Release, bundle: Path) -> None:
    """Integers by input and class, totals left out; of several tables those with the least noise."""
    found = dprelease.model_from(bundle, "ill", ["sex", "age", "region"], "naive_bayes")
    assert found.tables == ("sexes", "ages", "regions")
    sexes = release.tables["sexes"].without_totals()
    ages = np.array(release.tables["ages"].value).reshape(2, 10)
    assert found.facts["integers"][0] == list(sexes.value)
    assert found.facts["integers"][1] == ages.T.ravel().tolist()
    assert [each["column"] for each in found.facts["inputs"]] == ["sex", "age", "region"]
    again = dprelease.model_from(bundle, "ill", ["sex", "age", "region"], "naive_bayes")
    assert json.dumps(found.facts) == json.dumps(again.facts)
    points = found.model.parts["points"]
    for low, value, high in zip(points.lower95, points.value, points.upper95, strict=True):
        assert low <= value <= high  # type: ignore[operator]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("ill", ["ages"], "scorecard"), "ages.*a column of the release"),
        (("sex", ["region"], "scorecard"), "none with 'region'"),
        (("ill", ["age"], "linear"), "one of scorecard, naive_bayes"),
        (("region", ["ill"], "scorecard"), "3"),
        (("ill", ["ill"], "scorecard"), "none with 'ill'"),
        (("ill", [], "scorecard"), "on"),
    ],
)
def test_what_the_release_does_not_tell_is_refused(bundle: Path, asked: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        dprelease.model_from(bundle, *asked)


def test_of_a_bundle_that_does_not_verify_there_is_none(release: dprelease.Release, tmp_path: Path) -> None:
    path = release.write(tmp_path)
    table = path / "tables" / "ages.csv"
    table.write_text(table.read_text().replace("\n", "\n ", 1))
    with pytest.raises(IntegrityError):
        dprelease.model_from(path, "ill", ["age"])
