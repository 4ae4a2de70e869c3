"""A release in the making: statistics, ε, prices and expected errors. Reads no rows."""

import streamlit as st

from dprelease.ui.kit import blocks, choice, session
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.screens import link
from dprelease.ui.words import say
from dprelease.ui.workbench.compare import compare
from dprelease.ui.workbench.drafts import drafts, staleness
from dprelease.ui.workbench.form import desk, titled
from dprelease.ui.workbench.saving import resume, save

with blocks.screen("plan"):
    blocks.guide_link("plan")
    draft, ws = resume(), workspace()
    ready = [dataset for dataset in ws.datasets.find(actor=actor()) if dataset.schema.columns]
    if not ready:
        blocks.text("plan_no_dataset")
        link("datasets", say("go_dataset"))
        link("columns", say("go_columns"))
    else:
        drafts(draft)
        staleness(draft)
        left, right = st.columns(2)
        with left:
            last = draft.dataset or st.session_state.get(session.DATASET)
            dataset = choice.dataset(say("plan_dataset"), ready, f"plan-{draft.generation}", last)
        if dataset is not None:
            draft.dataset = dataset.name
            population = ws.populations.of(dataset.name, actor=actor())
            with right:
                titled(draft)
            if save(draft):
                st.rerun()
            desk(dataset, population)
        compare()
