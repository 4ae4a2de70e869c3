"""A publication while it goes on: which step it is at, and the way to the release once it is there."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dprelease.statistics import Plan
from dprelease.ui.kit import session
from dprelease.ui.kit.blocks import heading, text
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.problems import kindly
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.screens import go
from dprelease.ui.words import say
from dprelease.workspace import ReleaseState
from dprelease.workspace.jobs import Job, Stage

QUICK = 0.4
"""Seconds within which most publications of small tables are over; a page waits no longer than this."""
OFTEN = 0.7
"""Seconds between two looks."""


def begin(plan: Plan | str, *, again: bool = False, supersedes: str | None = None, **said: Any) -> None:
    """Publish in the background and watch it. One that is under way is only watched. `said`: of its hour, if any."""
    watch(workspace().releases.start(plan, again=again, supersedes=supersedes, **said, actor=actor()))


def watch(job: Job) -> None:
    """Go on watching a publication that has begun."""
    st.session_state[session.WATCHED] = job.plan_id
    job.ended.wait(QUICK)
    st.rerun()


def going_on(title: str) -> bool:
    """Show the publication that this tab began, or that its person did; open the release once it is there.

    A refreshed page finds it again. What stopped a publication is said once; what was charged stays to be finished.
    """
    job = _watched()
    if job is None:
        return False
    if job.runs:
        st.session_state[session.WATCHED] = job.plan_id
        st.title(title, anchor=False)
        heading("publish_going_on")
        _stages(job.plan_id)
        text("publish_going_on_text")
        return True
    st.session_state.pop(session.WATCHED, None)
    if any(each.id == job.release_id for each in workspace().embargoes.find(actor=actor())):
        session.flash("embargo_done", title=title)
        go("desk")
    if job.release_id is not None:
        title = workspace().releases.get(job.release_id, actor=actor()).certificate.title
        session.flash("publish_done", title=title)
        go("releases", release=job.release_id)
    with kindly():
        if job.error is not None:
            raise job.error
    return False


def _watched() -> Job | None:
    """Return the publication that this tab watches, else one that its person began and that still runs."""
    plan_id, name = st.session_state.get(session.WATCHED), actor().name
    jobs = workspace().releases.publishing(actor=actor())
    watched = next((job for job in jobs if job.plan_id == plan_id), None)
    return watched or next((job for job in jobs if job.by == name and job.runs), None)


@st.fragment(run_every=OFTEN)
def _stages(plan_id: str) -> None:
    """Show the stages by name, never by time."""
    job = next((each for each in workspace().releases.publishing(actor=actor()) if each.plan_id == plan_id), None)
    if job is None or not job.runs:
        st.rerun()
    stages = list(Stage)
    now = stages.index(job.stage)
    lines = []
    for place, stage in enumerate(stages):
        state = "done" if place < now else "now" if place == now else "later"
        lines.append(
            fill(
                '<li class="dp-{}"{}>{} <span class="dp-state">{}</span></li>',
                state,
                fill(' aria-current="step"') if state == "now" else "",
                say(f"step_{stage}"),
                say(f"state_{state}"),
            )
        )
    st.html(fill('<ol class="dp-progress" role="status">{}</ol>', joined(lines)))


def charged() -> set[str]:
    """Return the ids of the plans whose release is charged and not published."""
    unfinished = workspace().releases.unfinished(actor=actor())
    return {each.plan_id for each in unfinished if each.state is not ReleaseState.PUBLISHED}
