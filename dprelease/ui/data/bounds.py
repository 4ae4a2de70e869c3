"""Bounds where nobody knows them: a release of its own, charged like any other, whose result may be declared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import streamlit as st

from dprelease.bundle.display import exact, margin
from dprelease.codebook import compatible
from dprelease.errors import InputError
from dprelease.model.domain import WIDE, Domain, of_group
from dprelease.model.population import Population
from dprelease.model.privacy import MAX_ROWS, Currency
from dprelease.model.release import Release
from dprelease.statistics import Plan
from dprelease.statistics.planning.price import Price
from dprelease.ui.data.row import Row
from dprelease.ui.data.work import Work
from dprelease.ui.kit import blocks, budget, session
from dprelease.ui.kit.choice import usual_rows
from dprelease.ui.kit.fields import amount
from dprelease.ui.kit.phrases import day
from dprelease.ui.kit.problems import box, kindly
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say, say_html, say_label
from dprelease.words import phrase
from dprelease.workspace import PlanRecord, PlanState

ID = KIND = "bounds"
WAITING = (PlanState.SUBMITTED, PlanState.APPROVED)


@dataclass(frozen=True, slots=True)
class Found:
    """Bounds that were published, noise and all: public facts now."""

    column: str
    release: Release

    @property
    def on(self) -> str:
        """The day of publication."""
        return self.release.certificate.day

    def row(self, now: Row) -> Row:
        """The column with these bounds in the place of its own, and with a word on where they come from."""
        wide = self.release.certificate.plan["columns"][self.column]
        lower, upper = self.release.tables[ID].value
        said = {"type": wide["type"], "lower": lower, "upper": upper, "resolution": wide["resolution"]}
        source = say("bounds_source", release=self.release.id, on=self.on)
        return Row.of(self.column, {**compatible(now.mapping(), said), "description": now.description or source})


def find_bounds(work: Work) -> None:
    """Shows what was found already, what waits, and a form that spends."""
    blocks.note("bounds_text")
    blocks.guide_link("describe-columns", "no-codebook")
    with kindly():
        _found(work)
        _waiting(work)
        _ask(work)


def _found(work: Work) -> None:
    """Published bounds as proposals."""
    for place, found in enumerate(_published(work)):
        now = work.sheet.rows[found.column]
        then = found.row(now)
        told = {"column": found.column, "lower": then.lower, "upper": then.upper}
        box(say_html("bounds_found", **told, release=found.release.id, on=day(found.on)), kind="done")
        if (now.lower, now.upper) == (then.lower, then.upper):
            blocks.note("bounds_taken")
        elif st.button(say_label("bounds_take", **told), key=f"bounds-take-{place}"):
            work.change({found.column: then})
            session.flash("bounds_done", column=found.column)
            st.rerun()


def _published(work: Work) -> Iterator[Found]:
    """Releases of this dataset's bounds, the newest of each column."""
    seen = set()
    for release in workspace().releases.find(dataset=work.dataset.name, kind=KIND, actor=actor()):
        plan = release.certificate.plan
        statistics = {each["id"]: each for each in plan["statistics"]}
        if statistics.get(ID, {}).get("kind") == KIND:
            column = statistics[ID]["column"]
            if column in work.sheet.rows and column not in seen:
                seen.add(column)
                yield Found(column, release)


def _waiting(work: Work) -> None:
    """In a team: plans of bounds that a reviewer has to see, or has approved."""
    if not session.in_team():
        return
    for record in workspace().plans.find(states=WAITING, dataset=work.dataset.name, actor=actor()):
        if record.dataset_version != work.dataset.version or not _is_bounds(record):
            continue
        title = record.mapping["title"]
        if record.state is PlanState.SUBMITTED:
            box(say_html("bounds_waits", title=title, author=record.author, on=day(record.created)), kind="notice")
        elif record.state is PlanState.APPROVED and workspace().plans.lapse(record.id, actor=actor()) is None:
            box(say_html("bounds_approved", title=title), kind="done")
            if st.button(say_label("bounds_publish", title=title), key=f"bounds-{record.id}"):
                _publish(record.id)


def _is_bounds(record: PlanRecord) -> bool:
    return [each["kind"] for each in record.mapping["statistics"]] == [KIND]


def _ask(work: Work) -> None:
    """Which column, how wide, for how much; then the price, and a confirmation that is typed."""
    population = workspace().populations.of(work.dataset.name, actor=actor())
    key = f"bounds-{work.dataset.name}-{session.visit()}-{work.asked}"
    left, right = st.columns(2)
    with left:
        names = [name for name in work.names if name != work.dataset.unit_column]
        column = st.selectbox(say("bounds_column"), names, index=None, placeholder=say("choose"), key=f"{key}-column")
    wide: Domain | None = right.selectbox(
        say("bounds_wide"),
        list(of_group(WIDE)),
        index=None,
        format_func=lambda each: str(each.label),
        placeholder=say("choose"),
        help=say("bounds_wide_help"),
        key=f"{key}-wide",
    )
    epsilon, delta, rows = _terms(work, population, key)
    if not (column and wide and epsilon and rows):
        blocks.note("bounds_open")
        return
    plan = Plan.parse(_mapping(work, population, column, wide, epsilon=epsilon, delta=delta or 0, rows=rows))
    price = workspace().price(plan, actor=actor())
    if _covered(work, price, population):
        _spend(work, price, column, key)


def _terms(work: Work, population: Population, key: str) -> tuple[str, str, int | None]:
    """ε, δ where the population counts in ρ, and how many rows of a unit are used: nothing but what was said before."""
    places = iter(st.columns(3))
    epsilon = (
        next(places).text_input(say("bounds_epsilon"), help=say("bounds_epsilon_help"), key=f"{key}-epsilon").strip()
    )
    delta, rows = "", None if work.dataset.unit_column else 1
    if population.currency is Currency.ZCDP:
        delta = next(places).text_input(say("bounds_delta"), help=say("bounds_delta_help"), key=f"{key}-delta").strip()
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
    work: Work, population: Population, column: str, wide: Domain, *, epsilon: str, delta: Any, rows: int
) -> dict[str, Any]:
    """The plan, as in a plan file. It declares the column for itself alone."""
    unit = work.dataset.unit_column
    return {
        "dprelease": 1,
        "title": say("bounds_title", column=column),
        "dataset": work.dataset.name,
        "privacy": {
            "unit": {"column": unit, "max_rows": int(rows)} if unit else "row",
            "neighbors": population.neighbors.value,
            "epsilon": epsilon,
            "delta": delta,
        },
        "columns": {column: wide.to_mapping()},
        "statistics": [{"id": ID, "kind": KIND, "column": column}],
    }


def _covered(work: Work, price: Price, population: Population) -> bool:
    """What it costs and what stays; whether the budget covers it."""
    now = workspace().populations.budget(population.name, actor=actor())
    after = workspace().populations.budget_after(price, actor=actor())
    error = price[ID].error95
    blocks.facts(
        [
            ("bounds_cost", budget.whole(price, population)),
            ("bounds_after", budget.outlook(now, after, price)),
            ("bounds_outside", say("bounds_outside_text", rows=margin(error or 0))),
            ("bounds_who", say("bounds_who_team" if session.in_team() else "bounds_who_text")),
        ]
    )
    return now.covers(price.loss)


def _spend(work: Work, price: Price, column: str, key: str) -> None:
    """One typed word and one button. The same plan again is the same release, so that nothing spends twice."""
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
            session.flash("bounds_submitted", column=column)
            st.rerun()
        _publish(price.plan)


def _publish(plan: Plan | str) -> None:
    """Publishes, and offers what was found."""
    job = workspace().releases.start(plan, actor=actor())
    job.ended.wait()
    if job.error is not None:
        raise job.error
    session.flash("bounds_published", release=str(job.release_id))
    st.rerun()
