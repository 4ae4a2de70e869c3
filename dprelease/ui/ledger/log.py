"""The ledger as a whole: whether it holds, what is left of each budget, what was not finished, and the events."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

import streamlit as st

from dprelease.errors import IntegrityError
from dprelease.statements.display import pointed, shown
from dprelease.ui.kit import blocks, budget, session
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.phrases import counted, moment
from dprelease.ui.kit.problems import box, kindly
from dprelease.ui.kit.session import actor, may, workspace
from dprelease.ui.words import known, say, say_html

if TYPE_CHECKING:
    from dprelease.workspace.ledger import Overspent

MAX_CHECKED = 5_000
"""Maximum events of a ledger that is checked without being asked."""
CHECKED = "ledger_checked"
"""Session key of the opening of a page at which the ledger was last checked."""


def chain() -> None:
    """Check all of the ledger as the page is opened, a very long one when asked, and show what was found."""
    row = st.container(horizontal=True, vertical_alignment="center", key="ledger-chain")
    place = row.container(width="content")
    short = workspace().ledger.count(actor=actor()) <= MAX_CHECKED
    again = row.button(say("ledger_check"), type="tertiary", width="content")
    if again or (short and st.session_state.get(CHECKED) != session.visit()):
        st.session_state[CHECKED] = session.visit()
        with place, kindly(), st.spinner(say("ledger_checking")):
            try:
                workspace().ledger.verify(actor=actor())
                st.session_state.pop(session.BROKEN, None)
            except IntegrityError as error:
                st.session_state[session.BROKEN] = error.said
    with place:
        _standing()


def _standing() -> None:
    count, checked = workspace().ledger.count(actor=actor()), workspace().ledger.verified_events
    events = counted("events", count)
    if session.BROKEN in st.session_state:
        box(say_html("ledger_broken", problem=st.session_state[session.BROKEN]))
    elif checked is None:
        box(say_html("ledger_unchecked", events=events), kind="notice")
    elif checked < count:
        box(say_html("ledger_part", events=events, checked=shown(checked)), kind="notice")
    else:
        box(say_html("ledger_intact", events=events), kind="done")
    against = workspace().ledger.contradiction
    if against is not None:
        box(say_html("public_problem", problem=against))
    problem = workspace().ledger.outside_problem
    if problem is not None:
        box(say_html("outside_problem", problem=problem))


def unfinished() -> None:
    """Show the plans that were charged and are not published; nothing where all are."""
    found = workspace().releases.unfinished(actor=actor())
    if not found:
        return
    box(fill("<p>{}</p>{}", counted("unfinished", len(found)), say_html("unfinished_text")), kind="warning")
    heads = ("unfinished_release", "population", "event_who", "event_at", "unfinished_far", "unfinished_cost")
    rows = [
        (
            each.id,
            each.charge.population,
            each.charge.actor,
            moment(each.charge.at),
            known(f"unfinished_{each.state}", each.state),
            budget.loss(each.charge.loss),
        )
        for each in found
    ]
    blocks.table(say("unfinished_caption"), [say(head) for head in heads], rows)
    if may("resume") and st.button(say("unfinished_finish")):
        with kindly(), st.spinner(say("unfinished_finishing")):
            failed = workspace().releases.resume(paced=True, actor=actor()).failed
            if not failed:
                session.flash("unfinished_done")
                st.rerun()
            box(say_html("unfinished_failed", why="; ".join(map(str, failed.values()))))


def overspent() -> None:
    """Show the releases that spend more than they were charged, with both figures; nothing where there is none."""
    found = workspace().ledger.overspent(actor=actor())
    if not found:
        return
    count = len({each.release for each in found})
    box(fill("<p>{}</p>{}", counted("overspent", count), say_html("overspent_text")))
    heads = ("overspent_release", "overspent_statistic", "overspent_true", "overspent_charged")
    blocks.table(say("overspent_caption"), [say(head) for head in heads], list(map(_excess, found)), numbers=(2, 3))


def _excess(found: Overspent) -> tuple[str, ...]:
    excess = found.excess
    if excess is None:
        return found.release, "", say("overspent_unknown", why=found.problem), ""
    figures = (
        (excess.symbol, say("overspent_unbounded") if each == inf else pointed(f"{each:.6g}"))
        for each in (excess.true, excess.charged)
    )
    return (
        found.release,
        excess.measurement,
        *(say("overspent_figure", symbol=symbol, figure=figure) for symbol, figure in figures),
    )
