"""Releases in a list, each with its guarantee stated whole."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dprelease.bundle import guarantee
from dprelease.bundle.described import withheld
from dprelease.bundle.words import isolated
from dprelease.model.release import Release
from dprelease.ui.kit import blocks
from dprelease.ui.kit.phrases import day
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.release.notice import show_notice
from dprelease.ui.screens import link
from dprelease.ui.words import as_label, say_html


def release_list(releases: Sequence[Release]) -> None:
    """Newest first, as given; says so where there are none."""
    if not releases:
        blocks.text("releases_none")
    for release in releases:
        facts = release.certificate
        with st.container(key=f"release-{release.id}", gap=None):
            link("release", as_label(facts.title), id=release.id)
            values = {"published": day(facts.day), "population": facts.population.name}
            blocks.markup(say_html("releases_meta", **values), "dp-note")
            for notice in workspace().notices(release.id, actor=actor()):
                show_notice(notice)
            if release.is_withheld:
                blocks.markup(isolated(withheld(facts)))
            blocks.markup(guarantee.whole(facts), "dp-note")
