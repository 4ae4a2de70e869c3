"""Populations in both currencies, as scripts register and read them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pandas
import pytest

from dprelease.accounting.zcdp import epsilon_of
from dprelease.errors import InputError
from dprelease.model.privacy import Currency, PrivacyLoss
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
