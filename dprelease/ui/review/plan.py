"""One plan that waits: what changed, what the checks ask, all of it, and the talk about it. Reads no rows."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dprelease.bundle import guarantee
from dprelease.model.policy import PlanCheck
from dprelease.statements.display import margin
from dprelease.statements.display import shown as numbered
from dprelease.ui.kit import blocks, budget, session
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.phrases import counted, day, planned
from dprelease.ui.kit.problems import act, box
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.review import bar, diff
from dprelease.ui.review.decisions import decisions
from dprelease.ui.review.findings import alarm, asking, checked, looks, since_previews
from dprelease.ui.review.gauge import amount, gauge, number, over
from dprelease.ui.review.talk import Talk
from dprelease.ui.review.waiting import Item
from dprelease.ui.words import say, say_html
from dprelease.ui.workbench.attack import attack
from dprelease.ui.workbench.derived import derived_of
from dprelease.ui.workbench.draft import as_yaml
from dprelease.ui.workbench.goals_dialog import asked_of
from dprelease.ui.workbench.prices import price_table
from dprelease.words.sentences import Html, isolated
from dprelease.workspace import FIRST_LOOKS, PlanRecord, PlanState
from dprelease.workspace.compared import Base, Comparison
from dprelease.workspace.review import ReviewedPlan

VIEWS = ("changes", "checks", "whole", "talk")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanView:
    """A plan with all that its views show."""

    item: Item
    record: PlanRecord
    reviewed: ReviewedPlan
    comparison: Comparison
    bases: list[Base]
    talk: Talk
    version: int

    @property
    def stale(self) -> bool:
        return self.reviewed.dataset.version != self.record.dataset_version


def plan(item: Item, record: PlanRecord) -> None:
    """Show the plan, and the bar that decides."""
    ws = workspace()
    bases = ws.plans.bases(record.id, actor=actor())
    chosen = st.session_state.get(f"review-base-{record.id}")
    shown = PlanView(
        item=item,
        record=record,
        reviewed=ws.plans.review(record.id, actor=actor()),
        comparison=ws.plans.changes(record.id, since=_since(bases, chosen), actor=actor()),
        bases=bases,
        talk=Talk(
            record.id,
            ws.plans.remarks(record.id, actor=actor()),
            may_review=session.may("remark") and not session.is_own(record.author),
            may_answer=session.may("answer"),
        ),
        version=len(ws.plans.versions(record.id, actor=actor())),
    )
    view = _head(shown)
    alarm(shown.reviewed)
    gauge(shown.reviewed.now, shown.reviewed.price.loss)
    _warnings(shown)
    {"changes": _changes, "checks": _checks, "whole": _whole, "talk": _talk}[view](shown)
    bar.bar(item, _decision(shown))


def _since(bases: list[Base], chosen: str | None) -> str | None:
    """Return the chosen base; None where it is the one that is taken anyway."""
    return None if not bases or chosen in (None, bases[0].record.id) else chosen


def _head(shown: PlanView) -> str:
    """Show the title with its version, and return the view that is chosen."""
    title = shown.item.title
    views = VIEWS if shown.comparison.base is not None else VIEWS[1:]
    counts = {
        "changes": len(shown.comparison.changes),
        "checks": len({finding.check for finding in shown.reviewed.findings}),
        "talk": len(shown.talk.remarks),
    }
    with st.container(key="review-head", horizontal=True, vertical_alignment="center"):
        st.html(
            fill(
                '<h2 class="dp-review-title">{} <small>{}</small></h2>',
                isolated(title),
                say_html("review_version", number=shown.version),
            )
        )
        view = st.segmented_control(
            say("review_view"),
            views,
            default=views[0] if views[0] == "changes" else "whole",
            required=True,
            format_func=lambda each: say(f"review_view_{each}", count=counts.get(each, "")),
            key=f"review-view-{shown.record.id}",
            label_visibility="collapsed",
        )
    return str(view)


def _warnings(shown: PlanView) -> None:
    if shown.item.lapsed is not None:
        box(say_html("review_lapsed", reason=shown.item.lapsed), kind="warning")
    if shown.stale:
        box(say_html("review_stale", dataset=shown.reviewed.dataset.name), kind="warning")
    if session.is_own(shown.record.author):
        box(say_html("review_own"), kind="notice")


def _changes(shown: PlanView) -> None:
    with st.container(key="card-review-changes"):
        diff.diff(shown.comparison, shown.bases, shown.reviewed, shown.talk)
    looks(shown.reviewed)
    if not shown.reviewed.findings:
        asking(shown.reviewed)


def _checks(shown: PlanView) -> None:
    checked(shown.reviewed)


def _talk(shown: PlanView) -> None:
    """Show everything that was said and decided, and a way to ask somebody else."""
    with st.container(key="card-review-talk"):
        if not shown.talk.remarks:
            blocks.text("review_talk_none")
        shown.talk.said(shown.talk.remarks)
        shown.talk.offer("", shown.item.title)
    decisions(shown.record.id, shown.item.title)
    if session.in_team() and session.may("delegate") and not session.is_own(shown.record.author):
        _delegate(shown.record, shown.item.title)


def _whole(shown: PlanView) -> None:
    """Show what a plan would publish, at which price, what previews showed, and the plan as it is written."""
    reviewed = shown.reviewed
    price, plan, population = reviewed.price, reviewed.plan, reviewed.population
    about = {"dataset": reviewed.dataset.name, "population": reviewed.population.name}
    unit_is = budget.unit_of(reviewed.dataset)
    blocks.note("review_meta", author=shown.record.author, on=day(shown.record.created), unit_is=unit_is, **about)
    if plan.description:
        blocks.markup(isolated(plan.description))
    rows = guarantee.rows_used(plan.to_mapping())
    if rows:
        blocks.note("review_rows_used", rows=rows)
    blocks.label(say("review_asks"))
    for item in price.statistics:
        with st.container(horizontal=True, vertical_alignment="center", wrap=False):
            blocks.markup(fill("{}", planned(item, plan.schema, population.unit).text))
            shown.talk.offer(item.id, item.id)
        shown.talk.said(each for each in shown.talk.remarks if each.is_open and each.on.partition(".")[0] == item.id)
    derived_of(plan)
    asked_of(price)
    blocks.markup(budget.whole(price, population))
    blocks.markup(budget.standing(reviewed.now), "dp-note")
    blocks.markup(budget.outlook(reviewed.now, reviewed.after, price), "dp-note")
    price_table(price, shown.item.title)
    if (few := reviewed.filtered) is not None:
        errors = [say("review_error_filtered", name=name, error=margin(error)) for name, error in few.errors.items()]
        told = "; ".join(errors)
        blocks.note("review_filtered", rows=numbered(few.rows), left=numbered(few.left), errors=told)
    attack(price, population, f"review-{shown.record.id}")
    looks(reviewed)
    previews = workspace().ledger.count(population.name, kinds=FIRST_LOOKS, actor=actor())
    words = counted("review_previews", previews) if previews else say("review_previews_none")
    blocks.markup(fill("{}", words), "dp-note")
    since_previews(shown.record, shown.item.title)
    with st.expander(say("review_bound")):
        _bound(shown)
    with st.expander(say("review_file")):
        blocks.code(as_yaml(plan.to_mapping()))


def _bound(shown: PlanView) -> None:
    """Show what has to stay as it is for an approval to hold."""
    blocks.note("review_bound_once" if session.in_team() else "review_bound_note")
    dataset, account = shown.reviewed.dataset, shown.reviewed.now
    blocks.facts(
        [
            ("review_bound_plan", fill("<code>{}</code>", shown.record.plan_hash)),
            ("review_bound_rows", say("review_bound_rows_text", version=dataset.version)),
            ("review_bound_columns", counted("declared_columns", len(dataset.schema.columns))),
            ("review_bound_unit", budget.unit_of(dataset)),
            ("review_bound_cap", budget.cap(account)),
            ("review_bound_price", budget.loss(shown.reviewed.price.loss, account.currency)),
        ]
    )


def _decision(shown: PlanView) -> bar.DecisionBar:
    ws, record, reviewed = workspace(), shown.record, shown.reviewed
    now, loss = reviewed.now, reviewed.price.loss
    values = {"cost": amount(loss, now.currency), "left": number(now.rounded.remaining, now.currency)}
    why = _why_not(shown)
    sentence = say_html(
        "review_approve_sentence",
        title=shown.item.title,
        count=counted("review_statistics", len(reviewed.price.statistics)),
        guarantee=budget.whole(reviewed.price, reviewed.population),
        left=budget.left(reviewed.after),
        population=reviewed.population.name,
    )
    return bar.DecisionBar(
        told=bar.told(say("review_cost", **values), shown.talk.open, why),
        sentence=sentence,
        approve=None if why else lambda comment: ws.plans.approve(record.id, comment=comment, actor=actor()),
        return_=None
        if record.state is PlanState.PUBLISHED
        else lambda comment: ws.plans.return_plan(record.id, comment=comment, actor=actor()),
    )


def _why_not(shown: PlanView) -> Html | None:
    """Return the reason why a plan cannot be approved as it is."""
    reviewed = shown.reviewed
    if not reviewed.now.covers(reviewed.price.loss):
        return say_html("review_over", by=over(reviewed.now, reviewed.price.loss))
    if shown.stale:
        return say_html("review_not_stale")
    names = [say(f"check_name_{check}") for check in PlanCheck if check in {each.check for each in reviewed.blocking}]
    if names:
        return say_html("review_not_checks", checks=", ".join(names))
    if shown.record.state is PlanState.PUBLISHED and workspace().plans.lapse(shown.record.id, actor=actor()) is None:
        return say_html("review_again_holds")
    return None


def _delegate(record: PlanRecord, title: str) -> None:
    """Ask another reviewer to decide."""
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
        comment = st.text_input(say("delegate_comment"), max_chars=bar.MAX_COMMENT, key=f"{key}-comment")
        if st.button(say("delegate_save"), key=f"{key}-save", disabled=to is None) and to is not None:
            act(
                "delegated",
                lambda: workspace().plans.delegate(record.id, to, comment=comment, actor=actor()),
                name=to,
                title=title,
            )
