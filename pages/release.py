"""One release, for everyone: what is promised, the results, the files, and how to check them."""

import streamlit as st

from dprelease.errors import InputError
from dprelease.ui.kit import blocks
from dprelease.ui.kit.problems import kindly
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.releases.release import page
from dprelease.ui.screens import link
from dprelease.ui.words import say

with kindly():
    link("releases", say("release_back"))
    chosen = st.query_params.get("id", "")
    try:
        release = workspace().releases.get(chosen, actor=actor())
    except InputError:
        st.title(say("release_title"), anchor=False)
        blocks.text("release_unknown" if chosen else "release_none")
    else:
        blocks.message()
        page(release)
