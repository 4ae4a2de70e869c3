"""The views below the budgets: events, one population in detail, those it shares units with, its report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from dprelease.model.population import Population
from dprelease.statements.display import shown
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.ledger import population as one
from dprelease.ui.ledger.events import events
from dprelease.ui.words import say
from dprelease.workspace import Account

EVENTS, OVERLAPS = "events", "overlaps"


def views(populations: Sequence[Population], accounts: Mapping[str, Account]) -> None:
    """Ask for a view and a population, and show it; without a population, there is only the view of events."""
    if not populations:
        events(None)
        return
    names = list(accounts)
    busiest = max(names, key=lambda name: accounts[name].charges)
    with st.container(horizontal=True, vertical_alignment="bottom", key="ledger-views"):
        chosen = st.selectbox(
            say("population"),
            names,
            index=None,
            placeholder=say("ledger_all"),
            width=220,
            key="ledger-one",
            label_visibility="collapsed",
        )
        name = chosen or busiest
        drawn: dict[str, Callable[[], None]] = {
            EVENTS: lambda: events(chosen),
            "detail": lambda: one.detail(accounts[name]),
            OVERLAPS: lambda: one.overlaps(name, {each.name: each for each in populations}),
            "report": lambda: one.report(name),
        }
        asks = sum(each is None for each in workspace().populations.overlaps(name, actor=actor()).values())
        view = st.segmented_control(
            say("ledger_view"),
            list(drawn),
            default=EVENTS,
            required=True,
            format_func=lambda each: (
                say(f"ledger_view_{each}") + (f" {shown(asks)}" if each == "overlaps" and asks else "")
            ),
            key="ledger-view",
            label_visibility="collapsed",
        )
    drawn[str(view)]()
