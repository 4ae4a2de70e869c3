"""The script that Streamlit runs: navigation, the page, and who is signed in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from dprelease.model.actor import PUBLIC
from dprelease.registry import added
from dprelease.statements.display import shown
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.language import of_visitor, others
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.people.account import last_sign_in, news
from dprelease.ui.people.second_factor import ask_anew, is_missing, set_up_first
from dprelease.ui.review import waiting
from dprelease.ui.screens import BY_KEY, link, navigation
from dprelease.ui.words import as_label, say, say_html
from dprelease.words.language import ENGLISH, language
from dprelease.words.sentences import Html
from dprelease.workspace.access import authorise

if TYPE_CHECKING:
    from streamlit.navigation.page import StreamlitPage

ICON = Path(__file__).with_name("icon.svg")
"""Icon of the browser's tab. A page with a symbol and no icon of its own would have one fetched from another host."""
WORDMARK = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="136" height="28" viewBox="0 0 136 28" role="img" '
    'aria-label="dprelease"><style>text{font:700 18px "Source Sans","Source Sans 3",system-ui,sans-serif;fill:#0b6b72}'
    "rect{fill:#0b7a83}@media(prefers-color-scheme:dark){text{fill:#35a7b1}rect{fill:#35a7b1}}</style>"
    '<rect x="1" y="14" width="5" height="10" rx="1"/><rect x="8" y="5" width="5" height="19" rx="1"/>'
    '<rect x="15" y="10" width="5" height="14" rx="1"/><text x="27" y="21">dprelease</text></svg>'
)


def show(page: StreamlitPage) -> None:
    """Show the page, for those whom it is of use to; others are refused it at its address too."""
    key = page.url_path or "desk"
    if is_missing(key):
        set_up_first()
        return
    if session.may(BY_KEY[key].operation):
        news()
        page.run()
        ask_anew()
        return
    session.leave()  # who was signed out, or lost the role, leaves nothing in this tab's memory
    with blocks.screen(key):
        authorise(BY_KEY[key].operation, session.actor())


def learn() -> list[Html]:
    """Return links to the public lab, where it is installed, and to the guide."""
    lab = "" if language() == ENGLISH else f"{language()}/"
    rooms = [blocks.anchor(f"/public/{lab}lab/", say("learn_lab"))] if "lab" in added("portal") else []
    return [*rooms, blocks.anchor(f"/guide?lang={language()}", say("guide_nav"))]


def counts() -> dict[str, str]:
    """Return the name of a place with the count of what waits there for a reviewer, where something does."""
    count = 0 if not BY_KEY["review"].is_offered else waiting.decidable()
    return {"review": say("review_nav_count", count=shown(count))} if count else {}


def footer() -> None:
    """Show a visitor the guide and the other languages; who is signed in has them in the menu."""
    if session.actor() != PUBLIC:
        return
    links = [*learn(), *map(blocks.tongue, others())]
    st.html(fill('<footer class="dp-footer"><span class="dp-links">{}</span></footer>', joined(links)))


def menu() -> None:
    """Show the menu first on the page, and at its top right: what is about whoever looks, not about the work."""
    acting = session.actor()
    with st.container(key="menu"):
        if acting == PUBLIC:
            st.html(fill('<a class="dp-button" href="/sign-in">{}</a>', say("sign_in")))
            return
        with st.popover(as_label(acting.name), icon=":material/account_circle:", type="tertiary", wrap=False):
            blocks.note("signed_in_as", name=acting.name)
            last_sign_in()
            if session.may("ledger") and not BY_KEY["budget"].is_offered:
                link("budget", say("budget_nav"))
            link("settings", say("settings_nav"))
            leave = fill('<a href="/sign-out">{}</a>', say_html("sign_out"))
            places = [
                *learn(),
                *map(blocks.tongue, others()),
                leave,
            ]
            st.html(fill('<ul class="dp-menu">{}</ul>', joined(fill("<li>{}</li>", place) for place in places)))


of_visitor()
st.set_page_config(page_title=say("product"), page_icon=str(ICON), layout="wide", initial_sidebar_state="collapsed")
blocks.stylesheet()
st.logo(WORDMARK, size="large", link=None)
page = st.navigation(navigation(counts()), position="top")
session.arrive(page.url_path)
menu()
show(page)
footer()
