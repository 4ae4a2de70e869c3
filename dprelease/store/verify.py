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

EVENTS = """
SELECT seq, at, actor, population, kind, body, epsilon_nano, rho_nano, delta_atto, previous_hash, hash,
    spent_epsilon_nano, spent_rho_nano, spent_delta_atto, charges
FROM ledger ORDER BY seq
"""
SAID = {
    "mode_changed",
    "policy_changed",
    "overlap_attested",
    "earlier_releases_declared",
    "plan_approved",
    "plan_returned",
}
RECOVERED = '"recovered"'
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
    standing: list[tuple[Any, ...]]
    """Every cap, as in the table of caps."""
    before: tuple[int, int, int] = (0, 0, 0)
    """What was spent before the period."""
    spent: list[int] = field(default_factory=lambda: [0, 0, 0, 0])
    """The same, and the number of charges."""


@dataclass(slots=True)
class _Said:
    """What people attested and decided, as the events tell of it; the tables must hold the same."""

    mode: str = "solo"
    previews: str | None = None
    """What previews show; None where nobody ever decided."""
    overlaps: list[tuple[Any, ...]] = field(default_factory=list)
    earlier_releases: list[tuple[Any, ...]] = field(default_factory=list)
    decisions: list[tuple[Any, ...]] = field(default_factory=list)

    def add(self, seq: int, at: str, actor: str, population: str | None, kind: str, text: str) -> None:
        if kind not in SAID:
            return
        body = json.loads(text)
        if kind == "mode_changed":
            self.mode = body["mode"]
        elif kind == "policy_changed":
            self.previews = body["value"] if body["policy"] == "previews" else self.previews
        elif kind == "overlap_attested":
            self.overlaps.append((seq, population, body["other"], body["overlap"]))
        elif kind == "earlier_releases_declared":
            told = enumerate(body["releases"], start=1)
            self.earlier_releases += [(seq, number, population, description) for number, description in told]
        elif "binding" in body or kind == "plan_returned":
            decision = kind.removeprefix("plan_")
            binding = body.get("binding")
            self.decisions.append((seq, body["plan"], decision, actor, at, body.get("comment", ""), binding))

    def check(self, connection: Connection) -> None:
        """Raises IntegrityError where a table holds something else."""
        facts = dict(connection.execute("SELECT name, value FROM facts").fetchall())
        decisions = [
            (*row[:6], None if row[6] is None else json.loads(row[6]))
            for row in connection.execute("SELECT * FROM decisions ORDER BY seq")
        ]
        held = {
            "mode": facts.get("mode"),
            "previews": facts.get("previews"),
            "overlaps": connection.execute("SELECT * FROM overlaps ORDER BY seq").fetchall(),
            "earlier_releases": connection.execute("SELECT * FROM earlier_releases ORDER BY seq, number").fetchall(),
            "decisions": decisions,
        }
        for name, found in held.items():
            if found != getattr(self, name):
                raise IntegrityError(f"{name}: what stands there is not what the ledger tells of")


def verify(database: Database) -> int:
    """The number of events. Raises IntegrityError naming the first one that is not as it was written.

    An edited, dropped, moved or inserted event is found, a changed cap, a ρ that its ε and δ do not allow, a sum over
    its cap, and a cut end to which a release points. Another cut end, or a whole other ledger, shows only beside a
    checkpoint kept outside.
    """
    with database.reading() as connection:
        registered: dict[str, _Registered] = {}
        said = _Said()
        previous, number = GENESIS, 0
        for row in connection.execute(EVENTS):
            number += 1
            try:
                problem = _problem(row, number, previous, registered)
                said.add(row[0], row[1], row[2], row[3], row[4], row[5])
            except (KeyError, TypeError, ValueError, ArithmeticError, InputError):
                problem = "it cannot be read"
            if problem:
                raise IntegrityError(f"ledger event {number}: {problem}")
            previous = row[10]
        _check_populations(connection, registered)
        said.check(connection)
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
    """What is wrong with a cap that is raised or opened, if anything; adds it to the population."""
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
    now = {row["name"]: _first_mapping(row) for row in connection["populations"].rows}
    standing: dict[str, list[tuple[Any, ...]]] = {}
    for row in connection.execute("SELECT * FROM caps ORDER BY seq"):
        standing.setdefault(row[1], []).append(row)
    for name, population in registered.items():
        if now.pop(name, None) != population.mapping or standing.pop(name, None) != population.standing:
            raise IntegrityError(f"ledger event {population.seq}: population {name!r} is not as it was registered")
    if now or standing:
        raise IntegrityError(f"population {min([*now, *standing])!r} has no event in the ledger")


def _first_mapping(row: Mapping[str, Any]) -> dict[str, Any]:
    """What the event of a registered population says of it."""
    rho = {"rho_nano": row["cap_rho_nano"]} if row["cap_rho_nano"] else {}
    return {
        **{name: row[name] for name in ("name", "unit", "neighbors", "currency", "size")},
        "epsilon_nano": row["cap_epsilon_nano"],
        **rho,
        "delta_atto": row["cap_delta_atto"],
    }
