"""The parts of the page that publishes. No refresh, no going back and no double click spends twice."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dprelease.bundle.display import shown
from dprelease.model.privacy import decimal_text
from dprelease.model.release import Release
from dprelease.ui import blocks, budget, session
from dprelease.ui.complete import InHand
from dprelease.ui.prices import price_table
from dprelease.ui.problems import box, kindly
from dprelease.ui.screens import link
from dprelease.ui.session import actor, workspace
from dprelease.ui.words import say, say_html, say_label


def done() -> bool:
    """Whether this page has just published; then it shows the way to the release, and nothing to press."""
    release_id = st.session_state.get(session.PUBLISHED)
    if release_id is None:
        return False
    release = workspace().release(release_id, actor=actor())
    box(say_html("publish_done", title=release.certificate["title"]), kind="done")
    link("release", say("publish_open"), id=release.id)
    return True


def published_releases(hand: InHand) -> Sequence[Release]:
    """Releases of this plan for the present rows, newest first."""
    records = workspace().plans(actor=actor())
    published = any(
        record.plan_hash == hand.plan.hash
        and record.dataset_version == hand.dataset.version
        and record.state == "published"
        for record in records
    )
    found = workspace().releases(actor=actor()) if published else []
    return [release for release in found if release.certificate["plan_hash"] == hand.plan.hash]


def summary(hand: InHand) -> None:
    """What will be published, whose privacy it costs, what stays, who will see it."""
    now = workspace().budget(hand.population.name, actor=actor())
    after = workspace().budget_after(hand.price, actor=actor())
    blocks.heading("publish_summary")
    count = shown(len(hand.price.statistics))
    what = say_html("publish_what_text", title=hand.title, statistics=count, dataset=hand.dataset.name)
    unit_is = budget.unit_of(hand.dataset)
    population = hand.population
    whose = say_html("publish_whose_text", unit=population.unit, population=population.name, unit_is=unit_is)
    stays = say_html("publish_after_text", left=budget.left(after), cap=budget.cap(now), releases=shown(after.charges))
    if not now.covers(hand.price.loss):
        stays = budget.outlook(now, after, hand.price)
    blocks.facts(
        [
            ("publish_what", what),
            ("publish_whose", whose),
            ("publish_cost", budget.whole(hand.price, population)),
            ("publish_after", stays),
            ("publish_who", say_html("publish_who_text")),
        ]
    )
    price_table(hand.price)


def first_time(hand: InHand) -> None:
    """A plan that was not published yet: one tick and one button."""
    confirmed = st.checkbox(say("publish_confirm"), key=f"confirm-{session.visit()}-{hand.plan.hash}")
    epsilon = decimal_text(hand.price.epsilon)
    if st.button(say("publish_button", epsilon=epsilon), type="primary", disabled=not confirmed):
        _publish(hand, again=False)


def once_more(hand: InHand, earlier: Sequence[Release]) -> None:
    """A published plan: the way to its release, and, apart from it, the way to a second draw.

    A second draw is armed for one press: the first press disarms it before anything is spent, so a double click or a
    repeated message finds nothing to do.
    """
    epsilon = decimal_text(hand.price.epsilon)
    box(say_html("publish_already", epsilon=epsilon), kind="notice")
    for release in earlier:
        link("release", say_label("releases_open", title=release.certificate["title"]), id=release.id)
    if st.session_state.get(session.ARMED) != hand.plan.hash:
        if st.button(say("publish_again")):
            st.session_state[session.ARMED] = hand.plan.hash
            st.rerun()
        return
    label = say_label("publish_again_confirm", title=hand.title, epsilon=epsilon)
    typed = st.text_input(label, key=f"again-{session.visit()}")
    if st.button(say("publish_again_button", epsilon=epsilon), type="primary"):
        if typed.strip() != hand.title.strip():
            box(say_html("publish_again_mismatch"))
        elif st.session_state.pop(session.ARMED, None) == hand.plan.hash:
            _publish(hand, again=True)


def _publish(hand: InHand, *, again: bool) -> None:
    """Submits, approves and publishes on behalf of the one person of a solo workspace."""
    ws = workspace()
    with kindly(), st.spinner(say("publish_waiting")):
        plan_id = ws.submit(hand.plan, actor=actor())
        if next(record for record in ws.plans(actor=actor()) if record.id == plan_id).state == "submitted":
            ws.approve(plan_id, actor=actor())
        release = ws.publish(plan_id, again=again, actor=actor())
        st.session_state[session.PUBLISHED] = release.id
        st.rerun()
