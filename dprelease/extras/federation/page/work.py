"""Next step of this site in a round: sign the roster, contribute, publish, or end it."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from dprelease.extras.federation.federations import Progress, rounds_of
from dprelease.extras.federation.folder import BUNDLE, ROSTER
from dprelease.extras.federation.messages import ACCOUNT, KEY, SUM
from dprelease.extras.federation.page.telling import openly, tried
from dprelease.extras.federation.round_files import STEPS, RoundStatus
from dprelease.model.plan import Plan
from dprelease.statistics.planning.price import Price
from dprelease.ui.kit import blocks, budget
from dprelease.ui.kit.session import actor, in_team, workspace
from dprelease.ui.screens import link
from dprelease.ui.words import say, say_html, say_label
from dprelease.ui.workbench.prices import error
from dprelease.workspace import PlanRecord, PlanState

A_LIST = 50
WIDTH = 480


def work(found: RoundStatus) -> None:
    """Show the next thing to do, and nothing where the round is over or of others."""
    if found.own is None or found.void_by or found.release:
        return
    blocks.heading("rounds_next")
    if not found.own.step:
        blocks.text("rounds_join_note")
        if st.button(say("rounds_join"), type="primary"):
            tried(lambda: _told(rounds_of(workspace()).join(found.folder, actor=actor())))
        return
    if unsigned := found.missing(ROSTER):
        blocks.text("rounds_wait_join", sites=", ".join(unsigned))
        return
    plan = _plan()
    if plan is None:
        return
    if found.missing(SUM):
        _contribute(found, plan)
    else:
        _publish(found, plan)


def _plan() -> PlanRecord | None:
    """Return the plan that this site's own people approved."""
    records = workspace().plans.find(latest=A_LIST, actor=actor())
    usable = [each for each in reversed(records) if each.state is not PlanState.RETURNED]
    if not usable:
        blocks.text("rounds_no_plan")
        link("workbench", say("workbench_nav"))
        return None
    titles = {each.id: f"{each.mapping.get('title') or each.dataset} · {each.id}" for each in usable}
    return st.selectbox(
        say("rounds_plan"), usable, format_func=lambda each: titles[each.id], key="rounds-plan", width=WIDTH
    )


def _contribute(found: RoundStatus, plan: PlanRecord) -> None:
    with openly():
        price = rounds_of(workspace()).foreseen_sum(found.name, plan.id, actor=actor())
        _foreseen(price)
        if in_team() and (lapse := workspace().plans.lapse(plan.id, actor=actor())) is not None:
            blocks.text("rounds_not_approved", why=lapse)
            link("review", say("review_nav"))
            return
        attempt = found.attempt
        if found.plan is None:
            attempt = int(st.number_input(say("rounds_attempt"), 1, value=1, key="rounds-attempt", width=300))
            blocks.note("rounds_attempt_note")
        if found.charge:
            blocks.note("rounds_charged")
            agreed = True
        else:
            blocks.markup(say_html("rounds_charges", loss=budget.loss(price.loss, price.currency)))
            agreed = st.checkbox(say_label("rounds_agree"), key=f"rounds-agree-{plan.id}")
        _progress(found)
        look: Literal["primary", "secondary"] = "secondary" if _late(found) else "primary"
        if st.button(say("rounds_go_on" if found.charge else "rounds_contribute"), type=look, disabled=not agreed):
            given: Plan | str = plan.id if in_team() else Plan.parse(plan.mapping)
            with st.spinner(say("rounds_busy")):
                tried(
                    lambda: _told(
                        rounds_of(workspace()).contribute(
                            found.folder, given, attempt=attempt, paced=True, actor=actor()
                        )
                    )
                )


def _progress(found: RoundStatus) -> None:
    """Show the number of steps that this site has taken, up to the sum."""
    assert found.own is not None
    steps = STEPS[: STEPS.index(SUM) + 1]
    done = steps.index(found.own.step) + 1 if found.own.step in steps else len(steps)
    st.progress(done / len(steps), text=say("rounds_progress", done=done, steps=len(steps)), width=WIDTH)
    _waits(found)


def _waits(found: RoundStatus) -> None:
    """Show whose files have to come before this site's next step."""
    if late := _late(found):
        blocks.note("rounds_waits", sites=", ".join(late))
        if found.own is not None and found.own.step == SUM:
            blocks.note("rounds_stalled", sites=", ".join(late))


def _late(found: RoundStatus) -> tuple[str, ...]:
    """Return the sites that are not where this one is: it cannot go on without them."""
    return found.missing(found.own.step) if found.own is not None else ()


def _foreseen(price: Price) -> None:
    """Show the expected error of the sum, from the noise of all sites: of metadata alone."""
    schema = price.plan.schema
    rows = [(item.id, error(item, schema)) for item in price.statistics]
    with st.expander(say("rounds_foreseen")):
        blocks.note("rounds_foreseen_note")
        blocks.table(say("rounds_foreseen"), [say("price_statistic"), say("rounds_error")], rows, whole=True)


def _publish(found: RoundStatus, plan: PlanRecord) -> None:
    first = found.federation.sites[0]
    blocks.text("rounds_publish_note", first=first.name)
    _waits(found)
    assert found.own is not None
    late, comes = _late(found), found.own.site != first and not (found.folder / BUNDLE).exists()
    if awaits := found.own.step == ACCOUNT and comes and not late:
        blocks.note("rounds_waits_bundle", first=first.name)
    if st.button(say("rounds_publish"), type="secondary" if late or awaits else "primary"):
        with st.spinner(say("rounds_busy")):
            tried(lambda: _told(rounds_of(workspace()).publish(found.folder, plan.id, actor=actor())))


def _told(progress: Progress) -> tuple[str, dict[str, object]]:
    """Return the message after a step, with the sites that it waits for."""
    if progress.release is not None:
        return "rounds_done_published", {}
    if progress.waiting:
        return "rounds_done_waits", {"sites": ", ".join(progress.waiting)}
    return "rounds_done_all", {}


def end(found: RoundStatus) -> None:
    """Make a round void, which is for ever."""
    begun = STEPS[STEPS.index(KEY) : STEPS.index(SUM)]  # before its key a site has no round, and no charge
    if found.own is None or found.void_by or found.plan is None or found.own.step not in begun:
        return
    with st.expander(say("rounds_end")):
        blocks.note("rounds_end_note")
        agreed = st.checkbox(say("rounds_end_agree"), key="rounds-end-agree")
        if st.button(say("rounds_end_button"), disabled=not agreed):
            tried(lambda: _ended(found))


def _ended(found: RoundStatus) -> tuple[str, dict[str, object]]:
    rounds_of(workspace()).make_void(found.folder, actor=actor())
    return "rounds_ended", {}
