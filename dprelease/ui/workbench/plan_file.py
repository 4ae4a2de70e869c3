"""The plan as a file: to download, to bring, and to edit as text."""

from __future__ import annotations

import streamlit as st

from dprelease.statistics import Plan
from dprelease.ui.kit import blocks
from dprelease.ui.kit.problems import kindly
from dprelease.ui.kit.session import actor, flash, visit, workspace
from dprelease.ui.words import say
from dprelease.ui.workbench.draft import Draft, as_yaml, keep
from dprelease.ui.workbench.saving import save
from dprelease.ui.workbench.standing import Standing

LONG = 20
"""Statistics; a plan of more is written out only when asked for."""


def file_dialog(standing: Standing) -> None:
    """What is brought or edited takes the place of the draft in hand, under its name, once it has a price."""
    draft, key = standing.draft, f"file-{visit()}-{standing.draft.generation}"
    blocks.note("plan_file_note")
    file = st.file_uploader(say("plan_upload"), type=["yaml", "yml", "json"], key=f"{key}-file")
    brought = file.getvalue() if file is not None else None
    edited, apply = "", False
    if len(draft.statistics) <= LONG or st.toggle(say("plan_text_show"), key=f"{key}-show"):
        text = as_yaml(draft.mapping(standing.dataset, standing.population))
        edited = st.text_area(say("plan_text"), text, height=320, key=f"{key}-text-{hash(text)}")
        with st.container(horizontal=True):
            apply = st.button(say("plan_apply"), key=f"{key}-apply")
            st.download_button(
                say("plan_download"), text, file_name="plan.yaml", mime="application/yaml", on_click="ignore"
            )
    if apply or brought is not None:
        with kindly():
            plan = Plan.parse_text(edited if brought is None else brought)
            workspace().price(plan, actor=actor())
            _replace(draft, Draft.from_plan(plan))
            flash("plan_applied")
            st.rerun()


def _replace(draft: Draft, read: Draft) -> None:
    """What was read takes the place of the draft in hand, under its name; it can be undone."""
    read.saved, read.history = draft.saved, draft.history
    keep(read)
    save(read)
