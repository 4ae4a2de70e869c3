"""Every event, what each population has spent, and whether the chain holds."""

import streamlit as st

from dprelease.bundle.display import shown
from dprelease.ui import blocks
from dprelease.ui.ledger_parts import budgets, events
from dprelease.ui.problems import box
from dprelease.ui.session import actor, workspace
from dprelease.ui.words import say, say_html

with blocks.screen("ledger"):
    ws = workspace()
    populations = ws.populations(actor=actor())
    count = ws.verify_ledger(actor=actor())
    box(say_html("ledger_intact_one" if count == 1 else "ledger_intact", count=shown(count)), kind="done")
    if populations:
        budgets([ws.budget(item.name, actor=actor()) for item in populations])
    blocks.heading("ledger_events")
    names = [item.name for item in populations]
    chosen = st.selectbox(say("ledger_filter"), names, index=None, placeholder=say("ledger_all"), width=320)
    events(ws.ledger(chosen, actor=actor()))
