"""Versions of a plan: the returned plan that a submitted one follows, as its submission tells."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from dprelease.errors import InputError
from dprelease.model.actor import Actor
from dprelease.model.difference import changes
from dprelease.model.plan import Plan
from dprelease.model.report import nearest
from dprelease.store.connection import Connection
from dprelease.words import phrase

MAX_RETURNED = 20
"""Returned plans that are looked at for the one that a new plan follows, the last ones."""


def versions_within(connection: Connection, plan_id: str) -> Iterator[str]:
    """Yield the ids of the plan, the returned one that it follows, the one which that follows, and so on."""
    follows = "SELECT body ->> 'follows' FROM ledger WHERE kind = 'plan_submitted' AND body ->> 'plan' = ?"
    version: str | None = plan_id
    while version is not None:
        yield version
        row = connection.execute(follows, [version]).fetchone()
        version = None if row is None else row[0]


def followed_within(
    connection: Connection, plan: Plan, population: str, author: Actor, follows: str | None
) -> str | None:
    """Return the id of the returned plan that a new one is the next version of; None where it is the first of its kind.

    Where the author does not say: of their returned plans of the dataset that nothing follows yet, the one with which
    it has a statistic in common and the fewest differences. Raises InputError where the named one is not such a plan.
    """
    returned = _returned(connection, plan.dataset, population, author)
    if follows is not None:
        if follows not in returned:
            near = nearest(follows, list(returned))
            raise InputError("follows", found=follows, allowed=phrase("store.own_plan_returned"), remedy=near)
        return follows
    mapping = plan.to_mapping()
    ids = _ids(mapping)
    alike = {key: len(changes(old, mapping)) for key, old in returned.items() if ids & _ids(old)}
    return min(alike, key=lambda key: alike[key]) if alike else None


def _ids(mapping: Mapping[str, Any]) -> set[str]:
    return {each["id"] for each in mapping["statistics"]}


def _returned(connection: Connection, dataset: str, population: str, author: Actor) -> dict[str, dict[str, Any]]:
    """Return returned plans that no submission follows yet, by id, the latest first."""
    query = (
        "SELECT id, plan FROM plans WHERE dataset = ? AND author = ? AND state = 'returned' AND id NOT IN ("
        "SELECT body ->> 'follows' FROM ledger INDEXED BY ledger_by_kind"
        " WHERE kind = 'plan_submitted' AND population = ? AND body ->> 'follows' IS NOT NULL)"
        " ORDER BY rowid DESC LIMIT ?"
    )
    rows = connection.execute(query, [dataset, author.name, population, MAX_RETURNED])
    return {plan_id: json.loads(text) for plan_id, text in rows}
