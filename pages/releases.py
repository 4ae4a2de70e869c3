"""The catalogue: every published release, a page at a time; with `?release=ID` one of them, and what its makers do."""

import streamlit as st

from dprelease.errors import InputError
from dprelease.ui.kit import blocks
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.releases.release import one, release_list
from dprelease.ui.releases.series import series_form
from dprelease.ui.screens import link
from dprelease.ui.words import say

MOST = 10


def _one(release_id: str) -> bool:
    """Show the release of an address that names one; return False where there is none, and say so."""
    try:
        release = workspace().releases.get(release_id, actor=actor())
    except InputError:
        blocks.text("release_unknown")
        return False
    link("releases", say("all_releases"))
    one(release, st.query_params.get("do", ""))
    return True


def _all() -> None:
    before = st.query_params.get("before")
    try:
        releases = workspace().releases.find(limit=MOST + 1, before=before, actor=actor())
    except InputError:  # an address that was typed
        releases, before = workspace().releases.find(limit=MOST + 1, actor=actor()), None
    release_list(releases[:MOST])
    if before is not None:
        link("releases", say("releases_newest"))
    if len(releases) > MOST:
        link("releases", say("releases_older"), before=releases[MOST - 1].id)
    if not releases:
        blocks.note("releases_teach")
    series_form()


with blocks.screen("releases"):
    asked = st.query_params.get("release", "")
    if not (asked and _one(asked)):
        _all()
