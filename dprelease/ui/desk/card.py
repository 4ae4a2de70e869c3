"""A card of the desk, and a line in it: what it is, what there is to know, one button."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st

from dprelease.ui.kit.markup import fill
from dprelease.ui.words import say_html
from dprelease.words.sentences import Html, isolated


@contextmanager
def card(key: str, count: int | None = None) -> Iterator[None]:
    """Draw a card with the heading of its key around its content; `count`: how many lines there are."""
    with st.container(key=f"card-{key}"):
        badge = Html("") if count is None else fill(' <span class="dp-count">{}</span>', count)
        st.html(fill('<h2 class="dp-card-head">{}{}</h2>', say_html(f"desk_{key}"), badge))
        yield


def line(title: Any, about: Any, *, style: str = "") -> None:
    """Show a title and what there is to know of it."""
    st.html(
        fill('<h3 class="dp-row-head">{}</h3><p class="dp-row-note {}">{}</p>', isolated(title), style, isolated(about))
    )


def row(title: Any, about: Any, button: str, *, key: str) -> bool:
    """Show a line and its button; return True if it was pressed."""
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key=f"row-{key}"):
        with st.container(gap=None):
            line(title, about)
        return st.button(button, key=key, width="content")
