"""A linear regression: the line that it finds, the intervals that hold, and that it says nothing where it cannot."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import inf, tanh
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.errors import PlanError
from dprelease.model.privacy import Currency
from dprelease.model.release import FittedOutput
from dprelease.model.schema import Schema
from dprelease.statistics.algebra import solving
from dprelease.statistics.algebra.weighing import BY_SQUARES, BY_SUM, Weights
from dprelease.statistics.answer import answers, draw, exact, queries
from dprelease.statistics.planning.price import price
from dprelease.table import Engine

COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": 20, "upper": 80},
    "region": {"type": "category", "categories": ["north", "south", "west"]},
    "member": {"type": "boolean"},
    "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-03-01"},
    "pay": {"type": "number", "lower": 0, "upper": 100, "resolution": 0.5},
    "one": {"type": "category", "categories": ["x"]},
}
TRUE = {"intercept": 10.0, "age": 0.8, "south": 6.0, "west": -4.0, "true": 5.0}


def rows(count: int, noise: float = 6.0, seed: int = 0) -> pandas.DataFrame:
    """Rows about a known line."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 81, count)
    region = rng.choice(["north", "south", "west"], count)
    member = rng.random(count) < 0.5
    pay = TRUE["intercept"] + TRUE["age"] * age + TRUE["true"] * member
    pay = pay + TRUE["south"] * (region == "south") + TRUE["west"] * (region == "west") + noise * rng.normal(size=count)
    day = pandas.to_datetime("2025-01-01") + pandas.to_timedelta(rng.integers(0, 60, count), unit="D")
    pay = np.clip(np.round(pay * 2) / 2, 0, 100)
    return pandas.DataFrame({"age": age, "region": region, "member": member, "day": day, "pay": pay, "one": "x"})


def plan(epsilon: float = 1, relation: str = "add_remove", **options: Any) -> dict[str, Any]:
    return {
        "dprelease": 1,
        "dataset": "people",
        "privacy": {"unit": "row", "neighbors": relation, "epsilon": epsilon, "delta": 1e-6},
        "columns": COLUMNS,
        "expected": {"rows": 4000},
        "statistics": [{"id": "m", "kind": "linear", "outcome": "pay", "on": ["age", "region", "member"], **options}],
    }


def drawn(
    table: pandas.DataFrame, asked: dict[str, Any], currency: Currency = Currency.PURE, times: int = 1
) -> list[FittedOutput]:
    """So many releases of the same tallies."""
    made = dprelease.Plan.parse(asked)
    bill = price(made, currency=currency, discovers=currency is Currency.PURE)
    engine = Engine()
    tallies = engine.answer(engine.hold(table), queries(bill), schema=made.schema, where=(), unit=made.unit)
    given = exact(bill, tallies)
    found = [answers(bill, draw(bill, given))["m"] for _ in range(times)]
    assert all(isinstance(each, FittedOutput) for each in found)
    return found  # type: ignore[return-value]


def coefficients(model: FittedOutput) -> dict[str, float]:
    function = model.facts["function"]
    named = {each.get("category", each["column"]): each["coefficient"] for each in function["terms"]}
    return {"intercept": function["intercept"], **named}


@pytest.mark.parametrize("currency", Currency)
def test_it_finds_the_line_in_the_columns_own_units(currency: Currency) -> None:
    """ε = 1000: noise is next to none, so that it is the line of least squares."""
    table = rows(4000)
    (found,) = drawn(table, plan(1000), currency)
    exactly = np.column_stack(
        [np.ones(4000), table["age"], table["region"] == "south", table["region"] == "west", table["member"]]
    ).astype(float)
    expected, *_ = np.linalg.lstsq(exactly, table["pay"].to_numpy(), rcond=None)
    assert list(coefficients(found).values()) == pytest.approx(list(expected), abs=0.2)
    assert coefficients(found)["age"] == pytest.approx(expected[1], abs=0.01)
    table_of = found.parts["coefficients"]
    assert list(table_of.value) == pytest.approx(list(expected), abs=0.1)


def test_a_date_counts_in_days_from_1970() -> None:
    table = rows(2000)
    table["pay"] = 20 + (table["day"] - pandas.Timestamp("2025-01-01")).dt.days
    (found,) = drawn(table, plan(1000, on=["day"]))
    function = found.facts["function"]
    assert function["terms"][0]["coefficient"] == pytest.approx(1, abs=0.01)
    assert function["intercept"] + function["terms"][0]["coefficient"] * 20089 == pytest.approx(
        20, abs=0.5
    )  # 2025-01-01


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("currency", "epsilon"), [(Currency.PURE, 1), (Currency.ZCDP, 0.5)])
def test_intervals_hold_the_coefficients_without_noise(currency: Currency, epsilon: float) -> None:
    """Of 200 releases at least 90 in 100 for each of five coefficients (95 stated; a Wald interval by a noise that is
    nearly normal), an absent one counting as holding. False alarms: 2e-4 · 5 if it were 95, far less as most hold."""
    table = rows(20_000)
    exactly = np.column_stack(
        [np.ones(20_000), table["age"], table["region"] == "south", table["region"] == "west", table["member"]]
    ).astype(float)
    expected, *_ = np.linalg.lstsq(exactly, table["pay"].to_numpy(), rcond=None)
    held, given = np.zeros(5), 0
    for model in drawn(table, plan(epsilon), currency, 200):
        own = model.parts["coefficients"]
        given += own.value[0] is not None
        for place in range(5):
            low, high = own.lower95[place], own.upper95[place]
            held[place] += low is None or low <= expected[place] <= high
            wide = own.extra["lower95_both"][place]
            assert wide is None or low is None or wide <= low
    assert given >= 190
    assert held.min() >= 0.88 * 200


def test_where_noise_leaves_nothing_to_say_nothing_is_said() -> None:
    """Nor anywhere where the file says so."""
    found = drawn(rows(60), plan(0.05), times=20)
    silent = [each for each in found if each.parts["coefficients"].value[0] is None]
    assert len(silent) >= 18
    for each in silent:
        table = each.parts["coefficients"]
        assert set(table.lower95) == set(table.upper95) == {None}
        assert all(abs(number) < inf for number in coefficients(each).values())
        assert "covariance" not in each.facts["function"]
        assert each.facts["function"]["intervals"] == "none"


@pytest.mark.one_in(5)
@pytest.mark.parametrize("relation", ["add_remove", "substitute"])
@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("on", [["age"], ["one"], ["member", "region"], ["age", "day", "one", "region"]])
def test_of_few_rows_and_constant_columns_nothing_fails(
    relation: str, currency: Currency, count: int, on: list[str]
) -> None:
    (found,) = drawn(rows(3).head(count), plan(0.5, relation, on=on), currency)
    assert all(abs(number) < inf for number in coefficients(found).values())


def test_the_fit_is_made_again_of_the_published_integers() -> None:
    (model,) = drawn(rows(500), plan(2))
    item = price(dprelease.Plan.parse(plan(2)), currency=Currency.PURE)["m"]
    schema = Schema.parse(COLUMNS)
    assert item.could_answer(schema, model)
    integers = [list(each) for each in model.facts["integers"]]
    integers[0][3] += 2**30
    assert not item.could_answer(schema, replace(model, facts={**model.facts, "integers": integers}))
    for broken in (None, [], [[1]], [["x"]]):
        assert not item.could_answer(schema, replace(model, facts={**model.facts, "integers": broken}))


def test_a_published_bundle_is_verified_and_its_model_predicts_with_a_range(tmp_path: Path) -> None:
    made = dprelease.Workspace.create(tmp_path / "w")
    made.add_dataset("people", rows(4000), columns=COLUMNS, epsilon=10)
    asked = {key: value for key, value in plan(4).items() if key != "columns"}
    asked["privacy"] = {"unit": "row", "neighbors": "add_remove", "epsilon": 4}
    plan_id = made.plans.submit(dprelease.Plan.parse(asked))
    made.plans.approve(plan_id)
    bundle = made.publish(plan_id).write(tmp_path / "b")
    assert dprelease.verify(bundle)
    model = dprelease.load_model(bundle / "models" / "m.json")
    new = pandas.DataFrame({"age": [50], "region": ["south"], "member": [True]})
    truth = TRUE["intercept"] + 50 * TRUE["age"] + TRUE["south"] + TRUE["true"]
    assert model.predict(new)[0] == pytest.approx(truth, abs=3)
    low, high = np.ravel(model.interval(new))
    assert low - 3 * (high - low) < truth < high + 3 * (high - low)  # 14 standard errors
    assert high - low < 6


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "outcome among predictors": ({"on": ["age", "pay"]}, "outcome"),
    "a category as outcome": ({"outcome": "region", "on": ["age"]}, "outcome"),
    "no column": ({"on": []}, "on"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_before_anything_is_charged(case: str) -> None:
    options, words = BAD[case]
    with pytest.raises(PlanError, match=words):
        price(dprelease.Plan.parse(plan(**options)), currency=Currency.PURE)


def test_the_price_falls_with_epsilon_and_is_of_declared_facts() -> None:
    errors = [price(dprelease.Plan.parse(plan(e)), currency=Currency.PURE)["m"].error95 for e in (0.1, 1, 10)]
    assert errors == sorted(errors, reverse=True)  # type: ignore[type-var]
    assert errors[0] is not None
    assert errors[0] <= 100


def largest(weights: Weights, columns: int) -> tuple[float, float]:
    """The largest distances between two rows of ordered terms, tried out on a grid: L1 and L2²."""
    places = np.array([-1.0, -0.75, -0.5, 0.0, 0.5, 1.0])
    best = [0.0, 0.0]
    grid = np.array(list(product(places, repeat=columns + 1)))
    last = columns + 1
    whole = np.column_stack([np.ones(len(grid)), grid])
    entries = [(i, j) for i in range(last + 1) for j in range(i, last + 1)]
    values = np.stack([whole[:, i] * whole[:, j] * weights.of(i, j, last) for i, j in entries], axis=1)
    for row in values:
        apart = np.abs(values - row)
        best = [max(best[0], float(apart.sum(axis=1).max())), max(best[1], float((apart**2).sum(axis=1).max()))]
    return best[0], best[1]


@pytest.mark.parametrize("weights", [BY_SUM, BY_SQUARES, Weights(1, 1, 1, 1, 1, 1)])
@pytest.mark.parametrize("columns", [1, 2])
def test_no_two_rows_are_further_apart_than_stated(weights: Weights, columns: int) -> None:
    """Also for equal weights, where the largest L1 is p(p + 1)/2."""
    stated = weights.changes(columns, columns, outcome_squared=True, grouped=False)
    one, square = largest(weights, columns)
    assert one <= float(stated.both) + 1e-9
    assert square <= stated.square + 1e-9
    assert max(one, float(stated.alone)) >= 0.93 * float(stated.both)
    if weights.cc == 1:
        assert stated.both == (columns + 2) * (columns + 3) / 2


def test_oracle_of_l1_under_substitute() -> None:
    """Of the weights 3, 1.5, 4, 1, 3, 0.3 for 1 to 3 columns: worked out apart."""
    found = [float(BY_SUM.changes(d, d, outcome_squared=True, grouped=False).both) / 10 for d in (1, 2, 3)]
    assert found == pytest.approx([14.0625, 20.75, 28.34375])
    alone = [BY_SUM.changes(d, d, outcome_squared=True, grouped=False).alone for d in (1, 2, 3, 4)]
    assert alone == [128, 193, 268, 353]


@pytest.mark.full
def test_the_best_attack_on_the_integers_stays_below_the_bound() -> None:
    """Whoever knows all other rows and sees every integer: over 4,000 draws of each table the likelihood ratio wins at
    most tanh(ε/2) more than guessing. False alarms: below 1e-9 (six standard errors)."""
    table = rows(30)
    table.loc[0, ["age", "pay"]] = [80, 100]
    asked = plan(1, on=["age"])
    bill = price(dprelease.Plan.parse(asked), currency=Currency.PURE)
    (mechanism,) = bill["m"].mechanisms
    one, other = (
        np.array([model.facts["integers"][0] for model in drawn(each, asked, times=2000)], dtype=float)
        for each in (table, table.drop(index=0))
    )
    (with_row, without) = (
        np.array(drawn(each, plan(10**5, on=["age"]))[0].facts["integers"][0], dtype=float)
        for each in (table, table[1:])
    )

    def told(draws: np.ndarray) -> float:
        """How often the first table is said."""
        return float(((np.abs(draws - without) - np.abs(draws - with_row)).sum(axis=1) / mechanism.scale > 0).mean())

    advantage = told(one) - told(other)
    assert advantage <= tanh(0.5) + 6 * (0.5 / 2000) ** 0.5
    assert advantage > 0.1


def test_eigenvalues_and_inverses_are_right() -> None:
    rng = np.random.default_rng(3)
    for size in (1, 2, 5, 12):
        half = rng.normal(size=(size, size))
        matrix = (half @ half.T + np.eye(size)).tolist()
        values, vectors = solving.eigen(matrix)
        assert sorted(values) == pytest.approx(sorted(np.linalg.eigvalsh(matrix)))
        assert np.array(vectors) @ np.array(matrix) == pytest.approx(np.diag(values) @ np.array(vectors), abs=1e-9)
        assert np.array(solving.inverse(matrix)) @ np.array(matrix) == pytest.approx(np.eye(size), abs=1e-9)
    assert solving.inverse([[0.0]]) is None
