"""Figures for one release: never above the plain sum they stand beside, and what is known of each mechanism."""

from __future__ import annotations

from typing import Any

import pytest

from dprelease.accounting import composition, pld, renyi
from dprelease.errors import PlanError
from dprelease.model.plan import Plan
from dprelease.model.privacy import Currency
from dprelease.statistics.planning import sharing
from dprelease.statistics.planning.figures import NOTE, figures
from dprelease.statistics.planning.price import price

COLUMNS = {
    "age": {"type": "integer", "lower": 0, "upper": 99},
    "group": {"type": "category", "categories": ["a", "b"]},
    "name": {"type": "category", "categories": "discover"},
}


def priced(
    *statistics: dict[str, Any], delta: float = 0, currency: Currency = Currency.PURE, epsilon: float = 1
) -> Any:
    plan = {
        "dprelease": 1,
        "dataset": "d",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": epsilon, "delta": delta},
        "columns": COLUMNS,
        "statistics": [{"id": f"s{place}", **item} for place, item in enumerate(statistics)],
    }
    return price(Plan.parse(plan), currency=currency)


def many(count: int) -> list[dict[str, Any]]:
    return [{"kind": "mode", "column": "group"} for _ in range(count)]


def test_many_small_mechanisms_come_to_less_than_their_sum() -> None:
    found = figures(priced(*many(200), epsilon=2), 1e-6)
    basic, advanced, convolved = (found["figures"][name]["epsilon"] for name in ("basic", "advanced", "pld"))
    assert found["note"] == NOTE
    assert found["mechanisms"] == 200
    assert convolved < advanced < basic == 2
    assert advanced == pytest.approx(composition.advanced_epsilon(0.01, 200, 1e-6), rel=1e-6)
    assert convolved == pytest.approx(composition.optimal_epsilon(0.01, 200, 1e-6), rel=1e-3)
    assert found["figures"]["renyi"]["epsilon"] < basic


def test_one_mechanism_is_never_said_to_cost_more_than_it_is_charged() -> None:
    found = figures(priced({"kind": "count"}), 1e-6)["figures"]
    assert found["basic"] == {"epsilon": 1.0, "delta": 0.0}
    assert all(figure["epsilon"] <= 1 + 1e-9 for figure in found.values())
    assert all(figure["delta"] == 1e-6 for name, figure in found.items() if name != "basic")


def test_gaussian_noise_counts_by_its_rho_and_has_no_advanced_composition() -> None:
    found = figures(priced({"kind": "count"}, delta=1e-6, currency=Currency.ZCDP), 5e-7)["figures"]
    assert set(found) == {"basic", "renyi", "pld"}
    rho = float(priced({"kind": "count"}, delta=1e-6, currency=Currency.ZCDP).loss.rho)
    assert found["renyi"]["epsilon"] == pytest.approx(renyi.epsilon_of(renyi.Gaussian(rho), 5e-7).epsilon, rel=1e-6)
    assert found["renyi"]["epsilon"] == pytest.approx(found["basic"]["epsilon"], rel=1e-6)


def test_counts_that_follow_from_others_are_not_counted_twice() -> None:
    item = priced(
        {"kind": "histogram", "column": "group"},
        {"kind": "histogram", "column": "group"},
        {"kind": "histogram", "column": "group"},
    )
    assert figures(item, 1e-6)["mechanisms"] == sum(bool(statistic.mechanisms) for statistic in item.statistics)


def test_a_delta_of_the_mechanisms_is_taken_off_first() -> None:
    item = priced({"kind": "histogram", "column": "name"}, delta=1e-6)
    found = figures(item, 1e-5)["figures"]
    assert found["renyi"]["delta"] == 1e-5
    with pytest.raises(PlanError, match="leaves nothing"):
        figures(item, 1e-7)


@pytest.mark.parametrize("delta", [0, -1, 1e-13, 1, 2, float("nan")])
def test_a_delta_that_means_nothing_is_refused(delta: float) -> None:
    with pytest.raises(PlanError, match="delta"):
        figures(priced({"kind": "count"}), delta)


def test_a_single_number_has_the_loss_of_its_own_lattice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "ON", False)
    total = figures(priced(*[{"kind": "sum", "column": "age"}] * 40, epsilon=4), 1e-6)["figures"]["pld"]["epsilon"]
    expected = pld.composed_epsilon([pld.LaplaceTerm(0.1, 99)] * 40, 1e-6)
    assert total == pytest.approx(expected, rel=1e-3)
    assert total < pld.composed_epsilon([pld.PureTerm(0.1)] * 40, 1e-6)
