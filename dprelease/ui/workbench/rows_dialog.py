"""The units, the rows used and how many, and what concerns all statistics."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dprelease.model.plan import MINIMISE, STEPS, WEIGHTS
from dprelease.statements.display import margin, shown
from dprelease.statistics.planning.together import together
from dprelease.ui.kit import blocks, budget, fields
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.session import DATASET, actor, visit, workspace
from dprelease.ui.words import say, say_label
from dprelease.ui.workbench.asking import done
from dprelease.ui.workbench.conditions import conditions
from dprelease.ui.workbench.draft import ITSELF, Draft
from dprelease.ui.workbench.draft_status import DraftStatus
from dprelease.ui.workbench.saving import save
from dprelease.ui.workbench.steps import join

EXPECTED_MOST = 10**12
LIMITS: dict[str, Any] = {"min_value": 1, "max_value": 1_000_000, "step": 1}


def rows_dialog(standing: DraftStatus) -> None:
    """Ask for the dataset, the rows used and the settings of all statistics, and read them into the draft."""
    draft, key = standing.draft, f"rows-{visit()}-{standing.draft.generation}"
    _dataset(draft, key)
    _units(standing, key)
    blocks.heading("plan_where")
    if not draft.where:
        blocks.note("plan_where_all")
    conditions(draft.where, standing.schema, key)
    blocks.heading("bench_all_statistics")
    _settings(draft, key)
    _compared(standing)
    _together(standing)
    save(draft)
    done()


def open_questions(standing: DraftStatus) -> None:
    """Ask in a sentence each for what the plan lacks: rows of one unit, and about how many rows there are."""
    draft = standing.draft
    if draft.max_rows is None and standing.dataset.unit_column is not None:
        _question(draft, "max_rows", say("plan_needs_max_rows", unit=standing.population.unit), LIMITS)
    if draft.expected_rows is None:
        _question(draft, "expected_rows", say("bench_ask_expected"), {**LIMITS, "max_value": EXPECTED_MOST})


def _question(draft: Draft, name: str, words: str, limits: dict[str, Any]) -> None:
    key = f"bench-ask-{name}-{visit()}-{draft.generation}"
    with st.container(horizontal=True, vertical_alignment="center", key=f"bench-ask-{name}"):
        st.html(fill('<p class="dp-note">{}</p>', words), width="content")
        more: dict[str, Any] = {"label_visibility": "collapsed", "width": 200, "placeholder": say("bench_ask_number")}
        st.number_input(words, value=None, key=key, on_change=_answer, args=(draft, name, key), **limits, **more)


def _answer(draft: Draft, name: str, key: str) -> None:
    """Take an answer into the draft before the page is drawn again."""
    setattr(draft, name, st.session_state[key])
    save(draft)


def _dataset(draft: Draft, key: str) -> None:
    """Offer another dataset for the same statistics, such as next year's."""
    names = [item.name for item in workspace().datasets.find(actor=actor()) if item.schema.columns]
    if len(names) < 2:
        return
    chosen = st.selectbox(say("plan_dataset"), names, key=fields.begin(f"{key}-dataset", draft.dataset))
    if chosen != draft.dataset:
        draft.dataset = st.session_state[DATASET] = chosen
        save(draft)
        st.rerun()


def _units(standing: DraftStatus, key: str) -> None:
    draft, population = standing.draft, standing.population
    unit = population.unit
    relation = budget.relation(population)
    blocks.text("plan_unit_is", unit=unit, what=budget.unit_of(standing.dataset), relation=relation)
    places = iter(st.columns(2 if standing.dataset.unit_column is None else 3, vertical_alignment="bottom"))
    if standing.dataset.unit_column is not None:
        with next(places):
            more = {"help": say("plan_max_rows_help"), **LIMITS}
            draft.max_rows = fields.number(say_label("plan_max_rows", unit=unit), f"{key}-max", draft.max_rows, **more)
        with next(places):
            more = {"help": say("plan_max_groups_help"), **LIMITS}
            label = say_label("plan_max_groups", unit=unit)
            draft.max_groups = fields.number(label, f"{key}-groups", draft.max_groups, **more)
    with next(places):
        more = {"help": say("plan_expected_help"), "min_value": 1, "max_value": EXPECTED_MOST, "step": 1}
        draft.expected_rows = fields.number(say("plan_expected"), f"{key}-expected", draft.expected_rows, **more)


def _settings(draft: Draft, key: str) -> None:
    left, right = st.columns(2)
    draft.weights = left.selectbox(
        say("plan_weights"),
        (ITSELF, "", *WEIGHTS),
        key=fields.begin(f"{key}-weights", draft.weights),
        format_func=lambda way: say(f"weights_{way or 'own'}"),
        help=say("plan_weights_help"),
    )
    with right:
        draft.postprocess = fields.some_of(
            say("plan_postprocess"),
            f"{key}-postprocess",
            STEPS,
            draft.postprocess,
            format_func=lambda step: say(f"step_{step}"),
            help=say("plan_postprocess_help"),
            placeholder=say("step_open"),
        )


def _compared(standing: DraftStatus) -> None:
    """Show in a line how certain the least certain statistic is, and what the other way of sharing would give."""
    found = None if standing.bench is None else standing.bench.compared()
    if found is not None:
        now, other = (margin(100 * error) for error in found)
        by = "own" if standing.bench is not None and standing.bench.plan.weights else MINIMISE
        blocks.note(f"weights_compared_{by}", now=now, other=other)


def _together(standing: DraftStatus) -> None:
    """Show tables that would err less as one family, and the button that makes them one."""
    found = None if standing.bench is None else together(standing.bench.price)
    if found is None:
        return
    least, most, after = (margin(each) for each in (found.least, found.most, found.after))
    many = len(found.ids)
    key = "together_one" if least == most else "together"
    blocks.note(key, count=shown(many), least=least, most=most, after=after)
    if st.button(say("together_do", count=shown(many)), key="rows-together"):
        join(standing.draft, found)
        st.rerun()
