"""Checks that the ledger is whole: every event, its place in the chain, every sum, and every table that they decide.

Checkpoints that were given out are compared with the events that they are of.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from dprelease.accounting.zcdp import epsilon_of
from dprelease.errors import DPReleaseError, InputError, IntegrityError
from dprelease.model.checkpoint import SignedCheckpoint
from dprelease.model.merkle import leaf_hash, node_hash
from dprelease.model.privacy import NANO, rho_delta
from dprelease.store.chain import GENESIS, event_hash
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.replay import STEPS, Replay, ReplayedEvent
from dprelease.words import phrase, quoted

EVENTS = """
SELECT seq, at, actor, population, kind, body, epsilon_nano, rho_nano, delta_atto, previous_hash, hash,
    spent_epsilon_nano, spent_rho_nano, spent_delta_atto, charges, salt
FROM ledger ORDER BY seq
"""
RECOVERED = '"recovered"'
CHARGES_OF_RELEASES = """
SELECT releases.charge_seq FROM releases
LEFT JOIN ledger ON ledger.seq = releases.charge_seq AND ledger.kind IN ('charge', 'edition_begun')
WHERE ledger.seq IS NULL ORDER BY 1 LIMIT 1
"""


@dataclass(slots=True)
class _Registered:
    """A population as its own event tells of it, and what the events so far have spent of it."""

    seq: int
    mapping: dict[str, Any]
    caps: tuple[int, int, int]
    """ε and ρ in nano, δ in atto."""
    standing: list[tuple[Any, ...]]
    """Every cap, as in the table of caps."""
    before: tuple[int, int, int] = (0, 0, 0)
    """Loss that was spent before the period."""
    spent: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    """The same, and the number of charges."""


def verify(database: Database) -> int:
    """Return the number of events. Raises IntegrityError naming the first one that is not as it was written.

    The events are played again: an edited, dropped, moved or inserted one is found, a changed cap, a ρ that its ε and
    δ do not allow, a sum over its cap. Whatever else decides something (people and roles, mode and policies, tokens,
    datasets, plans, decisions, releases, notices, checkpoints) is compared with what they tell, and SQLite checks the
    file. No event tells of passwords, of a token's hash and end, or of the file that holds a table's rows. A cut end is
    found where a release or a checkpoint points to it. Another cut end, or a whole other ledger, shows only beside a
    checkpoint kept outside.
    """
    with database.reading() as connection:
        registered: dict[str, _Registered] = {}
        replay, given = Replay(), KeptCheckpoints(connection)
        previous, number = GENESIS, 0
        for row in connection.execute(EVENTS):
            number += 1
            try:
                problem = _problem(row, number, previous, registered)
                if problem is None:
                    _play(row, replay)
            except (KeyError, TypeError, ValueError, ArithmeticError, InputError):
                problem = "it cannot be read"
            if problem:
                raise IntegrityError(phrase("store.ledger_event", number=number, problem=problem))
            given.add(number, row[10], registered)
            previous = row[10]
        _check_file(connection)
        _check_populations(connection, registered)
        cut = connection.execute(CHARGES_OF_RELEASES).fetchone()
        if cut is not None:
            raise IntegrityError(phrase("store.ledger_event_missing_release", cut=cut[0]))
        given.check(number, replay.checkpoints)
        replay.check(connection)
        _check_references(connection)
    return number


def _check_file(connection: Connection) -> None:
    """Raise IntegrityError where the file's pages, indexes or constraints are not in order, by SQLite's own check."""
    found = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != ("ok",):
        raise IntegrityError(phrase("store.ledger_database_damaged", cause=str(found[0]).splitlines()[-1]))


def _check_references(connection: Connection) -> None:
    row = connection.execute("PRAGMA foreign_key_check").fetchone()
    if row is not None:
        raise IntegrityError(phrase("store.what_stands_there_what", table=row[0]))


def _play(row: tuple[Any, ...], replay: Replay) -> None:
    seq, at, actor, population, kind, body = row[:6]
    if kind in STEPS:
        told = json.loads(body)
        replay.add(
            ReplayedEvent(seq=seq, at=at, actor=actor, population=population, kind=kind, hash=row[10], body=told)
        )


def _problem(row: tuple[Any, ...], number: int, previous: str, registered: dict[str, _Registered]) -> str | None:
    """Return what is wrong with one event, or None; adds it to the sums."""
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
        spent_epsilon_nano=row[11],
        spent_rho_nano=row[12],
        spent_delta_atto=row[13],
        charges=row[14],
        previous_hash=previous_hash,
        salt=row[15],
    ):
        return "it is not what its hash was made of"
    is_charge = kind == "charge"
    if min(epsilon_nano, rho_nano, delta_atto) < 0 or is_charge != (epsilon_nano + rho_nano + delta_atto > 0):
        return "what it spends does not fit its kind"
    sums = list(row[11:15])
    if name is None:
        return None if not is_charge and sums == [None] * 4 else "it spends from no population"
    if kind == "population_created":
        if name in registered:
            return f"population {name!r} was registered before"
        mapping = json.loads(body)
        first = (seq, name, None, *_stated(mapping), 0, 0, 0)
        registered[name] = _Registered(seq, mapping, _caps(mapping), [first])
        if not _means_its_rho(mapping):
            return f"the ρ of population {name!r} is more than its ε and δ allow"
    population = registered[name]
    spent = population.spent
    if is_charge:
        caps, before = population.caps, population.before
        spent[0] += epsilon_nano
        spent[1] += rho_nano
        spent[2] += delta_atto
        spent[3] += 1
        over = spent[0] - before[0] > caps[0] or spent[1] - before[1] > caps[1] or spent[2] - before[2] > caps[2]
        if over and not (RECOVERED in body and json.loads(body)["recovered"] is True):
            return f"it takes population {name!r} over its cap"
    elif kind in ("cap_raised", "period_opened"):
        return _renewed(seq, name, kind, json.loads(body), population, sums)
    return None if sums == spent else "its sums are wrong"


def _renewed(
    seq: int, name: str, kind: str, body: Mapping[str, Any], population: _Registered, sums: list[Any]
) -> str | None:
    """Return what is wrong with a cap that is raised or opened, or None; adds it to the population."""
    stated = {**population.mapping, **body}
    period = population.standing[-1][2]
    if "rho_nano" not in body:
        stated.pop("rho_nano", None)
    if kind == "cap_raised" and any(
        new < old for new, old in zip(_stated(stated), population.standing[-1][3:6], strict=True)
    ):
        return f"it lowers the cap of population {name!r}"
    if kind == "period_opened":
        period = body["period"]
        if any(row[2] == period for row in population.standing):
            return f"population {name!r} had a period {period!r} before"
        population.before = (population.spent[0], population.spent[1], population.spent[2])
    if not _means_its_rho(stated):
        return f"the ρ of population {name!r} is more than its ε and δ allow"
    population.caps = _caps(stated)
    population.standing.append((seq, name, period, *_stated(stated), *population.before))
    return None if sums == population.spent else "its sums are wrong"


def _stated(mapping: Mapping[str, Any]) -> tuple[int, int, int]:
    return mapping["epsilon_nano"], mapping.get("rho_nano", 0), mapping["delta_atto"]


def _caps(mapping: Mapping[str, Any]) -> tuple[int, int, int]:
    """Return the cap on the charges of a population, as (ε, ρ, δ); 0 for what it does not count in.

    One without a ρ counts in ε. (Before there was ρ, a population could be named zcdp, and counted so too.)
    """
    if "rho_nano" in mapping:
        return 0, mapping["rho_nano"], mapping["delta_atto"] // 2 if mapping.get("discovers", True) else 0
    return mapping["epsilon_nano"], 0, mapping["delta_atto"]


def _means_its_rho(mapping: Mapping[str, Any]) -> bool:
    """Return True if ρ is not more than the declared ε and δ allow."""
    if "rho_nano" not in mapping:
        return True
    epsilon = epsilon_of(mapping["rho_nano"], rho_delta(mapping["delta_atto"], mapping.get("discovers", True)))
    return bool(epsilon * NANO <= mapping["epsilon_nano"])


def _check_populations(connection: Connection, registered: dict[str, _Registered]) -> None:
    now = {row["name"]: _first_mapping(row) for row in connection["populations"].rows}
    standing: dict[str, list[tuple[Any, ...]]] = {}
    for row in connection.execute("SELECT * FROM caps ORDER BY seq"):
        standing.setdefault(row[1], []).append(row)
    for name, population in registered.items():
        if now.pop(name, None) != population.mapping or standing.pop(name, None) != population.standing:
            raise IntegrityError(phrase("store.ledger_event_population_was", seq=population.seq, name=quoted(name)))
    if now or standing:
        raise IntegrityError(phrase("store.population_no_event_ledger", min=quoted(min([*now, *standing]))))


def _first_mapping(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the mapping of a registered population in its event."""
    rho = {"rho_nano": row["cap_rho_nano"]} if row["cap_rho_nano"] else {}
    return {
        **{name: row[name] for name in ("name", "unit", "neighbors", "currency", "size")},
        "epsilon_nano": row["cap_epsilon_nano"],
        **rho,
        "delta_atto": row["cap_delta_atto"],
        **({} if row["discovers"] else {"discovers": False}),
    }


class Spender(Protocol):
    """A population, as far as the events tell of it."""

    spent: list[int]
    """ε and ρ in nano, δ in atto, and the number of charges."""


class KeptCheckpoints:
    """The kept checkpoints, while the events are gone through in their order; memory grows with log of their number."""

    def __init__(self, connection: Connection) -> None:
        query = "SELECT size, root, signed FROM checkpoints ORDER BY size"
        self._kept: dict[int, tuple[str, str]] = {size: (root, text) for size, root, text in connection.execute(query)}
        self._first = ""
        self._peaks: list[tuple[int, bytes]] = []
        """The roots of full trees, the largest first, each with its height."""

    def add(self, seq: int, hash_: str, populations: Mapping[str, Spender]) -> None:
        """Add the next event; `populations` as they stand after it."""
        self._first = self._first or hash_
        height, node = 0, leaf_hash(bytes.fromhex(hash_))
        while self._peaks and self._peaks[-1][0] == height:
            height, node = height + 1, node_hash(self._peaks.pop()[1], node)
        self._peaks.append((height, node))
        if seq in self._kept:
            self._compare(seq, populations)

    def _compare(self, size: int, populations: Mapping[str, Spender]) -> None:
        root, text = self._kept[size]
        try:
            told = SignedCheckpoint.from_mapping(json.loads(text)).checkpoint
        except (ValueError, KeyError, TypeError, DPReleaseError) as cause:
            raise _different(size) from cause
        spent = {each.population.name: (each.spent, each.charges) for each in told.populations}
        stated = {name: [a.epsilon_nano, a.rho_nano, a.delta_atto, n] for name, (a, n) in spent.items()}
        if (told.workspace, told.size, told.root, root) != (self._first, size, self._root(), self._root()):
            raise _different(size)
        if stated != {name: each.spent for name, each in populations.items()}:
            raise _different(size)

    def _root(self) -> str:
        node = self._peaks[-1][1]
        for _, peak in reversed(self._peaks[:-1]):
            node = node_hash(peak, node)
        return node.hex()

    def check(self, events: int, made: Collection[int]) -> None:
        """Raise IntegrityError where one is of more events than there are, or one is gone that a release came with."""
        last = max(self._kept, default=0)
        if last > events:
            raise IntegrityError(phrase("store.ledger_events_checkpoint_was", events=events, last=last))
        if not self._kept.keys() >= set(made):
            raise IntegrityError(phrase("store.checkpoints_what_stands_there"))


def _different(size: int) -> IntegrityError:
    return IntegrityError(phrase("store.checkpoint_first_events_one", size=size))
