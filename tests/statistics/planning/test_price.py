"""A plan is priced without any table: mechanism, scale, loss and error of each statistic."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from dprelease.errors import PlanError
from dprelease.model.privacy import NANO, PrivacyLoss
from dprelease.model.schema import Schema
from dprelease.statistics import Plan
from dprelease.statistics.planning.price import price
from tests.model.plans import EXAMPLE, example, small

pytestmark = pytest.mark.quick


def test_the_example_has_its_price() -> None:
    priced = price(Plan.parse(EXAMPLE))
    assert priced.loss == PrivacyLoss(epsilon_nano=NANO)
    losses = {item.id: item.loss.epsilon for item in priced.statistics}
    assert losses["total_income"] == Decimal("0.1")
    assert (losses["ages"], losses["n"]) == (Decimal("0.257142857"), Decimal("0.128571429"))
    assert sum(losses.values()) == 1
    by_id = {item["id"]: item for item in priced.to_mapping()["statistics"]}
    assert {item["mechanism"] for item in by_id.values()} == {"discrete_laplace", "permute_and_flip"}
    assert by_id["n"]["scale"] == pytest.approx(5 / 0.128571429)
    assert by_id["total_income"]["scale"] == pytest.approx(5 * 200_000 / 0.1)
    assert by_id["mean_income"]["scale"] == pytest.approx(5 * 200_000 / 0.128571429)
    assert [item["cells"] for item in by_id.values()] == [1, 20, 1, 1, 3, 10, 5]
    assert [item["basis"] for item in by_id.values()] == [
        *("mechanism", "mechanism", "expected", "mechanism", "expected", "mechanism", "expected"),
    ]
    assert all(item["error95"] > 0 for item in by_id.values())


def test_without_expected_only_the_mechanisms_errors_are_told() -> None:
    priced = price(Plan.parse(example(expected=None)))
    told = {item.id: (item.error95 is None, item.basis) for item in priced.statistics}
    assert told == {
        "n": (False, "mechanism"),
        "ages": (False, "mechanism"),
        "mean_income": (True, None),
        "total_income": (False, "mechanism"),
        "income_quartiles": (True, None),
        "region_sex": (False, "mechanism"),
        "income_by_region": (True, None),
    }


def test_groups_share_the_expected_rows() -> None:
    priced = price(Plan.parse(EXAMPLE))
    assert priced["income_by_region"].error95 > 4 * priced["mean_income"].error95  # type: ignore[operator]


def test_substitution_costs_what_the_table_of_sensitivities_says() -> None:
    changes = {"privacy": EXAMPLE["privacy"] | {"neighbors": "substitute"}}
    one, other = price(Plan.parse(EXAMPLE)), price(Plan.parse(example(**changes)))
    factors = {
        item.id: round(other[item.id].mechanisms[0].scale / item.mechanisms[0].scale, 6) for item in one.statistics
    }
    assert factors == {
        "n": 1,
        "ages": 2,
        "mean_income": 2,
        "total_income": 1,
        "income_quartiles": round(4 / 3, 6),
        "region_sex": 2,
        "income_by_region": 2,
    }


def test_a_registered_schema_serves() -> None:
    registered = Plan.parse(EXAMPLE).schema
    bare = Plan.parse(example(columns=None))
    assert price(bare, registered).statistics == price(Plan.parse(EXAMPLE)).statistics
    with pytest.raises(PlanError, match="Declare 'age' under columns"):
        price(bare)


def test_every_undeclared_column_is_named() -> None:
    with pytest.raises(PlanError) as caught:
        price(Plan.parse(example(columns=None)), Schema({}))
    assert {problem.path for problem in caught.value.problems} >= {
        "where[0].column",
        "statistics[1].column",
        "statistics[5].columns[0]",
        "statistics[5].columns[1]",
        "statistics[6].by[0]",
    }


def test_answers_of_one_statistic_split_its_share() -> None:
    quartiles = price(Plan.parse(EXAMPLE))["income_quartiles"]
    parts = [mechanism.share.epsilon_nano for mechanism in quartiles.mechanisms]
    assert sum(parts) == quartiles.loss.epsilon_nano
    assert [round(part / sum(parts) * 8) for part in parts] == [3, 2, 3]  # by max(α, 1 − α): equal noise


def test_a_share_too_small_for_its_answers_is_refused() -> None:
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": "2e-9"}
    columns = {"x": {"type": "integer", "lower": 0, "upper": 9}}
    statistics = [{"id": "q", "kind": "quantiles", "column": "x", "probs": [0.1, 0.5, 0.9]}]
    with pytest.raises(PlanError, match="at least 1e-9 for each"):
        price(Plan.parse(small(privacy=privacy, columns=columns, statistics=statistics)))


def test_a_sensitivity_beyond_exact_arithmetic_is_refused() -> None:
    columns = {"x": {"type": "number", "lower": 0, "upper": 1e15, "resolution": 1_000_000}}
    privacy = {"unit": {"column": "p", "max_rows": 1_000_000}, "neighbors": "add_remove", "epsilon": 1}
    statistics: list[dict[str, Any]] = [{"id": "m", "kind": "mean", "column": "x"}]
    assert price(Plan.parse(small(columns=columns, privacy=privacy, statistics=statistics)))
    columns["x"] |= {"lower": 1e15 - 1, "resolution": 1e-6}
    statistics[0]["kind"] = "sum"
    with pytest.raises(PlanError, match="a coarser resolution"):
        price(Plan.parse(small(columns=columns, privacy=privacy, statistics=statistics)))


def test_the_price_tells_the_plan_and_its_guarantee() -> None:
    told = price(Plan.parse(EXAMPLE)).to_mapping()
    assert told["unit"] == {"column": "person_id", "max_rows": 5}
    assert (told["neighbors"], told["epsilon"], told["epsilon_text"], told["delta"]) == ("add_remove", 1.0, "1", 0.0)
    assert len(told["plan_hash"]) == 64
