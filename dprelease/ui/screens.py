"""The list of pages: their files, who is offered them, and links between them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from dprelease.ui.kit.session import may
from dprelease.ui.words import say
from dprelease.workspace.installed import PAGES

SHELL = Path(__file__).with_name("shell.py")
"""The script that every page is shown by."""


@dataclass(frozen=True, slots=True)
class Screen:
    """One page: `pages/<key>.py`, at the address /<key>."""

    key: str
    operation: str
    """Who may do this is offered the page in the navigation."""
    listed: bool = True

    @property
    def file(self) -> Path:
        return PAGES / f"{self.key}.py"


SCREENS = (
    Screen("home", "releases"),
    Screen("datasets", "add_population"),
    Screen("columns", "describe"),
    Screen("workbench", "submit"),
    Screen("review", "approve"),
    Screen("releases", "releases"),
    Screen("release", "release", listed=False),
    Screen("ledger", "ledger"),
    Screen("people", "people"),
    Screen("account", "set_password", listed=False),
)
BY_KEY = {screen.key: screen for screen in SCREENS}


def navigation() -> list[st.Page]:
    """Every page, so that a direct address gets an answer; only those of use to this actor are listed."""
    return [
        st.Page(
            screen.file,
            title=say(f"{screen.key}_nav"),
            url_path=None if screen.key == "home" else screen.key,
            default=screen.key == "home",
            visibility="visible" if screen.listed and may(screen.operation) else "hidden",
        )
        for screen in SCREENS
    ]


def link(key: str, label: str, **query: str) -> None:
    """A link to a page that keeps the session."""
    st.page_link(BY_KEY[key].file, label=label, query_params=query or None)


def go(key: str, **query: str) -> None:
    """Opens a page."""
    st.switch_page(BY_KEY[key].file, query_params=query or None)
