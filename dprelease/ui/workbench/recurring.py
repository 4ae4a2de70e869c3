"""The choice between publishing once and publishing every period, and what a run costs before it is opened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dprelease.accounting.shares import times
from dprelease.model.column_fields import ColumnType
from dprelease.model.recurring import ALL, EVERY, EXAMPLES
from dprelease.statements.display import exact, shown
from dprelease.ui.kit import blocks, fields
from dprelease.ui.kit.problems import box, kindly
from dprelease.ui.kit.session import actor, flash, workspace
from dprelease.ui.screens import go
from dprelease.ui.words import say, say_html
from dprelease.ui.workbench.draft_status import DraftStatus
from dprelease.ui.workbench.summary import InHand

ONCE = "once"


def recurring(standing: DraftStatus, key: str) -> Mapping[str, Any]:
    """Ask if the plan is published once or every period, and return its run; empty where it is once."""
    now = standing.draft.run
    dates = [each.name for each in standing.dataset.schema if each.type is ColumnType.DATE and each.made is None]
    if not dates:
        return {}
    chosen = fields.one_of(
        say("run_every"),
        f"{key}-every",
        [ONCE, *EVERY],
        now.get("every", ONCE),
        format_func=lambda each: say(f"run_{each}"),
    )
    if chosen in (None, ONCE):
        return {}
    column = fields.one_of(say("run_column"), f"{key}-column", dates, now.get("column", dates[0])) or dates[0]
    left, right, most = st.columns(3)
    with left:
        first = fields.text(say("run_first"), f"{key}-first", str(now.get("first", "")), placeholder=EXAMPLES[chosen])
    with right:
        last = fields.text(say("run_last"), f"{key}-last", str(now.get("last", "")), placeholder=EXAMPLES[chosen])
    with most:
        unit = standing.population.unit
        typed = fields.text(
            say("run_most", unit=unit), f"{key}-most", str(now.get("at_most", 1)), help=say("run_most_help")
        )
    number = int(typed) if typed.strip().isdecimal() else typed.strip() or ALL
    return {"column": column, "every": chosen, "first": first.strip(), "last": last.strip(), "at_most": number}


def told(hand: InHand) -> None:
    """Say what the run costs beside single releases, what is attested, and who drops out of it."""
    run = hand.plan.run
    assert run is not None
    periods, factor, unit = len(run.periods), run.factor(hand.plan.neighbors), hand.population.unit
    single = times(hand.price.edition_loss, periods)
    costs = {"symbol": single.symbol, "cost": exact(hand.price.loss.amount), "single": exact(single.amount)}
    blocks.heading("run_head")
    blocks.text("run_cost", periods=shown(periods), factor=shown(factor), **costs)
    if run.is_ordered(hand.plan.unit.column):
        box(say_html("run_trap", most=shown(run.most), unit=unit, periods=shown(periods)), kind="warning")
        blocks.text("run_attests_unit", first=run.first)
    elif run.most < periods:
        blocks.text("run_attests_row")


def open_run(hand: InHand) -> None:
    """Show the one button that charges all editions."""
    if st.button(say("run_open", epsilon=exact(hand.price.epsilon)), type="primary", key="run-open"):
        with kindly(), st.spinner(say("publish_checking")):
            run = workspace().runs.open(hand.plan, actor=actor())
            flash("run_opened", run=run.name)
            go("desk")
