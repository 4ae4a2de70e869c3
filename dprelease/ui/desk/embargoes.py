"""Releases that wait for their hour, and a clock that keeps them from opening."""

from __future__ import annotations

import streamlit as st

from dprelease.ui.desk.card import card
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.problems import box
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say, say_html


def embargoes() -> None:
    """Show them in the order of the ledger; nothing where none waits."""
    found = workspace().embargoes.find(actor=actor())
    if not found:
        return
    behind = workspace().embargoes.waits_for_clock(actor=actor())
    with card("embargoes", len(found)):
        if behind is not None:
            box(say_html("embargo_clock", at=behind[:16].replace("T", " ")), kind="warning")
        link = '<li><a href="/own/release/{}/" target="_blank">{}</a> · {}</li>'
        lines = (fill(link, each.id, each.title, say("embargo_until", due=_written(each.due))) for each in found)
        st.html(fill('<ul class="dp-list">{}</ul>', joined(lines)))


def _written(due: str) -> str:
    """Write an instant without its seconds, with its offset."""
    return f"{due[:16].replace('T', ' ')} {due[19:]}"
