"""The bar at the bottom, which stays: what it costs, what is open, and the two ways to decide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dprelease.errors import InputError, Problem
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.problems import kindly
from dprelease.ui.review import dialogs, queue
from dprelease.ui.review.waiting import Item
from dprelease.ui.words import as_label, say
from dprelease.words import phrase
from dprelease.words.sentences import Html

MAX_COMMENT = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionBar:
    """The possible decisions on an item."""

    told: Html
    """Text in the bar beside the buttons."""
    sentence: Html
    """Sentence in the dialog about what is approved."""
    approve: Callable[[str], Any] | None
    """Function that approves; None where the item cannot be approved as it is."""
    return_: Callable[[str], Any] | None
    """Function that returns to the author; None where the item cannot be returned."""


def bar(item: Item, decision: DecisionBar) -> None:
    """Show the bar, unless somebody else has to decide."""
    with st.bottom, st.container(key="decision", horizontal=True, vertical_alignment="center"):
        st.html(fill('<p class="dp-decision">{}</p>', decision.told))
        st.space("stretch")
        if session.is_own(item.author):
            return
        if decision.return_ is not None:
            st.button(
                say("review_return"),
                key=f"return-{item.key}",
                icon=":material/undo:",
                shortcut="B",
                on_click=dialogs.opens,
                args=(f"return {item.key}",),
            )
        st.button(
            say("review_approve"),
            key=f"approve-{item.key}",
            type="primary",
            icon=":material/check:",
            shortcut="A",
            disabled=decision.approve is None,
            on_click=dialogs.opens,
            args=(f"approve {item.key}",),
        )
    if decision.approve is not None:
        _asks("approve", item, decision.sentence, decision.approve)
    if decision.return_ is not None:
        _asks("return", item, None, decision.return_)


def _asks(what: str, item: Item, sentence: Html | None, decide: Callable[[str], Any]) -> None:
    """Show a dialog with what is approved, or why it goes back."""

    def asked() -> None:
        if sentence is not None:
            blocks.markup(sentence)
        comment = st.text_area(
            say("review_comment"), help=say(f"review_{what}_help"), max_chars=MAX_COMMENT, height=100
        )
        pressed = st.button(say(f"review_{what}_save"), type="primary")
        if pressed and _done(what, item, comment.strip(), decide):
            dialogs.close()
            st.rerun()

    dialogs.shown(f"{what} {item.key}", say(f"review_{what}_title", title=as_label(item.title)), asked)


def _done(what: str, item: Item, comment: str, decide: Callable[[str], Any]) -> bool:
    """Decide; return True if this dialog has to go: it is decided, or asked who acts, in a dialog of its own."""
    done = False
    with kindly():
        if what == "return" and not comment:
            raise InputError.from_problems([_no_comment()])
        decide(comment)
        result = "review_approved" if what == "approve" else "review_returned"
        queue.decided(item, say(result, title=item.title, author=item.author))
        done = True
    return done or session.ASKED in st.session_state


def _no_comment() -> Problem:
    return Problem(
        say("review_comment"), phrase("ui.nothing"), phrase("ui.review_a_comment"), phrase("ui.review_needs_comment")
    )


def told(cost: str, open_remarks: int, reason: Html | None) -> Html:
    """Return the cost and what is left, the number of open remarks, and why the plan cannot be approved."""
    parts = [fill("<b>{}</b>", cost)]
    if open_remarks:
        parts.append(fill("{}", say("review_open", open_remarks, count=open_remarks)))
    if reason is not None:
        parts.append(fill('<span class="dp-warn">⚠ {}</span>', reason))
    return Html(" · ".join(parts))
