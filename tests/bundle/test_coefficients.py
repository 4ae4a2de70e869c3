"""Coefficients that cannot be quoted have no digits on a page, and nothing predicts by them."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

import dprelease
from dprelease.bundle.coefficients import coefficients, mask, unborne
from dprelease.bundle.model_card import card, named_model
from dprelease.bundle.pmml import pmml_files, pmml_of
from dprelease.charts.cells import TableText
from dprelease.charts.data import draw
from dprelease.model.grade import Grade, grades
from dprelease.model.release import FittedOutput, Release
from dprelease.portal.predict import tried
from dprelease.statements.number import hidden, is_small
from dprelease.statements.question import PARTS, StatisticLabel
from dprelease.words.language import speaking
from tests.statistics.kinds.test_classifiers import COLUMNS, rows

STATISTICS: list[dict[str, Any]] = [
    {"id": "card", "kind": "scorecard", "outcome": "ill", "on": ["age", "bmi"], "together": "all"},
    {"id": "bayes", "kind": "naive_bayes", "outcome": "ill", "on": ["age"], "bins": {"age": 3}},
    {"id": "bell", "kind": "naive_bayes", "outcome": "ill", "on": ["age"], "method": "normal"},
    {"id": "line", "kind": "linear", "outcome": "bmi", "on": ["age"]},
    {"id": "each", "kind": "linear", "outcome": "bmi", "on": ["age"], "by": ["region"]},
    {"id": "odds", "kind": "logistic", "outcome": "ill", "on": ["age"], "rounds": 0},
    {"id": "groups", "kind": "clusters", "on": ["age"], "k": 2, "grid": 10},
    {"id": "parts", "kind": "components", "on": ["age", "bmi"], "k": 2},
]
IDS = [each["id"] for each in STATISTICS]


@pytest.fixture(scope="module")
def releases() -> dict[str, Release]:
    """Of hardly any noise, and of hardly anything else."""
    made = dprelease.Workspace.in_memory()
    made.add_dataset("people", rows(3000), columns=COLUMNS, epsilon=10**6)
    found = {}
    for name, epsilon in (("clear", 80_000), ("noise", 0.01)):
        privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": epsilon}
        plan = {"dprelease": 1, "dataset": "people", "privacy": privacy, "statistics": STATISTICS, "title": name}
        plan_id = made.plans.submit(dprelease.Plan.parse(plan))
        made.plans.approve(plan_id)
        found[name] = made.publish(plan_id)
    return found


def first(release: Release, statistic: str) -> str:
    return release.certificate.statistic(statistic).tables[0]


@pytest.mark.parametrize("statistic", IDS)
def test_what_noise_made_has_no_digits_and_predicts_nothing(releases: dict[str, Release], statistic: str) -> None:
    release = releases["noise"]
    table = first(release, statistic)
    few, many = unborne(coefficients(release, statistic))
    assert 0 < few <= many
    assert pmml_of(release, table) is None
    assert tried(release, table) is None
    told = card(release, table)
    assert told is not None
    assert told["hidden"].startswith(f"{few} of {many} coefficients cannot be quoted")
    assert told["json"] == f"models/{statistic}.json"
    words = [cell for row in told["rows"] for cell in row if cell in ("cannot be quoted", "no value")]
    assert len(words) >= few
    with speaking("es"):
        spanish = card(release, table)
    assert spanish is not None
    assert "no se puede" in str(spanish["rows"]) or "sin valor" in str(spanish["rows"])
    reading = TableText.of(release, table, 100)
    value = reading.keys
    for row, grade in zip(reading.body(), grades(release.certificate, table, release.tables[table]), strict=True):
        if grade in (Grade.UNRELIABLE, Grade.MISSING):
            assert not any(sign.isdigit() and sign != "0" for sign in row[value]), row


def test_no_chart_writes_digits_that_cannot_be_quoted(releases: dict[str, Release]) -> None:
    """Of coefficients, and of anything else without an interval that was not chosen among declared values."""
    release, seen = releases["noise"], 0
    for table, estimates in release.tables.items():
        letters = list(grades(release.certificate, table, estimates))
        for row in draw(StatisticLabel.of(release.certificate, table), estimates, letters).rows:
            if row["grade"] is Grade.UNRELIABLE and (table.partition(".")[2] in PARTS or row["lower"] is None):
                seen += 1
                assert (row["label"], row["margin"]) == ("–", ""), (table, row)
            if row["grade"] is Grade.NONE:
                assert row["label"].startswith("none – ")
                assert not row["margin"]
    assert seen > len(IDS)


@pytest.mark.parametrize("statistic", IDS)
def test_what_is_clear_has_digits_and_predicts(releases: dict[str, Release], statistic: str) -> None:
    """But a logistic regression, whose coefficients have no intervals."""
    release = releases["clear"]
    table = first(release, statistic)
    few, many = unborne(coefficients(release, statistic))
    told = card(release, table)
    assert told is not None
    if statistic == "odds":
        assert few == many == 1
        assert tried(release, table) is None
        return
    assert (few, told["hidden"]) == (0, "")
    assert tried(release, table) is not None
    assert (pmml_of(release, table) is None) == (statistic == "parts")
    assert "cannot be quoted" not in str(told["rows"])


def test_files_are_left_out_and_the_function_stays(releases: dict[str, Release]) -> None:
    release = releases["noise"]
    assert pmml_files(release) == {}
    assert set(pmml_files(releases["clear"])) == {
        f"models/{name}.pmml" for name in IDS if name not in ("odds", "parts")
    }
    output = release.outputs["card"]
    assert isinstance(output, FittedOutput)
    assert output.facts["function"]["terms"]


def test_a_bin_that_adds_about_nothing_is_said_so_and_predicts() -> None:
    """Its interval is narrower than 1 log-odds and holds 0: its sign is not told, and hardly matters."""
    assert hidden("points", Grade.UNRELIABLE, -0.1, 0.2) == "not told apart from 0"
    assert hidden("points", Grade.UNRELIABLE, -0.6, 0.5) == "cannot be quoted"
    assert hidden("coefficients", Grade.UNRELIABLE, -0.1, 0.2) == "cannot be quoted"
    assert hidden("points", Grade.CAUTION, 0.1, 0.2) is None
    assert not is_small("points", None, 0.2)
    assert not is_small("points", -inf, inf)


def test_the_words_stand_where_the_digits_would(releases: dict[str, Release]) -> None:
    """As many rows as the function's table has, whatever the kind."""
    for name, release in releases.items():
        for statistic in IDS:
            named = named_model(release, first(release, statistic))
            told = card(release, first(release, statistic))
            assert named is not None
            assert told is not None
            words = mask(named.facts, coefficients(release, statistic))
            assert words is None or len(words) == len(told["rows"]), (name, statistic)
