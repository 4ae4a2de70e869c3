"""What a planner does for a curator: count once, share the budget, solve for an error, adjust what was drawn."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dprelease.errors import PlanError
from dprelease.model.plan import Plan
from dprelease.model.privacy import NANO, Currency
from dprelease.statistics.answer import answers, draw
from dprelease.statistics.planning import sharing
from dprelease.statistics.planning.price import Price, price
from tests.statistics.ready import ready

COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": 0, "upper": 99},
    "income": {"type": "number", "lower": 0, "upper": 1000, "resolution": 1, "count_missing_as": 0},
    "region": {"type": "category", "categories": ["n", "s", "e", "w"], "count_missing_as": "n"},
    "sex": {"type": "category", "categories": ["f", "m"], "count_missing_as": "f"},
    "town": {"type": "category", "categories": ["a", "b", "c"]},
}


def plan(*statistics: dict[str, Any], neighbors: str = "add_remove", **others: Any) -> Plan:
    named = [{"id": f"s{place}", **statistic} for place, statistic in enumerate(statistics)]
    privacy = {"unit": "row", "neighbors": neighbors, "epsilon": 1, "delta": 1e-6}
    return Plan.parse(
        {"dprelease": 1, "dataset": "d", "privacy": privacy, "columns": COLUMNS, "statistics": named, **others}
    )


def priced(*statistics: dict[str, Any], currency: Currency = Currency.PURE, **others: Any) -> Price:
    return price(plan(*statistics, **others), currency=currency)


@pytest.fixture
def unshared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "ON", False)


MEAN = {"kind": "mean", "column": "income", "by": ["region"], "weight": 2}
COUNT = {"kind": "count", "by": ["region"]}
TABLE = {"kind": "crosstab", "columns": ["region", "sex"], "weight": 8}


@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize(
    "pair", [(MEAN, COUNT), (TABLE, COUNT), (TABLE, {"kind": "histogram", "column": "sex"}), (COUNT, dict(COUNT))]
)
def test_a_count_that_another_statistic_gives_costs_nothing_and_gets_better(
    pair: tuple[dict[str, Any], dict[str, Any]], currency: Currency, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = priced(*pair, currency=currency, expected={"rows": 1000})
    monkeypatch.setattr(sharing, "ON", False)
    apart = priced(*pair, currency=currency, expected={"rows": 1000})
    derived = next(item for item in shared.statistics if item.source is not None)
    assert derived.loss.epsilon_nano == derived.loss.rho_nano == 0
    assert shared.loss == apart.loss
    for one, other in zip(shared.statistics, apart.statistics, strict=True):
        assert one.error95 <= other.error95  # type: ignore[operator]


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ({"kind": "mean", "column": "age", "by": ["region"]}, COUNT, "rows without an age are left out of the mean"),
        ({"kind": "crosstab", "columns": ["region", "town"]}, COUNT, "rows without a town are left out of the table"),
        ({"kind": "histogram", "column": "age"}, {"kind": "count"}, "a hundred noises add up to more than one"),
        ({**MEAN, "noise": "laplace"}, COUNT, "another noise was asked for"),
        ({"kind": "mean", "column": "income", "by": ["region"], "epsilon": 0.5}, COUNT, "it has a share of its own"),
        ({**MEAN, "survey_weights": "age"}, COUNT, "its counts are weighted"),
        ({**MEAN, "method": "centred"}, COUNT, "it measures something else"),
    ],
)
def test_a_count_is_measured_where_rows_noise_or_shares_differ(
    first: dict[str, Any], second: dict[str, Any], why: str
) -> None:
    assert [item.source for item in priced(first, second).statistics] == [None, None], why


def test_the_derived_count_is_the_sum_of_what_was_drawn() -> None:
    bill = priced(TABLE, COUNT, MEAN)
    rng = np.random.default_rng(1)
    cells = rng.integers(0, 50, (4, 2))
    drawn = draw(bill, ready(bill, (cells,), (rng.integers(0, 9000, (4, 2)),)))
    published = answers(bill, drawn)
    assert bill["s1"].source is not None
    if bill["s1"].source.id == "s0":
        assert list(published["s1"].value) == np.sum(drawn["s0"][0], axis=1).tolist()
    else:
        sums = np.array(drawn["s2"][0]).sum(axis=1)
        assert list(published["s1"].value) == np.floor(sums / 1000 + 0.5).astype(int).tolist()


def test_derived_intervals_cover() -> None:
    """1,000 releases; a shortfall of three points below 95 % is a false alarm with probability below 1e-5."""
    bill = priced(TABLE, {"kind": "count"})
    assert bill["s1"].source is not None
    cells = np.full((4, 2), 100)
    hits = 0
    for _ in range(1000):
        table = answers(bill, draw(bill, ready(bill, (cells,))))["s1"]
        hits += table.lower95[0] <= 800 <= table.upper95[0]  # type: ignore[operator]
    assert hits >= 920


def test_weights_auto_make_relative_errors_equal(unshared: None) -> None:
    bill = priced(
        {"kind": "count"},
        {"kind": "crosstab", "columns": ["region", "sex"]},
        {"kind": "sum", "column": "income"},
        weights="auto",
        expected={"rows": 10_000},
    )
    typical = [10_000, 10_000 / 8, 10_000 * 500]
    relative = [item.error95 / size for item, size in zip(bill.statistics, typical, strict=True)]  # type: ignore[operator]
    assert max(relative) / min(relative) < 1.25  # whole rows are a coarse scale
    assert bill.loss.epsilon_nano == NANO


@pytest.mark.parametrize("currency", Currency)
def test_weights_minimise_make_the_sum_of_relative_errors_smaller(currency: Currency, unshared: None) -> None:
    asked = [{"kind": "count"}, {"kind": "crosstab", "columns": ["region", "sex"]}, {"kind": "mean", "column": "age"}]
    sums = []
    for weights in ({}, {"weights": "equalise"}, {"weights": "minimise"}):
        bill = priced(*asked, currency=currency, expected={"rows": 1000}, **weights)
        schema, expected = bill.plan.schema, bill.plan.expected
        assert expected is not None
        relative = [item.error95 / item.statistic.magnitude(schema, expected) for item in bill.statistics]  # type: ignore[operator]
        sums.append(sum(relative))
    assert sums[2] <= 1.03 * min(sums)


def test_weights_auto_need_expected_rows() -> None:
    with pytest.raises(PlanError, match="expected: found nothing"):
        priced({"kind": "count"}, {"kind": "mean", "column": "age"}, weights="auto")


@pytest.mark.one_in(2)
@pytest.mark.parametrize("currency", Currency)
@pytest.mark.parametrize(
    ("statistic", "value"),
    [
        ({"kind": "count"}, 12),
        ({"kind": "mean", "column": "age"}, 0.5),
        ({"kind": "median", "column": "age"}, 2),
        ({"kind": "ratio", "numerator": "income", "denominator": "age"}, 1),
        ({"kind": "histogram", "column": "age"}, 40),
    ],
)
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_a_target_error_is_met_and_no_more(
    statistic: dict[str, Any], value: float, confidence: float, currency: Currency
) -> None:
    target = {"value": value, "confidence": confidence}
    bill = priced({**statistic, "target_error": target}, currency=currency, expected={"rows": 20_000})
    item = bill["s0"]

    def error(part: Fraction) -> float:
        amount = int((item.loss.epsilon_nano or item.loss.rho_nano) * part)
        share = type(item.loss)(**{("epsilon_nano" if currency is Currency.PURE else "rho_nano"): amount})
        (measured,) = {type(mechanism) for mechanism in item.mechanisms}
        parts = [
            measured.calibrate(
                mechanism.sensitivity,
                type(share)(
                    epsilon_nano=share.epsilon_nano // len(item.mechanisms),
                    rho_nano=share.rho_nano // len(item.mechanisms),
                ),
            )
            for mechanism in item.mechanisms
        ]
        found = item.statistic.error(bill.plan.schema, parts, bill.plan.expected, confidence)
        assert found is not None
        return found.error95

    assert error(Fraction(1)) <= value * 1.001
    assert error(Fraction(9, 10)) > value * 0.9
    assert bill.loss.within(price(plan({"kind": "count"}), currency=currency).loss)


def test_a_target_beyond_the_plan_says_by_how_much() -> None:
    with pytest.raises(PlanError, match=r"takes ε 1\.7\d+.*short by 0\.7\d+"):
        priced({"kind": "count", "target_error": {"value": 1}})
    with pytest.raises(PlanError, match=r"need ε 1\.\d+.*That is ε 0\.\d+ too much"):
        priced(*[{"kind": "count", "column": name, "target_error": {"value": 5}} for name in ("age", "town", "sex")])


def test_a_target_error_and_a_weight_exclude_one_another() -> None:
    with pytest.raises(PlanError, match="both weight and target_error"):
        plan({"kind": "count", "weight": 2, "target_error": {"value": 5}})


def adjusted(*steps: str, seed: int) -> tuple[dict[str, np.ndarray], dict[str, list[Any]]]:
    """Published values and raw ones of a table, both of its margins and the total, all of the same rows."""
    bill = priced(
        {"kind": "crosstab", "columns": ["region", "sex"], "epsilon": 0.25},
        {**COUNT, "epsilon": 0.25},
        {"kind": "histogram", "column": "sex", "epsilon": 0.25},
        {"kind": "count", "epsilon": 0.25},
        postprocess=list(steps),
    )
    cells = np.random.default_rng(seed).poisson(3, (4, 2))
    exact = [(cells,), (cells.sum(axis=1),), (cells.sum(axis=0),), (cells.sum(),)]
    made = answers(bill, draw(bill, ready(bill, *(tuple(map(np.asarray, part)) for part in exact))))
    shapes = {"s0": (4, 2), "s1": (4,), "s2": (2,), "s3": ()}
    values = {name: np.array(made[name].value, dtype=float).reshape(shape) for name, shape in shapes.items()}
    for name, table in made.items():
        for value, lower, upper, raw in zip(table.value, table.lower95, table.upper95, table.extra["raw"], strict=True):
            assert isinstance(raw, int), name
            assert lower <= value <= upper, name  # type: ignore[operator]
    return values, {name: list(made[name].extra["raw"]) for name in shapes}


@pytest.mark.parametrize("seed", range(5))
def test_consistent_tables_agree_in_every_total_they_share(seed: int) -> None:
    values, raw = adjusted("consistent", seed=seed)
    np.testing.assert_allclose(values["s0"].sum(axis=1), values["s1"], atol=0.01)
    np.testing.assert_allclose(values["s0"].sum(axis=0), values["s2"], atol=0.01)
    np.testing.assert_allclose(values["s0"].sum(), values["s3"], atol=0.01)
    assert any(raw[name] != table.ravel().tolist() for name, table in values.items()), "they did not before"


@pytest.mark.parametrize("seed", range(5))
def test_nonnegative_and_whole(seed: int) -> None:
    values, _ = adjusted("consistent", "nonnegative", "integer", seed=seed)
    for table in values.values():
        assert (table >= 0).all()
        assert (table % 1 == 0).all()


def test_without_steps_nothing_is_adjusted() -> None:
    bill = priced(TABLE)
    drawn = draw(bill, ready(bill, (np.zeros((4, 2), dtype=np.int64),)))
    assert answers(bill, drawn)["s0"].extra == {}


@pytest.mark.full
def test_consistency_makes_the_total_better() -> None:
    """Over 400 releases the adjusted total errs less than the noisy one; a false alarm is rarer than 1e-6."""
    noisy, better = [], []
    for seed in range(400):
        values, raw = adjusted("consistent", seed=seed)
        true = np.random.default_rng(seed).poisson(3, (4, 2)).sum()
        noisy.append(raw["s3"][0] - true)
        better.append(float(values["s3"]) - true)
    assert np.mean(np.square(better)) < 0.95 * np.mean(np.square(noisy))


def test_a_share_that_was_solved_before_is_not_mixed_up_with_another() -> None:
    """Shares are kept by what they depend on: the same statistic in another plan needs its own."""

    def share(rows: int, upper: int, value: float) -> object:
        columns = {"x": {"type": "integer", "lower": 0, "upper": upper}}
        statistic = {"id": "s", "kind": "mean", "column": "x", "target_error": {"value": value}}
        mapping = {
            "dprelease": 1,
            "dataset": "d",
            "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 100},
            "expected": {"rows": rows},
            "columns": columns,
            "statistics": [statistic],
        }
        return price(Plan.parse(mapping)).loss

    asked = [(1000, 100, 1.0), (2000, 100, 1.0), (1000, 50, 1.0), (1000, 100, 2.0)]
    first = [share(*each) for each in asked]
    assert len(set(map(str, first))) == len(asked)
    assert [share(*each) for each in asked] == first
