"""Transport of a round's files: down and up by hand, or from and to a server."""

from __future__ import annotations

import streamlit as st

from dprelease.extras.federation.federations import rounds_of
from dprelease.extras.federation.page.telling import given, openly, taken_in, tried
from dprelease.ui.kit import blocks
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say

TYPES = ["zip", "json", "u64", "i64"]


def carry(name: str) -> None:
    """Show the transport of files in and out of a round."""
    blocks.heading("rounds_files")
    blocks.note("rounds_files_note")
    with openly():
        data = rounds_of(workspace()).round_files(name, actor=actor())
        st.download_button(say("rounds_download"), data, f"{name}.zip", "application/zip", on_click="ignore")
    sent = st.file_uploader(say("rounds_upload"), TYPES, accept_multiple_files=True, key=given(f"rounds-files-{name}"))
    if st.button(say("rounds_take"), disabled=not sent):
        files = {each.name: each.getvalue() for each in sent}
        tried(lambda: _taken(rounds_of(workspace()).take_round_files(name, files, actor=actor())))
    with st.expander(say("rounds_by_server")):
        blocks.note("rounds_by_server_note")
        url = st.text_input(say("rounds_address"), key=f"rounds-address-{name}", placeholder=f"https://…/{name}")
        left, right = st.columns(2)
        folder = rounds_of(workspace()).round_folder(name, actor=actor())
        if left.button(say("rounds_fetch"), disabled=not url, width="stretch"):
            tried(lambda: _taken(rounds_of(workspace()).fetch(url.strip(), folder, actor=actor())))
        if right.button(say("rounds_send"), disabled=not url, width="stretch"):
            tried(lambda: _sent(rounds_of(workspace()).send(url.strip(), folder, actor=actor())))


def _taken(files: tuple[str, ...]) -> tuple[str, dict[str, object]]:
    taken_in()
    return ("rounds_taken", {"files": ", ".join(files)}) if files else ("rounds_nothing_new", {})


def _sent(files: tuple[str, ...]) -> tuple[str, dict[str, object]]:
    return ("rounds_sent", {"files": ", ".join(files)}) if files else ("rounds_nothing_new", {})
