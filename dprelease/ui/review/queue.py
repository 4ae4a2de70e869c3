"""The queue beside the plan: what waits, which of it is open, and what was decided just now."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import streamlit as st

from dprelease.statements.display import shown
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.session import DECIDED, REVIEWED, actor, workspace
from dprelease.ui.review import waiting
from dprelease.ui.review.gauge import amount, number
from dprelease.ui.review.waiting import Item
from dprelease.ui.words import as_label, say, say_html
from dprelease.words.language import ENGLISH, language
from dprelease.words.sentences import Html
from dprelease.workspace import PlanRecord

MAX_SHOWN = 30
AGAIN = "review-again"


def queue(items: Sequence[Item]) -> Item | None:
    """Show what waits and return what is open: what was chosen, else the oldest."""
    chosen = _open(items)
    with st.container(key="review-queue-head", horizontal=True, vertical_alignment="center"):
        st.html(fill('<h2 class="dp-queue-head">{}</h2>', say_html("review_to_decide", count=shown(len(items)))))
        if len(items) > 1 and chosen is not None:
            st.button(
                say("review_next"), key="review-next", type="tertiary", shortcut="J", on_click=_next, args=(chosen,)
            )
    with st.container(key="review-queue", gap="small"):
        for item in items[:MAX_SHOWN]:
            _card(item, is_open=chosen is not None and item.key == chosen.key)
        for title, result in st.session_state.get(DECIDED, ()):
            st.html(fill('<p class="dp-decided"><strong>{}</strong><span>{}</span></p>', title, result))
    if len(items) > MAX_SHOWN:
        blocks.note("review_plans_more", count=shown(len(items) - MAX_SHOWN))
    if session.in_team():
        _again()
    return chosen


def _card(item: Item, *, is_open: bool) -> None:
    """Show a card, whose title is a button that is as large as the card."""
    with st.container(key=f"queue-{'open' if is_open else 'card'}-{item.key}", gap=None):
        st.button(
            as_label(item.title),
            key=f"queue-{item.key}",
            type="tertiary",
            width="stretch",
            on_click=open_,
            args=(item.key,),
        )
        st.html(fill('<p class="dp-queued">{}</p>', _told(item)))


def _again() -> None:
    """Show the way to another release of a published plan: in a team an approval is good for one."""
    records = {each.id: each for each in waiting.published()}
    if not records:
        return
    with st.expander(say("review_again")):
        blocks.note("review_again_note")
        st.selectbox(
            say("review_again_plan"),
            list(records),
            index=None,
            placeholder=say("choose"),
            format_func=lambda plan_id: waiting.label(records[plan_id]),
            key=AGAIN,
            on_change=_open_again,
        )


def _open_again() -> None:
    open_(st.session_state[AGAIN])


def open_(key: str) -> None:
    """Open one of the items."""
    st.session_state[REVIEWED] = key


def decided(item: Item, result: str) -> None:
    """Note what was decided, and open the one that follows in the queue."""
    st.session_state[DECIDED] = [*st.session_state.get(DECIDED, ()), (item.title, result)]
    st.session_state[session.TOAST] = result
    _next(item)


def _next(item: Item) -> None:
    keys = [each.key for each in waiting.items()]
    later = keys[keys.index(item.key) + 1 :] if item.key in keys else []
    left = [key for key in keys if key != item.key]
    st.session_state[REVIEWED] = next(iter(later or left), None)


def _open(items: Sequence[Item]) -> Item | None:
    key = st.session_state.get(REVIEWED)
    again = (waiting.of_plan(each) for each in waiting.published()) if key == st.session_state.get(AGAIN) else ()
    return next((item for item in (*items, *again) if item.key == key), items[0] if items else None)


def _told(item: Item) -> Html:
    """Return who asked, since when, and what it costs; emphasised where that is more than is left."""
    told = fill("{} · {}", item.author, _since(item.created))
    return told if item.record is None else fill("{} · {}", told, _cost(item.record))


def _cost(record: PlanRecord) -> Html:
    price = workspace().plans.price_of(record.id, actor=actor())
    population = workspace().populations.of(record.dataset, actor=actor())
    now = workspace().populations.budget(population.name, actor=actor())
    values = {"cost": amount(price.loss, now.currency), "left": number(now.rounded.remaining, now.currency)}
    if now.covers(price.loss):
        return say_html("review_cost", **values)
    return fill('<b class="dp-warn">{}</b>', say_html("review_cost_over", **values))


def _since(at: str) -> str:
    from babel.dates import format_timedelta

    code = language()
    waited = datetime.now(UTC) - datetime.fromisoformat(at)
    return format_timedelta(waited, format="short", locale="en_GB" if code == ENGLISH else code)
