"""Populations that are said to share nobody, for the administrator who confirms it."""

from __future__ import annotations

import streamlit as st

from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.phrases import day
from dprelease.ui.kit.problems import act
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.review import requests
from dprelease.ui.words import say
from dprelease.workspace import Request


def overlaps() -> None:
    """Each pair that waits, to be confirmed or returned by somebody who did not ask for it."""
    found = workspace().populations.requests(actor=actor())
    waiting = [each for each in found if each.kind == "overlap" and each.state == requests.OPEN]
    if not waiting:
        return
    blocks.heading("overlaps_confirm")
    for request in waiting:
        _decide(request)


def _decide(request: Request) -> None:
    with st.container(border=True, key=f"card-overlap-{request.id}"):
        blocks.subheading(requests.title(request))
        blocks.note("review_asked", author=request.author, on=day(request.created))
        if session.is_own(request.author):
            blocks.note("review_own_request")
            return
        comment = st.text_input(say("request_comment"), key=f"overlap-comment-{request.id}")
        for verb, approve in (("confirmed", True), ("returned", False)):
            if st.button(say(f"overlap_{verb}_save"), key=f"overlap-{verb}-{request.id}"):
                _answer(request, f"overlap_{verb}", approve, comment)


def _answer(request: Request, done: str, approve: bool, comment: str) -> None:
    populations = workspace().populations
    act(
        done,
        lambda: populations.confirm_overlap(request.id, approve=approve, comment=comment, actor=actor()),
        title=requests.title(request),
    )
