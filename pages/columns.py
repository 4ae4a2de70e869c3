"""What is publicly known about a dataset's columns, declared in one table."""

import streamlit as st

from dprelease.ui import blocks, choice, session
from dprelease.ui.columns_form import blank, declaration, editor
from dprelease.ui.problems import kindly, show_problems
from dprelease.ui.screens import link
from dprelease.ui.session import actor, workspace
from dprelease.ui.words import say

with blocks.screen("columns"):
    ws = workspace()
    datasets = ws.datasets(actor=actor())
    if not datasets:
        blocks.text("columns_none")
        link("datasets", say("go_dataset"))
    else:
        chosen = choice.dataset(say("columns_dataset"), datasets, "columns", st.session_state.get(session.DATASET))
        blocks.note("columns_rules")
        if chosen is not None:
            name = f"columns-{chosen.name}"
            begun = f"{name}-{session.visit()}"
            if begun not in st.session_state:
                kept = st.session_state.get(name)
                if kept is None:
                    kept = blank(ws.table_columns(chosen.name, actor=actor()), chosen.schema)
                st.session_state[begun] = kept
            st.session_state[name] = edited = editor(st.session_state[begun], f"{begun}-editor")
            if st.button(say("columns_save"), type="primary"):
                columns, problems = declaration(edited)
                if problems:
                    show_problems(problems)
                else:
                    with kindly():
                        described = ws.describe(chosen.name, columns, actor=actor())
                        count = len(described.schema.columns)
                        session.flash("columns_saved", count=count, dataset=chosen.name)
                        st.rerun()
            if chosen.schema.columns:
                link("plan", say("go_plan"))
