"""Caps that are raised and renewed: what another program may write, and what is found afterwards."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from dprelease.errors import InputError, InsufficientBudgetError, IntegrityError
from dprelease.model.population import Overlap
from dprelease.model.privacy import PrivacyLoss
from dprelease.store import account, facts, ledger, populations
from dprelease.store.database import Database
from dprelease.store.verify import verify
from tests.store import world
from tests.store.by_hand import drop_triggers
from tests.store.world import CURATOR, ONE

pytestmark = pytest.mark.quick

TWO = PrivacyLoss(epsilon_nano=2 * 10**9)


def raise_to(database: Database, cap: PrivacyLoss) -> None:
    populations.raise_cap(database, world.population(cap=cap), reason="more", actor=CURATOR)


def open_period(database: Database, period: str, cap: PrivacyLoss = ONE) -> None:
    wanted = replace(world.population(cap=cap), period=period)
    populations.open_period(database, wanted, reason="a new year", actor=CURATOR)


def test_a_raised_cap_holds_exactly(registered: Database) -> None:
    ledger.charge(registered, "patients", ONE, actor=CURATOR)
    with pytest.raises(InsufficientBudgetError):
        ledger.charge(registered, "patients", PrivacyLoss(epsilon_nano=1), actor=CURATOR)
    raise_to(registered, TWO)
    ledger.charge(registered, "patients", ONE, actor=CURATOR)
    with pytest.raises(InsufficientBudgetError):
        ledger.charge(registered, "patients", PrivacyLoss(epsilon_nano=1), actor=CURATOR)
    with pytest.raises(InputError):
        raise_to(registered, TWO)
    assert verify(registered) == ledger.count(registered)


def test_each_period_has_its_own_cap_and_the_sums_go_on(registered: Database) -> None:
    for period in ("2026", "2027", "2028"):
        open_period(registered, period)
        ledger.charge(registered, "patients", ONE, actor=CURATOR)
        with pytest.raises(InsufficientBudgetError):
            ledger.charge(registered, "patients", PrivacyLoss(epsilon_nano=1), actor=CURATOR)
    found = account.account(registered, "patients")
    assert (found.spent.epsilon_nano, found.before.epsilon_nano, found.used, found.charges) == (
        3 * 10**9,
        2 * 10**9,
        ONE,
        3,
    )
    with pytest.raises(InputError):
        open_period(registered, "2026")
    assert verify(registered) == ledger.count(registered)


@pytest.mark.parametrize(
    "row",
    [
        ("(SELECT max(seq) FROM ledger)", "'patients'", "NULL", 9 * 10**9, 0),
        ("2", "'patients'", "'2030'", 9 * 10**9, 0),
        ("(SELECT max(seq) + 1 FROM ledger)", "'patients'", "'2030'", 9 * 10**9, 0),
    ],
    ids=["no event of its own", "an earlier event", "no event at all"],
)
def test_a_cap_by_hand_needs_its_event(raw: sqlite3.Connection, row: tuple[object, ...]) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        raw.execute(f"INSERT INTO caps VALUES ({row[0]}, {row[1]}, {row[2]}, {row[3]}, 0, 0, {row[4]}, 0, 0)")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE caps SET cap_epsilon_nano = 9000000000",
        "UPDATE caps SET before_epsilon_nano = 5",
        "DELETE FROM caps",
        "UPDATE checkpoints SET root = root",
        "UPDATE requests SET state = 'approved'",
        "UPDATE decisions SET decision = 'approved'",
        "DELETE FROM decisions",
    ],
)
def test_what_was_decided_is_not_changed_by_sql(
    registered_on_disk: Database, raw: sqlite3.Connection, statement: str
) -> None:
    world.approve(registered_on_disk)
    before = [raw.execute(f"SELECT * FROM {table}").fetchall() for table in ("caps", "decisions", "requests")]
    table = statement.split()[1 if statement.startswith("UPDATE") else 2]
    if raw.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,):
        raw.execute(statement)  # a trigger for each row, and there is none
    else:
        with pytest.raises(sqlite3.IntegrityError):
            raw.execute(statement)
    after = [raw.execute(f"SELECT * FROM {table}").fetchall() for table in ("caps", "decisions", "requests")]
    assert after == before


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE caps SET cap_epsilon_nano = 9000000000 WHERE seq = 2",
        "UPDATE caps SET before_epsilon_nano = -5 WHERE seq > 2",
        "UPDATE caps SET period = 'other' WHERE seq > 2",
        "DELETE FROM caps WHERE seq > 2",
        "UPDATE populations SET unit = 'visit'",
    ],
)
def test_a_changed_cap_is_found(registered_on_disk: Database, raw: sqlite3.Connection, statement: str) -> None:
    open_period(registered_on_disk, "2026")
    raise_to(registered_on_disk, TWO)
    drop_triggers(raw)
    raw.execute(statement)
    with pytest.raises(IntegrityError, match="patients"):
        verify(registered_on_disk)


def test_the_latest_word_on_an_overlap_counts_both_ways(registered: Database) -> None:
    populations.add(registered, world.population("staff"), actor=CURATOR, overlaps={"patients": Overlap.NONE})
    populations.attest_overlap(registered, "patients", "staff", Overlap.SOME, actor=CURATOR)
    populations.add(registered, world.population("visitors"), actor=CURATOR)
    assert populations.overlaps(registered, "patients") == {"staff": Overlap.SOME, "visitors": None}
    assert populations.overlaps(registered, "staff") == {"patients": Overlap.SOME, "visitors": None}
    with pytest.raises(InputError):
        populations.add(registered, world.population("x"), actor=CURATOR, overlaps={"nobody": Overlap.SAME})


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM overlaps",
        "UPDATE overlaps SET overlap = 'none'",
        "INSERT INTO overlaps VALUES (1, 'patients', 'staff', 'none')",
        "DELETE FROM earlier_releases",
        "UPDATE earlier_releases SET description = 'nothing'",
        "INSERT INTO earlier_releases VALUES (1, 1, 'patients', 'another')",
        "INSERT INTO decisions VALUES (1, 'plan-1', 'approved', 'jonas', '2026', '', NULL)",
        "UPDATE facts SET value = 'solo' WHERE name = 'mode'",
        "DELETE FROM facts WHERE name = 'mode'",
    ],
)
def test_what_people_said_is_neither_rewritten_nor_invented(
    registered_on_disk: Database, raw: sqlite3.Connection, statement: str
) -> None:
    populations.add(
        registered_on_disk,
        world.population("staff"),
        actor=CURATOR,
        overlaps={"patients": Overlap.SOME},
        earlier_releases=["A table of 2019"],
    )
    record = world.approve(registered_on_disk)
    facts.require_two(registered_on_disk, actor=CURATOR)
    with pytest.raises(sqlite3.IntegrityError):
        raw.execute(statement)
    assert verify(registered_on_disk) == ledger.count(registered_on_disk)
    drop_triggers(raw)
    raw.execute(statement.replace("plan-1", record.id))
    with pytest.raises(IntegrityError):
        verify(registered_on_disk)
