"""The list of pages: their files, who is offered them, and links between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from dprelease.registry import added
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.session import in_team, may
from dprelease.ui.words import say
from dprelease.words.sentences import isolated
from dprelease.workspace.installed import PAGES

SHELL = Path(__file__).with_name("shell.py")
"""The script that every page is shown by."""


@dataclass(frozen=True, slots=True)
class Screen:
    """One page: `pages/<key>.py`, at the address /<key>."""

    key: str
    operation: str
    """Operation whose permission opens the page."""
    icon: str = ""
    """A Material symbol, for a place of the navigation; pages without one are reached from another page."""
    of_reviewers: bool = False
    """True if the navigation has it for those who decide what others ask for: nobody, where one person works alone."""

    @property
    def file(self) -> Path:
        return PAGES / f"{self.key}.py"

    @property
    def is_offered(self) -> bool:
        """True if the navigation has it for whoever looks."""
        reviews = not may("submit") or (may("approve") and in_team())
        return bool(self.icon) and may(self.operation) and (reviews or not self.of_reviewers)


SCREENS = (
    Screen("desk", "releases", "space_dashboard"),
    Screen("tables", "add_population", "table_chart"),
    Screen("workbench", "submit", "tune"),
    Screen("review", "approve", "rate_review", of_reviewers=True),
    Screen("releases", "releases", "library_books"),
    Screen("budget", "ledger", "receipt_long", of_reviewers=True),
    *(Screen(key, operation) for key, operation in added("screens").items()),
    Screen("settings", "set_password"),
)
BY_KEY = {screen.key: screen for screen in SCREENS}


def navigation(titles: Mapping[str, str]) -> list[st.Page]:
    """Return every page, so that a direct address gets an answer; only the places of use to this actor are listed.

    `titles`: other names than the usual ones, by the key of the page.
    """
    return [
        st.Page(
            screen.file,
            title=titles.get(screen.key, say(f"{screen.key}_nav")),
            icon=f":material/{screen.icon}:" if screen.icon else None,
            url_path=None if screen.key == "desk" else screen.key,
            default=screen.key == "desk",
            visibility="visible" if screen.is_offered else "hidden",
        )
        for screen in SCREENS
    ]


def link(key: str, label: str, **query: str) -> None:
    """Show a link to a page that keeps the session."""
    st.page_link(BY_KEY[key].file, label=label, query_params=query or None)


def read(release_id: str, title: str) -> None:
    """Show a link to a release, as those who are signed in read it; whoever is not is sent to its public page."""
    st.html(fill('<a class="dp-read" href="/own/release/{}/">{}</a>', release_id, isolated(title)))


def go(key: str, **query: str) -> None:
    """Open a page."""
    st.switch_page(BY_KEY[key].file, query_params=query or None)
