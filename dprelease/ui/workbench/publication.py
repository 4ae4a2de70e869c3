"""The steps to publish a plan. No refresh, no going back and no double click spends twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from dprelease.model.release import Release
from dprelease.statements.display import exact
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.phrases import day
from dprelease.ui.kit.problems import box, kindly
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.review.decisions import decisions, returned
from dprelease.ui.screens import link, read
from dprelease.ui.words import say, say_html, say_label
from dprelease.ui.workbench import embargo
from dprelease.ui.workbench.asking import once_more
from dprelease.ui.workbench.draft import current
from dprelease.ui.workbench.progress import begin, charged
from dprelease.ui.workbench.recurring import open_run, told
from dprelease.ui.workbench.saving import save
from dprelease.ui.workbench.submitted import returned_plan
from dprelease.ui.workbench.summary import InHand
from dprelease.words.phrases import visible
from dprelease.workspace import PlanRecord, PlanState


def steps(hand: InHand) -> None:
    """Show what can be done now: finish what was begun, submit for review, publish, or publish once more."""
    record = submitted(hand)
    if hand.plan.run is not None:
        _run(hand, record)
        return
    if record is not None and record.id in charged():
        _finish(record)
        return
    for release in [] if record is None else embargo.of_plan(record.id):
        embargo.waits(release)
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


def _run(hand: InHand, record: PlanRecord | None) -> None:
    """Show what a run costs, and the one button that opens it; one that is open goes on at the desk."""
    told(hand)
    for run in workspace().runs.find(actor=actor()):
        if record is not None and run.plan.id == record.id:
            box(say_html("run_is_open", run=run.name), kind="done")
            link("desk", say("run_desk"))
            return
    if not session.in_team() or _approved(hand, record):
        open_run(hand)


def submitted(hand: InHand) -> PlanRecord | None:
    """Return the plan as it was submitted for the present rows, if it was."""
    wanted = (hand.plan.whole.hash, hand.dataset.name, hand.dataset.version)
    records = workspace().plans.find(dataset=hand.dataset.name, plan_hash=hand.plan.whole.hash, actor=actor())
    return next((each for each in records if (each.plan_hash, each.dataset, each.dataset_version) == wanted), None)


def _published(record: PlanRecord) -> Sequence[Release]:
    """Return releases of a submitted plan, newest first."""
    if record.state is PlanState.SUBMITTED:
        return []
    return workspace().releases.find(plan_id=record.id, actor=actor())


def _approved(hand: InHand, record: PlanRecord | None) -> bool:
    """Return, in a team, whether the plan may be published now; say what it waits for, and take it there."""
    blocks.heading("publish_review")
    if record is None:
        blocks.text("publish_submit_text")
        _submit(hand, "publish_submit")
        return False
    last = next(reversed(workspace().plans.decisions(record.id, actor=actor())), None)
    if record.state is PlanState.RETURNED and last is not None:
        returned(last)
        blocks.text("publish_returned_text")
        return False
    lapsed = workspace().plans.lapse(record.id, actor=actor())
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
        with kindly(), st.spinner(say("publish_checking")):
            draft = current()
            before = returned_plan(draft, hand.dataset)
            follows = None if before is None else before.id
            draft.plan_id = workspace().plans.submit(hand.plan, follows=follows, actor=actor())
            save(draft)
            session.flash("publish_submitted", title=hand.title)
            st.rerun()


def _finish(record: PlanRecord) -> None:
    """Show a charged plan: what is left to do costs nothing."""
    box(say_html("publish_unfinished"), kind="warning")
    if st.button(say("publish_finish"), type="primary"):
        with kindly():
            begin(record.id)


def _first_time(hand: InHand) -> None:
    """Show one button for a plan that was not published yet."""
    replaced, said = _replaced(hand), embargo.hour()
    if st.button(say("publish_button", epsilon=exact(hand.price.epsilon)), type="primary", key="publish-now"):
        _publish(hand, again=False, supersedes=replaced, **said)


def _typed(hand: InHand) -> bool:
    """Return True if the title was typed, letter by letter, and the button pressed. Spaces around it do not matter."""
    epsilon = exact(hand.price.epsilon)
    with st.form(f"publish-again-{session.visit()}-{hand.plan.hash}", border=False):
        label = say_label("publish_again_confirm", title=hand.title, epsilon=epsilon)
        typed = st.text_input(label, help=say("publish_confirm_help"), autocomplete="off")
        pressed = st.form_submit_button(say("publish_again_button", epsilon=epsilon), type="primary")
    if not pressed:
        return False
    right = typed.strip() in (hand.title.strip(), visible(hand.title).strip())
    if not right:
        box(say_html("publish_mismatch", title=hand.title))
    return right


def _already(hand: InHand, earlier: Sequence[Release]) -> None:
    """Show a published plan: the way to its release."""
    box(say_html("publish_already", epsilon=exact(hand.price.epsilon)), kind="notice")
    for release in earlier:
        read(release.id, say("releases_open", title=release.certificate.title))


def _once_more(hand: InHand) -> None:
    """Show the way to a second draw of a published plan.

    It is armed for one press: the first press disarms it before anything is spent, so a double click or a repeated
    message finds nothing to do.
    """
    if st.session_state.get(session.ARMED) != hand.plan.hash:
        if st.button(say("publish_again")):
            st.session_state[session.ARMED] = hand.plan.hash
            once_more()
        return
    replaced, said = _replaced(hand), embargo.hour()
    if _typed(hand) and st.session_state.pop(session.ARMED, None) == hand.plan.hash:
        _publish(hand, again=True, supersedes=replaced, **said)


def _replaced(hand: InHand) -> str | None:
    """Ask for an earlier release of the population that this one takes the place of, if it does; return its id."""
    if not st.checkbox(say("publish_replaces"), key=f"replaces-{session.visit()}"):
        return None
    found = {each.id: each for each in workspace().releases.named(hand.population.name, actor=actor())}
    if not found:
        blocks.note("publish_supersedes_none")
        return None
    return st.selectbox(
        say("publish_supersedes"),
        list(found),
        index=None,
        placeholder=say("choose"),
        format_func=lambda each: say("publish_supersedes_one", title=found[each].title, on=day(found[each].day)),
        help=say("publish_supersedes_help"),
        key=f"supersedes-{session.visit()}",
    )


def _publish(hand: InHand, *, again: bool, supersedes: str | None, **said: Any) -> None:
    with kindly(), st.spinner(say("publish_checking")):
        begin(hand.plan, again=again, supersedes=supersedes, **said)
