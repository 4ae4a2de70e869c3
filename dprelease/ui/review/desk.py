"""The desk of a reviewer: the queue at the left, beside what is open."""

from __future__ import annotations

import streamlit as st

from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.phrases import day
from dprelease.ui.kit.problems import box
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.review import bar, requests, waiting
from dprelease.ui.review.plan import plan
from dprelease.ui.review.queue import queue
from dprelease.ui.review.waiting import Item
from dprelease.ui.words import say_html
from dprelease.words.sentences import isolated
from dprelease.workspace import Request


def desk() -> None:
    """Show everything that waits, one of it open."""
    left = st.session_state.pop(session.TOAST, None)
    if left is not None:
        st.toast(left)
    beside, main = st.columns([0.33, 1], gap="large")
    with beside:
        item = queue(waiting.items())
    with main:
        if item is None:
            blocks.text("review_nothing")
            blocks.guide_link("approve")
        elif item.record is not None:
            plan(item, item.record)
        elif item.request is not None:
            _request(item, item.request)


def _request(item: Item, request: Request) -> None:
    ws = workspace()
    blocks.subheading(item.title)
    blocks.note("review_asked", author=request.author, on=day(request.created))
    requests.facts(request)
    if session.is_own(request.author):
        box(say_html("review_own_request"), kind="notice")
    bar.bar(
        item,
        bar.DecisionBar(
            told=isolated(item.title),
            sentence=say_html("review_approve_request", title=item.title, author=request.author),
            approve=lambda comment: ws.populations.approve_request(request.id, comment=comment, actor=actor()),
            return_=lambda comment: ws.populations.return_request(request.id, comment=comment, actor=actor()),
        ),
    )
