"""The menu at the right of the navigation: account, rounds, people, guide, languages; for a visitor, to sign in."""

from __future__ import annotations

import streamlit as st

from dprelease.model.actor import PUBLIC
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.language import others
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.people.account import last_sign_in
from dprelease.ui.screens import link
from dprelease.ui.words import as_label, say, say_html
from dprelease.words.language import language


def menu() -> None:
    """Stands first on the page, and at its top right: what is about whoever looks, not about the work."""
    acting = session.actor()
    with st.container(key="menu"):
        if acting == PUBLIC:
            st.html(fill('<a class="dp-button" href="/sign-in">{}</a>', say("sign_in")))
            return
        with st.popover(as_label(acting.name), icon=":material/account_circle:", type="tertiary", wrap=False):
            blocks.note("signed_in_as", name=acting.name)
            last_sign_in()
            link("account", say("account_nav"))
            if session.may("rounds"):
                link("rounds", say("rounds_nav"))
            if session.may("people"):
                link("people", say("people_nav"))
            leave = fill('<a href="/sign-out">{}</a>', say_html("sign_out"))
            places = [
                blocks.anchor(f"/guide?lang={language()}", say("guide_nav")),
                *map(blocks.tongue, others()),
                leave,
            ]
            st.html(fill('<ul class="dp-menu">{}</ul>', joined(fill("<li>{}</li>", place) for place in places)))
