"""The last releases, each with a small picture of its published numbers."""

from __future__ import annotations

from math import isfinite

import streamlit as st

from dprelease.bundle.display import exact
from dprelease.model.release import Release
from dprelease.ui.desk.card import card
from dprelease.ui.kit import blocks
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.phrases import counted, day
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.screens import link
from dprelease.ui.words import as_label, say, say_html
from dprelease.words.sentences import Html

MOST = 3
BARS = 12
FEWEST = 3


def recent() -> None:
    """Newest first; where there are none, what will stand here."""
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
    about = [day(facts.day), say("desk_epsilon", epsilon=exact(facts.guarantee.epsilon)), _tables(release)]
    with st.container(horizontal=True, wrap=False, vertical_alignment="center", key=f"row-release-{release.id}"):
        with st.container(gap=None, key=f"recent-{release.id}"):
            link("release", as_label(facts.title), id=release.id)
            parts = Html(" · ".join(fill("{}", part) for part in about))
            st.html(fill('<p class="dp-row-note">{}{}</p>', badge, parts))
        st.html(bars(release), width=130)


def _tables(release: Release) -> str:
    return say("desk_withheld_tables") if release.is_withheld else counted("desk_tables", len(release.tables))


def state(release: Release) -> Html:
    """Whether it is withheld, replaced or corrected; nothing where it stands as it was published."""
    kinds = {notice.kind for notice in workspace().releases.notices(release.id, actor=actor())}
    key = "withheld" if release.is_withheld else next((kind for kind in ("superseded", "erratum") if kind in kinds), "")
    return fill('<span class="dp-state-badge">{}</span> ', say_html(f"release_is_{key}")) if key else Html("")


def bars(release: Release) -> Html:
    """The first table with a few numbers, as bars; its page says what they are."""
    for table in release.tables.values():
        values = [float(value) for value in table.value[:BARS] if isinstance(value, int | float)]
        if len(values) >= FEWEST and len(values) == len(table.value[:BARS]) and all(map(isfinite, values)):
            most = max(values) if max(values) > 0 else 1.0
            heights = (max(2, round(100 * value / most)) for value in values)
            drawn = joined(Html(f'<i style="height:{height}%"></i>') for height in heights)
            return fill('<div class="dp-mini" aria-hidden="true">{}</div>', drawn)
    return Html('<div class="dp-mini" aria-hidden="true"></div>')
