"""Asks anew who acts, before what counts: the operation refused until that is shown."""

from __future__ import annotations

import streamlit as st

from dprelease.errors import AccessError
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.session import AGAIN, ASKED, actor, flash, workspace
from dprelease.ui.people.second_factor import code_field
from dprelease.ui.words import say, say_html
from dprelease.workspace.password import MOST_PASSWORD


def ask_anew() -> None:
    """Opens a dialog where an operation refused: a password (and a code), a way to the provider, or what to do."""
    way = st.session_state.get(ASKED)
    if way is not None:
        asked = {"password": _password, "code": _code, "provider": _provider}.get(way, _link)
        st.dialog(say("confirm_title"), on_dismiss=_dismiss)(asked)()


def _dismiss() -> None:
    st.session_state.pop(ASKED, None)


def _password() -> None:
    _ask("confirm_text", "confirm_wrong", coded=False)


def _code() -> None:
    _ask("confirm_code_text", "confirm_code_wrong", coded=True)


def _ask(text: str, wrong: str, *, coded: bool) -> None:
    st.html(fill('<p class="dp-text">{}</p>', say_html(text)))
    with st.form("confirm", border=False, enter_to_submit=True):
        given = st.text_input(
            say("confirm_password"), type="password", max_chars=MOST_PASSWORD, autocomplete="current-password"
        )
        code = code_field() if coded else ""
        pressed = st.form_submit_button(say("confirm_save"), type="primary")
    if not pressed:
        return
    try:
        workspace().people.confirm(given, code, actor=actor())
    except AccessError:
        st.html(fill('<div class="dp-box dp-alert" role="alert">{}</div>', say_html(wrong)))
    else:
        _dismiss()
        flash("confirmed")
        st.rerun()


def _provider() -> None:
    way = fill('<a href="{}">{}</a>', AGAIN, say("confirm_provider"))
    st.html(fill('<p class="dp-text">{}</p><p class="dp-text">{}</p>', say_html("confirm_provider_text"), way))


def _link() -> None:
    st.html(fill('<p class="dp-text">{}</p>', say_html("confirm_link_text")))
