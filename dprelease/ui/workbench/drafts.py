"""The drafts that one has: to open, copy, rename and delete; and a word where two tabs changed the same one."""

from __future__ import annotations

import streamlit as st

from dprelease.ui.kit import blocks
from dprelease.ui.kit.problems import act, box
from dprelease.ui.kit.session import actor, flash, visit, workspace
from dprelease.ui.words import say, say_html
from dprelease.ui.workbench.draft import Draft
from dprelease.ui.workbench.draft_status import DraftStatus
from dprelease.ui.workbench.saving import forget, keep_copy, open_saved, rename
from dprelease.workspace import SavedDraft

MINUTES = len("2025-12-31T23:59")


def named(saved: SavedDraft) -> str:
    """Return the name of a draft: its own name, else the plan's title, else its dataset."""
    title = saved.name or saved.body.get("title")
    return str(title) if title else say("draft_unnamed", dataset=saved.body.get("dataset") or "")


def drafts_dialog(standing: DraftStatus) -> None:
    """Show every draft that one has: to open, copy and rename."""
    found = {saved.id: saved for saved in workspace().plans.drafts.find(actor=actor())}
    if not found:
        blocks.note("drafts_none")
        return
    own = None if standing.draft.saved is None else standing.draft.saved.id
    chosen = st.selectbox(
        say("drafts_which"),
        list(found),
        index=list(found).index(own) if own in found else 0,
        format_func=lambda key: say(
            "drafts_line", name=named(found[key]), at=found[key].changed[:MINUTES].replace("T", " ")
        ),
        key=f"drafts-{visit()}-{own}-{len(found)}",
    )
    saved = found[chosen]
    name = st.text_input(say("draft_name"), named(saved), max_chars=200, key=f"draft-name-{chosen}-{saved.revision}")
    with st.container(horizontal=True):
        if st.button(say("draft_open"), disabled=chosen == own, key="draft-open", type="primary"):
            open_saved(chosen)
            st.rerun()
        if st.button(say("draft_copy"), key="draft-copy"):
            copy = workspace().plans.drafts.duplicate(chosen, say("draft_copy_of", name=named(saved)), actor=actor())
            open_saved(copy.id)
            flash("draft_copied", name=copy.name)
            st.rerun()
        if st.button(say("draft_rename"), key="draft-rename"):
            rename(chosen, name)
            st.rerun()


def delete_dialog(standing: DraftStatus) -> None:
    """Ask once more before the draft in hand is deleted."""
    saved = standing.draft.saved
    if saved is None:
        return
    blocks.note("draft_delete_note")
    if st.button(say("draft_delete_really"), key="draft-delete", type="primary"):
        name = saved.name or standing.draft.title or say("draft_unnamed", dataset=standing.dataset.name)
        act("draft_deleted", lambda: forget(saved.id), name=name)


def staleness(draft: Draft) -> None:
    """Show what to do where another tab saved the same draft meanwhile."""
    if not draft.stale or draft.saved is None:
        return
    box(say_html("draft_stale"))
    with st.container(horizontal=True):
        if st.button(say("draft_stale_open"), key="draft-stale-open"):
            open_saved(draft.saved.id)
            st.rerun()
        if st.button(say("draft_stale_keep"), key="draft-stale-keep"):
            keep_copy(draft)
            st.rerun()
