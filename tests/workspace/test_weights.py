"""A weighted survey: tables of weights are those of pandas, and say that sampling is in no interval."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.bundle.exports import table_json
from dprelease.bundle.guarantee import caveats
from dprelease.bundle.notices import PublisherNotices
from dprelease.errors import IntegrityError, PlanError
from dprelease.model.release import TOTAL
from dprelease.statements.families import families
from dprelease.verdict.facts import check_totals

NOTE = "hold the noise only, and not the sampling error"
COLUMNS: dict[str, Any] = {
    "w": {"type": "number", "lower": 0.5, "upper": 20, "resolution": 0.25},
    "region": {"type": "category", "categories": ["n", "s", "e"]},
    "sex": {"type": "category", "categories": ["f", "m"]},
    "age": {"type": "integer", "lower": 0, "upper": 99},
    "town": {"type": "category", "categories": "discover"},
}
OLD = [{"column": "age", "at_least": 65}]
ASKED = [
    {"id": "cross", "kind": "crosstab", "columns": ["region", "sex"], "survey_weights": "w", "margins": True},
    {"id": "ages", "kind": "histogram", "column": "age", "bins": 4, "survey_weights": "w"},
    {"id": "old", "kind": "proportion", "where": OLD, "by": ["sex"], "survey_weights": "w"},
    {"id": "sure", "kind": "proportion", "where": OLD, "by": ["sex"], "survey_weights": "w", "sampling": True},
    {"id": "aged", "kind": "mean", "column": "age", "survey_weights": "w", "sampling": True, "effect": 2},
    {"id": "plain", "kind": "histogram", "column": "age", "bins": 4},
]


def rows() -> pandas.DataFrame:
    """A fifth of the weights are missing, and of the regions too."""
    random = np.random.default_rng(11)
    table = pandas.DataFrame(
        {
            "w": random.integers(2, 81, 2000) / 4,
            "region": random.choice(["n", "s", "e", None], 2000, p=[0.3, 0.3, 0.2, 0.2]),
            "sex": random.choice(["f", "m"], 2000),
            "age": random.integers(0, 100, 2000),
            "town": random.choice(["a", "b"], 2000),
        }
    )
    return table.assign(w=table.w.where(random.random(2000) > 0.2))


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> dprelease.Workspace:
    made = dprelease.Workspace.create(tmp_path_factory.mktemp("weights") / "home")
    made.add_dataset("survey", rows(), columns=COLUMNS, epsilon=100_000)
    return made


def plan(*statistics: dict[str, Any]) -> dprelease.Plan:
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 50_000, "delta": 0}
    return dprelease.Plan.parse(
        {"dprelease": 1, "dataset": "survey", "privacy": privacy, "columns": COLUMNS, "statistics": list(statistics)}
    )


@pytest.mark.full
def test_tables_of_weights_are_those_of_pandas_and_say_what_their_intervals_leave_out(
    workspace: dprelease.Workspace,
) -> None:
    plan_id = workspace.plans.submit(plan(*ASKED))
    workspace.plans.approve(plan_id)
    release = workspace.publish(plan_id)
    given = rows().dropna(subset="w")
    summed = given.groupby(["region", "sex"]).w.sum()
    known = summed.sum()
    cells = {row[:2]: row[2] for row in release.tables["cross"].rows()}
    assert all(cells[key] == pytest.approx(weight, abs=0.5) for key, weight in summed.items())
    assert cells[TOTAL, TOTAL] == pytest.approx(known, abs=1) == sum(cells[key] for key in summed.index)
    ages = given.w.groupby(given.age // 25).sum()
    assert release.tables["ages"].value == pytest.approx(list(ages), abs=0.5)
    old = (given.w * (given.age >= 65)).groupby(given.sex).sum() / given.w.groupby(given.sex).sum()
    assert release.tables["old"].value == pytest.approx(list(old), abs=1e-4)

    given["square"] = given.w**2
    most = given.w.sum() ** 2 / given.square.sum()
    aged = release.tables["aged"]
    assert aged.extra["effective_rows"] == [pytest.approx(most / 2, rel=0.01)]
    assert aged.value == [pytest.approx((given.w * given.age).sum() / given.w.sum(), abs=0.01)]
    reach = 1.96 * (aged.value[0] * (99 - aged.value[0]) / (most / 2)) ** 0.5
    assert aged.extra["upper95_total"] == [pytest.approx(aged.value[0] + reach, rel=0.01)]

    (told,) = [caveat for caveat in caveats(release.certificate) if NOTE in caveat]
    assert told.endswith("cross, ages, old.")
    folder = workspace.releases.bundle(release.id)
    notes = {name: json.loads(table_json(release, name, PublisherNotices())).get("note", "") for name in release.tables}
    assert {name for name, note in notes.items() if NOTE in note} == {"cross", "ages", "old"}
    page = (folder / "index.html").read_text()
    assert page.count("The rows are a sample: these intervals") == 3
    assert [name for name in release.tables if families(release.certificate, name, release.tables[name])] == ["plain"]
    assert dprelease.verify(folder, key=workspace.public_key)


def test_the_verdict_works_total_intervals_out_on_its_own() -> None:
    """Of a mean from 10 to 30: 20 in [19, 21.5], 64 rows, so 1.96 · 10/8 beside the noise; then what was changed."""
    certificate = {
        "plan": {
            "columns": {"x": {"lower": 10, "upper": 30}},
            "statistics": [{"id": "m", "kind": "mean", "column": "x", "sampling": True}],
        }
    }
    spread = 1.959963984540054 * 10 / 8
    head = "value,lower95,upper95,effective_rows,lower95_total,upper95_total,grade"
    ends = f"{20 - (1 + spread**2) ** 0.5},{20 + (2.25 + spread**2) ** 0.5}"
    true = [
        f"20,19,21.5,64,{ends},A",
        "10,10,10,0,10,30,U",
        f"29.5,29,30,1,{29.5 - (0.25 + 1.959963984540054**2 * 19) ** 0.5},30,U",
    ]
    for line in true:
        check_totals(certificate, {"m": f"{head}\n{line}\n".encode()})
    false = [
        f"20,19,21.5,65,{ends},A",
        "20,19,21.5,64,19,21.5,A",
        "10,10,10,0,10,10,A",
        f"20,19,21.5,64,{ends},A".replace("17.", "18."),
        "20,19,21.5,,,,A",
    ]
    for line in false:
        with pytest.raises(IntegrityError):
            check_totals(certificate, {"m": f"{head}\n{line}\n".encode()})
    with pytest.raises(IntegrityError):
        check_totals(certificate, {"m": b"value,lower95,upper95,grade\n20,19,21.5,A\n"})


@pytest.mark.parametrize(
    ("changed", "path"),
    [({"survey_weights": None}, "sampling"), ({"sampling": None}, "effect"), ({"method": "centred"}, "sampling")],
)
def test_sampling_needs_weights_and_both_sums(changed: dict[str, Any], path: str) -> None:
    asked = {"id": "m", "kind": "mean", "column": "age", "survey_weights": "w", "sampling": True, "effect": 2} | changed
    with pytest.raises(PlanError, match=path):
        plan({key: value for key, value in asked.items() if value is not None})


def test_weights_of_categories_that_are_discovered_are_refused() -> None:
    with pytest.raises(PlanError, match="survey_weights"):
        plan({"id": "towns", "kind": "histogram", "column": "town", "survey_weights": "w"})
