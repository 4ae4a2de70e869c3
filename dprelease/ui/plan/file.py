"""The plan as a file: to keep, to edit, to bring in."""

from __future__ import annotations

import streamlit as st

from dprelease.model.population import Dataset, Population
from dprelease.statistics import Plan
from dprelease.ui.kit import blocks
from dprelease.ui.kit.problems import kindly
from dprelease.ui.kit.session import actor, flash, workspace
from dprelease.ui.plan.cards import PAGE
from dprelease.ui.plan.draft import Draft, as_yaml, keep
from dprelease.ui.plan.saving import begin, save
from dprelease.ui.words import say


def file_section(draft: Draft, dataset: Dataset, population: Population, prefix: str) -> None:
    """Downloads, uploads and edits it as text. A long one is written out only when asked for."""
    with st.expander(say("plan_file")):
        blocks.note("plan_file_note")
        file = st.file_uploader(say("plan_upload"), type=["yaml", "yml", "json"], key=f"{prefix}-file")
        brought = file.getvalue() if file is not None else None
        edited, apply = "", False
        if len(draft.statistics) <= PAGE or st.toggle(say("plan_text_show"), key=f"{prefix}-text-show"):
            text = as_yaml(draft.mapping(dataset, population))
            edited = st.text_area(say("plan_text"), text, height=320, key=f"{prefix}-text-{hash(text)}")
            with st.container(horizontal=True):
                apply = st.button(say("plan_apply"), key=f"{prefix}-apply")
                st.download_button(
                    say("plan_download"), text, file_name="plan.yaml", mime="application/yaml", on_click="ignore"
                )
        if draft.started and st.button(say("plan_new"), type="tertiary", key=f"{prefix}-new"):
            save(draft)
            begin(dataset.name)
            st.rerun()
        if apply or brought is not None:
            with kindly():
                plan = Plan.parse_text(edited if brought is None else brought)
                workspace().price(plan, actor=actor())
                _replace(draft, Draft.from_plan(plan))
                flash("plan_applied")
                st.rerun()


def _replace(draft: Draft, read: Draft) -> None:
    """What was read takes the place of the draft in hand, under its name."""
    read.saved = draft.saved
    keep(read)
    save(read)
