"""The page for visitors without a session: what this is, the last releases, and how to sign in."""

from __future__ import annotations

import streamlit as st

from dprelease.ui.kit import blocks
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.release.release import release_list
from dprelease.ui.screens import link
from dprelease.ui.words import say, say_html

LATEST = 3


def welcome() -> None:
    """Show the page for visitors."""
    with blocks.screen("desk_public"):
        blocks.heading("latest")
        release_list(workspace().releases.find(limit=LATEST, actor=actor()))
        link("releases", say("all_releases"))
        blocks.heading("how_it_works")
        steps = joined(fill("<li>{}</li>", say_html(f"how_{number}")) for number in (1, 2, 3))
        st.html(fill('<ol class="dp-steps">{}</ol>', steps))
        blocks.heading("how_to_sign_in")
        blocks.text("how_to_sign_in_text")
        st.html(fill('<a class="dp-button" href="/sign-in">{}</a>', say("sign_in")))
