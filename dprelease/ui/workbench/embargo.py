"""The hour of a publication: asked before it is charged, and changed or given up while the release waits for it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.problems import act, box
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say, say_html
from dprelease.workspace.embargo import EmbargoedRelease

PARTS = 3


def hour(key: str = "", *, edition: bool = False) -> dict[str, Any]:
    """Ask whether the release waits for an hour, which, who sees it before, and if the calendar names it.

    Returns the arguments of a publication; none where it is public at once. `key`: of one of several on a page.
    `edition`: of a run, for which nothing is charged.
    """
    key = f"embargo-{key}-{session.visit()}"
    if not st.checkbox(say("embargo_wanted"), key=key):
        return {}
    due = st.text_input(
        say("embargo_due"), placeholder="2027-01-15T09:00", help=say("embargo_due_help"), key=f"{key}-due"
    )
    lines = st.text_area(say("embargo_readers"), help=say("embargo_readers_help"), height=68, key=f"{key}-readers")
    untitled = st.checkbox(say("embargo_untitled"), help=say("embargo_untitled_help"), key=f"{key}-untitled")
    blocks.note("embargo_of_edition" if edition else "embargo_text")
    return {"due": due.strip(), "readers": [_reader(each) for each in lines.splitlines() if each.strip()]} | (
        {"untitled": True} if untitled else {}
    )


def _reader(line: str) -> dict[str, str]:
    """Read a line `name; office; instant`."""
    parts = [each.strip() for each in line.split(";")]
    name, office, since = (parts + [""] * PARTS)[:PARTS]
    return {"name": name, "office": office, "from": since}


def of_plan(plan_id: str) -> list[EmbargoedRelease]:
    """Return the releases of a plan that wait for their hour."""
    return [each for each in workspace().embargoes.find(actor=actor()) if each.plan_id == plan_id]


def waits(release: EmbargoedRelease) -> None:
    """Show a release that waits for its hour: where it can be seen before, and the ways to change that."""
    box(say_html("embargo_waits", due=release.due), kind="notice")
    st.html(fill('<a href="/own/release/{}/" target="_blank">{}</a>', release.id, say("embargo_see")))
    for asked in release.asked:
        said = say("embargo_at_once") if asked["due"] == "now" else asked["due"] or say("embargo_never")
        blocks.note("embargo_asked", name=asked["by"], due=said, reason=asked["reason"])
    with st.expander(say("embargo_change")), st.form(f"embargo-{release.id}", border=False):
        due = st.text_input(say("embargo_due"), placeholder=release.due, help=say("embargo_due_help"))
        reason = st.text_input(say("embargo_reason"), help=say("embargo_reason_help"))
        with st.container(horizontal=True):
            move = st.form_submit_button(say("embargo_move"))
            now = st.form_submit_button(say("embargo_now"))
            cancel = st.form_submit_button(say("embargo_cancel"))
    done = "embargo_asked_done" if session.in_team() and not release.asked else "embargo_changed"
    if move:
        act(done, lambda: workspace().embargoes.move(release.id, due.strip(), reason=reason, actor=actor()))
    elif now:
        act(done, lambda: workspace().embargoes.open_now(release.id, reason=reason, actor=actor()))
    elif cancel:
        act(done, lambda: workspace().embargoes.cancel(release.id, reason=reason, actor=actor()))
