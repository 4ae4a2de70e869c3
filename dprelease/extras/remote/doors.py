"""Every address of work at a distance, in one table: routes, the OpenAPI description and tests are made of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dprelease.extras.remote.noun import Remote
from dprelease.model.version import VERSION
from dprelease.statistics import Plan
from dprelease.web.openapi import TEXT, TEXTS, WHOLE, Shape, maybe, shape
from dprelease.workspace.operations import MAX_TEXT

BASE = "/remote/v1"
KEY = "Idempotency-Key"
KEYS = r"[A-Za-z0-9_-]{8,64}"
ANY: Shape = {"type": "object"}
YES: Shape = {"type": "boolean"}
PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Door:
    """An address with a method: which operation of a token it takes, and what it answers."""

    verb: str
    path: str
    operation: str
    method: str
    """Name of the method of `Remote`, which takes the places of the path, what the body holds, and who acts."""
    answer: Shape
    """Shape of the answer; of one item where it is a list."""
    summary: str
    body: Shape | None = None
    status: int = 200

    @property
    def is_repeatable(self) -> bool:
        """True if it changes something: then it takes a key, and answers with whether it was done before."""
        return self.operation in (SUBMIT, PUBLISH)

    def act(self, remote: Remote, given: Sequence[str], body: Mapping[str, Any], **named: Any) -> Any:
        """Return what the method answers."""
        taken = [Plan.parse(body)] if self.body is ANY else list(body.values())
        return getattr(remote, self.method)(*given, *taken, **named)


LOSS = shape(delta=TEXT)
BUDGET = shape(
    population=TEXT,
    unit=TEXT,
    neighbors=TEXT,
    currency=TEXT,
    period=maybe(TEXT),
    charges=WHOLE,
    cap=LOSS,
    spent=LOSS,
    remaining=LOSS,
)
ME = shape(name=TEXT, operations=TEXTS, dataset=maybe(TEXT), expires=maybe(TEXT))
DATASET = shape(
    name=TEXT,
    population=TEXT,
    unit=TEXT,
    neighbors=TEXT,
    size=maybe(WHOLE),
    unit_column=maybe(TEXT),
    unit_codes=TEXTS,
    max_rows=maybe(WHOLE),
    columns=ANY,
)
PRICE = shape(plan=ANY, currency=TEXT, discovers=YES, price=ANY, fits=YES, after=BUDGET)
PLAN = shape(plan=TEXT, dataset=TEXT, state=TEXT, submitted=TEXT, content=ANY, waits=maybe(TEXT))
REMARK = shape(id=TEXT, plan=TEXT, on=TEXT, open=YES, said={"type": "array", "items": shape(by=TEXT, text=TEXT)})
PUBLICATION = shape(plan=TEXT, state={"type": "string", "enum": ["running", "published", "embargoed", "failed"]})
EVENT = shape(number=WHOLE, kind=TEXT, at=TEXT, plan=TEXT, release=maybe(TEXT))
PROBLEM = shape(type=TEXT, title=TEXT, status=WHOLE, code=TEXT)
SAID = {**shape(text={**TEXT, "minLength": 1, "maxLength": MAX_TEXT, "pattern": r"\S"}), "additionalProperties": False}
EMPTY: Shape = {"type": "object", "maxProperties": 0}


READ, PRICES, SUBMIT, PUBLISH = "remote_read", "remote_price", "remote_submit", "remote_publish"
DOORS = (
    Door("GET", "/me", READ, "me", ME, "Who acts with this token, and what for"),
    Door("GET", "/schema", READ, "schema", ANY, "The JSON Schema of a plan"),
    Door("GET", "/datasets", READ, "datasets", DATASET, "What is declared of the datasets that are open to you"),
    Door("GET", "/datasets/{dataset}", READ, "dataset", DATASET, "One of them"),
    Door("GET", "/populations/{population}/budget", READ, "budget", BUDGET, "Budget of an open dataset's population"),
    Door("POST", "/prices", PRICES, "price", PRICE, "The price of a plan, and the budget after it", ANY),
    Door("GET", "/plans", READ, "plans", PLAN, "One's own plans, the latest hundred"),
    Door("POST", "/plans", SUBMIT, "submit", PLAN, "Hand in a plan; the same one has one id", ANY, 201),
    Door("GET", "/plans/{plan}", READ, "plan", PLAN, "One's own plan, its state, and what it waits for"),
    Door("GET", "/plans/{plan}/remarks", READ, "remarks", REMARK, "Remarks of reviewers on it, with the answers"),
    Door("POST", "/plans/{plan}/remarks/{remark}/answers", SUBMIT, "answer", REMARK, "Answer a remark", SAID, 201),
    Door("POST", "/plans/{plan}/publication", PUBLISH, "publish", PUBLICATION, "Begin to publish it", EMPTY, 202),
    Door("GET", "/plans/{plan}/publication", READ, "publication", PUBLICATION, "How far that is"),
    Door("GET", "/events", READ, "events", EVENT, "Events of one's own plans, a hundred from `after` on"),
)
LISTS = ("datasets", "plans", "remarks", "events")
"""Methods whose answer is a list, under their name."""
ERRORS = {
    "400": "The body or the number is not what is read here",
    "401": "No token, or one that does not work",
    "403": "The token or its person may not do this, or the way is not encrypted",
    "404": "There is nothing there, or it is not open to the token's person",
    "409": "The plan waits for a person, or there is not enough budget",
    "413": "The body is too long",
    "415": "The body is not JSON",
    "422": "The plan cannot be used, or the key had another request; `problems` says why",
    "428": f"The request needs a header {KEY}",
    "429": "Too often; Retry-After says how long to wait",
}


def description() -> Shape:
    """Return the OpenAPI 3.1 description of all doors."""
    paths: dict[str, Shape] = {}
    for door in DOORS:
        paths.setdefault(f"{BASE}{door.path}", {})[door.verb.lower()] = _described(door)
    scheme = {"type": "http", "scheme": "bearer", "description": "A token that `dprelease token create` prints"}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Work at a distance",
            "version": VERSION,
            "description": "Plans and publications by a token. No answer before a charge depends on a row.",
        },
        "paths": paths,
        "security": [{"token": []}],
        "components": {"schemas": {"Problem": PROBLEM}, "securitySchemes": {"token": scheme}},
    }


def _described(door: Door) -> Shape:
    refused = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    answers = {code: {"description": told, "content": refused} for code, told in ERRORS.items()}
    answer = shape(**{door.method: {"type": "array", "items": door.answer}}) if door.method in LISTS else door.answer
    answers[str(door.status)] = {"description": door.summary, "content": {"application/json": {"schema": answer}}}
    places = [{"name": name, "in": "path", "required": True, "schema": TEXT} for name in PLACE.findall(door.path)]
    if door.method == "events":
        places.append({"name": "after", "in": "query", "schema": {**WHOLE, "minimum": 0, "maximum": 10**9}})
    if door.is_repeatable:
        key = {**TEXT, "pattern": f"^{KEYS}$"}
        places.append({"name": KEY, "in": "header", "required": True, "schema": key})
    told: Shape = {"operationId": door.method, "summary": door.summary, "parameters": places, "responses": answers}
    if door.body is not None:
        told["requestBody"] = {"required": True, "content": {"application/json": {"schema": door.body}}}
    return told
