"""The last releases, each with a small picture of its published numbers."""

from __future__ import annotations

import streamlit as st

from dprelease.model.release import Release
from dprelease.statements.display import exact
from dprelease.ui.desk.card import card
from dprelease.ui.kit import blocks
from dprelease.ui.kit.charts import mini
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.phrases import counted, day
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.releases.state import state
from dprelease.ui.screens import link, read
from dprelease.ui.words import say
from dprelease.words.language import period_in_words
from dprelease.words.sentences import Html

MOST = 3


def recent() -> None:
    """Show the last releases, newest first; where there are none, what will stand here."""
    found = workspace().releases.find(limit=MOST, actor=actor())
    with card("recent"):
        if not found:
            blocks.note("desk_recent_none")
        for release in found:
            _line(release)
        if found:
            link("releases", say("all_releases"))


def _line(release: Release) -> None:
    facts, badge = release.certificate, state(release)
    edition = period_in_words(facts.edition)
    about = [day(facts.day), say("desk_epsilon", epsilon=exact(facts.guarantee.epsilon)), _tables(release)]
    about = [edition, *about] if edition else about
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key=f"row-release-{release.id}"):
        with st.container(gap=None, key=f"recent-{release.id}"):
            read(release.id, facts.title)
            parts = Html(" · ".join(fill("{}", part) for part in about))
            st.html(fill('<p class="dp-row-note">{}{}</p>', badge, parts))
        mini(release)


def _tables(release: Release) -> str:
    return say("desk_withheld_tables") if release.is_withheld else counted("desk_tables", len(release.tables))
