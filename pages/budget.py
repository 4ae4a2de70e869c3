"""Each population's spent budget, the check of the chain, and every event. Reads no more events than it shows."""

import streamlit as st

from dprelease.ui.kit import blocks
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.ledger.log import budgets, chain, entry, events, overspent, unfinished
from dprelease.ui.ledger.population import in_detail
from dprelease.ui.words import say

with blocks.screen("budget"):
    ws = workspace()
    populations = ws.populations.find(actor=actor())
    names = [item.name for item in populations]
    entry(st.query_params.get("event", ""))
    chain()
    overspent()
    unfinished()
    draw_chart = None
    if populations:
        accounts = {name: ws.populations.budget(name, actor=actor()) for name in names}
        budgets(list(accounts.values()))
        blocks.heading("ledger_one")
        busiest = max(names, key=lambda name: accounts[name].charges)
        chosen = st.selectbox(say("ledger_population"), names, index=names.index(busiest), key="ledger-one", width=300)
        draw_chart = in_detail(accounts[chosen], populations)
    events(names)
    if draw_chart is not None:
        draw_chart()
