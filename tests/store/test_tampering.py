"""What another program may do to the file, and what is found afterwards."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest

from dprelease.errors import IntegrityError
from dprelease.store import ledger, plans, releases
from dprelease.store.database import Database
from dprelease.store.verify import verify
from tests.store import world
from tests.store.by_hand import charge_row, drop_triggers, rehash
from tests.store.world import CENT, CURATOR

pytestmark = pytest.mark.quick


def test_a_charge_by_hand_within_the_cap_is_like_any_other(
    registered_on_disk: Database, raw: sqlite3.Connection
) -> None:
    charge_row(raw)
    assert verify(registered_on_disk) == 4


@pytest.mark.one_in(3)
@pytest.mark.parametrize("statement", ["INSERT", "INSERT OR REPLACE", "INSERT OR IGNORE", "REPLACE"])
@pytest.mark.parametrize(
    "changed",
    [
        {"epsilon_nano": 10**9 + 1},
        {"epsilon_nano": 0, "rho_nano": 1},
        {"epsilon_nano": 0, "rho_nano": 1, "spent_rho_nano": 0},
        {"spent_rho_nano": 1},
        {"spent_rho_nano": None},
        {"delta_atto": 1},
        {"epsilon_nano": 2**53 - 1},
        {"epsilon_nano": 10**9 + 1, "spent_epsilon_nano": 10**9},
        {"epsilon_nano": 10**9 + 1, "spent_epsilon_nano": None},
        {"charges": 7},
        {"population": "nobody"},
        {"seq": 2},
        {"seq": 9},
        {"seq": 0},
        {"previous_hash": "0" * 64},
    ],
    ids=str,
)
def test_a_charge_by_hand_that_breaks_a_rule_is_refused(
    registered_on_disk: Database, raw: sqlite3.Connection, statement: str, changed: dict[str, object]
) -> None:
    before = raw.execute("SELECT * FROM ledger").fetchall()
    with pytest.raises(sqlite3.IntegrityError, match="ledger:"):
        charge_row(raw, statement=statement, **changed)
    assert raw.execute("SELECT * FROM ledger").fetchall() == before
    assert verify(registered_on_disk) == 3


@pytest.mark.parametrize(
    "changed",
    [
        {"epsilon_nano": -1},
        {"epsilon_nano": 0},
        {"kind": "preview_taken"},
        {"delta_atto": -1},
        {"body": "{", "hash": "00" * 32},
    ],
    ids=str,
)
def test_a_charge_must_cost_and_nothing_else_may(raw: sqlite3.Connection, changed: dict[str, Any]) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        charge_row(raw, **changed)


def test_the_cap_is_exact_by_hand_too(raw: sqlite3.Connection) -> None:
    for _ in range(100):
        charge_row(raw)
    with pytest.raises(sqlite3.IntegrityError, match="cap"):
        charge_row(raw, epsilon_nano=1)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("statement", "complaint"),
    [
        ("UPDATE ledger SET actor = 'nobody' WHERE seq = 2", "ledger"),
        ("UPDATE OR REPLACE ledger SET seq = 1 WHERE seq = 2", "ledger"),
        ("DELETE FROM ledger WHERE seq = 3", "ledger"),
        ("DELETE FROM ledger", "ledger"),
        ("UPDATE populations SET cap_epsilon_nano = 9", "populations"),
        ("DELETE FROM populations", "populations"),
        ("REPLACE INTO populations SELECT * FROM populations", "populations"),
        (
            "INSERT INTO populations SELECT * FROM populations WHERE 1 ON CONFLICT DO UPDATE SET cap_epsilon_nano = 9",
            "populations",
        ),
        ("UPDATE datasets SET population = 'others'", "datasets"),
        ("UPDATE datasets SET unit_column = NULL", "datasets"),
        ("DELETE FROM datasets", "datasets"),
        ("REPLACE INTO datasets SELECT * FROM datasets", "datasets"),
        ("UPDATE plans SET plan = '{}'", "plans"),
        ("UPDATE plans SET state = 'submitted'", "plans"),
        ("UPDATE plans SET approver = 'nobody'", "plans"),
        ("DELETE FROM plans", "plans"),
        ("REPLACE INTO plans SELECT * FROM plans", "plans"),
        ("UPDATE releases SET sealed = x'00'", "releases"),
        ("UPDATE releases SET sealed = x'7B7D'", "releases"),
        ("UPDATE releases SET sealed_on = '2026-11-21'", "releases"),
        ("UPDATE releases SET sealed = NULL, certificate = NULL, state = 'charged'", "releases"),
        ("UPDATE releases SET sealed = NULL, sealed_on = NULL, state = 'lost'", "releases"),
        ("UPDATE releases SET certificate = '{}'", "releases"),
        ("UPDATE releases SET answers = x'00'", "releases"),
        ("UPDATE releases SET state = 'charged'", "releases"),
        ("UPDATE releases SET charge_seq = 1", "releases"),
        ("DELETE FROM releases", "releases"),
        ("REPLACE INTO releases SELECT * FROM releases", "releases"),
    ],
)
def test_what_is_written_is_not_changed_by_sql(
    registered_on_disk: Database, raw: sqlite3.Connection, statement: str, complaint: str
) -> None:
    publication = releases.begin(
        registered_on_disk, world.approve(registered_on_disk).id, CENT, actor=CURATOR, slug="visits"
    )
    releases.seal(registered_on_disk, publication.id, b"noisy", on="2026-11-20", actor=CURATOR)
    releases.certify(registered_on_disk, publication.id, "{}", withheld=False)
    before = list(raw.iterdump())
    with pytest.raises(sqlite3.IntegrityError, match=f"^{complaint}:"):
        raw.execute(statement)
    assert list(raw.iterdump()) == before


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE releases SET sealed = x'00'",
        "UPDATE releases SET sealed = x'7B7D'",
        "UPDATE releases SET sealed = x'7B7D', certificate = '{}'",
        "UPDATE releases SET sealed = x'00', certificate = '{}'",
        "UPDATE releases SET answers = x'00'",
        """UPDATE releases SET certificate = '{"criteria":[{"held":false}]}'""",
        "UPDATE releases SET state = 'published', published_on = '2026-11-20'",
    ],
)
def test_a_seal_that_is_not_certified_yet_stands(
    registered_on_disk: Database, raw: sqlite3.Connection, statement: str
) -> None:
    plan_id = world.approve(registered_on_disk).id
    release_id = releases.begin(registered_on_disk, plan_id, CENT, actor=CURATOR, slug="visits").id
    releases.seal(registered_on_disk, release_id, b"noisy", on="2026-11-20", actor=CURATOR)
    before = list(raw.iterdump())
    with pytest.raises(sqlite3.IntegrityError):
        raw.execute(statement)
    assert list(raw.iterdump()) == before


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE rounds SET drawn = x'00'",
        "DELETE FROM rounds",
        "REPLACE INTO rounds SELECT release_id, number, x'00' FROM rounds",
        "INSERT INTO rounds SELECT release_id, 2, drawn FROM rounds",
    ],
)
def test_a_round_that_is_not_sealed_yet_stands(
    registered_on_disk: Database, raw: sqlite3.Connection, statement: str
) -> None:
    plan_id = world.approve(registered_on_disk).id
    release_id = releases.begin(registered_on_disk, plan_id, CENT, actor=CURATOR, slug="visits").id
    releases.keep_round(registered_on_disk, release_id, 0, b"noisy")
    before = list(raw.iterdump())
    with pytest.raises(sqlite3.IntegrityError, match=r"^rounds:"):
        raw.execute(statement)
    assert list(raw.iterdump()) == before


def test_a_plan_does_not_begin_approved_nor_a_release_sealed(
    registered_on_disk: Database, raw: sqlite3.Connection
) -> None:
    plans.add(registered_on_disk, world.plan(), "v1", author=CURATOR)
    seq = ledger.charge(registered_on_disk, "patients", CENT, actor=CURATOR).seq
    with pytest.raises(sqlite3.IntegrityError, match="plans:"):
        raw.execute(
            "INSERT INTO plans"
            " SELECT 'x', dataset, 'v2', plan_hash, plan, 'approved', author, created, 'a', 'a' FROM plans"
        )
    begin = (
        "INSERT INTO releases (id, plan_id, charge_seq, state, sealed_on, sealed) SELECT 'r', id, ?, ?, ?, ? FROM plans"
    )
    with pytest.raises(sqlite3.IntegrityError, match="releases:"):
        raw.execute(begin, [seq, "sealed", "2026-11-20", b"better"])
    with pytest.raises(sqlite3.IntegrityError, match="releases:"):
        raw.execute(begin, [1, "charged", None, None])
    raw.execute(begin, [seq, "charged", None, None])


def swap(raw: sqlite3.Connection, first: int, second: int) -> None:
    for old, new in ((first, -1), (second, first), (-1, second)):
        raw.execute("UPDATE ledger SET seq = ? WHERE seq = ?", [new, old])


@pytest.mark.parametrize(
    ("tamper", "found"),
    [
        (lambda raw: raw.execute("UPDATE ledger SET actor = 'nobody' WHERE seq = 5"), "event 5"),
        (lambda raw: raw.execute("UPDATE ledger SET at = '2020' || substr(at, 5) WHERE seq = 5"), "event 5"),
        (lambda raw: raw.execute("UPDATE ledger SET body = '{\"a\":1}' WHERE seq = 5"), "event 5"),
        (lambda raw: raw.execute("UPDATE ledger SET epsilon_nano = 1 WHERE seq = 5"), "event 5"),
        (lambda raw: raw.execute("UPDATE ledger SET delta_atto = 1 WHERE seq = 5"), "event 5"),
        (lambda raw: raw.execute("UPDATE ledger SET rho_nano = 1 WHERE seq = 5"), "event 5"),
        (lambda raw: raw.execute("UPDATE ledger SET kind = 'test' WHERE seq = 1"), "event 1"),
        (lambda raw: raw.execute("UPDATE ledger SET population = NULL WHERE seq = 3"), "event 3"),
        (lambda raw: raw.execute("UPDATE ledger SET spent_epsilon_nano = 0 WHERE seq = 6"), "event 6"),
        (lambda raw: raw.execute("UPDATE ledger SET spent_rho_nano = 1 WHERE seq = 6"), "event 6"),
        (lambda raw: raw.execute("UPDATE ledger SET charges = 0 WHERE seq = 6"), "event 6"),
        (lambda raw: raw.execute("UPDATE ledger SET hash = ? WHERE seq = 8", ["f" * 64]), "event 8"),
        (lambda raw: raw.execute("UPDATE ledger SET hash = ? WHERE seq = 5", ["f" * 64]), "event 5"),
        (lambda raw: raw.execute("DELETE FROM ledger WHERE seq = 1"), "event 1"),
        (lambda raw: raw.execute("DELETE FROM ledger WHERE seq = 5"), "event 5"),
        (
            lambda raw: raw.executescript(
                "DELETE FROM ledger WHERE seq = 5; UPDATE ledger SET seq = seq - 1 WHERE seq > 5"
            ),
            "event 5",
        ),
        (lambda raw: swap(raw, 5, 6), "event 5"),
        (lambda raw: (raw.execute("UPDATE ledger SET actor = 'nobody' WHERE seq = 5"), rehash(raw, 5)), "event 6"),
        (lambda raw: (raw.execute("UPDATE ledger SET seq = 9 WHERE seq = 8"), rehash(raw, 9)), "event 8"),
        (lambda raw: raw.execute("UPDATE populations SET cap_epsilon_nano = 9"), "event 2"),
        (lambda raw: raw.execute("UPDATE populations SET neighbors = 'substitute'"), "event 2"),
        (lambda raw: raw.execute("DELETE FROM populations"), "event 2"),
        (
            lambda raw: raw.execute(
                "INSERT INTO populations SELECT 'p', unit, neighbors, currency, 1, 0, 0, 1, '', 1 FROM populations"
            ),
            "population 'p' has",
        ),
    ],
)
def test_tampering_below_the_triggers_is_found(
    registered_on_disk: Database, raw: sqlite3.Connection, tamper: Callable[[sqlite3.Connection], object], found: str
) -> None:
    for number in range(5):
        ledger.charge(registered_on_disk, "patients", CENT, actor=CURATOR, body={"number": number})
    assert verify(registered_on_disk) == 8
    drop_triggers(raw)
    raw.execute("PRAGMA foreign_keys = OFF")
    raw.execute("PRAGMA ignore_check_constraints = ON")
    tamper(raw)
    with pytest.raises(IntegrityError, match=rf"{found}\b"):
        verify(registered_on_disk)


def test_an_overspent_ledger_is_found_though_its_hashes_are_right(
    registered_on_disk: Database, raw: sqlite3.Connection
) -> None:
    drop_triggers(raw)
    charge_row(raw, epsilon_nano=10**9)
    assert verify(registered_on_disk) == 4
    charge_row(raw, epsilon_nano=1)
    with pytest.raises(IntegrityError, match=r"event 5: .*over its cap"):
        verify(registered_on_disk)


def test_a_charge_moved_to_no_population_is_found_though_its_hash_is_right(
    registered_on_disk: Database, raw: sqlite3.Connection
) -> None:
    ledger.charge(registered_on_disk, "patients", CENT, actor=CURATOR)
    drop_triggers(raw)
    raw.execute("PRAGMA ignore_check_constraints = ON")
    raw.execute(
        "UPDATE ledger SET population = NULL, spent_epsilon_nano = NULL, spent_rho_nano = NULL,"
        " spent_delta_atto = NULL, charges = NULL WHERE seq = 4"
    )
    rehash(raw, 4)
    with pytest.raises(IntegrityError, match="event 4"):
        verify(registered_on_disk)


def test_a_cut_end_is_found_where_a_release_was_charged_there(
    registered_on_disk: Database, raw: sqlite3.Connection
) -> None:
    releases.begin(registered_on_disk, world.approve(registered_on_disk).id, CENT, actor=CURATOR, slug="visits")
    drop_triggers(raw)
    raw.execute("DELETE FROM ledger WHERE seq = 6")
    with pytest.raises(IntegrityError, match="event 6"):
        verify(registered_on_disk)


def test_a_body_cannot_be_split_among_other_columns(registered_on_disk: Database, raw: sqlite3.Connection) -> None:
    """The hashed text is put together from columns: a column must not be able to hold its neighbours."""
    drop_triggers(raw)
    raw.execute("PRAGMA ignore_check_constraints = ON")
    (body,) = raw.execute("SELECT body FROM ledger WHERE seq = 1").fetchone()
    raw.execute("UPDATE ledger SET at = at || ?, body = '' WHERE seq = 1", [f'","body":{body}'])
    with pytest.raises(IntegrityError, match="event 1"):
        verify(registered_on_disk)
