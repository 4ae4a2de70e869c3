"""A population that counts in ρ, on the screen."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace

from dprelease.model.actor import OWNER
from dprelease.model.population import Population
from dprelease.model.privacy import Currency, PrivacyLoss, PrivacyUnit
from dprelease.store import ledger
from dprelease.store.database import Database
from dprelease.ui.kit.budget import whole
from dprelease.ui.words import WORDS, say
from dprelease.workspace import Workspace
from tests.pages.conftest import Opener, words

SignIn = Callable[[], str]


def test_a_population_is_registered_in_rho(own_workspace: Workspace, sign_in: SignIn, visit: Opener) -> None:
    sign_in()
    page = visit("tables")
    fields = {field.label: field for field in page.text_input}
    fields[WORDS["population_name"]].input("few")
    fields[WORDS["population_unit"]].input("person")
    fields[WORDS["population_epsilon"]].input("2")
    choice = next(radio for radio in page.radio if radio.label == WORDS["population_currency"])
    assert choice.value == Currency.PURE
    next(box for box in page.checkbox if box.label == WORDS["population_undiscovered"]).check()
    choice.set_value(Currency.ZCDP.value)
    save = next(button for button in page.button if button.label == WORDS["population_save"])
    save.click().run()
    assert "such as 1e-6" in words(page)
    assert own_workspace.populations.find() == []
    next(field for field in page.text_input if field.label == WORDS["population_delta"]).input("1e-6")
    next(button for button in page.button if button.label == WORDS["population_save"]).click().run()
    assert say("population_saved", name="few") in words(page)
    (population,) = own_workspace.populations.find()
    assert population.currency is Currency.ZCDP
    assert population.rho_nano > 0
    assert not population.discovers


def test_a_budget_in_rho_stands_beside_the_epsilon_that_it_means(
    own_workspace: Workspace, sign_in: SignIn, visit: Opener
) -> None:
    sign_in()
    own_workspace.add_population("few", unit="person", neighbors="add_remove", epsilon=2, delta="1e-6", currency="zcdp")
    assert "ρ = 0, δ = 0 (which means ε = 0, δ = 0)" in words(visit("tables"))
    assert own_workspace.home is not None
    loss = PrivacyLoss(rho_nano=10**6)
    ledger.charge(Database.open(own_workspace.home / "ledger.db"), "few", loss, actor=OWNER)
    account = own_workspace.populations.budget("few")
    shown = words(visit("tables"))
    rounded = account.rounded
    assert f"{rounded.cap} (which means {account.declared})" in shown
    assert f"{rounded.used} (which means {account.spent_worth})" in shown
    assert f"{rounded.remaining}" in shown
    assert f"{rounded.remaining} (" not in shown
    assert rounded.used + rounded.remaining == rounded.cap


def test_the_cost_of_a_plan_is_its_epsilon_and_the_rho_that_it_counts_as() -> None:
    population = Population.read(
        "few", unit="person", neighbors="substitute", epsilon=2, delta="1e-6", currency="zcdp", size=None
    )
    plan = SimpleNamespace(epsilon_nano=10**9, delta_atto=10**12, unit=PrivacyUnit("pid", 3))
    price = SimpleNamespace(plan=plan, loss=PrivacyLoss(rho_nano=10**6))
    text = re.sub(r"<[^>]+>", "", whole(price, population))  # type: ignore[arg-type]
    assert text == (
        "ε = 1, δ = 0.000001 per person (exchange one person; at most 3 rows used of each person). "
        "It counts as ρ = 0.001, δ = 0."
    )
