"""The desk before anything exists: one moving picture of what noise does, and two ways on."""

from __future__ import annotations

import streamlit as st

from dprelease.ui.data.bring import take_file
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.problems import kindly
from dprelease.ui.kit.session import actor, may, workspace
from dprelease.ui.screens import go
from dprelease.ui.words import say, say_html
from dprelease.words.sentences import Html
from dprelease.workspace import sample

SHAPE = (34, 48, 60, 74, 88, 84, 78, 66, 55, 42, 30, 20, 12)
"""Heights of the bars that are drawn; they stand for any histogram."""


def is_first() -> bool:
    """Return True if whoever looks may begin, and nobody has."""
    return may("add_population") and not workspace().populations.find(actor=actor())


def first() -> None:
    """Show the picture, and beside it the sample and one's own table."""
    with st.container(key="card-first"):
        picture, ways = st.columns([1.2, 1], gap="large", vertical_alignment="center")
        with picture:
            st.html(MOVING.format(say_html("desk_first_picture")))
        with ways:
            st.html(fill('<h2 class="dp-card-head">{}</h2><p class="dp-row-note">{}</p>', *map(say_html, FIRST)))
            _open()
            st.html(fill('<p class="dp-row-note">{}</p>', say_html("desk_own_table")))
            take_file(lambda: go("tables"))
    blocks.guide_link("start")


def _open() -> None:
    if session.in_team():
        blocks.note("desk_first_team")
    elif st.button(say("desk_first_open"), type="primary", key="first-open"):
        with kindly():
            with st.spinner(say("desk_first_opening")):
                sample.add_table(workspace(), actor=actor())
            go("workbench", new=sample.DATASET)


FIRST = ("desk_first", "desk_first_note")
BARS = joined(
    Html(f'<i style="height:{height}%;animation-delay:-{0.37 * place % 4:.2f}s"></i>')
    for place, height in enumerate(SHAPE)
)
MOVING = (
    f'<figure class="dp-moving"><div class="dp-noisy-bars" aria-hidden="true">{BARS}</div>'
    "<figcaption>{}</figcaption></figure>"
)
