"""The desk before anything exists: a first release of invented data in three clicks, and the way to one's own table."""

from __future__ import annotations

import streamlit as st

from dprelease.ui.data.bring import take_file
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.problems import kindly
from dprelease.ui.kit.session import actor, may, workspace
from dprelease.ui.screens import go
from dprelease.ui.words import say, say_html
from dprelease.ui.workbench.draft import Draft
from dprelease.ui.workbench.saving import PARAMETER, open_saved, written
from dprelease.words.sentences import Html
from dprelease.workspace import sample

SHAPE = (34, 60, 100, 78, 55, 42, 30, 20, 12)
"""Heights of the bars drawn on the first card; it stands for any histogram."""


def is_first() -> bool:
    """Return True if whoever looks may begin, and nobody has."""
    return may("add_population") and not workspace().populations.find(actor=actor())


def first() -> None:
    """Show three cards, and below them one's own table."""
    with st.container(key="card-first"):
        st.html(fill('<h2 class="dp-card-head">{}</h2><p class="dp-row-note">{}</p>', *map(say_html, FIRST)))
        for place, column in enumerate(st.columns(3), 1):
            with column, st.container(key=f"card-step-{place}"):
                head, about = say_html(f"desk_first_{place}"), say_html(f"desk_first_{place}_note")
                st.html(fill('<h3 class="dp-row-head">{}</h3><p class="dp-row-note">{}</p>', head, about))
                st.html(DRAWN[place - 1])
                if place == 1:
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
            body = written(Draft.from_plan(sample.first_plan()))
            saved = workspace().plans.drafts.save(body, actor=actor())
            open_saved(saved.id)
            go("workbench", **{PARAMETER: saved.id})


FIRST = ("desk_first", "desk_first_note")
BARS = fill(
    '<div class="dp-mini dp-wide" aria-hidden="true">{}</div>',
    joined(Html(f'<i style="height:{height}%"></i>') for height in SHAPE),
)
DRAWN = (
    BARS,
    Html('<div class="dp-gauge" aria-hidden="true"><b style="width:55%"></b></div>'),
    Html('<div class="dp-seal" aria-hidden="true">✓</div>'),
)
