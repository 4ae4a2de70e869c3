"""What stands between the draft and a release, each in one sentence with the button that mends it."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from dprelease.charts.display import shown
from dprelease.errors import Problem
from dprelease.ui.kit import budget
from dprelease.ui.kit.problems import box, show_problems
from dprelease.ui.kit.session import actor, may, workspace
from dprelease.ui.review.decisions import returned
from dprelease.ui.review.talk import Talk
from dprelease.ui.screens import link
from dprelease.ui.words import say, say_html
from dprelease.ui.workbench.asking import Dialog, ask
from dprelease.ui.workbench.drafts import staleness
from dprelease.ui.workbench.standing import Standing, statistic_of
from dprelease.ui.workbench.submitted import returned_plan
from dprelease.workspace import PlanRecord

MENDED_IN: Mapping[str, Dialog] = {
    "plan_needs_epsilon": "meaning",
    "plan_needs_max_rows": "rows",
    "plan_needs_own_epsilon": "edit",
    "plan_needs_target": "edit",
}
"""Which dialog answers what is missing."""


def troubles(standing: Standing) -> None:
    """Shows them above the component; nothing where there are none."""
    staleness(standing.draft)
    before = returned_plan(standing.draft, standing.dataset)
    if before is not None:
        _returned(before)
    if standing.missing in MENDED_IN:
        _missing(standing)
    elif standing.problems:
        _wrong(standing)
    elif standing.bench is not None and not standing.affordable:
        _over(standing)


def _returned(record: PlanRecord) -> None:
    """Why it came back; what was said of it and of the versions before it, and a way to answer."""
    plans = workspace().plans
    last = next(reversed(plans.decisions(record.id, actor=actor())), None)
    if last is not None:
        returned(last)
    talk = Talk(record.id, plans.remarks(record.id, actor=actor()), may_review=False, may_answer=may("answer"))
    if talk.remarks:
        with st.expander(say("bench_talk", talk.open, count=shown(talk.open)), key="bench-talk"):
            talk.said(talk.remarks)


def _missing(standing: Standing) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="bench-missing"):
        box(say_html(standing.missing, unit=standing.population.unit), kind="notice")
        if st.button(say("bench_answer"), key="bench-answer"):
            if MENDED_IN[standing.missing] == "edit":
                standing.draft.selected = next(
                    (item.key for item in standing.draft.statistics if item.unanswered), None
                )
            ask(MENDED_IN[standing.missing])


def _wrong(standing: Standing) -> None:
    """The first problem, and the way to mend it; how many more there are is on the rows."""
    first: Problem = standing.problems[0]
    place = statistic_of(first)
    with st.container(key="bench-wrong"):
        show_problems([first])
        if st.button(say("bench_mend_it"), key="bench-mend"):
            if place is not None and place < len(standing.draft.statistics):
                standing.draft.selected = standing.draft.statistics[place].key
                ask("edit")
            else:
                ask("goals" if first.path.startswith("accept") else _dialog(first.path))


def _dialog(path: str) -> Dialog:
    if path.endswith(("epsilon", "delta")):
        return "meaning"
    return "title" if path.startswith(("title", "description")) else "rows"


def _over(standing: Standing) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="bench-over"):
        left = budget.left(standing.account)
        box(say_html("budget_over", population=standing.population.name, left=left))
        link("data", say("bench_ask_cap"))
