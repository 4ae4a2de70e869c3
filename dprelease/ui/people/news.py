"""What happened to one's own account since one last looked: resets, roles, passwords, tokens, other sign-ins."""

from __future__ import annotations

import streamlit as st

from dprelease.bundle.words import Html
from dprelease.model.actor import PUBLIC
from dprelease.store.account_news import News
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.phrases import moment
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say, say_html

SIGN_IN = "sign_in"


def news(page: str) -> None:
    """Above every page, until its person says that they saw it: what was done in other sessions, or by others.

    Where that was signing in alone, the last time stands in one line of the first page.
    """
    acting = actor()
    if acting == PUBLIC or not session.may("account_news"):
        return
    found = workspace().people.news(actor=acting)
    here = None if acting.session is None else acting.session.key
    unseen = [each for each in found if each.seen is None and (each.session is None or each.session != here)]
    if all(each.kind == SIGN_IN for each in unseen):
        if unseen and page == "home":
            blocks.note("news_last", at=moment(unseen[0].at), way=say(f"way_{unseen[0].detail}"))
        return
    with st.container(border=True):
        blocks.label(say("news_title"))
        blocks.listed([_line(each) for each in unseen])
        if st.button(say("news_seen"), key="news-seen"):
            workspace().people.see_news(max(each.id for each in found), actor=acting)
            st.rerun()


def history() -> None:
    """All of it, on the page of the account."""
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
