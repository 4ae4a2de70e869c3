"""Populations that are said to share nobody: for administrators, who confirm it, and may have rows compared."""

from __future__ import annotations

import streamlit as st

from dprelease.errors import AccessError
from dprelease.statements.display import shown
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.phrases import day
from dprelease.ui.kit.problems import act, box
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.review import requests
from dprelease.ui.words import say, say_html
from dprelease.workspace import Request
from dprelease.workspace.overlaps import InCommon


def overlaps() -> None:
    """Show each pair that waits, to be confirmed or returned by somebody who did not ask for it; then all others."""
    found = workspace().populations.requests(actor=actor())
    waiting = [each for each in found if each.kind == "overlap" and each.state == requests.OPEN]
    if waiting:
        blocks.heading("overlaps_confirm")
    for request in waiting:
        _decide(request)
    if workspace().populations.pairs(actor=actor()):
        with st.expander(say("overlaps_compare")):
            _compare()


def _compare() -> None:
    """Compare the rows of two populations that are not attested to share anybody."""
    blocks.note("overlaps_compare_note")
    pair = st.selectbox(
        say("overlaps_pair"),
        workspace().populations.pairs(actor=actor()),
        index=None,
        format_func=lambda each: say(f"overlaps_pair_{each.overlap or 'open'}", name=each.population, other=each.other),
        placeholder=say("choose"),
        key="overlaps-pair",
    )
    if pair is not None:
        _compared(pair.population, pair.other)


def _decide(request: Request) -> None:
    with st.container(border=True, key=f"card-overlap-{request.id}"):
        blocks.subheading(requests.title(request))
        blocks.note("review_asked", author=request.author, on=day(request.created))
        _compared(request.population, str(request.body["other"]))
        if session.is_own(request.author):
            blocks.note("review_own_request")
            return
        comment = st.text_input(say("request_comment"), key=f"overlap-comment-{request.id}")
        answers = {"confirmed": True, "returned": False}
        with st.container(horizontal=True):
            pressed = [each for each in answers if st.button(say(f"overlap_{each}_save"), key=f"{each}-{request.id}")]
        for each in pressed:
            _answer(request, f"overlap_{each}", answers[each], comment)


def _compared(population: str, other: str) -> None:
    """Show what the two populations' rows have in common, where whoever looks may be told."""
    try:
        with st.spinner(say("overlap_comparing")):
            found = workspace().populations.compare_rows(population, other, actor=actor())
    except AccessError as error:
        blocks.note("as_it_is", text=error)
        return
    alike = [each for each in found if each.in_common in (InCommon.FILE, InCommon.MOST)]
    for each in alike:
        box(say_html(f"in_common_{each.in_common}", dataset=each.dataset, other=each.other), kind="warning")
    unknown = [each for each in found if each.in_common is InCommon.UNKNOWN]
    if unknown or not found:
        blocks.note("in_common_unknown", count=shown(len(unknown)))
    elif not alike:
        blocks.note("in_common_few")


def _answer(request: Request, done: str, approve: bool, comment: str) -> None:
    populations = workspace().populations
    act(
        done,
        lambda: populations.confirm_overlap(request.id, approve=approve, comment=comment, actor=actor()),
        title=requests.title(request),
    )
