"""Requests of one person to a second one: a population, a raised cap, a period, an overlap to be confirmed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dprelease.model.population import Population
from dprelease.model.privacy import Currency, PrivacyLoss
from dprelease.statements.display import shown
from dprelease.ui.kit import blocks, budget
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.phrases import moment
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say, say_html
from dprelease.words.sentences import Html
from dprelease.workspace import Request

OPEN = "open"


def title(request: Request) -> str:
    """Return the title of a request, in a few words."""
    values = {key: request.body.get(key, "") for key in ("period", "other")}
    return say(f"request_{request.kind}", name=request.population, **values)


def facts(request: Request) -> None:
    """Show all that is asked for."""
    blocks.facts(list(_population(request) if request.kind == "population" else _cap(request)))


def table(requests: list[Request]) -> None:
    """Show requests with their state, newest first."""
    heads = ("request_what", "request_author", "request_when", "request_state", "request_comment")
    rows = [
        (
            title(each),
            each.author,
            moment(each.created),
            say(f"request_{each.state}", name=each.decided_by or ""),
            each.comment or "",
        )
        for each in reversed(requests)
    ]
    blocks.table(say("requests"), [say(head) for head in heads], rows)


def _population(request: Request) -> Iterator[tuple[str, Any]]:
    asked, body = Population.from_mapping(request.body["population"]), request.body
    yield "unit", asked.unit
    yield "relation", budget.relation(asked)
    yield "review_currency", say(f"currency_{asked.currency.value}")
    yield "cap", budget.loss(asked.cap, Currency.PURE)
    if not asked.discovers:
        yield "review_discovery", say("review_undiscovered")
    yield "size", say("not_declared") if asked.size is None else shown(asked.size)
    others = [each.name for each in workspace().populations.find(actor=actor()) if each.name != asked.name]
    attested = [
        say_html("review_overlap", other=other, overlap=say(f"overlap_{body['overlaps'].get(other, OPEN)}"))
        for other in others
    ]
    yield "review_overlaps", _lines(attested) or say("none")
    yield "review_earlier", _lines(body["earlier_releases"]) or say("none")


def _cap(request: Request) -> Iterator[tuple[str, Any]]:
    body, now = request.body, workspace().populations.budget(request.population, actor=actor())
    if request.kind == "period":
        yield "review_period", body["period"]
    yield "review_cap_now", budget.cap(now)
    cap = PrivacyLoss(epsilon_nano=body["epsilon_nano"], delta_atto=body["delta_atto"])
    yield "review_cap_asked", budget.loss(cap, Currency.PURE)
    yield "review_spent", budget.spent(now)
    yield "review_reason", body["reason"] or say("none")


def _lines(items: list[Any]) -> Html:
    return joined(fill("{}<br>", each) for each in items)
