"""The sections of the plan's page, its file among them. Each reads its fields into the draft."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dprelease.errors import InputError, Problem
from dprelease.model.plan import STEPS, WEIGHTS
from dprelease.model.population import Dataset, Population
from dprelease.statistics import Plan
from dprelease.statistics.planning.price import Price
from dprelease.ui.kit import blocks, budget, fields
from dprelease.ui.kit.choice import usual_rows
from dprelease.ui.kit.problems import box, kindly, show_problems
from dprelease.ui.kit.session import actor, flash, visit, workspace
from dprelease.ui.screens import go
from dprelease.ui.words import say, say_label
from dprelease.ui.workbench import epsilon
from dprelease.ui.workbench.adding import adding
from dprelease.ui.workbench.cards import PAGE, judge, statistic_cards
from dprelease.ui.workbench.conditions import conditions
from dprelease.ui.workbench.criteria import criteria
from dprelease.ui.workbench.draft import Draft, as_yaml, current, keep
from dprelease.ui.workbench.epsilon import from_errors
from dprelease.ui.workbench.meaning import figures, meaning, suspicion
from dprelease.ui.workbench.prices import price_table
from dprelease.ui.workbench.saving import PARAMETER, begin, save

STATISTIC = re.compile(r"statistics\[([0-9]+)\]")
EXPECTED_MOST = 10**12
PAUSE = "500ms"
"""After so long without a key what is typed is saved, also where the field is not left."""
Places = Mapping[int, DeltaGenerator]


def prefix(draft: Draft) -> str:
    return f"plan-{visit()}-{draft.generation}"


def titled(draft: Draft) -> None:
    draft.title = fields.text(
        say("plan_name"),
        f"{prefix(draft)}-title",
        draft.title,
        placeholder=say("plan_name_example"),
        max_chars=200,
        live=PAUSE,
    )


@st.fragment
def desk(dataset: Dataset, population: Population) -> None:
    """Everything that is priced: it alone runs again while ε or a weight is dragged, and saves what changed."""
    changed = False
    with kindly():
        draft = current()
        rows(draft, dataset, population)
        filters(draft, dataset)
        remains, standing = loss(draft, population)
        places = statistics(draft, dataset)
        outcome(draft, dataset, population, places, remains, standing)
        file_section(draft, dataset, population, prefix(draft))
        changed = save(draft)
    if changed:
        st.rerun()


def rows(draft: Draft, dataset: Dataset, population: Population) -> None:
    """Shows whose privacy is meant, and how many rows of each are used; rows that are expected."""
    blocks.heading("plan_unit")
    blocks.text(
        "plan_unit_is", unit=population.unit, what=budget.unit_of(dataset), relation=budget.relation(population)
    )
    several = dataset.unit_column is not None
    places = iter(st.columns(3))
    if several:
        if draft.max_rows is None:
            draft.max_rows = usual_rows(dataset.name)
        limits = {"min_value": 1, "max_value": 1_000_000, "step": 1}
        with next(places):
            draft.max_rows = fields.number(
                say_label("plan_max_rows", unit=population.unit),
                f"{prefix(draft)}-max_rows",
                draft.max_rows,
                help=say("plan_max_rows_help"),
                **limits,
            )
        with next(places):
            draft.max_groups = fields.number(
                say_label("plan_max_groups", unit=population.unit),
                f"{prefix(draft)}-max_groups",
                draft.max_groups,
                help=say("plan_max_groups_help"),
                **limits,
            )
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


def filters(draft: Draft, dataset: Dataset) -> None:
    """The conditions of `where`."""
    blocks.heading("plan_where")
    if not draft.where:
        blocks.note("plan_where_all")
    conditions(draft.where, draft.schema(dataset), prefix(draft))


def loss(draft: Draft, population: Population) -> tuple[DeltaGenerator, DeltaGenerator]:
    """ε and δ. Returns the places for what would be left, and for what they mean."""
    blocks.heading("plan_privacy")
    return epsilon.choose(draft, population, prefix(draft)), st.container()


def statistics(draft: Draft, dataset: Dataset) -> Places:
    """A card for each statistic. Returns the places for their prices."""
    blocks.heading("plan_statistics")
    schema = draft.schema(dataset)
    if not draft.statistics:
        blocks.note("plan_statistics_none")
    places = statistic_cards(draft, schema, prefix(draft))
    with st.container(border=True, key=f"adding-{prefix(draft)}"):
        adding(draft, dataset, schema, prefix(draft))
    _settings(draft)
    return places


def _settings(draft: Draft) -> None:
    """What concerns all statistics: how the budget is shared, what is made of noisy counts, and charts."""
    left, right = st.columns(2)
    draft.weights = left.selectbox(
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
    draft.charts = fields.flag(
        say("plan_charts"), f"{prefix(draft)}-charts", draft.charts, help=say("plan_charts_help")
    )


def outcome(
    draft: Draft,
    dataset: Dataset,
    population: Population,
    places: Places,
    remains: DeltaGenerator,
    standing: DeltaGenerator,
) -> None:
    """Prices the draft and shows what it costs and means, or what is wrong where it is wrong."""
    account = workspace().populations.budget(population.name, actor=actor())
    missing = _missing(draft, dataset)
    price, problems = (None, ()) if missing else _priced(draft, dataset, population)
    if price is not None:
        after = workspace().populations.budget_after(price, actor=actor())
        with remains:
            if account.covers(price.loss):
                blocks.note("plan_remains", left=budget.left(after), population=population.name)
            else:
                box(budget.outlook(account, after, price))
    with standing:
        if price is None:
            relation = budget.relation(population)
            blocks.text("whole_open", delta=str(draft.delta), unit=population.unit, relation=relation)
        else:
            blocks.markup(budget.whole(price, population))
            suspicion(price, population)
        blocks.markup(budget.standing(account), "dp-note")
        if price is not None:
            from_errors(draft, price, prefix(draft))
    for index, place in places.items():
        own = [problem for problem in problems if _statistic_of(problem, draft) == index]
        judge(place, price.statistics[index] if price else None, draft.schema(dataset), own)
    others = [problem for problem in problems if _statistic_of(problem, draft) not in places]
    if others:
        show_problems(others)
    if missing:
        blocks.note(missing, unit=population.unit)
    if draft.statistics:
        criteria(draft, price, prefix(draft))
    if price is not None:
        meaning(price, population)
        _details(price, prefix(draft))
    _onwards(draft, ready=price is not None, affordable=price is not None and account.covers(price.loss))


def _details(price: Price, key: str) -> None:
    """Mechanisms, scales and shares; of a long plan only when asked for."""
    blocks.heading("price")
    if len(price.statistics) <= PAGE or st.toggle(say("price_show"), key=f"{key}-prices"):
        price_table(price)
    blocks.note("price_note")
    figures(price, key)


def _onwards(draft: Draft, *, ready: bool, affordable: bool) -> None:
    """The next steps. What was typed last is saved first, and the address goes along."""
    with st.container(horizontal=True):
        preview = st.button(say("plan_preview"), type="primary", disabled=not ready)
        publish = st.button(say("plan_publish"), disabled=not affordable)
    if preview or publish:
        save(draft)
        where = {} if draft.saved is None else {PARAMETER: draft.saved.id}
        go("preview" if preview else "publish", **where)


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


def file_section(draft: Draft, dataset: Dataset, population: Population, prefix: str) -> None:
    """Downloads, uploads and edits it as text. A long one is written out only when asked for."""
    with st.expander(say("plan_file")):
        blocks.note("plan_file_note")
        file = st.file_uploader(say("plan_upload"), type=["yaml", "yml", "json"], key=f"{prefix}-file")
        brought = file.getvalue() if file is not None else None
        edited, apply = "", False
        if len(draft.statistics) <= PAGE or st.toggle(say("plan_text_show"), key=f"{prefix}-text-show"):
            text = as_yaml(draft.mapping(dataset, population))
            edited = st.text_area(say("plan_text"), text, height=320, key=f"{prefix}-text-{hash(text)}")
            with st.container(horizontal=True):
                apply = st.button(say("plan_apply"), key=f"{prefix}-apply")
                st.download_button(
                    say("plan_download"), text, file_name="plan.yaml", mime="application/yaml", on_click="ignore"
                )
        if draft.started and st.button(say("plan_new"), type="tertiary", key=f"{prefix}-new"):
            save(draft)
            begin(dataset.name)
            st.rerun()
        if apply or brought is not None:
            with kindly():
                plan = Plan.parse_text(edited if brought is None else brought)
                workspace().price(plan, actor=actor())
                _replace(draft, Draft.from_plan(plan))
                flash("plan_applied")
                st.rerun()


def _replace(draft: Draft, read: Draft) -> None:
    """What was read takes the place of the draft in hand, under its name."""
    read.saved = draft.saved
    keep(read)
    save(read)
