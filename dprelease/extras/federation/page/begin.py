"""Begins a round here: with a roster of one's own, or with the files or the server of another site."""

from __future__ import annotations

import streamlit as st

from dprelease.errors import InputError
from dprelease.extras.federation.federations import rounds_of
from dprelease.extras.federation.page.telling import given, openly, taken_in, tried
from dprelease.extras.federation.roster import MAX_SITES, Federation, Site
from dprelease.ui.kit import blocks
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say
from dprelease.words import phrase

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


LONGEST = 60


def begin(*, alone: bool) -> None:
    """Offer both; `alone`: nothing else is on the page."""
    blocks.heading("rounds_begin")
    blocks.guide_link("several")
    blocks.note("rounds_own_key")
    blocks.code(workspace().public_key)
    with st.expander(say("rounds_create"), expanded=alone):
        _create()
    with st.expander(say("rounds_join_other")):
        _join()


def _create() -> None:
    with st.form("rounds-create", border=False):
        left, right = st.columns(2)
        name = left.text_input(say("rounds_name"), max_chars=LONGEST, placeholder="hospitals-2026")
        title = right.text_input(say("rounds_title_of"), max_chars=100)
        sites = st.text_area(say("rounds_members"), height=140, placeholder="North = ed25519:…\nSouth = ed25519:…")
        left, right = st.columns(2)  # of their own: on a phone, fields stand in this order
        lost = left.number_input(say("rounds_lost"), 0, MAX_SITES - 1, 1)
        most = right.number_input(say("rounds_most"), 1, MAX_SITES, 1)
        blocks.note("rounds_terms_note")
        pressed = st.form_submit_button(say("rounds_create_button"), type="primary")
    if pressed:
        tried(lambda: _created(name.strip(), title.strip(), sites, int(lost), int(most)))


def _created(name: str, title: str, written: str, lost: int, most: int) -> tuple[str, dict[str, object]]:
    sites = []
    for number, line in enumerate(each for each in written.splitlines() if each.strip()):
        who, equals, key = line.rpartition("=")
        if not equals:
            raise InputError(f"sites[{number}]", found=line.strip(), allowed=phrase("ui.rounds_member_line"))
        sites.append(Site(who.strip(), key.strip()))
    federation = Federation(name=title, sites=tuple(sites), lost_sites=lost, max_sites=most)
    rounds_of(workspace()).create_federation(name, federation, actor=actor())
    st.query_params["round"] = name
    return "rounds_created", {}


def _join() -> None:
    name = st.text_input(say("rounds_name"), max_chars=LONGEST, key=given("rounds-join-name"))
    sent = st.file_uploader(say("rounds_upload"), TYPES, accept_multiple_files=True, key=given("rounds-join"))
    url = st.text_input(say("rounds_or_address"), key=given("rounds-join-address"))
    if st.button(say("rounds_bring"), disabled=not (sent or url)):
        files = {each.name: each.getvalue() for each in sent}
        tried(lambda: _brought(name.strip(), files, url.strip()))


def _brought(name: str, files: dict[str, bytes], url: str) -> tuple[str, dict[str, object]]:
    rounds = rounds_of(workspace())
    if files:
        rounds.take_round_files(name, files, actor=actor())
    if url:
        rounds.fetch(url, rounds.round_folder(name, actor=actor()), actor=actor())
    taken_in()
    st.query_params["round"] = name
    return "rounds_created", {}
