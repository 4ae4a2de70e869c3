"""The tasks of whoever looks: own plans, decisions, and tables that cannot be used yet."""

from __future__ import annotations

from dprelease.registry import added, load
from dprelease.statements.display import shown
from dprelease.ui.desk.card import card, row
from dprelease.ui.kit import blocks
from dprelease.ui.kit.phrases import day
from dprelease.ui.kit.session import actor, may, workspace
from dprelease.ui.review.waiting import plans_of_others, requests_of_others
from dprelease.ui.screens import go
from dprelease.ui.words import say, say_html
from dprelease.ui.workbench.own_plans import cards, title_of_plan, unpublished

MOST = 4
"""Maximum number of lines of one sort; the others are at their place."""


def waiting() -> None:
    """Show what waits; for a curator with nothing to do, nothing."""
    own = unpublished() if may("submit") else []
    named = {each.id for each in own}
    plans = [each for each in plans_of_others() if each.id not in named] if may("approve") else []
    asked = requests_of_others()
    bare = _undeclared() if may("describe") else []
    rounds = [(key, *each) for key, place in added("waits").items() if may(key) for each in load(place)()]
    count = len(own) + len(plans) + len(asked) + len(bare) + len(rounds)
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
                go("settings", tab="policy") if request.kind == "overlap" else go("review")
        for name in bare[:MOST]:
            title = say_html("desk_undeclared", dataset=name)
            if row(title, say_html("desk_undeclared_note"), say("desk_undeclared_go"), key=f"bare-{name}"):
                go("tables", dataset=name)
        for key, name, told, place in rounds[:MOST]:
            if row(say_html("desk_round", name=name), told, say("desk_round_go"), key=f"{key}-{place}"):
                go(key, round=place)
        rest = sum(max(0, len(each) - MOST) for each in (own, plans, asked, bare, rounds))
        if rest:
            blocks.note("desk_more", count=shown(rest))


def _undeclared() -> list[str]:
    return [each.name for each in workspace().datasets.find(actor=actor()) if not each.schema.columns]
