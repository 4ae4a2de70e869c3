"""What waits for a second person: plans and requests, each with all that a decision needs. Reads no rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import streamlit as st

from dprelease.bundle import guarantee
from dprelease.bundle.display import shown
from dprelease.errors import InputError, Problem
from dprelease.model.population import Dataset, Population
from dprelease.statistics.planning.price import Price
from dprelease.ui.kit import blocks, budget, session
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.phrases import counted, day, planned
from dprelease.ui.kit.problems import act, box, kindly
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.review import requests
from dprelease.ui.review.decisions import decisions
from dprelease.ui.review.findings import against_last, checked, since_previews
from dprelease.ui.words import as_label, say, say_html
from dprelease.ui.workbench.draft import as_yaml
from dprelease.ui.workbench.goals_dialog import asked_of
from dprelease.ui.workbench.prices import price_table
from dprelease.ui.workbench.progress import charged
from dprelease.words import Phrase, phrase
from dprelease.words.sentences import isolated
from dprelease.workspace import EventKind, PlanRecord, PlanState, Request

MOST_CARDS = 10
MOST_COMMENT = 2000
MOST_OFFERED = 200
"""Published plans, the last ones, of which another release can be asked for."""


def plans() -> None:
    """Plans that were submitted, and approved ones whose approval lapsed; oldest first."""
    blocks.heading("review_plans")
    waiting = list(_waiting())
    if not waiting:
        blocks.text("review_plans_none")
    for record, lapsed in waiting[:MOST_CARDS]:
        with st.container(border=True), kindly():
            _plan(record, lapsed)
    if len(waiting) > MOST_CARDS:
        blocks.note("review_plans_more", count=shown(len(waiting) - MOST_CARDS))


def open_requests() -> None:
    """Requests that nobody decided yet, oldest first."""
    blocks.heading("review_requests")
    waiting = [each for each in workspace().populations.requests(actor=actor()) if each.state == requests.OPEN]
    if not waiting:
        blocks.text("review_requests_none")
    for request in waiting:
        with st.container(border=True), kindly():
            _request(request)


def published_plans() -> None:
    """Shows, in a team, where an approval is good for one release, the way to another one."""
    if not session.in_team():
        return
    records = workspace().plans.find(states=(PlanState.PUBLISHED,), latest=MOST_OFFERED, actor=actor())
    if not records:
        return
    blocks.heading("review_again")
    blocks.note("review_again_note")
    by_id = {each.id: each for each in reversed(records)}
    chosen = st.selectbox(
        say("review_again_plan"),
        list(by_id),
        index=None,
        placeholder=say("choose"),
        format_func=lambda plan_id: _label(by_id[plan_id]),
    )
    if chosen is not None and workspace().plans.lapse(chosen, actor=actor()) is None:
        blocks.text("review_again_holds")
    elif chosen is not None:
        with st.container(border=True), kindly():
            _plan(by_id[chosen], None)


def waiting_count() -> tuple[int, int]:
    """Tells how many submitted plans and open requests there are."""
    records = workspace().plans.find(states=(PlanState.SUBMITTED,), actor=actor())
    asked = workspace().populations.requests(actor=actor())
    return len(records), sum(request.state == requests.OPEN for request in asked)


def _waiting() -> Iterator[tuple[PlanRecord, Phrase | None]]:
    """Each with why its approval does not hold any more, if it had one."""
    begun = charged()
    for record in workspace().plans.find(states=(PlanState.SUBMITTED, PlanState.APPROVED), actor=actor()):
        if record.state is PlanState.SUBMITTED:
            yield record, None
        elif record.id not in begun:
            lapsed = workspace().plans.lapse(record.id, actor=actor())
            if lapsed is not None:
                yield record, lapsed


def _plan(record: PlanRecord, lapsed: Phrase | None) -> None:
    ws = workspace()
    dataset = ws.datasets.get(record.dataset, actor=actor())
    population = ws.populations.of(dataset.name, actor=actor())
    reviewed = ws.plans.review(record.id, actor=actor())
    price = reviewed.price
    plan, stale = price.plan, dataset.version != record.dataset_version
    title = plan.title or plan.dataset
    blocks.subheading(title)
    about = {"dataset": dataset.name, "population": population.name, "unit_is": budget.unit_of(dataset)}
    blocks.note("review_meta", author=record.author, on=day(record.created), **about)
    if plan.description:
        blocks.markup(isolated(plan.description))
    rows = guarantee.rows_used(plan.to_mapping())
    if rows:
        blocks.note("review_rows_used", rows=rows)
    blocks.label(say("review_asks"))
    blocks.listed(_questions(price, population.unit))
    asked_of(price)
    if lapsed is not None:
        box(say_html("review_lapsed", reason=lapsed), kind="warning")
    if stale:
        box(say_html("review_stale", dataset=dataset.name), kind="warning")
    against_last(reviewed, title)
    checked(reviewed, title)
    _cost(price, population, title)
    previews = ws.ledger.count(population.name, kinds=(EventKind.PREVIEW_TAKEN,), actor=actor())
    words = counted("review_previews", previews) if previews else say("review_previews_none")
    blocks.markup(fill("{}", words), "dp-note")
    since_previews(record, title)
    decisions(record.id, title)
    with st.expander(say("review_bound")):
        _bound(record, dataset, price)
    with st.expander(say("review_file")):
        blocks.code(as_yaml(plan.to_mapping()))
    if session.is_own(record.author):
        box(say_html("review_own"), kind="notice")
        return
    _decide(
        record.id,
        title,
        record.author,
        approve=None
        if stale or reviewed.blocking
        else lambda comment, _: ws.plans.approve(record.id, comment=comment, actor=actor()),
        return_=None
        if record.state is PlanState.PUBLISHED
        else lambda comment, said: ws.plans.return_plan(record.id, comment=comment, remarks=said, actor=actor()),
        statistics=[statistic.id for statistic in plan.statistics],
    )
    if session.in_team() and session.may("delegate"):
        _delegate(record, title)


def _questions(price: Price, unit: str) -> list[str]:
    """What each statistic would tell, in words."""
    return [planned(item, price.plan.schema, unit).text for item in price.statistics]


def _cost(price: Price, population: Population, title: str) -> None:
    """The price with everything it needs beside it, and what it leaves."""
    now = workspace().populations.budget(population.name, actor=actor())
    after = workspace().populations.budget_after(price, actor=actor())
    blocks.markup(budget.whole(price, population))
    blocks.markup(budget.standing(now), "dp-note")
    outlook = budget.outlook(now, after, price)
    if now.covers(price.loss):
        blocks.markup(outlook, "dp-note")
    else:
        box(outlook)
    price_table(price, title)


def _bound(record: PlanRecord, dataset: Dataset, price: Price) -> None:
    """What has to stay as it is for an approval to hold."""
    blocks.note("review_bound_once" if session.in_team() else "review_bound_note")
    account = workspace().populations.budget(dataset.population, actor=actor())
    blocks.facts(
        [
            ("review_bound_plan", fill("<code>{}</code>", record.plan_hash)),
            ("review_bound_rows", say("review_bound_rows_text", version=dataset.version)),
            ("review_bound_columns", counted("declared_columns", len(dataset.schema.columns))),
            ("review_bound_unit", budget.unit_of(dataset)),
            ("review_bound_cap", budget.cap(account)),
            ("review_bound_price", budget.loss(price.loss, account.currency)),
        ]
    )


def _request(request: Request) -> None:
    ws, title = workspace(), requests.title(request)
    blocks.subheading(title)
    blocks.note("review_asked", author=request.author, on=day(request.created))
    requests.facts(request)
    if session.is_own(request.author):
        box(say_html("review_own_request"), kind="notice")
        return
    _decide(
        f"request-{request.id}",
        title,
        request.author,
        approve=lambda comment, _: ws.populations.approve_request(request.id, comment=comment, actor=actor()),
        return_=lambda comment, _: ws.populations.return_request(request.id, comment=comment, actor=actor()),
    )


def _delegate(record: PlanRecord, title: str) -> None:
    """Asks another reviewer to decide."""
    others = [name for name in workspace().plans.reviewers(actor=actor()) if name not in (actor().name, record.author)]
    with st.expander(say("delegate")):
        if not others:
            blocks.note("delegate_none")
            return
        key = f"{record.id}-delegate-{session.visit()}"
        to = st.selectbox(
            say("delegate_to"),
            others,
            index=None,
            placeholder=say("choose"),
            help=say("delegate_to_help"),
            key=key,
        )
        comment = st.text_input(say("delegate_comment"), max_chars=MOST_COMMENT, key=f"{key}-comment")
        if st.button(say("delegate_save"), key=f"{key}-save", disabled=to is None) and to is not None:
            act(
                "delegated",
                lambda: workspace().plans.delegate(record.id, to, comment=comment, actor=actor()),
                name=to,
                title=title,
            )


Decide = Callable[[str, Mapping[str, str]], Any]


def _decide(
    key: str,
    title: str,
    author: str,
    *,
    approve: Decide | None,
    return_: Decide | None,
    statistics: Sequence[str] = (),
) -> None:
    """A comment, remarks on single statistics, and up to two buttons."""
    comment = st.text_area(
        say("review_comment"),
        help=say("review_comment_help"),
        max_chars=MOST_COMMENT,
        height=100,
        key=f"{key}-comment-{session.visit()}",
    )
    remarks = _remarks(key, statistics) if return_ is not None else {}
    with st.container(horizontal=True):
        approved = approve is not None and st.button(say("review_approve"), type="primary", key=f"{key}-approve")
        returned = return_ is not None and st.button(say("review_return"), key=f"{key}-return")
    with kindly():
        if approved and approve is not None:
            approve(comment.strip(), remarks)
            session.flash("review_approved", title=title)
            st.rerun()
        if returned and return_ is not None:
            if not comment.strip():
                raise InputError.from_problems([_no_comment()])
            return_(comment, remarks)
            session.flash("review_returned", title=title, author=author)
            st.rerun()


def _remarks(key: str, statistics: Sequence[str]) -> dict[str, str]:
    """What is said of the statistics that were chosen to say something of."""
    if not statistics:
        return {}
    with st.expander(say("remarks")):
        blocks.note("remarks_note")
        name = f"{key}-remarks-{session.visit()}"
        chosen = st.multiselect(say("remarks_which"), statistics, key=name, placeholder=say("choose"))
        return {
            each: st.text_input(as_label(each), max_chars=MOST_COMMENT, key=f"{name}-{each}") or "" for each in chosen
        }


def _no_comment() -> Problem:
    return Problem(
        say("review_comment"), phrase("ui.nothing"), phrase("ui.review_a_comment"), phrase("ui.review_needs_comment")
    )


def _label(record: PlanRecord) -> str:
    title = record.mapping.get("title") or record.dataset
    return say("review_plan_by", title=title, author=record.author, on=day(record.created))
