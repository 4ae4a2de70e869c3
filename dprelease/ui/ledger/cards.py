"""A card for each population: its budget as a bar, and how it went."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import streamlit as st

from dprelease.model.population import Population
from dprelease.statements.display import shown
from dprelease.ui.desk.budgets import bar, promises
from dprelease.ui.kit import blocks, budget
from dprelease.ui.ledger import burn_down
from dprelease.ui.words import say
from dprelease.workspace import Account

MOST = 2
"""Cards that are in sight; the others are behind a fold."""


def cards(populations: Sequence[Population], accounts: dict[str, Account]) -> None:
    """Show them in the order of their charges."""
    promised = promises()
    order = sorted(populations, key=lambda each: -accounts[each.name].charges)
    with st.container(key="ledger-cards"):
        for each in order[:MOST]:
            _card(each, accounts[each.name], promised.get(each.name, Decimal(0)))
    if len(order) > MOST:
        with st.expander(say("ledger_more", len(order) - MOST, count=shown(len(order) - MOST))):
            for each in order[MOST:]:
                _card(each, accounts[each.name], promised.get(each.name, Decimal(0)), steps=False)


def _card(population: Population, account: Account, promised: Decimal, *, steps: bool = True) -> None:
    with st.container(key=f"card-{population.name}"):
        bar(account, population.unit, promised)
        if steps:
            burn_down.chart(account, burn_down.steps(account))
        blocks.markup(budget.standing(account), "dp-row-note")
