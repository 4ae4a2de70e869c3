"""A workspace as version 1 of the layout left it: with its columns, by plain SQL, past its triggers."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dprelease.model.encoding import canonical, digest
from dprelease.store import migrations
from dprelease.store.connection import connect, create_private
from tests.store import world

AT = "2026-01-31T09:30:00.000000Z"
RELEASES = {"visits-1": "published", "visits-2": "sealed", "visits-3": "charged"}
"""Each of a plan of its own."""


def write(path: Path) -> None:
    """Two populations (one named zcdp, which version 1 took and counted in ε), and releases in every state."""
    create_private(path)
    with pytest.MonkeyPatch.context() as older:
        older.setattr(migrations, "STEPS", (migrations.m001_ledger,))
        with closing(connect(path)) as connection:
            migrations.migrate(connection)
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        raw.execute("PRAGMA foreign_keys = ON")
        _population(raw, "patients", "pure", 10**9, 10**12)
        _population(raw, "students", "zcdp", 2 * 10**9, 10**12)
        for number, (release, state) in enumerate(RELEASES.items(), start=1):
            _release(raw, number, release, state)
        event(raw, "charge", "students", {}, epsilon_nano=5, delta_atto=10**12)
        event(raw, "sign_in", None, {})
        event(raw, "spend_refused", "patients", {"note": "‹é› 漢字"})


def _population(raw: sqlite3.Connection, name: str, currency: str, epsilon_nano: int, delta_atto: int) -> None:
    raw.execute(
        "INSERT INTO populations VALUES (?, 'person', 'add_remove', ?, ?, ?, NULL, ?)",
        [name, currency, epsilon_nano, delta_atto, AT],
    )
    body = {
        "name": name,
        "unit": "person",
        "neighbors": "add_remove",
        "currency": currency,
        "epsilon_nano": epsilon_nano,
        "delta_atto": delta_atto,
        "size": None,
    }
    event(raw, "population_created", name, body)


def _release(raw: sqlite3.Connection, number: int, release: str, state: str) -> None:
    """A release of a plan about a dataset, all three new."""
    schema, plan = json.dumps(world.SCHEMA.to_mapping()), world.plan(f"Visits {number}")
    raw.execute(
        "INSERT INTO datasets VALUES (?, 'patients', 'person_id', ?, 'v1', 'x.parquet', ?)",
        [f"visits{number}", schema, AT],
    )
    raw.execute(
        "INSERT INTO plans VALUES (?, ?, 'v1', ?, ?, 'submitted', 'maria', ?, NULL, NULL)",
        [f"plan-{number}", f"visits{number}", plan.hash, json.dumps(plan.to_mapping()), AT],
    )
    raw.execute(
        "UPDATE plans SET state = 'approved', approver = 'jonas', approved = ? WHERE id = ?", [AT, f"plan-{number}"]
    )
    seq = event(raw, "charge", "patients", {"plan": f"plan-{number}"}, epsilon_nano=10**7, delta_atto=number)
    raw.execute("INSERT INTO releases VALUES (?, ?, ?, 'charged', NULL, NULL, NULL)", [release, f"plan-{number}", seq])
    if state != "charged":
        raw.execute(
            "UPDATE releases SET state = 'sealed', certificate = '{}', sealed = ? WHERE id = ?",
            [bytes([0, 255, number]), release],
        )
    if state == "published":
        raw.execute("UPDATE releases SET state = 'published', published_on = '2026-01-31' WHERE id = ?", [release])


def event(
    raw: sqlite3.Connection,
    kind: str,
    population: str | None,
    body: dict[str, Any],
    *,
    epsilon_nano: int = 0,
    delta_atto: int = 0,
) -> int:
    seq, previous = raw.execute("SELECT seq + 1, hash FROM ledger ORDER BY seq DESC LIMIT 1").fetchone()
    sums = raw.execute(
        "SELECT spent_epsilon_nano, spent_delta_atto, charges FROM ledger WHERE population = ? ORDER BY seq DESC",
        [population],
    ).fetchone() or (0, 0, 0)
    event = {
        "seq": seq,
        "at": AT,
        "actor": "maria",
        "population": population,
        "kind": kind,
        "body": body,
        "epsilon_nano": epsilon_nano,
        "delta_atto": delta_atto,
        "previous_hash": previous,
    }
    row = {**event, "body": canonical(body).decode(), "hash": digest(event)}
    if population is not None:
        spent = (epsilon_nano, delta_atto, int(kind == "charge"))
        names = ("spent_epsilon_nano", "spent_delta_atto", "charges")
        row |= {name: before + part for name, before, part in zip(names, sums, spent, strict=True)}
    raw.execute(f"INSERT INTO ledger ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", list(row.values()))
    return int(seq)
