"""The parts of the page that publishes. No refresh, no going back and no double click spends twice."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dprelease.bundle.display import shown
from dprelease.model.privacy import decimal_text
from dprelease.model.release import Release
from dprelease.store.plans import PlanRecord, PlanState
from dprelease.ui import blocks, budget, session
from dprelease.ui.complete import InHand
from dprelease.ui.decisions import decisions
from dprelease.ui.phrases import counted, day
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


def steps(hand: InHand) -> None:
    """What can be done now: finish what was begun, submit for review, publish, or publish once more."""
    record = _record(hand)
    if record is not None and any(each.plan_id == record.id for each in workspace().unfinished(actor=actor())):
        _finish(record)
        return
    earlier = [] if record is None else _published(record)
    if earlier:
        _already(hand, earlier)
    if session.in_team() and not _approved(hand, record):
        return
    if earlier:
        _once_more(hand)
    else:
        _first_time(hand)


def _record(hand: InHand) -> PlanRecord | None:
    """The plan as it was submitted for the present rows, if it was."""
    wanted = (hand.plan.hash, hand.dataset.name, hand.dataset.version)
    records = workspace().plans(actor=actor())
    return next((each for each in records if (each.plan_hash, each.dataset, each.dataset_version) == wanted), None)


def _published(record: PlanRecord) -> Sequence[Release]:
    """Releases of a submitted plan, newest first; their charges say which plan they are of."""
    if record.state is PlanState.SUBMITTED:
        return []
    found = workspace().releases(actor=actor())
    alike = [release for release in found if release.certificate["plan_hash"] == record.plan_hash]
    return [release for release in alike if _plan_of(release) == record.id]


def _plan_of(release: Release) -> str:
    before = release.certificate["ledger"]["seq"] - 1
    (charge,) = workspace().ledger(limit=1, offset=before, actor=actor())
    return str(charge.body["plan"])


def _approved(hand: InHand, record: PlanRecord | None) -> bool:
    """In a team: whether the plan may be published now; says what it waits for, and takes it there."""
    blocks.heading("publish_review")
    if record is None:
        blocks.text("publish_submit_text")
        _submit(hand, "publish_submit")
        return False
    last = next(reversed(workspace().decisions(record.id, actor=actor())), None)
    if record.state is PlanState.RETURNED and last is not None:
        box(say_html("publish_returned", name=last.actor, on=day(last.at), comment=last.comment), kind="warning")
        blocks.text("publish_returned_text")
        _submit(hand, "publish_resubmit")
        return False
    lapsed = workspace().approval_lapse(record.id, actor=actor())
    if record.state is PlanState.SUBMITTED:
        box(say_html("publish_waits", author=record.author, on=day(record.created)), kind="notice")
    elif lapsed is not None:
        box(say_html("publish_lapsed", reason=lapsed), kind="warning")
    elif last is not None:
        box(say_html("publish_approved", name=last.actor, on=day(last.at)), kind="done")
    decisions(record.id, hand.title)
    return record.state is not PlanState.SUBMITTED and lapsed is None


def _submit(hand: InHand, label: str) -> None:
    if st.button(say(label), type="primary"):
        with kindly():
            workspace().submit(hand.plan, actor=actor())
            session.flash("publish_submitted", title=hand.title)
            st.rerun()


def _finish(record: PlanRecord) -> None:
    """A charged plan: what is left to do costs nothing."""
    box(say_html("publish_unfinished"), kind="warning")
    if st.button(say("publish_finish"), type="primary"):
        with kindly(), st.spinner(say("publish_waiting")):
            _show(workspace().publish(record.id, actor=actor()))


def summary(hand: InHand) -> None:
    """What will be published, whose privacy it costs, what stays, who will see it."""
    now = workspace().budget(hand.population.name, actor=actor())
    after = workspace().budget_after(hand.price, actor=actor())
    blocks.heading("publish_summary")
    count = counted("statistics", len(hand.price.statistics))
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
            ("publish_who", say_html("publish_who_team" if session.in_team() else "publish_who_text")),
        ]
    )
    price_table(hand.price)


def _first_time(hand: InHand) -> None:
    """A plan that was not published yet: one tick and one button."""
    replaced = _replaced(hand)
    confirmed = st.checkbox(say("publish_confirm"), key=f"confirm-{session.visit()}-{hand.plan.hash}")
    epsilon = decimal_text(hand.price.epsilon)
    if st.button(say("publish_button", epsilon=epsilon), type="primary", disabled=not confirmed):
        _publish(hand, again=False, supersedes=replaced)


def _already(hand: InHand, earlier: Sequence[Release]) -> None:
    """A published plan: the way to its release."""
    box(say_html("publish_already", epsilon=decimal_text(hand.price.epsilon)), kind="notice")
    for release in earlier:
        link("release", say_label("releases_open", title=release.certificate["title"]), id=release.id)


def _once_more(hand: InHand) -> None:
    """The way to a second draw of a published plan.

    It is armed for one press: the first press disarms it before anything is spent, so a double click or a repeated
    message finds nothing to do.
    """
    epsilon = decimal_text(hand.price.epsilon)
    if st.session_state.get(session.ARMED) != hand.plan.hash:
        if st.button(say("publish_again")):
            st.session_state[session.ARMED] = hand.plan.hash
            st.rerun()
        return
    replaced = _replaced(hand)
    label = say_label("publish_again_confirm", title=hand.title, epsilon=epsilon)
    typed = st.text_input(label, key=f"again-{session.visit()}")
    if st.button(say("publish_again_button", epsilon=epsilon), type="primary"):
        if typed.strip() != hand.title.strip():
            box(say_html("publish_again_mismatch"))
        elif st.session_state.pop(session.ARMED, None) == hand.plan.hash:
            _publish(hand, again=True, supersedes=replaced)


def _replaced(hand: InHand) -> str | None:
    """The id of an earlier release of the population that this one takes the place of, if it does."""
    if not st.checkbox(say("publish_replaces"), key=f"replaces-{session.visit()}"):
        return None
    found = {
        release.id: release.certificate
        for release in workspace().releases(actor=actor())
        if release.certificate["population"]["name"] == hand.population.name
    }
    if not found:
        blocks.note("publish_supersedes_none")
        return None
    return st.selectbox(
        say("publish_supersedes"),
        list(found),
        index=None,
        placeholder=say("choose"),
        format_func=lambda each: say("publish_supersedes_one", title=found[each]["title"], on=found[each]["published"]),
        help=say("publish_supersedes_help"),
        key=f"supersedes-{session.visit()}",
    )


def _publish(hand: InHand, *, again: bool, supersedes: str | None) -> None:
    """Publishes; in a solo workspace its one person submits and approves on the way."""
    ws = workspace()
    with kindly(), st.spinner(say("publish_waiting")):
        plan_id = ws.submit(hand.plan, actor=actor())
        if not session.in_team() and ws.approval_lapse(plan_id, actor=actor()) is not None:
            ws.approve(plan_id, actor=actor())
        _show(ws.publish(plan_id, again=again, supersedes=supersedes, actor=actor()))


def _show(release: Release) -> None:
    st.session_state[session.PUBLISHED] = release.id
    st.rerun()
