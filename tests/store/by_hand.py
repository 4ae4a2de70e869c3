"""What somebody with another program could write into the file."""

from __future__ import annotations

import sqlite3

from dprelease.store.chain import event_hash
from tests.store.world import CENT

SUMS = "spent_epsilon_nano, spent_rho_nano, spent_delta_atto, charges"
HASHED = f"seq, at, actor, population, kind, body, epsilon_nano, rho_nano, delta_atto, {SUMS}, previous_hash, salt"
COLUMNS = f"{HASHED}, hash".split(", ")


def charge_row(raw: sqlite3.Connection, *, statement: str = "INSERT", **changed: object) -> None:
    """A charge written by hand, with a right hash, so that only the rule in question is broken."""
    seq, previous = raw.execute("SELECT seq, hash FROM ledger ORDER BY seq DESC LIMIT 1").fetchone()
    spent, rho, delta, charges = raw.execute(
        f"SELECT {SUMS} FROM ledger WHERE population = 'patients' ORDER BY seq DESC"
    ).fetchone()
    row: dict[str, object] = {
        "seq": seq + 1,
        "at": "2026-01-01T00:00:00.000000Z",
        "actor": "mallory",
        "population": "patients",
        "kind": "charge",
        "body": "{}",
        "epsilon_nano": CENT.epsilon_nano,
        "rho_nano": 0,
        "delta_atto": 0,
        "previous_hash": previous,
        "salt": "5a" * 32,
        **changed,
    }
    row.setdefault("spent_epsilon_nano", spent + row["epsilon_nano"])
    row.setdefault("spent_rho_nano", rho + row["rho_nano"])
    row.setdefault("spent_delta_atto", delta + row["delta_atto"])
    row.setdefault("charges", charges + (row["kind"] == "charge"))
    row["hash"] = changed.get("hash") or event_hash(**{name: row[name] for name in HASHED.split(", ")})  # type: ignore[arg-type]
    marks = ", ".join("?" * len(COLUMNS))
    raw.execute(f"{statement} INTO ledger ({', '.join(COLUMNS)}) VALUES ({marks})", [row[name] for name in COLUMNS])


def drop_triggers(raw: sqlite3.Connection) -> None:
    for (name,) in raw.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        raw.execute(f"DROP TRIGGER {name}")


def rehash(raw: sqlite3.Connection, seq: int) -> object:
    row = raw.execute(f"SELECT {HASHED} FROM ledger WHERE seq = ?", [seq]).fetchone()
    return raw.execute(
        "UPDATE ledger SET hash = ? WHERE seq = ?", [event_hash(**dict(zip(HASHED.split(", "), row, strict=True))), seq]
    )
