"""The catalogue: every published release, for everyone, a page at a time."""

import streamlit as st

from dprelease.errors import InputError
from dprelease.ui.kit import blocks
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.releases.release import release_list
from dprelease.ui.releases.series import series_form
from dprelease.ui.screens import link
from dprelease.ui.words import say

MOST = 10

with blocks.screen("releases"):
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
