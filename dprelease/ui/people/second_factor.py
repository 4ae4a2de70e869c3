"""The second factor of one's own account, and the dialog that asks anew for proof beyond a password."""

from __future__ import annotations

import streamlit as st

from dprelease.errors import AccessError
from dprelease.model.actor import Role
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.phrases import moment
from dprelease.ui.kit.problems import act, box, kindly
from dprelease.ui.kit.session import AGAIN, ASKED, CODES, PREPARED, actor, flash, workspace
from dprelease.ui.people.account import password
from dprelease.ui.words import say, say_html
from dprelease.workspace.password import MAX_PASSWORD
from dprelease.workspace.second_factor import MAX_CODE, Prepared

PICTURE = '<p class="dp-scanned"><img src="{}" alt="{}"></p>'


def is_missing(page: str) -> bool:
    """Return True if a second factor must be set up before anything else, or its codes were not kept yet."""
    here = actor().session
    return (here is not None and here.incomplete) or (CODES in st.session_state and page != "account")


def set_up_first() -> None:
    """Show the set-up in place of every page, for somebody of whose roles one needs a second factor."""
    if CODES in st.session_state:
        with blocks.screen("codes"):
            _codes()
        return
    with blocks.screen("set_up"):
        if not workspace().people.has_password(actor=actor()):
            password()
        else:
            _off()


def second_factor() -> None:
    """Show the second factor on the page of the account."""
    blocks.heading("second_factor")
    with kindly():
        here, known = actor().session, workspace().people.second_factor(actor=actor())
        if CODES in st.session_state:
            _codes()
        elif known.since is not None:
            blocks.text("second_on", at=moment(known.since), count=known.recovery_codes)
            _on()
        elif here is not None and here.way == "provider":
            blocks.text("second_provider")
        elif not workspace().people.has_password(actor=actor()):
            blocks.text("second_no_password")
        else:
            _off()


def _off() -> None:
    prepared: Prepared | None = st.session_state.get(PREPARED)
    if prepared is None:
        blocks.text("second_off")
        if st.button(say("second_set_up"), type="primary"):
            with kindly():
                st.session_state[PREPARED] = workspace().people.prepare_second_factor(actor=actor())
                st.rerun()
        return
    blocks.text("second_scan")
    st.html(fill(PICTURE, _picture(prepared.address), say("second_picture")))
    blocks.text("second_type")
    blocks.code(" ".join(prepared.secret[place : place + 4] for place in range(0, len(prepared.secret), 4)))
    with st.expander(say("second_address")):
        blocks.code(prepared.address)
    given = _asked("second-on", [("second_turn_on", True)])
    if given is not None:
        with kindly():
            try:
                st.session_state[CODES] = workspace().people.turn_on_second_factor(*given[1:], actor=actor())
            except AccessError:
                box(say_html("second_wrong"))
            else:
                st.session_state.pop(PREPARED)
                st.rerun()


def _on() -> None:
    given = _asked("second-off", [("second_renew", False), ("second_turn_off", False)])
    if given is None:
        return
    with kindly():
        try:
            if given[0] == "second_renew":
                st.session_state[CODES] = workspace().people.renew_recovery_codes(*given[1:], actor=actor())
            else:
                workspace().people.turn_off_second_factor(*given[1:], actor=actor())
                session.flash("second_turned_off")
        except AccessError:
            box(say_html("second_wrong"))
        else:
            st.rerun()


def _codes() -> None:
    """Show recovery codes, until their person says that they have them."""
    box(say_html("second_codes"), kind="done")
    st.code("\n".join(st.session_state[CODES]), language=None)
    if st.button(say("second_kept"), type="primary"):
        st.session_state.pop(CODES)
        st.rerun()


def _asked(key: str, buttons: list[tuple[str, bool]]) -> tuple[str, str, str] | None:
    """Return the pressed button, with a password and a code; None where none was pressed."""
    with st.form(key, border=False, width=480, enter_to_submit=len(buttons) == 1):
        given = st.text_input(
            say("confirm_password"), type="password", max_chars=MAX_PASSWORD, autocomplete="current-password"
        )
        code = code_field()
        with st.container(horizontal=True):
            pressed = [
                st.form_submit_button(say(word), type="primary" if main else "secondary") and word
                for word, main in buttons
            ]
    return next(((word, given, code) for word in pressed if word), None)


def code_field() -> str:
    """Ask for a code of one's authenticator, or a recovery code."""
    return st.text_input(
        say("second_code"), max_chars=MAX_CODE, autocomplete="one-time-code", help=say("second_code_help")
    )


def _picture(address: str) -> str:
    """Return a QR code (ISO/IEC 18004) as SVG in an address, dark on white in both themes."""
    import segno

    return segno.make(address, micro=False).svg_data_uri(scale=5, border=4, light="#fff", encode_minimal=True)


def required() -> None:
    """Ask in which roles a password needs a second factor: the administrator's decision."""
    blocks.heading("second_required")
    blocks.note("second_required_note")
    now = sorted(workspace().people.second_factor_roles(actor=actor()))
    chosen = st.multiselect(
        say("second_required_roles"),
        [role.value for role in Role],
        now,
        format_func=lambda role: say(f"role_{role}"),
        placeholder=say("second_required_none"),
        key=f"second-{session.visit()}-{' '.join(now)}",
    )
    if st.button(say("second_required_save"), disabled=sorted(chosen) == now):
        act("second_required_saved", lambda: workspace().people.require_second_factor(chosen, actor=actor()))


def ask_anew() -> None:
    """Open a dialog where an operation refused: a password (and a code), a way to the provider, or what to do."""
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
            say("confirm_password"), type="password", max_chars=MAX_PASSWORD, autocomplete="current-password"
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
