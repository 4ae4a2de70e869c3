"""Decisions that were refused to somebody who is signed in, as events of the ledger: each once a day."""

from __future__ import annotations

import json
from enum import StrEnum

from dprelease.model.actor import Actor
from dprelease.store.clock import timestamp
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.ledger import append_within

A_DAY = 10
"""Characters of a time to the day."""
MOST = 50
"""Events of one person in a day: of more attempts none is told, so that nobody fills the ledger."""


class Why(StrEnum):
    """The reason of a refusal."""

    ROLE = "role"
    """They have no role that may decide."""
    OWN = "own"
    """Refusal because it is their own."""
    CAP = "cap"
    """Refusal because it costs more than is left."""


def tell(database: Database, *, population: str, about: dict[str, str | int], why: Why, actor: Actor) -> None:
    """Write down an attempt to approve what is named, unless the same was told today.

    `about`: a `plan`, or a `request` for the population, which need not be registered.
    """
    body = {**about, "name": population, "why": why.value}
    since = timestamp()[:A_DAY]
    with database.writing() as connection:
        told = connection.execute(
            "SELECT body FROM ledger WHERE kind = ? AND actor = ? AND at >= ?",
            [EventKind.ATTEMPT_REFUSED, actor.name, since],
        ).fetchall()
        if len(told) < MOST and body not in [json.loads(text) for (text,) in told]:
            append_within(connection, EventKind.ATTEMPT_REFUSED, actor=actor.name, body=body)
