"""One's own account: password, sessions, tokens, and what was done to it elsewhere."""

from __future__ import annotations

import streamlit as st

from dprelease.errors import AccessError, ConfirmationError, InputError, Problem
from dprelease.model.actor import PUBLIC
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.markup import joined
from dprelease.ui.kit.phrases import moment
from dprelease.ui.kit.problems import act, box, kindly
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say, say_html
from dprelease.words import phrase
from dprelease.words.sentences import Html
from dprelease.workspace import News
from dprelease.workspace.access import NEVER_BY_TOKEN, PERMISSIONS, PROFILES
from dprelease.workspace.account import MAX_DAYS, stays
from dprelease.workspace.password import MAX_PASSWORD

DAYS = 90


def password() -> None:
    """Set one's own password."""
    blocks.heading("password")
    here = actor().session
    if here is not None and here.way == "provider":
        blocks.text("password_provider")
        return
    known = workspace().people.has_password(actor=actor())
    if not known:
        blocks.text("password_none")
    with st.form(f"password-{known}", border=False, width=480):
        old = _secret("old", "current-password") if known else None
        new = _secret("new", "new-password", help_=say("password_new_help"))
        again = _secret("again", "new-password")
        end = st.checkbox(say("password_end_tokens"), value=True) if known else False
        pressed = st.form_submit_button(say("password_save"), type="primary")
    if pressed:
        with kindly():
            if new != again:
                problem = Problem(say("password_again"), phrase("ui.password_different"), phrase("ui.password_alike"))
                raise InputError.from_problems([problem])
            try:
                workspace().people.set_password(new, old=old, end_tokens=end, actor=actor())
            except ConfirmationError:
                raise
            except AccessError:
                box(say_html("password_wrong"))
            else:
                session.flash("password_saved")
                st.rerun()


def _secret(name: str, kind: str, *, help_: str | None = None) -> str:
    """Ask for a password, which is not shown as typed."""
    label = say(f"password_{name}")
    return st.text_input(label, type="password", max_chars=MAX_PASSWORD, autocomplete=kind, help=help_)


def sessions() -> None:
    """Show where one is signed in, with a way to end each."""
    blocks.heading("sessions")
    found = workspace().people.sessions(actor=actor())
    heads = [say(head) for head in ("session_id", "session_way", "session_begun", "session_ends")]
    rows = [(each.id, say(f"way_{each.way}"), moment(each.created), moment(each.expires)) for each in found]
    blocks.table(say("sessions"), heads, rows)
    left, _ = st.columns(2)
    chosen = left.selectbox(
        say("session_which"), [each.id for each in found], index=None, placeholder=say("choose"), key="session"
    )
    if st.button(say("session_end"), disabled=chosen is None) and chosen is not None:
        act("session_ended", lambda: workspace().people.revoke_session(chosen, actor=actor()))


def tokens() -> None:
    """Show tokens for one's own programs."""
    blocks.heading("tokens")
    blocks.note("tokens_note")
    found = workspace().people.tokens(actor=actor())
    if found:
        heads = [say(head) for head in ("token_label", "token_operations", "token_used", "token_ends", "token_state")]
        rows = [
            (
                each.label,
                ", ".join([*each.operations, *([each.dataset] if each.dataset else [])]),
                say("token_never") if each.used is None else moment(each.used),
                moment(each.expires),
                say("token_revoked" if each.revoked else "token_lasts"),
            )
            for each in found
        ]
        blocks.table(say("tokens"), heads, rows)
        _end_token([(each.id, each.label) for each in found if each.revoked is None])
    else:
        blocks.text("tokens_none")
    with st.form("token", border=False):
        label = st.text_input(say("token_label"), placeholder=say("token_label_example"), max_chars=100)
        left, right = st.columns(2)
        profile = left.selectbox(
            say("token_profile"),
            list(PROFILES),
            index=None,
            format_func=lambda name: say(f"token_for_{name}"),
            help=say("token_profile_help"),
            placeholder=say("choose"),
        )
        dataset = right.text_input(say("token_dataset"), help=say("token_dataset_help"), max_chars=60).strip()
        operations = st.multiselect(
            say("token_or_operations"),
            sorted(PERMISSIONS.keys() - NEVER_BY_TOKEN),
            help=say("token_operations_help"),
            placeholder=say("choose"),
        )
        days = st.number_input(say("token_days"), value=DAYS, min_value=1, max_value=MAX_DAYS, step=1, width=200)
        pressed = st.form_submit_button(say("token_create"))
    if pressed:
        with kindly():
            _, secret = workspace().people.create_token(
                label, operations=operations, profile=profile, dataset=dataset or None, days=days, actor=actor()
            )
            box(joined([say_html("token_created")]), kind="done")
            blocks.code(secret)


def _end_token(lasting: list[tuple[str, str]]) -> None:
    labels = dict(lasting)
    if not labels:
        return
    left, _ = st.columns(2)
    chosen = left.selectbox(
        say("token_which"),
        list(labels),
        index=None,
        placeholder=say("choose"),
        format_func=lambda token: labels.get(token, token),
        key=f"tokens-{len(labels)}",
    )
    if st.button(say("token_end"), disabled=chosen is None) and chosen is not None:
        act("token_ended", lambda: workspace().people.revoke_token(chosen, actor=actor()))


SIGN_IN = "sign_in"


def news() -> None:
    """Show above every page, until its person saw it, what was done in other sessions or by others."""
    unseen = [each for each in _unseen() if not (session.PUT_AWAY in st.session_state and stays(each, actor()))]
    if all(each.kind == SIGN_IN for each in unseen):
        return
    with st.container(border=True):
        blocks.label(say("news_title"))
        blocks.listed([_line(each) for each in unseen])
        if any(stays(each, actor()) for each in unseen):
            blocks.note("news_stays")
        if st.button(say("news_seen"), key="news-seen"):
            workspace().people.see_news(max(each.id for each in unseen), actor=actor())
            st.session_state[session.PUT_AWAY] = True
            st.rerun()


def last_sign_in() -> None:
    """Show in one line of the menu when somebody signed in before, where nothing else was done since; and by whose
    reset they are here, once they put that notice away."""
    found = _unseen()
    unseen = [each for each in found if not stays(each, actor())]
    for each in found:
        if session.PUT_AWAY in st.session_state and stays(each, actor()):
            blocks.note("news_reset_line", at=moment(each.at), name=each.by_whom)
    if unseen and all(each.kind == SIGN_IN for each in unseen):
        blocks.note("news_last", at=moment(unseen[0].at), way=say(f"way_{unseen[0].detail}"))


def _unseen() -> list[News]:
    """Return unseen news of other sessions or other people, newest first."""
    acting = actor()
    if acting == PUBLIC or not session.may("account_news"):
        return []
    here = None if acting.session is None else acting.session.key
    found = workspace().people.news(actor=acting)
    return [each for each in found if each.seen is None and (each.session is None or each.session != here)]


def history() -> None:
    """Show all news, on the page of the account."""
    blocks.heading("news")
    found = workspace().people.news(actor=actor())
    if found:
        blocks.listed([_line(each) for each in sorted(found, key=lambda each: each.id, reverse=True)])
    else:
        blocks.text("news_none")


def _line(each: News) -> Html:
    values = {"at": moment(each.at), "name": each.by_whom or ""}
    if each.kind == SIGN_IN:
        return say_html("news_sign_in", way=say(f"way_{each.detail}"), **values)
    if each.kind == "roles":
        roles = ", ".join(say(f"role_{role}") for role in each.detail.split(", ") if role)
        return say_html("news_roles", roles=roles or say("none"), **values)
    return say_html(f"news_{each.kind}", label=each.detail, **values)
