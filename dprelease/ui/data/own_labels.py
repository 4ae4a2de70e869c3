"""The labels in a table's own file: the first codebook, offered open until it is decided about."""

from __future__ import annotations

import streamlit as st

from dprelease.codebook import propose
from dprelease.statements.display import shown
from dprelease.ui.data.codebooks import OWN, row_of
from dprelease.ui.data.work import Work
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.phrases import counted
from dprelease.ui.words import say


def offer_own(work: Work) -> None:
    """Offer the file's labels for the columns that nobody settled, all at once."""
    key = f"own-{work.dataset.name}"
    if st.session_state.get(key) or not work.unsettled():
        return
    book = session.workspace().datasets.codebook(work.dataset.name, actor=session.actor())
    if book is None:
        return
    found = propose(book, work.names, {name: row.mapping() for name, row in work.sheet.rows.items()})
    open_ones = set(work.unsettled()) - {work.dataset.unit_column}  # an identifier is not published
    then = {each.name: row_of(each.name, each.then) for each in found.changes if each.name in open_ones}
    if not then:
        return
    with st.container(border=True):
        named = sum(bool(entry.declared or entry.texts.label) for entry in book.entries)
        blocks.text("own_says", named=shown(named), columns=counted("columns", len(work.names)))
        with st.container(horizontal=True):
            label = say("import_apply", columns=counted("columns", len(then)))
            if st.button(label, key=f"{key}-take"):
                st.session_state[key] = True
                done = work.change(then)
                session.flash("import_done", columns=counted("columns", done), source=say(f"import_from_{OWN}"))
                st.rerun()
            if st.button(say("own_leave"), type="tertiary", key=f"{key}-leave"):
                st.session_state[key] = True
                st.rerun()
