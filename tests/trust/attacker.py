"""Somebody with the ledger's file and any program: who changes it past its triggers, and may make every hash anew."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import rfc8785

from dprelease.model import merkle

Event = dict[str, Any]
Change = Callable[[list[Event]], list[Event]]
LOSSES = ("epsilon_nano", "rho_nano", "delta_atto")
SUMS = ("spent_epsilon_nano", "spent_rho_nano", "spent_delta_atto", "charges")
POINTING = {
    "caps": "seq",
    "decisions": "seq",
    "overlaps": "seq",
    "earlier_releases": "seq",
    "notices": "seq",
    "previewed": "seq",
    "releases": "charge_seq",
}
"""The tables whose rows begin with an event."""
PUBLIC = {
    "charge": ("plan_hash", "cap", "period", "before", "supersedes", "two_people"),
    "published": ("release", "charge", "charge_hash", "published_on", "signer", "outputs", "version"),
    "superseded": ("release", "by", "text", "published_on", "moved"),
    "erratum": ("release", "text", "published_on"),
    "doi": ("release", "text", "published_on", "doi"),
}
"""By kind: what of the body of an event may become public (docs/ledger.md)."""
POINTERS = ("charge", "approval", "accepted")
"""What in the body of an event points at another one."""


@contextmanager
def unlocked(path: Path) -> Iterator[sqlite3.Connection]:
    """The file without its triggers, and with them again afterwards, so that nothing looks different."""
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        triggers = raw.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        raw.execute("PRAGMA foreign_keys = OFF")
        raw.execute("BEGIN")
        for name, _ in triggers:
            raw.execute(f"DROP TRIGGER {name}")
        yield raw
        for _, sql in triggers:
            raw.execute(sql)
        raw.execute("COMMIT")


def rewrite(path: Path, change: Change, *, consistently: bool) -> None:
    """Replaces the events of a ledger: as they come, or with all numbers, sums and hashes made to fit again."""
    with unlocked(path) as raw:
        raw.row_factory = sqlite3.Row
        events = change([dict(row) for row in raw.execute("SELECT * FROM ledger ORDER BY seq")])
        moved = {event["seq"]: number for number, event in enumerate(events, start=1)}
        if consistently:
            _renew(events, moved)
            for table, column in POINTING.items():
                gone = [(seq,) for (seq,) in raw.execute(f"SELECT {column} FROM {table}") if seq not in moved]
                raw.executemany(f"DELETE FROM {table} WHERE {column} = ?", gone)
                for sign, pairs in ((-1, moved.items()), (1, ((-new, new) for new in moved.values()))):
                    raw.executemany(
                        f"UPDATE {table} SET {column} = ? WHERE {column} = ?",
                        [(new if sign > 0 else -new, old) for old, new in pairs],
                    )
            _look(raw, events)
            _forge(raw, events, moved)
            _unpublish(raw, {json.loads(event["body"])["release"] for event in events if event["kind"] == "published"})
            raw.execute("DELETE FROM tree_blocks")
        raw.execute("DELETE FROM ledger")
        columns = list(events[0])
        raw.executemany(
            f"INSERT INTO ledger ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
            [tuple(event.values()) for event in events],
        )


def _forge(raw: sqlite3.Connection, events: list[Event], moved: Mapping[int, int]) -> None:
    """Checkpoints that fit these events; their signatures are worth nothing, for which one has to look at them."""
    kept = [json.loads(text) for (text,) in raw.execute("SELECT signed FROM checkpoints ORDER BY size").fetchall()]
    raw.execute("DELETE FROM checkpoints")
    leaves = [merkle.leaf_hash(bytes.fromhex(event["hash"])) for event in events]
    for signed in kept:
        told = signed["checkpoint"]
        if told["size"] not in moved:
            continue
        told["workspace"], told["size"] = events[0]["hash"], moved[told["size"]]
        told["root"] = merkle.root(told["size"], merkle.over(leaves)).hex()
        for each in told["populations"]:
            own = [event for event in events[: told["size"]] if event["population"] == each["name"]]
            each["spent"] = {name: own[-1][f"spent_{name}"] for name in each["spent"]}
            charges = [event["seq"] for event in own if event["kind"] == "charge"]
            each |= {"charges": len(charges), "last_charge": max(charges, default=None)}
        raw.execute("INSERT INTO checkpoints VALUES (?, ?, ?)", [told["size"], told["root"], json.dumps(signed)])


def _look(raw: sqlite3.Connection, events: list[Event]) -> None:
    """Each preview is of the plan that its event names."""
    plans = [text for (text,) in raw.execute("SELECT plan FROM previewed").fetchall()]
    by_hash = {hashlib.sha256(rfc8785.dumps(json.loads(text))).hexdigest(): text for text in plans}
    for event in events:
        if event["kind"] == "preview_taken":
            text = by_hash[json.loads(event["body"])["plan_hash"]]
            raw.execute("UPDATE previewed SET plan = ? WHERE seq = ?", [text, event["seq"]])


def _unpublish(raw: sqlite3.Connection, published: set[str]) -> None:
    """Releases without their publication are sealed only, and their plans approved."""
    rows = raw.execute("SELECT id, plan_id FROM releases WHERE state = 'published'").fetchall()
    for release, plan in rows:
        if release not in published:
            raw.execute(
                "UPDATE releases SET state = 'sealed', published_on = NULL, entry = NULL WHERE id = ?", [release]
            )
            raw.execute("UPDATE plans SET state = 'approved' WHERE id = ?", [plan])
    gone = "state = 'published' AND id NOT IN (SELECT plan_id FROM releases)"
    raw.execute(f"UPDATE plans SET state = 'approved' WHERE {gone}")


def _renew(events: list[Event], moved: Mapping[int, int]) -> None:
    """Numbers, sums and hashes as they would be had these been the events from the start."""
    spent: dict[str, list[int]] = {}
    previous, hashes = "0" * 64, dict[int, str]()
    for number, event in enumerate(events, start=1):
        body = json.loads(event["body"])
        body |= {name: moved.get(body[name], body[name]) for name in POINTERS if isinstance(body.get(name), int)}
        if "charge_hash" in body:
            body["charge_hash"] = hashes[body["charge"]]
        event |= {"seq": number, "previous_hash": previous, "body": rfc8785.dumps(body).decode()}
        if event["population"] is not None:
            sums = spent.setdefault(event["population"], [0, 0, 0, 0])
            for place, name in enumerate(LOSSES):
                sums[place] += event[name]
            sums[3] += event["kind"] == "charge"
            event |= dict(zip(SUMS, sums, strict=True))
        previous = hashes[number] = event["hash"] = hash_of(event)


def hash_of(event: Mapping[str, Any]) -> str:
    """The hash of a row of the ledger, made from its description and not by the program."""
    body, keys = json.loads(event["body"]), PUBLIC.get(event["kind"], ())
    rest = {"salt": event["salt"], "at": event["at"], "actor": event["actor"]}
    rest["body"] = {key: value for key, value in body.items() if key not in keys}
    told = {name: event[name] for name in ("seq", "population", "kind", "charges", "previous_hash")}
    told |= {"day": event["at"][:10], "facts": {key: value for key, value in body.items() if key in keys}}
    told["loss"] = {name: event[name] for name in LOSSES}
    told["spent"] = None if event["population"] is None else {name: event[f"spent_{name}"] for name in LOSSES}
    told["rest"] = hashlib.sha256(rfc8785.dumps(rest)).hexdigest()
    return hashlib.sha256(rfc8785.dumps(told)).hexdigest()


def charge(raw: sqlite3.Connection, epsilon_nano: int) -> None:
    """Appends a charge to the population people by plain SQL, correct in everything but perhaps its amount."""
    raw.row_factory = sqlite3.Row
    last = dict(raw.execute("SELECT * FROM ledger ORDER BY seq DESC LIMIT 1").fetchone())
    sums = raw.execute(f"SELECT {', '.join(SUMS)} FROM ledger WHERE population = 'people' ORDER BY seq DESC").fetchone()
    event = {**last, "seq": last["seq"] + 1, "actor": "mallory", "population": "people", "kind": "charge", "body": "{}"}
    event |= {"epsilon_nano": epsilon_nano, "rho_nano": 0, "delta_atto": 0, "previous_hash": last["hash"]}
    event |= dict(zip(SUMS, (sums[0] + epsilon_nano, sums[1], sums[2], sums[3] + 1), strict=True))
    event["hash"] = hash_of(event)
    columns = ", ".join(event)
    raw.execute(f"INSERT INTO ledger ({columns}) VALUES ({', '.join('?' * len(event))})", tuple(event.values()))


def tree_root(hashes: list[str]) -> str:
    """The Merkle root of events by their hashes, as RFC 6962 describes it."""
    return _tree([bytes.fromhex(each) for each in hashes]).hex()


def _tree(leaves: list[bytes]) -> bytes:
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    left = 1
    while left * 2 < len(leaves):
        left *= 2
    return hashlib.sha256(b"\x01" + _tree(leaves[:left]) + _tree(leaves[left:])).digest()
