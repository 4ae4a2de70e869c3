"""The looks at true values that came before a plan was submitted: at which plan, by whom, at which ε. Never a value.

A look is of the plan that it was taken of. It is *own* to a submitted plan where at least half of the questions (a kind
and the columns that it uses) of either are in the other: further questions do not hide what was looked at. Other plans
of the population are not touched by it, except where they ask exactly the same cells.
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
"""What may have been chosen by true values, besides ε."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookBefore:
    """One opening of a preview or of the workbench."""

    at: str
    actor: str
    title: str
    """Of the plan that was looked at, or else its dataset."""
    plan_hash: str
    least_nano: int
    most_nano: int
    """The smallest and the largest ε at which true values were seen beside noise."""
    own: bool
    changed: tuple[str, ...]
    """Of an own look: what the submitted plan has otherwise, of PARTS."""


def looks_before(database: Database, record: PlanRecord, population: str) -> tuple[LookBefore, ...]:
    """Returns the looks at a submitted plan, and at plans that ask some of the same cells, oldest first."""
    with database.reading() as connection:
        noted = previews.noted_before(connection, population, record.id)
    mine = _asked(record.mapping)
    found = (_look(record, mine, each) for each in _openings(noted))
    return tuple(look for look in found if look is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opening:
    noted: Noted
    least_nano: int
    most_nano: int


def _openings(noted: Sequence[Noted]) -> Iterator[_Opening]:
    """Looks with what was done in them: a sweep of ε belongs to the look of the same plan and person before it."""
    last: dict[tuple[str, str], _Opening] = {}
    order: list[tuple[str, str, int]] = []
    begun: dict[tuple[str, str, int], _Opening] = {}
    for each in noted:
        key = (each.actor, str(each.body["plan_hash"]))
        if each.kind == EventKind.PREVIEW_TAKEN and each.plan is not None:
            epsilon = int(Decimal(str(each.plan["privacy"]["epsilon"])) * NANO)
            last[key] = _Opening(noted=each, least_nano=epsilon, most_nano=epsilon)
            order.append((*key, each.seq))
        elif each.kind == EventKind.PREVIEW_SWEPT and key in last:
            now, ends = last[key], (each.body["epsilon_nano_from"], each.body["epsilon_nano_to"])
            least, most = min(now.least_nano, *ends), max(now.most_nano, *ends)
            last[key] = replace(now, least_nano=least, most_nano=most)
        else:
            continue
        begun[(*key, last[key].noted.seq)] = last[key]
    yield from (begun[place] for place in order)


Asked = Mapping[tuple[str, tuple[str, ...]], Sequence[Mapping[str, Any]]]
"""By kind and columns of a statistic: what decides its numbers."""


def _asked(plan: Mapping[str, Any]) -> dict[tuple[str, tuple[str, ...]], list[Mapping[str, Any]]]:
    found: dict[tuple[str, tuple[str, ...]], list[Mapping[str, Any]]] = {}
    filtered = {condition["column"] for condition in plan.get("where", ())}
    for statistic in plan["statistics"]:
        facts = comparable(statistic, plan)
        named = tuple(name for name in facts["columns"] if name not in filtered)
        found.setdefault((facts["kind"], named), []).append(facts)
    return found


def _look(record: PlanRecord, mine: Asked, opening: _Opening) -> LookBefore | None:
    plan = opening.noted.plan
    assert plan is not None
    if opening.noted.body["dataset"] != record.dataset:
        return None
    seen = _asked(plan)
    both = mine.keys() & seen.keys()
    own = 2 * len(both) >= len(mine) or (any(columns for _, columns in both) and 2 * len(both) >= len(seen))
    if not own and not _cells(mine) & _cells(seen):
        return None
    return LookBefore(
        at=opening.noted.at,
        actor=opening.noted.actor,
        title=str(plan.get("title") or record.dataset),
        plan_hash=str(opening.noted.body["plan_hash"]),
        least_nano=opening.least_nano,
        most_nano=opening.most_nano,
        own=own,
        changed=tuple(_changed(mine, seen)) if own else (),
    )


def _cells(asked: Asked) -> set[str]:
    return {fingerprint(facts) for several in asked.values() for facts in several}


def _changed(mine: Asked, seen: Asked) -> Iterator[str]:
    """What one plan has otherwise than another that asks most of the same."""
    if mine.keys() != seen.keys():
        yield "statistics"
    both = mine.keys() & seen.keys()
    for part in PARTS[1:]:
        own, other = ([_digests(asked[key], part) for key in sorted(both)] for asked in (mine, seen))
        if own != other:
            yield part


def _digests(several: Sequence[Mapping[str, Any]], part: str) -> list[str]:
    return sorted(fingerprint({part: facts[part]}) for facts in several)
