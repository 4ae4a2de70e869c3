"""The tasks of whoever looks: own plans, decisions, and tables that cannot be used yet."""

from __future__ import annotations

from dprelease.statements.display import shown
from dprelease.ui.desk.card import card, row
from dprelease.ui.kit import blocks, session
from dprelease.ui.kit.phrases import day
from dprelease.ui.kit.session import actor, may, workspace
from dprelease.ui.review import requests
from dprelease.ui.screens import go
from dprelease.ui.words import say, say_html
from dprelease.ui.workbench.own_plans import cards, title_of_plan, unpublished
from dprelease.workspace import PlanRecord, PlanState, Request

MOST = 4
"""Maximum number of lines of one sort; the others are at their place."""


def waiting() -> None:
    """Show what waits; for a curator with nothing to do, nothing."""
    own = unpublished() if may("submit") else []
    plans = _plans() if may("approve") else []
    asked = _requests()
    bare = _undeclared() if may("describe") else []
    count = len(own) + len(plans) + len(asked) + len(bare)
    if not (count or may("approve")):
        return
    with card("waiting", count):
        if not count:
            blocks.note("desk_waiting_none")
        cards(own[:MOST])
        for record in plans[:MOST]:
            about = say_html("desk_review_note", name=record.author, on=day(record.created), dataset=record.dataset)
            title = say_html("desk_review", title=title_of_plan(record))
            if row(title, about, say("desk_review_go"), key=f"review-{record.id}"):
                go("review")
        for request in asked[:MOST]:
            about = say_html("desk_request_note", name=request.author, on=day(request.created))
            others = {"other": request.body.get("other", "")}
            title = say_html(f"desk_request_{request.kind}", population=request.population, **others)
            if row(title, about, say("desk_review_go"), key=f"request-{request.id}"):
                go("people" if request.kind == "overlap" else "review")
        for name in bare[:MOST]:
            title = say_html("desk_undeclared", dataset=name)
            if row(title, say_html("desk_undeclared_note"), say("desk_undeclared_go"), key=f"bare-{name}"):
                go("data", dataset=name)
        rest = sum(max(0, len(each) - MOST) for each in (own, plans, asked, bare))
        if rest:
            blocks.note("desk_more", count=shown(rest))


def _plans() -> list[PlanRecord]:
    """Return the plans that somebody else submitted, oldest first."""
    found = workspace().plans.find(states=(PlanState.SUBMITTED,), actor=actor())
    return [record for record in found if not session.is_own(record.author)]


def _requests() -> list[Request]:
    """Return others' requests that are open, as far as whoever looks may decide them."""
    if not (may("approve_request") or may("confirm_overlap")):
        return []
    found = workspace().populations.requests(actor=actor())
    theirs = [each for each in found if may("confirm_overlap" if each.kind == "overlap" else "approve_request")]
    return [each for each in theirs if each.state == requests.OPEN and not session.is_own(each.author)]


def _undeclared() -> list[str]:
    return [each.name for each in workspace().datasets.find(actor=actor()) if not each.schema.columns]
