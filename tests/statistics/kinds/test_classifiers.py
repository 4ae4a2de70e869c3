"""Naive Bayes and scorecards: classes told by bins, from counts alone, and made again of what is published."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from math import inf, log, tanh
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.bundle.coefficients import coefficients, unborne
from dprelease.bundle.guarantee import caveat
from dprelease.errors import PlanError
from dprelease.model.privacy import Currency
from dprelease.model.release import FittedOutput
from dprelease.model.schema import Schema
from dprelease.statistics.algebra import elementary, pairwise
from dprelease.statistics.answer import answers, draw, exact, queries
from dprelease.statistics.kinds import scorecard
from dprelease.statistics.kinds import scorecard as scorecard_kind
from dprelease.statistics.planning.price import price
from dprelease.statistics.remarks import remarks
from dprelease.table import Engine

COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": 20, "upper": 79},
    "bmi": {"type": "number", "lower": 15, "upper": 45, "resolution": 0.5},
    "region": {"type": "category", "categories": ["north", "south", "west"]},
    "one": {"type": "category", "categories": ["x"]},
    "ill": {"type": "category", "categories": ["no", "yes"]},
    "kind": {"type": "category", "categories": ["a", "b", "c"]},
}
KINDS = ("naive_bayes", "scorecard")


def rows(count: int, seed: int = 1) -> pandas.DataFrame:
    """Older and heavier ones are ill more often; BMI goes with age, so that columns are not independent."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 80, count)
    bmi = np.clip(np.round((20 + age / 8 + 4 * rng.normal(size=count)) * 2) / 2, 15, 45)
    region = rng.choice(["north", "south", "west"], count)
    odds = -7 + 0.07 * age + 0.1 * bmi + 0.8 * (region == "south")
    ill = rng.random(count) < 1 / (1 + np.exp(-odds))
    kind = np.where(ill, "c", np.where(rng.random(count) < 0.5, "a", "b"))
    return pandas.DataFrame(
        {"age": age, "bmi": bmi, "region": region, "one": "x", "ill": np.where(ill, "yes", "no"), "kind": kind}
    )


def plan(
    kind: str, epsilon: float = 1, relation: str = "add_remove", count: int = 5000, **options: Any
) -> dict[str, Any]:
    asked = {"id": "m", "kind": kind, "outcome": "ill", "on": ["age", "bmi", "region"], "bins": {"age": 6}, **options}
    return {
        "dprelease": 1,
        "dataset": "people",
        "privacy": {"unit": "row", "neighbors": relation, "epsilon": epsilon, "delta": 1e-6},
        "columns": COLUMNS,
        "expected": {"rows": count},
        "statistics": [{key: value for key, value in asked.items() if value is not None}],
    }


def drawn(
    table: pandas.DataFrame, asked: dict[str, Any], currency: Currency = Currency.PURE, times: int = 1
) -> list[FittedOutput]:
    made = dprelease.Plan.parse(asked)
    bill = price(made, currency=currency, discovers=currency is Currency.PURE)
    engine = Engine()
    tallies = engine.answer(engine.hold(table), queries(bill), schema=made.schema, where=(), unit=made.unit)
    given = exact(bill, tallies)
    found = [answers(bill, draw(bill, given))["m"] for _ in range(times)]
    assert all(isinstance(each, FittedOutput) for each in found)
    return found  # type: ignore[return-value]


def integers(model: FittedOutput) -> np.ndarray:
    return np.concatenate([np.array(part) for part in model.facts["integers"]])


def fitted(model: FittedOutput, folder: Path) -> dprelease.FittedModel:
    from dprelease.model.encoding import canonical

    path = folder / "m.json"
    path.write_bytes(canonical(model.facts))
    return dprelease.load_model(path)


def judged(model: FittedOutput, test: pandas.DataFrame, folder: Path) -> tuple[float, float]:
    """AUC and log-loss on other rows."""
    chances = np.asarray(fitted(model, folder).predict_proba(test))[:, -1]
    ill = (test["ill"] == "yes").to_numpy()
    ranks = pandas.Series(chances).rank().to_numpy()
    auc = (ranks[ill].sum() - ill.sum() * (ill.sum() + 1) / 2) / (ill.sum() * (~ill).sum())
    return float(auc), float(-np.log(np.where(ill, chances, 1 - chances)).mean())


@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize("kind", KINDS)
def test_it_tells_classes_nearly_as_well_as_the_rows_do(kind: str, currency: Currency, tmp_path: Path) -> None:
    """At ε = 2 and 5,000 rows the AUC is above 0.74 (0.79 by the odds that rows were made with), and its log-loss
    beside what whoever knows the share alone has. False alarms: noise moves either by a hundredth."""
    test = rows(4000, seed=2)
    (model,) = drawn(rows(5000), plan(kind, 2), currency)
    auc, loss = judged(model, test, tmp_path)
    share = float((test["ill"] == "yes").mean())
    assert auc > 0.74
    assert loss < -(share * log(share) + (1 - share) * log(1 - share)) - 0.05


def test_a_scorecard_is_calibrated_where_columns_go_together(tmp_path: Path) -> None:
    """Naive Bayes counts what two columns have in common twice; pairs of columns tell a scorecard."""
    train, test = rows(30_000), rows(8000, seed=2)
    losses = {
        together: judged(drawn(train, plan("scorecard", 20, together=together))[0], test, tmp_path)[1]
        for together in ("all", "none")
    }
    assert losses["all"] < losses["none"] - 0.003


def test_several_classes(tmp_path: Path) -> None:
    (model,) = drawn(rows(5000), plan("naive_bayes", 4, outcome="kind"))
    test = rows(2000, seed=3)
    chances = np.asarray(fitted(model, tmp_path).predict_proba(test))
    assert chances.shape == (2000, 3)
    assert chances.sum(axis=1) == pytest.approx(1)
    assert (
        chances[(test["kind"] == "c").to_numpy(), 2].mean() > chances[(test["kind"] != "c").to_numpy(), 2].mean() + 0.1
    )


def test_pairs_are_counted_where_they_pay_by_the_rule() -> None:
    """`auto`: expected rows of a pair's cell at least five standard deviations of its noise; the price says which."""
    few = price(dprelease.Plan.parse(plan("scorecard", 0.1, count=500)), currency=Currency.PURE)
    many = price(dprelease.Plan.parse(plan("scorecard", 1, count=200_000)), currency=Currency.PURE)
    assert [len(bill["m"].mechanisms) for bill in (few, many)] == [3, 6]


@pytest.mark.full
@pytest.mark.parametrize("relation", ["add_remove", "substitute"])
@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize("kind", KINDS)
def test_of_few_rows_nothing_fails(kind: str, currency: Currency, relation: str) -> None:
    for count in (0, 1, 3):
        for on in (["one"], ["region"], ["age", "one", "bmi"]):
            bins = {"age": 1} if "age" in on else None
            (model,) = drawn(rows(3).head(count), plan(kind, 0.5, relation, on=on, bins=bins), currency)
            for part in model.parts.values():
                assert all(number is None or abs(number) < inf for number in part.value)


def test_all_rows_of_one_class(tmp_path: Path) -> None:
    table = rows(2000).assign(ill="no")
    for kind in KINDS:
        (model,) = drawn(table, plan(kind, 1))
        chances = np.asarray(fitted(model, tmp_path).predict_proba(table.head(50)))
        assert (chances[:, 1] < 0.2).all()


@pytest.mark.parametrize("kind", KINDS)
def test_the_fit_is_made_again_of_the_published_integers(kind: str) -> None:
    (model,) = drawn(rows(800), plan(kind, 2))
    item = price(dprelease.Plan.parse(plan(kind, 2)), currency=Currency.PURE)["m"]
    schema = Schema.parse(COLUMNS)
    assert item.could_answer(schema, model)
    integers = [list(each) for each in model.facts["integers"]]
    integers[0][0] += 5000
    assert not item.could_answer(schema, replace(model, facts={**model.facts, "integers": integers}))
    if kind == "scorecard":
        function = {**model.facts["function"], "joint": "none"}
        assert not item.could_answer(schema, replace(model, facts={**model.facts, "function": function}))
    for broken in (None, [], [[1]], [["x"]]):
        assert not item.could_answer(schema, replace(model, facts={**model.facts, "integers": broken}))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", KINDS)
def test_a_published_bundle_is_verified(kind: str, tmp_path: Path) -> None:
    made = dprelease.Workspace.create(tmp_path / "w")
    made.add_dataset("people", rows(3000), columns=COLUMNS, epsilon=10)
    asked = {key: value for key, value in plan(kind, 2).items() if key != "columns"}
    asked["privacy"] = {"unit": "row", "neighbors": "add_remove", "epsilon": 2}
    plan_id = made.plans.submit(dprelease.Plan.parse(asked))
    made.plans.approve(plan_id)
    release = made.publish(plan_id)
    bundle = release.write(tmp_path / "b")
    assert dprelease.verify(bundle)
    hidden, _ = unborne(coefficients(release, "m"))
    assert (bundle / "models" / "m.pmml").exists() == (hidden == 0), "no digits that noise made are passed on"


def points(model: FittedOutput) -> list[tuple[Any, Any, Any]]:
    table = model.parts["points"]
    return list(zip(table.value, table.lower95, table.upper95, strict=True))


def test_too_many_combinations_of_bins_have_points_without_intervals(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said with the price, before anything is charged."""
    bill = price(dprelease.Plan.parse(plan("scorecard", 20, together="all")), currency=Currency.PURE)
    assert "points_without_intervals" not in [each.code for each in remarks(bill)]
    whole = drawn(rows(5000), plan("scorecard", 20, together="all"))[0]
    for module in (pairwise, scorecard_kind):
        monkeypatch.setattr(module, "MAX_COMBINATIONS", 89)  # 6 · 5 · 3 = 90
    (told,) = (each for each in remarks(bill) if each.code == "points_without_intervals")
    assert told.values["combinations"] == 90
    assert "90 combinations of bins; at most 89" in caveat(told)
    sampled = drawn(rows(5000), plan("scorecard", 20, together="all"))[0]
    for model, word in ((whole, "whole"), (sampled, "sampled")):
        assert model.facts["function"]["joint"] == word
        assert ("covariance" in model.facts["function"]) == (word == "whole")
    assert all(None in each for each in points(sampled))
    assert sum(None not in each for each in points(whole)) > 10


def test_tables_that_do_not_go_together_leave_each_column_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scorecard, "distribution", lambda found, tables: None)
    (model,) = drawn(rows(5000), plan("scorecard", 20, together="all"))
    assert model.facts["function"]["joint"] == "none"
    assert all(None in each for each in points(model))
    assert max(abs(value) for value, *_ in points(model)) > 0.5
    assert set(model.parts["points"].extra["pull"]) == {None}


def test_a_bin_with_few_rows_of_a_class_has_no_interval() -> None:
    """Below three standard deviations of its noise its point is mostly penalty. False alarms: one in 1,000."""
    table = rows(5000)
    table.loc[table["region"] == "west", "ill"] = "no"
    (model,) = drawn(table, plan("scorecard", 20, together="all"))
    bins = [cell[1] for cell in model.parts["points"].axes[0].cells]
    told = dict(zip(bins, points(model), strict=True))
    assert None in told["west"]
    assert None not in told["north"]
    assert "covariance" not in model.facts["function"]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", ["all no", "all yes", "no rows", "one row", "a category without rows", "one bin"])
@pytest.mark.parametrize("currency", Currency)
def test_pairs_of_degenerate_tables(case: str, currency: Currency) -> None:
    table = rows(800)
    table = {
        "all no": table.assign(ill="no"),
        "all yes": table.assign(ill="yes"),
        "no rows": table.head(0),
        "one row": table.head(1),
        "a category without rows": table[table["region"] != "south"],
        "one bin": table,
    }[case]
    options: dict[str, Any] = {"on": ["age", "one"], "bins": {"age": 1}} if case == "one bin" else {}
    (model,) = drawn(table, plan("scorecard", 2, together="all", **options), currency)
    assert all(abs(value) < 20 for value, *_ in points(model))
    assert model.facts["function"]["joint"] in ("whole", "constant")


@pytest.mark.full
def test_a_fit_is_the_same_in_another_process() -> None:
    """Byte by byte, whatever the seed of hashes is."""
    code = """
import hashlib, numpy
from dprelease.statistics.algebra import pairwise
from dprelease.statistics.algebra.additive import fitted
from dprelease.statistics.algebra.agreed import NoisySource as Noised, agreed
for most in (200_000, 10):
    pairwise.MAX_COMBINATIONS = most
    labels = [Noised(1000.0 + 37 * (numpy.arange(2 * k).reshape(k, 2) % 7), 9.0) for k in (4, 3, 2)]
    cells = {(0, 1): (4, 3), (1, 2): (3, 2)}
    pairs = {pair: Noised(700.0 + 91 * (numpy.arange(k * n).reshape(k, n) % 5), 9.0) for pair, (k, n) in cells.items()}
    found = agreed(labels, list(pairs.values()))
    fit = fitted(found, labels, pairs, pairwise.distribution(found, pairwise.joint(found, pairs)))
    print(hashlib.sha256(numpy.concatenate([*fit.points, fit.deviations, *fit.pull]).tobytes()).hexdigest())
"""
    found = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "outcome among predictors": ({"on": ["age", "ill"]}, "outcome"),
    "a number as outcome": ({"outcome": "bmi", "on": ["age"]}, "outcome"),
    "an outcome of one value": ({"outcome": "one"}, "one"),
    "no column": ({"on": [], "bins": None}, "on"),
    "edges that leave the lattice": ({"bins": {"bmi": [15, 20.25, 45]}}, "bins"),
    "edges that leave rows out": ({"bins": {"age": [30, 79]}}, "bins"),
    "bins of a category": ({"bins": {"region": 2}}, "region"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_before_anything_is_charged(case: str, kind: str) -> None:
    options, words = BAD[case]
    with pytest.raises(PlanError, match=words):
        price(dprelease.Plan.parse(plan(kind, **options)), currency=Currency.PURE)


def test_a_scorecard_has_two_outcomes() -> None:
    with pytest.raises(PlanError, match="kind"):
        price(dprelease.Plan.parse(plan("scorecard", outcome="kind")), currency=Currency.PURE)


def test_the_price_falls_with_epsilon() -> None:
    for kind in KINDS:
        errors = [price(dprelease.Plan.parse(plan(kind, e)), currency=Currency.PURE)["m"].error95 for e in (0.1, 1, 10)]
        assert errors == sorted(errors, reverse=True)  # type: ignore[type-var]


@pytest.mark.full
def test_the_best_attack_on_the_integers_stays_below_the_bound() -> None:
    """Over 1,000 draws of each table, one row more in one of them: at most tanh(ε/2) more than guessing. False alarms:
    below 1e-9 (six standard errors)."""
    table, asked = rows(30), plan("naive_bayes", 1)
    bill = price(dprelease.Plan.parse(asked), currency=Currency.PURE)
    told = []
    for each in (table, table[1:]):
        told.append(
            [
                np.concatenate([np.array(part) for part in model.facts["integers"]])
                for model in drawn(each, asked, times=2000)
            ]
        )
    quiet = [
        np.concatenate([np.array(part) for part in drawn(each, plan("naive_bayes", 10**5))[0].facts["integers"]])
        for each in (table, table[1:])
    ]
    scales = np.concatenate(
        [np.full(int(np.prod(each.sensitivity.shape)), each.scale) for each in bill["m"].mechanisms]  # type: ignore[arg-type]
    )

    def first(draws: np.ndarray) -> float:
        return float((((np.abs(draws - quiet[1]) - np.abs(draws - quiet[0])) / scales).sum(axis=1) > 0).mean())

    advantage = first(np.array(told[0])) - first(np.array(told[1]))
    assert 0 < advantage <= tanh(0.5) + 6 * (0.5 / 1000) ** 0.5


def test_exponentials_and_logarithms_are_right_to_the_last_digits() -> None:
    numbers = np.linspace(-40, 40, 4001)
    assert elementary.exp(numbers) == pytest.approx(np.exp(numbers), rel=1e-14)
    positive = np.exp(numbers)
    assert elementary.log(positive) == pytest.approx(np.log(positive), rel=1e-14, abs=1e-15)
