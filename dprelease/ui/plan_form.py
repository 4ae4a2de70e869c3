"""The sections of the plan's page. Each reads its fields into the draft."""

from __future__ import annotations

import re
from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dprelease.errors import InputError, Problem
from dprelease.model.plan import STEPS, WEIGHTS
from dprelease.model.population import Dataset, Population
from dprelease.model.statistic import KINDS
from dprelease.statistics import Plan
from dprelease.statistics.price import Price
from dprelease.ui import blocks, budget, fields
from dprelease.ui.cards import judge, kind_words, statistic_card
from dprelease.ui.conditions import conditions
from dprelease.ui.draft import Draft, StatisticDraft, as_yaml, keep
from dprelease.ui.figures import figures
from dprelease.ui.prices import price_table
from dprelease.ui.problems import box, kindly, show_problems
from dprelease.ui.screens import go
from dprelease.ui.session import actor, flash, visit, workspace
from dprelease.ui.words import say, say_label

STATISTIC = re.compile(r"statistics\[([0-9]+)\]")
EXPECTED_MOST = 10**12


def prefix(draft: Draft) -> str:
    return f"plan-{visit()}-{draft.generation}"


def titled(draft: Draft) -> None:
    draft.title = fields.text(
        say("plan_name"), f"{prefix(draft)}-title", draft.title, placeholder=say("plan_name_example"), max_chars=200
    )


def privacy(draft: Draft, dataset: Dataset, population: Population) -> DeltaGenerator:
    """ε and δ, expected rows, rows and groups of a unit. Returns the place for what they cost."""
    blocks.heading("plan_privacy")
    several = dataset.unit_column is not None
    places = iter((*st.columns(3), *(st.columns(3) if several else ())))
    with next(places):
        epsilon = fields.number(
            say("plan_epsilon"),
            f"{prefix(draft)}-epsilon",
            draft.epsilon,
            min_value=0.0,
            step=0.1,
            format="%g",
            help=say("plan_epsilon_help"),
        )
        draft.epsilon = fields.exact(epsilon)
    with next(places):
        delta = fields.number(
            say("plan_delta"),
            f"{prefix(draft)}-delta",
            draft.delta,
            min_value=0.0,
            max_value=0.001,
            step=1e-6,
            format="%g",
            help=say("plan_delta_help"),
        )
        draft.delta = fields.exact(delta) or 0
    with next(places):
        draft.expected_rows = fields.number(
            say("plan_expected"),
            f"{prefix(draft)}-rows",
            draft.expected_rows,
            min_value=1,
            max_value=EXPECTED_MOST,
            step=1,
            help=say("plan_expected_help"),
        )
    if several:
        with next(places):
            draft.max_rows = fields.number(
                say_label("plan_max_rows", unit=population.unit),
                f"{prefix(draft)}-max_rows",
                draft.max_rows,
                min_value=1,
                max_value=1_000_000,
                step=1,
                help=say("plan_max_rows_help"),
            )
        with next(places):
            draft.max_groups = fields.number(
                say_label("plan_max_groups", unit=population.unit),
                f"{prefix(draft)}-max_groups",
                draft.max_groups,
                min_value=1,
                max_value=1_000_000,
                step=1,
                help=say("plan_max_groups_help"),
            )
    return st.container()


def filters(draft: Draft, dataset: Dataset) -> None:
    """The conditions of `where`."""
    blocks.heading("plan_where")
    if not draft.where:
        blocks.note("plan_where_all")
    conditions(draft.where, draft.schema(dataset), prefix(draft))


def statistics(draft: Draft, dataset: Dataset) -> list[DeltaGenerator]:
    """A card for each statistic. Returns the places for their prices."""
    blocks.heading("plan_statistics")
    schema = draft.schema(dataset)
    places = [statistic_card(draft, item, schema, prefix(draft)) for item in list(draft.statistics)]
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        kind = st.selectbox(say("statistic_add_kind"), list(KINDS), format_func=kind_words, key=f"{prefix(draft)}-kind")
    with right:
        st.button(
            say("statistic_add"),
            on_click=lambda: draft.statistics.append(StatisticDraft(kind)),
            key=f"{prefix(draft)}-add",
        )
    _settings(draft)
    return places


def _settings(draft: Draft) -> None:
    """What concerns all statistics: how the budget is shared, and what is made of noisy counts."""
    left, right = st.columns(2)
    with left:
        draft.weights = st.selectbox(
            say("plan_weights"),
            ("", *WEIGHTS),
            key=fields.begin(f"{prefix(draft)}-weights", draft.weights),
            format_func=lambda way: say(f"weights_{way or 'own'}"),
            help=say("plan_weights_help"),
        )
    with right:
        draft.postprocess = fields.some_of(
            say("plan_postprocess"),
            f"{prefix(draft)}-postprocess",
            STEPS,
            draft.postprocess,
            format_func=lambda step: say(f"step_{step}"),
            help=say("plan_postprocess_help"),
            placeholder=say("step_open"),
        )


def outcome(
    draft: Draft, dataset: Dataset, population: Population, places: Sequence[DeltaGenerator], standing: DeltaGenerator
) -> None:
    """Prices the draft and shows what it costs, or what is wrong where it is wrong."""
    account = workspace().budget(population.name, actor=actor())
    blocks.heading("price")
    missing = _missing(draft, dataset)
    price, problems = (None, ()) if missing else _priced(draft, dataset, population)
    with standing:
        if price is None:
            relation = budget.relation(population)
            blocks.text("whole_open", delta=str(draft.delta), unit=population.unit, relation=relation)
        else:
            blocks.markup(budget.whole(price, population))
        blocks.markup(budget.standing(account), "dp-note")
        if price is not None:
            after = workspace().budget_after(price, actor=actor())
            outlook = budget.outlook(account, after, price)
            if account.covers(price.loss):
                blocks.markup(outlook, "dp-note")
            else:
                box(outlook)
    for index, place in enumerate(places):
        own = [problem for problem in problems if _statistic_of(problem, draft) == index]
        judge(place, price.statistics[index] if price else None, draft.schema(dataset), own)
    others = [problem for problem in problems if _statistic_of(problem, draft) is None]
    if others:
        show_problems(others)
    if missing:
        blocks.note(missing, unit=population.unit)
    if price is not None:
        price_table(price)
        blocks.note("price_note")
        figures(price, prefix(draft))
    with st.container(horizontal=True):
        if st.button(say("plan_preview"), type="primary", disabled=price is None):
            go("preview")
        affordable = price is not None and account.covers(price.loss)
        if st.button(say("plan_publish"), disabled=not affordable):
            go("publish")


def _missing(draft: Draft, dataset: Dataset) -> str:
    """What must be answered before anything can be priced: a key of words, or nothing."""
    if draft.epsilon is None:
        return "plan_needs_epsilon"
    if dataset.unit_column is not None and draft.max_rows is None:
        return "plan_needs_max_rows"
    unanswered = next((item.unanswered for item in draft.statistics if item.unanswered), "")
    return unanswered or ("" if draft.statistics else "plan_needs_statistics")


def _priced(draft: Draft, dataset: Dataset, population: Population) -> tuple[Price | None, Sequence[Problem]]:
    try:
        plan = Plan.parse(draft.mapping(dataset, population))
        return workspace().price(plan, actor=actor()), ()
    except InputError as error:
        return None, error.problems


def _statistic_of(problem: Problem, draft: Draft) -> int | None:
    """Which statistic a problem is about, by its place."""
    match = STATISTIC.match(problem.path)
    return int(match[1]) if match and int(match[1]) < len(draft.statistics) else None


def file_section(draft: Draft, dataset: Dataset, population: Population, *, started: bool) -> None:
    """The plan as a file: to keep, to edit, to bring in."""
    text = as_yaml(draft.mapping(dataset, population))
    with st.expander(say("plan_file")):
        blocks.note("plan_file_note")
        file = st.file_uploader(say("plan_upload"), type=["yaml", "yml", "json"], key=f"{prefix(draft)}-file")
        brought = file.getvalue() if file is not None else None
        edited = st.text_area(say("plan_text"), text, height=320, key=f"{prefix(draft)}-text-{hash(text)}")
        with st.container(horizontal=True):
            apply = st.button(say("plan_apply"), key=f"{prefix(draft)}-apply")
            st.download_button(
                say("plan_download"), text, file_name="plan.yaml", mime="application/yaml", on_click="ignore"
            )
            renew = started and st.button(say("plan_new"), type="tertiary", key=f"{prefix(draft)}-new")
        if apply or brought is not None:
            with kindly():
                plan = Plan.parse_text(edited if brought is None else brought)
                workspace().price(plan, actor=actor())
                keep(Draft.from_plan(plan))
                flash("plan_applied")
                st.rerun()
        if renew:
            keep(Draft(dataset=dataset.name))
            st.rerun()
