"""Checks that the ledger is whole: every event, its place in the chain, every sum."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from dprelease.accounting.zcdp import epsilon_of
from dprelease.errors import InputError, IntegrityError
from dprelease.model.privacy import NANO
from dprelease.store.chain import GENESIS, event_hash
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.registered import populations_within

EVENTS = """
SELECT seq, at, actor, population, kind, body, epsilon_nano, rho_nano, delta_atto, previous_hash, hash,
    spent_epsilon_nano, spent_rho_nano, spent_delta_atto, charges
FROM ledger ORDER BY seq
"""
CHARGES_OF_RELEASES = """
SELECT releases.charge_seq FROM releases
LEFT JOIN ledger ON ledger.seq = releases.charge_seq AND ledger.kind = 'charge'
WHERE ledger.seq IS NULL ORDER BY 1 LIMIT 1
"""


@dataclass(slots=True)
class _Registered:
    """A population as its own event tells of it, and what the events so far have spent of it."""

    seq: int
    mapping: dict[str, Any]
    caps: tuple[int, int, int]
    """ε and ρ in nano, δ in atto."""
    spent: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    """The same, and the number of charges."""


def verify(database: Database) -> int:
    """The number of events. Raises IntegrityError naming the first one that is not as it was written.

    An edited, dropped, moved or inserted event is found, a changed cap, a ρ that its ε and δ do not allow, a sum over
    its cap, and a cut end to which a release points. Another cut end, or a whole other ledger, shows only beside a
    checkpoint kept outside.
    """
    with database.reading() as connection:
        registered: dict[str, _Registered] = {}
        previous, number = GENESIS, 0
        for row in connection.execute(EVENTS):
            number += 1
            try:
                problem = _problem(row, number, previous, registered)
            except (KeyError, TypeError, ValueError, ArithmeticError, InputError):
                problem = "it cannot be read"
            if problem:
                raise IntegrityError(f"ledger event {number}: {problem}")
            previous = row[10]
        _check_populations(connection, registered)
        cut = connection.execute(CHARGES_OF_RELEASES).fetchone()
        if cut is not None:
            raise IntegrityError(f"ledger event {cut[0]}: it is missing, and a release was charged by it")
    return number


def _problem(row: tuple[Any, ...], number: int, previous: str, registered: dict[str, _Registered]) -> str | None:
    """What is wrong with one event, if anything; adds it to the sums."""
    seq, at, actor, name, kind, body, epsilon_nano, rho_nano, delta_atto, previous_hash, hash_ = row[:11]
    if seq != number:
        return f"it is missing; {seq} stands in its place"
    if previous_hash != previous:
        return "it does not follow the event before it"
    if hash_ != event_hash(
        seq=seq,
        at=at,
        actor=actor,
        population=name,
        kind=kind,
        body=body,
        epsilon_nano=epsilon_nano,
        rho_nano=rho_nano,
        delta_atto=delta_atto,
        previous_hash=previous_hash,
    ):
        return "it is not what its hash was made of"
    is_charge = kind == "charge"
    if min(epsilon_nano, rho_nano, delta_atto) < 0 or is_charge != (epsilon_nano + rho_nano + delta_atto > 0):
        return "what it spends does not fit its kind"
    sums = list(row[11:])
    if name is None:
        return None if not is_charge and sums == [None] * 4 else "it spends from no population"
    if kind == "population_created":
        if name in registered:
            return f"population {name!r} was registered before"
        mapping = json.loads(body)
        registered[name] = _Registered(seq, mapping, _caps(mapping))
        if not _means_its_rho(mapping):
            return f"the ρ of population {name!r} is more than its ε and δ allow"
    population = registered[name]
    spent = population.spent
    if is_charge:
        caps = population.caps
        spent[0] += epsilon_nano
        spent[1] += rho_nano
        spent[2] += delta_atto
        spent[3] += 1
        if spent[0] > caps[0] or spent[1] > caps[1] or spent[2] > caps[2]:
            return f"it takes population {name!r} over its cap"
    return None if sums == spent else "its sums are wrong"


def _caps(mapping: Mapping[str, Any]) -> tuple[int, int, int]:
    """What the charges of a population may come to; nothing of what it does not count in.

    One without a ρ counts in ε. (Before there was ρ, a population could be named zcdp, and counted so too.)
    """
    if "rho_nano" in mapping:
        return 0, mapping["rho_nano"], mapping["delta_atto"] // 2
    return mapping["epsilon_nano"], 0, mapping["delta_atto"]


def _means_its_rho(mapping: Mapping[str, Any]) -> bool:
    """Whether ρ is not more than the declared ε and δ allow."""
    if "rho_nano" not in mapping:
        return True
    epsilon = epsilon_of(mapping["rho_nano"], mapping["delta_atto"] // 2)
    return bool(epsilon * NANO <= mapping["epsilon_nano"])


def _check_populations(connection: Connection, registered: dict[str, _Registered]) -> None:
    now = {population.name: population.to_mapping() for population in populations_within(connection)}
    for name, population in registered.items():
        if now.pop(name, None) != population.mapping:
            raise IntegrityError(f"ledger event {population.seq}: population {name!r} is not as it was registered")
    if now:
        raise IntegrityError(f"population {min(now)!r} has no event in the ledger")
