"""A line of odds by the textbook's functional mechanism, with its right sensitivity and an intercept."""

from __future__ import annotations

from itertools import product
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import dprelease
from dprelease.model.privacy import Currency
from dprelease.model.release import FittedOutput
from dprelease.statistics.algebra.weighing import TAYLOR, of_taylor
from dprelease.statistics.planning.price import price
from tests.statistics.kinds.test_linear import coefficients, drawn

COLUMNS: dict[str, Any] = {
    "glucose": {"type": "integer", "lower": 0, "upper": 200},
    "sex": {"type": "category", "categories": ["f", "m"]},
    "region": {"type": "category", "categories": ["north", "south", "west"]},
    "one": {"type": "category", "categories": ["x"]},
    "ill": {"type": "boolean"},
}


def rows(count: int, seed: int = 0) -> pandas.DataFrame:
    rng = np.random.default_rng(seed)
    glucose = np.clip(np.round(rng.normal(120, 30, count)), 0, 200).astype(int)
    sex, region = rng.choice(["f", "m"], count), rng.choice(["north", "south", "west"], count)
    score = 0.03 * (glucose - 125) + 0.4 * (sex == "m")
    ill = rng.random(count) < 1 / (1 + np.exp(-score))
    return pandas.DataFrame({"glucose": glucose, "sex": sex, "region": region, "one": "x", "ill": ill})


def plan(epsilon: float = 1, relation: str = "add_remove", **options: Any) -> dict[str, Any]:
    own = {"id": "m", "kind": "logistic", "outcome": "ill", "on": ["glucose", "sex"], "method": "functional"}
    return {
        "dprelease": 1,
        "dataset": "people",
        "privacy": {"unit": "row", "neighbors": relation, "epsilon": epsilon, "delta": 1e-6},
        "columns": COLUMNS,
        "expected": {"rows": 4000},
        "statistics": [own | options],
    }


@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize("relation", ["add_remove", "substitute"])
@pytest.mark.parametrize(("positive", "sign"), [("last", 1), ("first", -1)])
def test_it_is_the_minimum_of_the_second_degree(currency: Currency, relation: str, positive: str, sign: int) -> None:
    """ε = 10,000: noise is next to none. ¼ Σ xx'·w = ½ Σ ±x, with x from the columns as they are."""
    table = rows(4000)
    (found,) = drawn(table, plan(10_000, relation, positive=positive), currency)
    x = np.column_stack([np.ones(4000), table["glucose"], table["sex"] == "m"]).astype(float)
    expected = 2 * np.linalg.solve(x.T @ x, x.T @ np.where(table["ill"], 1.0, -1.0)) * sign
    assert list(coefficients(found).values()) == pytest.approx(list(expected), abs=0.02)
    own = found.parts["coefficients"]
    assert list(own.value) == list(coefficients(found).values())
    assert own.extra["across"][1] == pytest.approx(200 * coefficients(found)["glucose"], abs=1e-6)
    assert own.extra["across"][2] == pytest.approx(coefficients(found)["m"], abs=1e-6)
    assert found.facts["function"]["positive"] == ("true" if positive == "last" else "false")


def test_with_an_intercept_the_curve_has_the_right_sign() -> None:
    """Without one, of glucose alone, it falls where it should rise, whatever ε: so textbooks' does."""
    found = drawn(rows(20_000), plan(3, on=["glucose"]), times=20)
    assert min(coefficients(each)["glucose"] for each in found) > 0


@pytest.mark.full
def test_a_noisy_objective_without_a_minimum_tells_the_share_alone() -> None:
    """60 rows at ε = 0.05: the noise is far larger than the objective, which has a minimum in few draws."""
    found = drawn(rows(60), plan(0.05, on=["glucose", "region"]), times=40)
    silent = [each for each in found if each.parts["coefficients"].value[0] is None]
    assert len(silent) >= 20
    for each in silent:
        intercept, *slopes = coefficients(each).values()
        assert abs(intercept) < 7
        assert not any(slopes)


@pytest.mark.one_in(18)
@pytest.mark.parametrize("relation", ["add_remove", "substitute"])
@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("on", [["glucose"], ["one"], ["sex", "region", "one"]])
def test_of_few_rows_and_constant_columns_nothing_fails(
    relation: str, currency: Currency, count: int, on: list[str]
) -> None:
    for found in drawn(rows(3).head(count), plan(0.5, relation, on=on), currency, times=3):
        assert all(abs(number) < inf for number in coefficients(found).values())


@pytest.mark.parametrize("columns", [1, 2, 4, 8])
def test_oracle_of_the_sensitivity(columns: int) -> None:
    """That without an intercept is q/2 + q²/8 and under substitute q²/8 + q/2 + ½ of q terms: here q = d + 1."""
    changes, q = of_taylor(columns, columns, grouped=False), columns + 1
    assert changes.alone / 8 == q / 2 + q * q / 8
    assert changes.both / 8 == q * q / 8 + q / 2 + 0.5


@pytest.mark.parametrize("columns", [1, 2, 3])
def test_no_two_rows_are_further_apart_than_stated_and_two_are_as_far(columns: int) -> None:
    last = columns + 1
    entries = [(i, j) for i in range(last + 1) for j in range(i, last + 1) if i < last]
    places = (0.0, 0.25, 0.5, 1.0) if columns < 3 else (0.0, 0.5, 1.0)
    grid = [(1.0, *each, y) for each in product(places, repeat=columns) for y in (-1.0, 1.0)]
    whole = np.array([(0.0,) * (columns + 2), *grid])
    values = np.stack([whole[:, i] * whole[:, j] * TAYLOR.of(i, j, last) for i, j in entries], axis=1)
    apart = np.abs(values[:, None] - values[None])
    changes = of_taylor(columns, columns, grouped=False)
    assert np.abs(values).sum(axis=1).max() == changes.alone
    assert (values**2).sum(axis=1).max() == changes.alone_square
    assert apart.sum(axis=2).max() == changes.both
    assert (apart**2).sum(axis=2).max() <= changes.square
    assert apart.max() <= changes.each


def test_rows_of_other_categories_are_no_further_apart_than_stated() -> None:
    own = [(1.0, u, *t, y) for u in (0.0, 0.5, 1.0) for t in ((0, 0), (1, 0), (0, 1)) for y in (-1.0, 1.0)]
    whole, last = np.array([(0.0,) * 5, *own]), 4
    entries = [(i, j) for i in range(4) for j in range(i, 5) if i != j or i not in (2, 3)]
    values = np.stack([whole[:, i] * whole[:, j] * TAYLOR.of(i, j, last) for i, j in entries], axis=1)
    apart = np.abs(values[:, None] - values[None])
    changes = of_taylor(2, 1, grouped=True)
    assert np.abs(values).sum(axis=1).max() == changes.alone
    assert apart.sum(axis=2).max() <= float(changes.both)
    assert (apart**2).sum(axis=2).max() <= changes.square


def test_the_price_falls_with_epsilon_and_rounds_are_none_of_it() -> None:
    errors = [price(dprelease.Plan.parse(plan(e)), currency=Currency.PURE)["m"].error95 for e in (0.1, 1, 10)]
    assert errors == sorted(errors, reverse=True)  # type: ignore[type-var]
    assert errors[0] is not None
    (mechanism,) = price(dprelease.Plan.parse(plan(rounds=3)), currency=Currency.ZCDP)["m"].mechanisms
    assert mechanism.sensitivity.linf == 4 * 2**22


def test_a_bundle_is_verified_and_says_how_it_was_fitted(tmp_path: Path) -> None:
    made = dprelease.Workspace.in_memory()
    made.add_dataset("people", rows(4000), epsilon=100, columns=COLUMNS)
    plan_id = made.plans.submit(dprelease.Plan.parse(plan(5)))
    made.plans.approve(plan_id)
    release = made.publish(plan_id)
    bundle = release.write(tmp_path)
    assert dprelease.verify(bundle)
    assert "objective whose coefficients carry noise" in (bundle / "index.html").read_text()
    assert isinstance(release.outputs["m"], FittedOutput)
    shares = dprelease.load_model(bundle / "models" / "m.json").predict_proba({"glucose": [80, 160], "sex": ["f", "m"]})
    assert shares[0, 1] < shares[1, 1]
