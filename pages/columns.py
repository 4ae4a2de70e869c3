"""What is publicly known about a dataset's columns, declared in one table."""

import streamlit as st

from dprelease.ui.columns.bounds import find_bounds
from dprelease.ui.columns.desk import desk
from dprelease.ui.columns.form import saving, table, unsaved
from dprelease.ui.columns.imports import take_over
from dprelease.ui.columns.several import several
from dprelease.ui.kit import blocks, choice, session
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.screens import link
from dprelease.ui.words import say

TOOLS = {"import": take_over, "several": several, "bounds": find_bounds}

with blocks.screen("columns"):
    datasets = workspace().datasets.find(actor=actor())
    if not datasets:
        blocks.text("columns_none")
        link("datasets", say("go_dataset"))
        blocks.guide_link("describe-columns")
    else:
        chosen = choice.dataset(say("columns_dataset"), datasets, "columns", st.session_state.get(session.DATASET))
        blocks.note("columns_rules")
        blocks.guide_link("describe-columns")
        if chosen is not None:
            work = desk(chosen)
            unsaved(work)
            tool = st.pills(
                say("columns_tools"),
                list(TOOLS),
                format_func=lambda each: say(f"tool_{each}"),
                key=f"tool-{chosen.name}",
            )
            place = st.container(border=True) if tool else None
            table(work)
            if place is not None and tool:
                with place:  # drawn last: it is about the columns that the table shows
                    TOOLS[tool](work)
            saving(work)
            if chosen.schema.columns:
                link("workbench", say("go_plan"))
