"""The desk: what waits for whoever looks, drafts, budgets, last releases and today. A visitor is led to sign in."""

import streamlit as st

from dprelease.model.actor import PUBLIC
from dprelease.ui.desk.budgets import budgets
from dprelease.ui.desk.drafts import drafts
from dprelease.ui.desk.embargoes import embargoes
from dprelease.ui.desk.first import first, is_first
from dprelease.ui.desk.recent import recent
from dprelease.ui.desk.runs import runs
from dprelease.ui.desk.today import today
from dprelease.ui.desk.waiting import waiting
from dprelease.ui.kit import blocks
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.problems import kindly
from dprelease.ui.kit.session import actor, may
from dprelease.ui.screens import go
from dprelease.ui.words import say
from dprelease.ui.workbench.saving import begin


def head(*, begun: bool) -> None:
    """Show the title, and how to go on."""
    with st.container(horizontal=True, vertical_alignment="center", key="desk-head"):
        st.title(say("desk_title"), anchor=False, width="stretch")
        if begun and may("add_population"):
            if st.button(say("desk_add_table"), icon=":material/upload:", key="desk-table"):
                go("tables")
            if st.button(say("desk_new"), icon=":material/add:", type="primary", key="desk-new"):
                begin()
                go("workbench")


def cards() -> None:
    """Show the cards; on a phone what waits, drafts, budgets, releases, today."""
    with st.container(key="desk-grid"):
        left, right = st.columns([1.5, 1])
    with left:
        waiting()
        if may("runs"):
            runs()
        if may("drafts"):
            drafts()
        if may("embargoes"):
            embargoes()
        recent()
    with right:
        if may("budget"):
            budgets()
        if may("ledger"):
            today()


if actor() == PUBLIC:  # a tab that was open when the session ended: `/` itself leads to the public site
    with blocks.screen("desk_public"):
        blocks.text("how_to_sign_in_text")
        st.html(fill('<a class="dp-button" href="/sign-in">{}</a>', say("sign_in")))
else:
    with kindly():
        new = is_first()
        head(begun=not new)
        blocks.message()
        if new:
            first()
        else:
            cards()
