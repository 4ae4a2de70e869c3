"""The script that Streamlit runs: navigation, the page, and who is signed in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dprelease.model.actor import PUBLIC
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.language import of_visitor, others
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.people.account import news
from dprelease.ui.people.second_factor import ask_anew, is_missing, set_up_first
from dprelease.ui.screens import BY_KEY, navigation
from dprelease.ui.words import say, say_html
from dprelease.words.language import language
from dprelease.workspace.access import authorise

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

WORDMARK = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="118" height="28" viewBox="0 0 118 28" role="img" '
    'aria-label="dprelease"><style>text{font:600 21px "Source Sans","Source Sans 3",system-ui,sans-serif;fill:#0f5c6e}'
    "@media(prefers-color-scheme:dark){text{fill:#7cc7d8}}</style>"
    '<text x="0" y="21">dprelease</text></svg>'
)


def show(page: StreamlitPage) -> None:
    """The page, for those whom it is of use to; others are refused it at its address too."""
    key = page.url_path or "home"
    if is_missing(key):
        set_up_first()
        return
    if session.may(BY_KEY[key].operation):
        news(key)
        page.run()
        ask_anew()
        return
    with blocks.screen(key):
        authorise(BY_KEY[key].operation, session.actor())


def footer() -> None:
    """Shows who is signed in, the guide, and the other languages."""
    actor, right = session.actor(), joined(map(blocks.tongue, others()))
    if actor == PUBLIC:
        content = say_html("footer_public", sign_in=blocks.anchor("/sign-in", say("sign_in")))
    else:
        leave = blocks.anchor("/sign-out", say("sign_out"))
        own = blocks.anchor("/account", actor.name)
        content = say_html("footer", name=own, sign_out=leave)
        right = joined([blocks.anchor(f"/guide?lang={language()}", say("footer_guide")), right])
    st.html(fill('<footer class="dp-footer"><span>{}</span><span class="dp-links">{}</span></footer>', content, right))


of_visitor()
st.set_page_config(page_title=say("product"), layout="wide", initial_sidebar_state="collapsed")
blocks.stylesheet()
st.logo(WORDMARK, size="large", link=None)
page = st.navigation(navigation(), position="top")
session.arrive(page.url_path)
show(page)
footer()
