"""The looks at true values that came before a plan was submitted: at which plan, by whom, at which ε. Never a value.

A look is of the plan that it was taken of. It is *own* to a submitted plan where at least half of the questions (a kind
and the columns that it uses) of either are in the other: further questions do not hide what was looked at. Other plans
of the population are not touched by it, except where they ask exactly the same cells. Of a look that was noted in
another copy of the ledger there are the hashes alone: it is the submitted plan's where these are; else it is told as
one of which the plan is not here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from dprelease.model.measured import comparable, fingerprint
from dprelease.model.privacy import NANO
from dprelease.store import previews
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.plans import PlanRecord
from dprelease.store.previews import Noted

PARTS = ("statistics", "where", "options", "columns")
"""Parts of a plan that may have been chosen by true values, besides ε."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookBefore:
    """One opening of a preview or of the workbench."""

    at: str
    actor: str
    title: str
    """Title of the plan looked at, or else its dataset; empty where the plan is in another copy of the ledger."""
    plan_hash: str
    least_nano: int | None
    most_nano: int | None
    """The smallest and the largest ε at which true values were seen beside noise, as far as is known."""
    own: bool
    changed: tuple[str, ...]
    """Changed parts of the submitted plan, of PARTS, since an own look."""


def looks_before(database: Database, record: PlanRecord, population: str) -> tuple[LookBefore, ...]:
    """Return the looks at a submitted plan, and at plans that ask some of the same cells, oldest first."""
    with database.reading() as connection:
        noted = previews.noted_before(connection, population, record.id)
    mine = _asked(record.mapping)
    found = (_look(record, mine, each) for each in _openings(_with_own_plan(record, noted)))
    return tuple(look for look in found if look is not None)


def _with_own_plan(record: PlanRecord, noted: Sequence[Noted]) -> list[Noted]:
    """Return the looks, with the submitted plan where another copy of the ledger noted a look at the same hash."""
    own = {EventKind.PREVIEW_TAKEN.value: record.plan_hash}
    return [
        replace(each, plan=record.mapping)
        if each.plan is None and own.get(each.kind) == each.body["plan_hash"]
        else each
        for each in noted
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opening:
    noted: Noted
    ends: tuple[int, ...]
    """Every ε that is known."""


def _openings(noted: Sequence[Noted]) -> Iterator[_Opening]:
    """Yield looks with what was done in them: a sweep of ε belongs to the same plan and person's look before it."""
    last: dict[tuple[str, str], _Opening] = {}
    order: list[tuple[str, str, int]] = []
    begun: dict[tuple[str, str, int], _Opening] = {}
    for each in noted:
        key = (each.actor, str(each.body["plan_hash"]))
        if each.kind == EventKind.PREVIEW_TAKEN:
            known = () if each.plan is None else (int(Decimal(str(each.plan["privacy"]["epsilon"])) * NANO),)
            last[key] = _Opening(noted=each, ends=known)
            order.append((*key, each.seq))
        elif each.kind == EventKind.PREVIEW_SWEPT and key in last:
            swept = (int(each.body["epsilon_nano_from"]), int(each.body["epsilon_nano_to"]))
            last[key] = replace(last[key], ends=(*last[key].ends, *swept))
        else:
            continue
        begun[(*key, last[key].noted.seq)] = last[key]
    yield from (begun[place] for place in order)


Asked = Mapping[tuple[str, tuple[str, ...]], Sequence[Mapping[str, Any]]]
"""Parts that decide a statistic's numbers, by its kind and columns."""


def _asked(plan: Mapping[str, Any]) -> dict[tuple[str, tuple[str, ...]], list[Mapping[str, Any]]]:
    found: dict[tuple[str, tuple[str, ...]], list[Mapping[str, Any]]] = {}
    filtered = {condition["column"] for condition in plan.get("where", ())}
    for statistic in plan["statistics"]:
        facts = comparable(statistic, plan)
        named = tuple(name for name in facts["columns"] if name not in filtered)
        found.setdefault((facts["kind"], named), []).append(facts)
    return found


def _look(record: PlanRecord, mine: Asked, opening: _Opening) -> LookBefore | None:
    noted, plan = opening.noted, opening.noted.plan
    if noted.body["dataset"] != record.dataset:
        return None
    seen: Asked = {} if plan is None else _asked(plan)
    both = mine.keys() & seen.keys()
    own = 2 * len(both) >= len(mine) or (any(columns for _, columns in both) and 2 * len(both) >= len(seen))
    if plan is not None and not own and not _cells(mine) & _cells(seen):
        return None
    return LookBefore(
        at=noted.at,
        actor=noted.actor,
        title="" if plan is None else str(plan.get("title") or record.dataset),
        plan_hash=str(noted.body["plan_hash"]),
        least_nano=min(opening.ends, default=None),
        most_nano=max(opening.ends, default=None),
        own=own,
        changed=tuple(_changed(mine, seen)) if own else (),
    )


def _cells(asked: Asked) -> set[str]:
    return {fingerprint(facts) for several in asked.values() for facts in several}


def _changed(mine: Asked, seen: Asked) -> Iterator[str]:
    """Yield the parts in which one plan differs from another that asks most of the same."""
    if mine.keys() != seen.keys():
        yield "statistics"
    both = mine.keys() & seen.keys()
    for part in PARTS[1:]:
        own, other = ([_digests(asked[key], part) for key in sorted(both)] for asked in (mine, seen))
        if own != other:
            yield part


def _digests(several: Sequence[Mapping[str, Any]], part: str) -> list[str]:
    return sorted(fingerprint({part: facts[part]}) for facts in several)
