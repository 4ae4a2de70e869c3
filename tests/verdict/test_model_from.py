"""Models that are fitted to the tables of a published bundle: those that the same noisy counts give inside of one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.cli import main
from dprelease.errors import InputError, IntegrityError
from dprelease.model.privacy import Currency
from dprelease.model.release import FittedOutput
from dprelease.statistics.algebra.estimated import estimated
from dprelease.statistics.kinds.naive_bayes import NaiveBayes
from dprelease.statistics.planning.price import price

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


@pytest.mark.full
@pytest.mark.parametrize("kind", ["scorecard", "naive_bayes"])
def test_a_model_of_published_tables_predicts_from_its_file(bundle: Path, kind: str, tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    arguments = ["--outcome", "ill", "--on", "age", "--on", "sex", "--kind", kind, "--out", str(file)]
    assert main(["model", "from", str(bundle), *arguments]) == 0
    assert ElementTree.parse(tmp_path / "model.pmml").getroot().tag.endswith("PMML")
    card = (tmp_path / "model.md").read_text()
    assert "ages and sexes" in card
    assert "at no further ε" in card
    assert "Nothing can be said" not in card
    model = dprelease.load_model(file)
    assert model.columns == ("age", "sex")
    chances = model.predict_proba(pandas.DataFrame({"age": [5, 55, 95], "sex": ["F", "M", "F"]}))[:, 1]
    true = 1 / (1 + np.exp(3 - np.array([4.5, 54.5, 94.5]) / 20))
    assert chances == pytest.approx(true, abs=0.1)
    assert main(["model", "from", str(bundle), *arguments]) == 3  # what stands there is kept
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


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("ill", ["ages"], "scorecard"), "ages.*a column of the release"),
        (("sex", ["region"], "scorecard"), "none with 'region'"),
        (("sex", ["age"], "naive_bayes"), "a cross table with 'sex'.*none with 'age'"),
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


def _bundle(folder: Path, statistics: list[dict[str, Any]], rows: int, currency: str = "pure") -> Path:
    workspace = dprelease.Workspace.in_memory()
    workspace.add_population("p", unit="row", neighbors="add_remove", epsilon=4, delta=1e-5, currency=currency)
    rng = np.random.default_rng(3)
    age = rng.integers(0, 100, rows)
    frame = pandas.DataFrame(
        {"age": age, "sex": rng.choice(["F", "M"], rows), "region": ["a"] * rows, "ill": rng.random(rows) < age / 100}
    )
    workspace.add_dataset("people", frame, population="p", columns=COLUMNS)
    privacy = {**PLAN["privacy"], "delta": 1e-6 if currency == "zcdp" else 0}
    plan = dprelease.Plan.parse({**PLAN, "privacy": privacy, "statistics": statistics})
    return workspace.publish(plan).write(folder)


WORKLOAD = {"id": "w", "kind": "workload", "columns": ["ill", "age", "sex"], "bins": {"age": 5}}


@pytest.mark.full
def test_of_a_workload_with_whole_tables_a_scorecard_takes_inputs_together(tmp_path: Path) -> None:
    """In pure ε the tables over two columns have noise of their own: their integers are the model's."""
    bundle = _bundle(tmp_path, [WORKLOAD], 5000)
    found = dprelease.model_from(bundle, "ill", ["age", "sex"])
    assert [sorted(name.removeprefix("w.").split("_")) for name in found.tables] == [
        ["age", "ill"],
        ["ill", "sex"],
        ["age", "sex"],
    ]
    sealed = json.loads((bundle / "measured" / "w.json").read_text())
    numbers = {tuple(sorted(part)) for part in found.facts["integers"]}
    assert numbers == {tuple(sorted(part)) for part in sealed["integers"]}
    assert found.model.facts["function"]["intercept"] != 0
    assert not found.says_nothing
    assert len(dprelease.model_from(bundle, "ill", ["age", "sex"], "naive_bayes").tables) == 2


@pytest.mark.full
def test_of_a_workload_with_residuals_it_takes_the_estimates(tmp_path: Path) -> None:
    bundle = _bundle(tmp_path, [WORKLOAD], 5000, "zcdp")
    found = dprelease.model_from(bundle, "ill", ["sex", "age"], "scorecard")
    assert "integers" not in found.facts
    assert [len(part) for part in found.facts["counts"]] == [4, 10]
    (tmp_path / "model.json").write_text(json.dumps(found.facts))
    chances = dprelease.load_model(tmp_path / "model.json").predict_proba({"sex": ["F", "F"], "age": [10, 90]})[:, 1]
    assert chances == pytest.approx([0.1, 0.9], abs=0.1)


@pytest.mark.parametrize("kind", ["scorecard", "naive_bayes"])
def test_of_no_rows_nothing_can_be_said_and_that_is_said(tmp_path: Path, kind: str) -> None:
    tables = [{"id": "ages", "kind": "crosstab", "columns": ["age", "ill"], "bins": {"age": 1}, "epsilon": 0.001}]
    bundle = _bundle(tmp_path, tables, 0)
    found = dprelease.model_from(bundle, "ill", ["age"], kind)
    assert found.says_nothing
    assert "Nothing can be said" in found.card
    assert found.pmml is None
    assert "| cannot be quoted |" in found.card if kind == "scorecard" else "cannot be quoted" in found.card


@pytest.mark.full
def test_intervals_by_estimates_hold() -> None:
    """Each of three numbers in 250 draws: below 212 hold with a chance of 1e-9 where 95 % are to."""
    rng = np.random.default_rng(11)
    statistics = [{**WORKLOAD, "columns": ["ill", "age", "region"]}]
    privacy = {**PLAN["privacy"], "delta": 1e-6, "epsilon": 0.2}
    plan = dprelease.Plan.parse({**PLAN, "privacy": privacy, "statistics": statistics})
    item = price(plan, currency=Currency.ZCDP).statistics[0]
    schema, workload, (noise,) = plan.schema, item.statistic, item.mechanisms
    keys = workload.keys(schema)  # type: ignore[attr-defined]
    whole = rng.multinomial(3000, rng.dirichlet(np.ones(30))).reshape(2, 5, 3)
    counts = {
        places: whole.sum(axis=tuple({0, 1, 2} - {*places}))
        for places in workload.widest(schema)  # type: ignore[attr-defined]
    }
    given = workload.given(schema, list(counts.values()), [type(noise)])
    model = NaiveBayes(id="m", outcome="region", on=("ill", "age"), bins=(("age", 5),))
    cells = {place: key.cells for place, key in enumerate(keys)}
    laws = [estimated(noise, cells, (first, 2), "w") for first in (0, 1)]  # type: ignore[arg-type]
    shares = whole.sum(axis=(0, 1)) / 3000
    of_age = whole.sum(axis=0)
    odds = np.log(of_age[4, 1] / of_age[:, 1].sum()) - np.log(of_age[4, 0] / of_age[:, 0].sum())
    hits = np.zeros(3, dtype=int)
    for _ in range(250):
        drawn = [noise.release(np.asarray(each)) for each in given]
        parts = workload.answered(schema, drawn, item.mechanisms).parts  # type: ignore[union-attr]
        tables = {tuple(axis.names[0] for axis in each.axes): each for each in parts.values()}
        ill, age = (tables[name, "region"] for name in ("ill", "age_from"))
        told = [np.array(ill.value).reshape(2, 3), np.array(age.value).reshape(5, 3)]
        made = model.answered(schema, told, laws)
        assert isinstance(made, FittedOutput)
        classes, points = made.parts["classes"], made.parts["points"]
        ends = [(classes, 0, shares[0]), (classes, 2, shares[2]), (points, (2 + 4) * 2, odds)]
        for place, (table, cell, true) in enumerate(ends):
            low, high = table.lower95[cell], table.upper95[cell]
            hits[place] += (low is None or low <= true) and (high is None or true <= high)  # type: ignore[operator]
    assert min(hits) >= 212, hits
