"""Each population's budget, the check of the chain, and every event. Reads no more events than it shows."""

import streamlit as st

from dprelease.ui.kit import blocks
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.ledger.cards import cards
from dprelease.ui.ledger.events import entry
from dprelease.ui.ledger.log import chain, overspent, unfinished
from dprelease.ui.ledger.views import views

with blocks.screen("budget"):
    populations = workspace().populations.find(actor=actor())
    accounts = {each.name: workspace().populations.budget(each.name, actor=actor()) for each in populations}
    entry(st.query_params.get("event", ""))
    chain()
    overspent()
    unfinished()
    if populations:
        cards(populations, accounts)
    views(populations, accounts)
