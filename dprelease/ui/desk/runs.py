"""Runs on the desk: a strip of periods each, and one button for the edition that is due."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from dprelease.statements.display import shown
from dprelease.ui.desk.card import card, line
from dprelease.ui.kit import blocks, budget
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.problems import box, kindly
from dprelease.ui.kit.session import actor, may, workspace
from dprelease.ui.screens import read
from dprelease.ui.words import say, say_html
from dprelease.ui.workbench.embargo import hour
from dprelease.ui.workbench.progress import watch
from dprelease.words.sentences import Html
from dprelease.workspace import OpenedRun, due

MOST = 4
STRIP = 60
"""Periods of a strip; of a longer run those around the one that is due."""


def runs() -> None:
    """Show the runs in which an edition may still begin; nothing where there is none."""
    found = [each for each in workspace().runs.find(actor=actor()) if each.open_periods or each.unfinished]
    if not found:
        return
    with card("runs"):
        for run in found[:MOST]:
            _run(run)
        if len(found) > MOST:
            blocks.note("desk_more", count=shown(len(found) - MOST))


def _run(run: OpenedRun) -> None:
    published = [each for each in run.editions if each.state == "published"]
    people = workspace().populations.of(run.plan.dataset, actor=actor())
    about = say_html(
        "desk_run",
        published=shown(len(published)),
        periods=shown(len(run.recurrence.periods)),
        loss=budget.loss(run.charge.loss),
        unit=people.unit,
        relation=budget.relation(people),
        spent=budget.spent(workspace().populations.budget(people.name, actor=actor())),
    )
    title = run.plan.mapping.get("title") or run.name
    with st.container(key=f"row-run-{run.name}"):
        line(title, about)
        period = due(run, datetime.now(UTC).date())
        st.html(_strip(run, period))
        if published:
            read(published[-1].release, say("desk_run_last", period=published[-1].period))
        if run.embargoed is not None:
            blocks.note("desk_run_sealed", period=run.embargoed.period)
        if period is not None and may("publish"):
            _due(run, period)


def _due(run: OpenedRun, period: str) -> None:
    """Show the button of the edition that is due, and ask for its hour; periods that it closes are confirmed."""
    closes = [name for name in run.open_periods if name < period] if run.is_ordered and run.unfinished is None else []
    sure = True
    if closes:
        box(say_html("desk_run_closes", period=period, periods=", ".join(closes)), kind="warning")
        sure = st.checkbox(say("desk_run_sure"), key=f"run-sure-{run.name}-{period}")
    said = hour(run.name, edition=True) if run.unfinished is None else {}
    if st.button(say("desk_run_publish", period=period), key=f"run-{run.name}", disabled=not sure) and sure:
        with kindly(), st.spinner(say("publish_checking")):
            watch(workspace().runs.start(run.name, period, **said, actor=actor()))


def _strip(run: OpenedRun, period: str | None) -> Html:
    """Return one box a period, told apart by shape; each says its state to whoever cannot see it."""
    names = run.recurrence.periods
    at = names.index(period) if period in names else len(run.editions)
    first = max(0, min(at - STRIP // 2, len(names) - STRIP))
    states = {each.period: each.state.value for each in run.editions} | dict.fromkeys(run.closed, "closed")
    boxes = []
    for name in names[first : first + STRIP]:
        state = "next" if name == period and name not in states else states.get(name, "ahead")
        state = {"charged": "begun", "sealed": "begun", "lost": "closed"}.get(state, state)
        boxes.append(
            fill('<li class="dp-period-{}" title="{}">{}</li>', state, f"{name}: {say(f'period_{state}')}", name)
        )
    return fill('<ol class="dp-periods" aria-label="{}">{}</ol>', say("desk_run_strip"), joined(boxes))
