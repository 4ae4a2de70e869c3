"""Asking the data about columns that nobody could describe: one plan, priced together, charged like any other."""

from __future__ import annotations

from typing import Any

import streamlit as st

from dprelease.codebook.ask import ColumnQuestion, SurveyItem, bounds, inside, plan_parts, values
from dprelease.errors import InputError
from dprelease.model.column import ORDERED, ColumnType
from dprelease.model.domain import WIDE, Domain, of_group
from dprelease.model.population import Population
from dprelease.model.privacy import MAX_ROWS, Currency
from dprelease.model.schema import Schema
from dprelease.statements.display import exact, margin
from dprelease.statistics import Plan
from dprelease.statistics.kinds.bounds import Bounds
from dprelease.statistics.planning.price import Price
from dprelease.ui.data.row import Row
from dprelease.ui.data.settling import SettlingState, is_whole, proposed
from dprelease.ui.data.work import Work
from dprelease.ui.kit import blocks, budget, session
from dprelease.ui.kit.choice import usual_rows
from dprelease.ui.kit.fields import amount, in_pairs
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say, say_label
from dprelease.words import phrase

MOST = 8
"""Maximum number of columns asked about together, unless somebody chooses more."""


def ask(work: Work) -> None:
    """Ask for columns, questions about each and a price; then show the total price and ask for a typed confirmation."""
    population = workspace().populations.of(work.dataset.name, actor=actor())
    key = f"bounds-{work.dataset.name}-{session.visit()}-{work.asked}"
    names = [name for name in work.names if name != work.dataset.unit_column]
    left = [name for name in work.unsettled() if work.state(name) is not SettlingState.SURE][:MOST]
    columns = st.multiselect(say("bounds_columns"), names, left, placeholder=say("choose"), key=f"{key}-columns")
    asked = []
    for place, name in zip(in_pairs(len(columns)), columns, strict=True):
        with place:
            asked.append(_question(work.sheet.rows[name], key, discovers=population.discovers))
    questions = [each for each in asked if each is not None]
    needs_delta = population.currency is Currency.ZCDP or any(each.asked is SurveyItem.VALUES for each in questions)
    epsilon, delta, rows = _terms(work, population, key, needs_delta=needs_delta)
    if not questions or len(questions) < len(columns) or not epsilon or not rows or (needs_delta and not delta):
        blocks.note("bounds_open")
        return
    plan = Plan.parse(_mapping(work, population, questions, epsilon=epsilon, delta=delta or 0, rows=rows))
    price = workspace().price(plan, actor=actor())
    if _covered(price, population):
        _spend(work, price, questions, key)


def _question(row: Row, key: str, *, discovers: bool) -> ColumnQuestion | None:
    """Ask for the question about one column. Proposed from its name and declaration alone."""
    kind = proposed(row).type
    checks = bool(row.type in ORDERED and is_whole(row))
    values_too = [SurveyItem.VALUES] if discovers else []
    offered: list[Domain | SurveyItem] = [*([SurveyItem.INSIDE] if checks else []), *of_group(WIDE), *values_too]
    wanted = (
        SurveyItem.INSIDE
        if checks
        else SurveyItem.VALUES
        if kind == ColumnType.CATEGORY and not row.categories
        else None
    )
    first = wanted if wanted in offered else None
    chosen = st.selectbox(
        say_label("bounds_of", column=row.name),
        offered,
        index=None if first is None else offered.index(first),
        format_func=_called,
        placeholder=say("choose"),
        help=say("bounds_wide_help"),
        key=f"{key}-of-{row.name}",
    )
    if isinstance(chosen, Domain):
        return bounds(row.name, chosen.to_mapping())
    if chosen is SurveyItem.INSIDE:
        return inside(Schema.parse({row.name: row.mapping()})[row.name])
    return None if chosen is None else values(row.name)


def _called(choice: Domain | SurveyItem) -> str:
    return str(choice.label) if isinstance(choice, Domain) else say(f"bounds_ask_{choice.value}")


def _terms(work: Work, population: Population, key: str, *, needs_delta: bool) -> tuple[str, str, int | None]:
    """Ask for ε, δ where it is needed, and how many rows of a unit are used: nothing but what was said before."""
    places = iter(st.columns(3))
    epsilon = (
        next(places).text_input(say("bounds_epsilon"), help=say("bounds_epsilon_help"), key=f"{key}-epsilon").strip()
    )
    delta, rows = "", None if work.dataset.unit_column else 1
    if needs_delta:
        zcdp = population.currency is Currency.ZCDP
        told = say("bounds_delta_help" if zcdp else "bounds_delta_values_help")
        delta = next(places).text_input(say("bounds_delta"), help=told, key=f"{key}-delta").strip()
    if work.dataset.unit_column:
        with next(places):
            limits: dict[str, Any] = {
                "min_value": 1,
                "max_value": MAX_ROWS,
                "value": usual_rows(work.dataset.name),
                "step": 1,
            }
            label = say_label("bounds_rows", unit=population.unit)
            rows = st.number_input(label, help=say("bounds_rows_help"), key=f"{key}-rows", **limits)
    return amount(epsilon), amount(delta), rows


def _mapping(
    work: Work, population: Population, questions: list[ColumnQuestion], *, epsilon: str, delta: Any, rows: int
) -> dict[str, Any]:
    """Return the plan, as in a plan file. It declares its columns for itself alone."""
    unit = work.dataset.unit_column
    return {
        "dprelease": 1,
        "title": _title(questions),
        "dataset": work.dataset.name,
        "privacy": {
            "unit": {"column": unit, "max_rows": int(rows)} if unit else "row",
            "neighbors": population.neighbors.value,
            "epsilon": epsilon,
            "delta": delta,
        },
        **plan_parts(questions),
    }


def _title(questions: list[ColumnQuestion]) -> str:
    if len(questions) > 1:
        return say("asked_several", count=len(questions))
    return say(f"asked_{questions[0].asked}", column=questions[0].column)


def _covered(price: Price, population: Population) -> bool:
    """Show the cost and the remaining budget; return True if the budget covers the cost."""
    now = workspace().populations.budget(population.name, actor=actor())
    after = workspace().populations.budget_after(price, actor=actor())
    facts: list[tuple[str, Any]] = [
        ("bounds_cost", budget.whole(price, population)),
        ("bounds_after", budget.outlook(now, after, price)),
    ]
    errors = [item.error95 or 0 for item in price.statistics if isinstance(item.statistic, Bounds)]
    if errors:
        facts.append(("bounds_outside", say("bounds_outside_text", rows=margin(max(errors)))))
    facts.append(("bounds_who", say("bounds_who_team" if session.in_team() else "bounds_who_text")))
    blocks.facts(facts)
    return now.covers(price.loss)


def _spend(work: Work, price: Price, questions: list[ColumnQuestion], key: str) -> None:
    """Ask for one typed word and one button. The same plan again is the same release, so that nothing spends twice."""
    column = questions[0].column if len(questions) == 1 else work.dataset.name
    typed = st.text_input(say_label("bounds_confirm", column=column), key=f"{key}-typed")
    team = session.in_team()
    label = say("bounds_submit") if team else say("bounds_button", epsilon=exact(price.epsilon))
    if not st.button(label, type="primary", key=f"{key}-button"):
        return
    if typed.strip() != column:
        raise InputError(
            say("bounds_confirmation"), found=typed, allowed=phrase("ui.bounds_confirm_allowed", column=column)
        )
    with st.spinner(say("publish_waiting")):
        work.asked += 1
        if team:
            workspace().plans.submit(price.plan, actor=actor())
            session.flash("bounds_submitted", title=price.plan.title)
            st.rerun()
        publish(price.plan)


def publish(plan: Plan | str) -> None:
    """Publish, and offer what was found."""
    job = workspace().releases.start(plan, actor=actor())
    job.ended.wait()
    if job.error is not None:
        raise job.error
    session.flash("bounds_published", release=str(job.release_id))
    st.rerun()
