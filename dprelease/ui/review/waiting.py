"""The items that wait for the decision of a second person: plans and requests, oldest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dprelease.ui.kit import session
from dprelease.ui.kit.phrases import day
from dprelease.ui.kit.session import actor, may, workspace
from dprelease.ui.review import requests
from dprelease.ui.words import say
from dprelease.ui.workbench.progress import charged
from dprelease.words import Phrase
from dprelease.workspace import PlanRecord, PlanState, Request

MAX_OFFERED = 200
"""Maximum number of published plans, the last ones, of which another release can be asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One plan or request that is to be decided."""

    key: str
    title: str
    author: str
    created: str
    record: PlanRecord | None = None
    lapsed: Phrase | None = None
    """Reason why a plan's approval does not hold any more, if it had one."""
    request: Request | None = None


def items() -> list[Item]:
    """Return everything that waits: plans that were submitted or whose approval lapsed, and open requests."""
    asked = [each for each in workspace().populations.requests(actor=actor()) if each.state == requests.OPEN]
    found = [*_plans(), *(of_request(each) for each in asked if each.kind != "overlap")]
    return sorted(found, key=lambda item: item.created)


def plans_of_others() -> list[PlanRecord]:
    """Return the plans that somebody else submitted, oldest first."""
    found = workspace().plans.find(states=(PlanState.SUBMITTED,), actor=actor())
    return [record for record in found if not session.is_own(record.author)]


def requests_of_others() -> list[Request]:
    """Return others' requests that are open, as far as whoever looks may decide them."""
    if not (may("approve_request") or may("confirm_overlap")):
        return []
    found = workspace().populations.requests(actor=actor())
    theirs = [each for each in found if may("confirm_overlap" if each.kind == "overlap" else "approve_request")]
    return [each for each in theirs if each.state == requests.OPEN and not session.is_own(each.author)]


def decidable() -> int:
    """Return the count of items on the page for reviewers that whoever looks may decide."""
    return len(plans_of_others()) + sum(each.kind != "overlap" for each in requests_of_others())


def of_plan(record: PlanRecord, lapsed: Phrase | None = None) -> Item:
    title = str(record.mapping.get("title") or record.dataset)
    return Item(key=record.id, title=title, author=record.author, created=record.created, record=record, lapsed=lapsed)


def of_request(request: Request) -> Item:
    title = requests.title(request)
    return Item(
        key=f"request-{request.id}", title=title, author=request.author, created=request.created, request=request
    )


def published() -> list[PlanRecord]:
    """Return published plans of which another release can be asked for: the last ones."""
    found = workspace().plans.find(states=(PlanState.PUBLISHED,), latest=MAX_OFFERED, actor=actor())
    return found[::-1]


def _plans() -> Iterator[Item]:
    begun = charged()
    for record in workspace().plans.find(states=(PlanState.SUBMITTED, PlanState.APPROVED), actor=actor()):
        if record.state is PlanState.SUBMITTED:
            yield of_plan(record)
        elif record.id not in begun:
            lapsed = workspace().plans.lapse(record.id, actor=actor())
            if lapsed is not None:
                yield of_plan(record, lapsed)


def label(record: PlanRecord) -> str:
    """Return a published plan as one line of a list."""
    title = record.mapping.get("title") or record.dataset
    return say("review_plan_by", title=title, author=record.author, on=day(record.created))
