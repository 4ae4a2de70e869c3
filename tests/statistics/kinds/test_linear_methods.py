"""A line by other methods: the textbook's functional mechanism, with its right sensitivity and an intercept."""

from __future__ import annotations

from collections.abc import Mapping
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
from dprelease.statistics.algebra.weighing import OBJECTIVE, of_objective
from dprelease.statistics.answer import exact, queries
from dprelease.statistics.planning.price import price
from dprelease.table import Engine
from tests.statistics.kinds.test_linear import coefficients, drawn, plan, rows

FUNCTIONAL = {"method": "functional"}


@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize("relation", ["add_remove", "substitute"])
def test_it_finds_the_line_in_the_columns_own_units(currency: Currency, relation: str) -> None:
    """ε = 1000: noise is next to none, so that it is the line of least squares."""
    table = rows(4000)
    (found,) = drawn(table, plan(1000, relation, **FUNCTIONAL), currency)
    exactly = np.column_stack(
        [np.ones(4000), table["age"], table["region"] == "south", table["region"] == "west", table["member"]]
    ).astype(float)
    expected, *_ = np.linalg.lstsq(exactly, table["pay"].to_numpy(), rcond=None)
    assert list(coefficients(found).values()) == pytest.approx(list(expected), abs=0.3)
    own = found.parts["coefficients"]
    assert list(own.value) == list(own.extra["predicts"])
    assert all(low < value < high for low, value, high in zip(own.lower95, own.value, own.upper95, strict=True))
    assert found.facts["function"]["method"] == "functional"


def test_its_intervals_hold_the_line_without_noise() -> None:
    """Of 200 releases at least 88 in 100 for each coefficient (95 stated), an absent one counting as holding. False
    alarms: 1e-5 · 5 where it is just 95."""
    table = rows(30_000)
    exactly = np.column_stack(
        [np.ones(30_000), table["age"], table["region"] == "south", table["region"] == "west", table["member"]]
    ).astype(float)
    expected, *_ = np.linalg.lstsq(exactly, table["pay"].to_numpy(), rcond=None)
    held, given = np.zeros(5), 0
    for model in drawn(table, plan(3, **FUNCTIONAL), times=200):
        own = model.parts["coefficients"]
        given += own.lower95[0] is not None
        for place in range(5):
            low, high = own.lower95[place], own.upper95[place]
            held[place] += low is None or low <= expected[place] <= high
    assert given >= 190
    assert held.min() >= 0.88 * 200


def test_a_noisy_objective_without_a_minimum_tells_nothing() -> None:
    """With 60 rows at ε = 0.05 noise is 1000 times as large as the objective: it has a minimum in at most one draw of
    16 (of five eigenvalues each is positive in half of the draws, and they repel one another)."""
    found = drawn(rows(60), plan(0.05, **FUNCTIONAL), times=40)
    silent = [each for each in found if each.parts["coefficients"].value[0] is None]
    assert len(silent) >= 25
    for each in silent:
        own = each.parts["coefficients"]
        assert {*own.value, *own.lower95, *own.upper95} == {None}
        intercept, *slopes = coefficients(each).values()
        assert 0 <= intercept <= 100
        assert not any(slopes)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("relation", ["add_remove", "substitute"])
@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("on", [["age"], ["one"], ["member", "region"], ["age", "day", "one", "region"]])
def test_of_few_rows_and_constant_columns_nothing_fails(
    relation: str, currency: Currency, count: int, on: list[str]
) -> None:
    for found in drawn(rows(3).head(count), plan(0.5, relation, on=on, **FUNCTIONAL), currency, times=3):
        assert all(abs(number) < inf for number in coefficients(found).values())


@pytest.mark.parametrize(("columns", "norm"), [(1, 9), (2, 16), (4, 36), (5, 49), (7, 81), (8, 100), (10, 144)])
def test_oracle_of_the_sensitivity_with_an_intercept(columns: int, norm: int) -> None:
    """(d + 2)² under both relations, since a row may vanish; as stated by a price in whole units, too."""
    changes = of_objective(columns, columns, outcome_squared=True, grouped=False)
    assert changes.alone == changes.both == norm == (columns + 2) ** 2


@pytest.mark.parametrize("columns", [1, 2])
def test_no_two_rows_are_further_apart_than_stated(columns: int) -> None:
    last = columns + 1
    entries = [(i, j) for i in range(last + 1) for j in range(i, last + 1)]
    grid = [(1.0, *each) for each in product((0.0, 0.25, 0.5, 0.75, 1.0), repeat=columns + 1)]
    whole = np.array([(0.0,) * (columns + 2), *grid])
    values = np.stack([whole[:, i] * whole[:, j] * OBJECTIVE.of(i, j, last) for i, j in entries], axis=1)
    apart = np.abs(values[:, None] - values[None])
    changes = of_objective(columns, columns, outcome_squared=True, grouped=False)
    assert apart.sum(axis=2).max() == changes.alone == changes.both
    assert (apart**2).sum(axis=2).max() == changes.square == changes.alone_square


def test_rows_of_other_categories_are_no_further_apart_than_stated() -> None:
    """One ordered column and one of three categories, whose first has no term: two rows may have different ones."""
    own = [(1.0, u, *t, y) for u in (0.0, 0.5, 1.0) for t in ((0, 0), (1, 0), (0, 1)) for y in (0.0, 0.5, 1.0)]
    whole, last = np.array([(0.0,) * 5, *own]), 4
    entries = [(i, j) for i in range(5) for j in range(i, 5) if i != j or i not in (2, 3)]
    values = np.stack([whole[:, i] * whole[:, j] * OBJECTIVE.of(i, j, last) for i, j in entries], axis=1)
    apart = np.abs(values[:, None] - values[None])
    changes = of_objective(2, 1, outcome_squared=True, grouped=True)
    assert values.sum(axis=1).max() == changes.alone == 15
    assert apart.sum(axis=2).max() <= float(changes.both)
    assert (apart**2).sum(axis=2).max() <= changes.square


def test_oracle_of_an_objective() -> None:
    """Rows (0.5; 1) and (1; 0.25): Σ (y - wx)² = 1.0625 - 1.5w + 1.25w², of which these are the integers."""
    columns = {name: {"type": "number", "lower": 0, "upper": 1, "resolution": 0.25} for name in "xy"}
    asked = {**plan(), "columns": columns}
    asked["statistics"] = [{"id": "m", "kind": "linear", "outcome": "y", "on": ["x"], **FUNCTIONAL}]
    made = dprelease.Plan.parse(asked)
    bill, engine = price(made, currency=Currency.PURE), Engine()
    table = pandas.DataFrame({"x": [0.5, 1.0], "y": [1.0, 0.25]})
    tallies = engine.answer(engine.hold(table), queries(bill), schema=made.schema, where=(), unit=made.unit)
    given: Mapping[str, Any] = exact(bill, tallies)
    statistic = bill["m"].statistic
    unit = statistic.unit(made.schema)  # type: ignore[attr-defined]
    numbers = [int(each) / unit for each in np.ravel(given["m"].first[0])]
    own = statistic.predictors(made.schema).entries  # type: ignore[attr-defined]
    found = dict(zip(own, numbers, strict=True))
    assert found == {(0, 0): 2, (0, 1): 3, (0, 2): 2.5, (1, 1): 1.25, (1, 2): 1.5, (2, 2): 1.0625}
    (mechanism,) = bill["m"].mechanisms
    assert mechanism.sensitivity.l1 == 9 * unit


def test_a_bundle_is_verified_and_says_how_it_was_fitted(tmp_path: Path) -> None:
    made = dprelease.Workspace.in_memory()
    made.add_dataset("people", rows(4000), epsilon=100, columns=dict(plan()["columns"]))
    plan_id = made.plans.submit(dprelease.Plan.parse(plan(5, **FUNCTIONAL)))
    made.plans.approve(plan_id)
    release = made.publish(plan_id)
    bundle = release.write(tmp_path)
    assert dprelease.verify(bundle)
    assert "objective whose coefficients carry noise" in (bundle / "index.html").read_text()
    output = release.outputs["m"]
    assert isinstance(output, FittedOutput)
    predicted = dprelease.load_model(bundle / "models" / "m.json").predict(rows(5))
    assert ((predicted >= 0) & (predicted <= 100)).all()


def prices_and_errors(seed: int, epsilon: float, times: int) -> dict[str, tuple[float, float]]:
    """By method its price, and the median over releases of how far predictions are off the line without noise."""
    rng = np.random.default_rng(seed)
    count = (400, 2000, 20_000)[seed % 3]
    x = np.round(rng.uniform(0, 100, count) if seed < 3 else np.clip(rng.exponential(40, count), 0, 100))
    slope, scatter = ((0.6, 5), (0.0, 15), (-0.4, 25), (0.5, 10), (0.2, 20), (0.7, 4))[seed]
    y = np.round(np.clip(50 + slope * (x - 50) + scatter * rng.normal(size=count), 0, 100))
    columns = {name: {"type": "integer", "lower": 0, "upper": 100} for name in "xy"}
    table, grid, found = pandas.DataFrame({"x": x, "y": y}), np.linspace(0, 100, 101), {}
    for method in ("moments", "functional", "medians"):
        own = {"id": "m", "kind": "linear", "outcome": "y", "on": ["x"], "method": method}
        asked = {**plan(epsilon), "columns": columns, "expected": {"rows": count}, "statistics": [own]}
        item = price(dprelease.Plan.parse(asked), currency=Currency.PURE)["m"]
        (true,) = drawn(table, {**asked, "privacy": {**asked["privacy"], "epsilon": 10**5}})
        off = [np.clip(line(each, grid), 0, 100) - line(true, grid) for each in drawn(table, asked, times=times)]
        assert item.error95 is not None
        found[method] = item.error95, float(np.median([np.sqrt((each**2).mean()) for each in off]))
    return found


def line(model: FittedOutput, grid: Any) -> Any:
    """What a model says of each value; where it says nothing, as far off as can be."""
    if model.facts["function"]["link"] == "none":
        return np.full(len(grid), np.inf)
    found = coefficients(model)
    return found["intercept"] + found["x"] * grid


def out_of_order(found: Mapping[str, tuple[float, float]]) -> list[tuple[str, str]]:
    """Pairs of methods whose prices are not in the order of their errors, of those that differ by over 30 %."""
    return [
        (one, other)
        for one, (told, error) in found.items()
        for other, (of_other, more) in found.items()
        if more > 1.3 * error and not of_other > told
    ]


def test_prices_rank_methods_as_their_releases_do() -> None:
    """Of 2,000 rows at ε = 1 the median errors of 15 releases are 1 to 2 to 6 or further apart."""
    assert out_of_order(prices_and_errors(1, 1, 15)) == []


@pytest.mark.full
@pytest.mark.parametrize("epsilon", [0.3, 1, 3])
@pytest.mark.parametrize("seed", range(6))
def test_prices_rank_methods_on_six_tables(seed: int, epsilon: float) -> None:
    """Medians are left aside where an even bin has about as many rows as it needs (50 of 60, 250 of 200): whether bins
    of these tables have them is not known before."""
    found = prices_and_errors(seed, epsilon, 40)
    if (seed % 3, epsilon) in {(0, 1), (1, 0.3)}:
        del found["medians"]
    assert out_of_order(found) == []


@pytest.mark.parametrize("method", ["moments", "functional"])
def test_the_price_is_that_of_the_noise_in_an_even_table(method: str) -> None:
    """A line from a quarter to three quarters of the outcome, x even, 4,000 rows at ε = 5 in zcdp, where noise is
    small: of 60 releases 95 % are off by 0.4 to 1.3 times what is told, as roots of mean squares have a law of their
    own; each end is missed by chance with less than 1e-4."""
    columns = {name: {"type": "integer", "lower": 0, "upper": 100} for name in "xy"}
    x = np.arange(4000) % 101
    table, grid = pandas.DataFrame({"x": x, "y": np.round(25 + x / 2)}), np.linspace(0, 100, 101)
    own = {"id": "m", "kind": "linear", "outcome": "y", "on": ["x"], "method": method}
    asked = {**plan(5), "columns": columns, "expected": {"rows": 4000}, "statistics": [own]}
    told = price(dprelease.Plan.parse(asked), currency=Currency.ZCDP, discovers=False)["m"].error95
    off = [line(each, grid) - (25 + grid / 2) for each in drawn(table, asked, Currency.ZCDP, 60)]
    assert told is not None
    assert 0.4 * told < np.quantile([np.sqrt((each**2).mean()) for each in off], 0.95) < 1.3 * told


@pytest.mark.parametrize("method", ["moments", "functional"])
@pytest.mark.parametrize("on", [["age"], ["one"], ["member", "region"], ["age", "day", "one", "region"]])
def test_any_columns_have_a_price_below_half_of_the_width(method: str, on: list[str]) -> None:
    told = [
        price(dprelease.Plan.parse({**plan(epsilon, on=on, method=method), "expected": {"rows": rows}}))["m"].error95
        for epsilon, rows in ((0.01, 1), (1, 4000), (10, 4000))
    ]
    assert 50 > told[0] > told[1] > told[2] > 0  # type: ignore[operator]
