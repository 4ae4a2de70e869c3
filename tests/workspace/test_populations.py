"""Populations in both currencies, as scripts register and read them."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas
import pytest

import dprelease
from dprelease.accounting.zcdp import epsilon_of
from dprelease.errors import InputError, InsufficientBudgetError, IntegrityError, PlanError
from dprelease.model.certificate import Certificate
from dprelease.model.privacy import Currency, PrivacyLoss
from dprelease.statistics import Plan
from dprelease.verdict.recompute import _compare_certificate, stated_price
from dprelease.workspace import Workspace


@pytest.fixture
def workspace() -> Workspace:
    return Workspace.in_memory()


def add(workspace: Workspace, **changes: Any) -> Any:
    given = {"unit": "person", "neighbors": "add_remove", "epsilon": 3, "delta": "1e-6", "currency": "zcdp"}
    return workspace.add_population("patients", **(given | changes))


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(3, "1e-6"), ("0.1", "1e-9"), (20, "0.001"), (1, "3e-18"), (1_000_000, "0.001")]
)
def test_the_rho_of_a_cap_is_the_largest_that_its_epsilon_and_half_of_its_delta_allow(
    workspace: Workspace, epsilon: Any, delta: str
) -> None:
    population = add(workspace, epsilon=epsilon, delta=delta)
    half = population.cap.delta_atto // 2
    assert population.currency is Currency.ZCDP
    assert (population.cap.epsilon, population.cap.delta) == (Decimal(epsilon), Decimal(delta))
    assert epsilon_of(population.rho_nano, half) <= Decimal(epsilon) < epsilon_of(population.rho_nano + 1, half)
    assert workspace.populations.find() == [population]


def test_a_budget_in_rho_keeps_half_of_delta(workspace: Workspace) -> None:
    population = add(workspace)
    account = workspace.populations.budget("patients")
    assert account.currency is Currency.ZCDP
    assert account.cap == account.remaining == PrivacyLoss(rho_nano=population.rho_nano, delta_atto=5 * 10**11)
    assert account.declared == population.cap
    assert account.spent == PrivacyLoss()
    assert workspace.ledger.verify() == 2


@pytest.mark.parametrize(
    ("changes", "path", "remedy"),
    [
        ({"delta": 0}, "delta", "such as 1e-6, or choose the currency pure"),
        ({"epsilon": "1e-9"}, "epsilon", "Raise ε or δ"),
        ({"currency": "rdp"}, "currency", ""),
    ],
)
def test_a_cap_that_cannot_be_counted_in_rho_is_refused(
    workspace: Workspace, changes: dict[str, Any], path: str, remedy: str
) -> None:
    with pytest.raises(InputError) as caught:
        add(workspace, **changes)
    (problem,) = caught.value.problems
    assert problem.path == path
    assert remedy in str(problem.remedy)
    assert workspace.populations.find() == []


def test_a_pure_population_is_as_ever(workspace: Workspace) -> None:
    population = add(workspace, currency="pure", delta=0)
    assert (population.rho_nano, population.budget) == (0, PrivacyLoss(epsilon_nano=3 * 10**9))
    assert workspace.populations.budget("patients").cap == population.cap


def test_a_dataset_may_bring_a_population_that_counts_in_rho(workspace: Workspace) -> None:
    workspace.add_dataset("visits", pandas.DataFrame({"x": [1]}), epsilon=1, delta="1e-6", currency="zcdp")
    (population,) = workspace.populations.find()
    assert (population.name, population.currency) == ("visits", Currency.ZCDP)
    assert population.rho_nano > 0


@pytest.mark.parametrize(("neighbors", "exchange"), [("add_remove", 2), ("substitute", None)])
def test_a_release_states_what_changed_values_of_a_unit_and_units_together_are_protected_with(
    neighbors: str, exchange: float | None
) -> None:
    workspace = Workspace.in_memory()
    table = pandas.DataFrame({"sex": ["F"] * 50})
    columns = {"sex": {"type": "category", "categories": ["F"]}}
    workspace.add_dataset("visits", table, columns=columns, epsilon=1, neighbors=neighbors)
    privacy = {"unit": "row", "neighbors": neighbors, "epsilon": 1}
    statistics = [{"id": "n", "kind": "histogram", "column": "sex"}]
    plan = Plan.parse({"dprelease": 1, "dataset": "visits", "privacy": privacy, "statistics": statistics})
    stated = workspace.publish(plan).certificate.guarantee
    assert stated.exchange_epsilon == exchange
    assert [(group.units, group.epsilon) for group in stated.groups] == [(2, 2), (5, 5), (10, 10), (100, 100)]


# Nothing is ever discovered


DISCOVERED = {"town": {"type": "category", "categories": "discover"}, "sex": {"type": "category", "categories": ["F"]}}


def undiscovered(**changes: Any) -> Workspace:
    workspace = Workspace.in_memory()
    add(workspace, **{"epsilon": 1, "discovers": False, **changes})
    table = pandas.DataFrame({"town": ["a"] * 50, "sex": ["F"] * 50})
    workspace.add_dataset("visits", table, population="patients", columns=DISCOVERED)
    return workspace


def counting(column: str, epsilon: float = 1) -> Plan:
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": epsilon, "delta": "1e-6"}
    statistics = [{"id": "n", "kind": "histogram", "column": column}]
    return Plan.parse(
        {"dprelease": 1, "title": "Visits", "dataset": "visits", "privacy": privacy, "statistics": statistics}
    )


def test_where_nothing_is_discovered_a_release_states_its_epsilon_at_the_whole_delta(tmp_path: Path) -> None:
    workspace, usual = undiscovered(), undiscovered(discovers=True)
    priced = workspace.price(counting("sex"))
    assert 1.06 < priced.loss.rho / usual.price(counting("sex")).loss.rho < 1.07
    assert (priced.epsilon, priced.delta) == (1, Decimal("1e-6"))
    assert workspace.plans.needed_epsilon(priced.plan, {"n": 2 * priced["n"].error95}) < 1
    release = workspace.publish(counting("sex"))
    stated = release.certificate
    assert (stated.population.discovers, stated.guarantee.epsilon, stated.guarantee.delta) == (False, 1, 1e-6)
    assert "discovers" not in usual.publish(counting("sex")).certificate.to_mapping()["population"]
    with pytest.raises(InsufficientBudgetError):
        workspace.publish(counting("sex", 0.01))
    assert workspace.populations.budget("patients").remaining.delta_atto == 0
    assert workspace.ledger.verify() == workspace.ledger.count()
    bundle = release.write(tmp_path / "bundle")
    assert dprelease.verify(bundle).release.id == release.id
    assert "Nothing of this population is ever discovered" in (bundle / "index.html").read_text()


@pytest.mark.parametrize(
    "changed", [{"discovers": None}, {"discovers": True}, {"delta_cap": 5e-7}, {"delta_cap": 2e-6}]
)
def test_a_certificate_that_takes_the_promise_back_is_refused(changed: dict[str, Any]) -> None:
    stated = undiscovered().publish(counting("sex")).certificate.to_mapping()
    stated["population"] = {
        key: value for key, value in {**stated["population"], **changed}.items() if (key, value) != ("discovers", None)
    }
    forged = Certificate.read(stated)
    with pytest.raises((IntegrityError, PlanError)):
        _compare_certificate(forged, stated_price(forged))


def test_a_plan_that_discovers_is_refused_where_nothing_is_discovered() -> None:
    with pytest.raises(PlanError) as caught:
        undiscovered().price(counting("town"))
    (problem,) = caught.value.problems
    assert problem.path == "statistics[0]"
    assert str(problem.found) == "categories to discover"
    assert "nothing of it is ever discovered" in str(problem.allowed)
    assert "List the categories" in str(problem.remedy)


@pytest.mark.parametrize(
    ("changes", "remedy"), [({"currency": "pure"}, "zcdp"), ({"discovers": "no"}, "true, or false")]
)
def test_only_a_population_in_rho_promises_to_discover_nothing(
    workspace: Workspace, changes: dict[str, Any], remedy: str
) -> None:
    with pytest.raises(InputError, match=remedy) as caught:
        add(workspace, **{"discovers": False, **changes})
    assert [problem.path for problem in caught.value.problems] == ["discovers"]
