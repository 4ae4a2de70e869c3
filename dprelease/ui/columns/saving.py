"""The end of the columns' page: what is wrong, what would change and what stands on it, and the button."""

from __future__ import annotations

import streamlit as st

from dprelease.ui.columns.desk import Desk
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.phrases import counted, day, some
from dprelease.ui.kit.problems import box, kindly, show_problems
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say, say_html

FEW = 12
"""Problems that are listed."""


def unsaved(desk: Desk) -> None:
    """Says that there is work that was not saved as a declaration, or that another tab goes on with it."""
    if desk.stale:
        box(say_html("columns_stale"), kind="warning")
        with st.container(horizontal=True):
            st.button(say("columns_take_other"), on_click=desk.take_other, key="columns-other")
            st.button(say("columns_take_mine"), on_click=desk.take_mine, key="columns-mine")
    elif desk.draft is not None and desk.is_changed:
        blocks.note("columns_unsaved", on=day(desk.draft.changed))


def saving(desk: Desk) -> None:
    """Declares what stands in the table."""
    problems = desk.sheet.problems()
    with st.container():  # however much it says, the button after it stays the same one: no press is lost
        if problems:
            show_problems(problems[:FEW])
            if len(problems) > FEW:
                blocks.note("columns_more_problems", more=counted("problems", len(problems) - FEW))
        else:
            with kindly():
                _consequences(desk)
    if st.button(say("columns_save"), type="primary", disabled=bool(problems)):
        with kindly():
            described = workspace().describe(desk.dataset.name, desk.sheet.declared(), actor=actor())
            desk.dataset = described
            desk.change(desk.registered.rows)
            desk.forget()
            session.flash("columns_saved", count=len(described.schema.columns), dataset=desk.dataset.name)
            st.rerun()


def _consequences(desk: Desk) -> None:
    """What would change, and what was made with the declaration that it replaces."""
    declared = desk.sheet.declared()
    if not desk.is_changed or not declared:
        return
    found = workspace().dependents(desk.dataset.name, declared, actor=actor())
    if not found.changed:
        return
    lines = [say("saving_changed", columns=some(found.changed))]
    if found.approved:
        lines.append(say("saving_approved", plans=some(found.approved)))
    if found.waiting:
        lines.append(say("saving_waiting", plans=some(found.waiting)))
    if found.published:
        lines.append(say("saving_published", plans=some(found.published)))
    if found.previewed:
        lines.append(say("saving_previewed"))
    blocks.label(say("saving_title"))
    blocks.listed(lines)
