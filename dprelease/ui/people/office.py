"""Form for who publishes: the office's name, logo, accent and terms on public pages, for administrators."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dprelease.portal.office import BY_LANGUAGE, KEYS, LOGOS, MAX_LOGO, Office
from dprelease.ui.kit.problems import act
from dprelease.ui.kit.session import actor, may, workspace
from dprelease.ui.words import say
from dprelease.words.language import LANGUAGES

LONG = ("about", "revisions")


def office() -> None:
    """Show what public pages say of the office, to be changed; the whole of it is signed anew."""
    if not may("set_office"):
        return
    own = workspace().releases.office(actor=actor())
    with st.expander(say("office_title")), st.form("office", border=False):
        stated = {key: _asked(own, key) for key in KEYS}
        kinds = [name.rpartition(".")[2] for name in LOGOS]
        given = st.file_uploader(say("office_logo"), type=kinds, help=say("office_logo_help", most=MAX_LOGO))
        if st.form_submit_button(say("office_save")):
            kept = (workspace().releases.folder / own.logo).read_bytes() if own.logo else b""
            logo = kept if given is None else given.getvalue()
            wanted = {key: value for key, value in stated.items() if value}
            act("office_saved", lambda: workspace().releases.set_office(wanted, logo, actor=actor()))


def _asked(own: Office, key: str) -> Any:
    """Return what the form has for a part: a text, or one for each language."""
    if key not in BY_LANGUAGE:
        return st.text_input(say(f"office_{key}"), getattr(own, key), key=f"office-{key}").strip()
    words: dict[str, str] = getattr(own, key)
    field = st.text_area if key in LONG else st.text_input
    texts = {
        code: field(f"{say(f'office_{key}')} ({name})", words.get(code, ""), key=f"office-{key}-{code}").strip()
        for code, name in LANGUAGES.items()
    }
    return {code: text for code, text in texts.items() if text}
