"""Populations that count in ρ: the same rules, another number, and half of the declared δ."""

from __future__ import annotations

import multiprocessing
import sqlite3
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dprelease.accounting.zcdp import epsilon_of, rho_within
from dprelease.errors import InsufficientBudgetError, IntegrityError, InternalError
from dprelease.model.encoding import digest
from dprelease.model.privacy import NANO, Currency, PrivacyLoss
from dprelease.store import account, ledger, populations, releases
from dprelease.store.account import Account
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.verify import verify
from tests.store import world
from tests.store.by_hand import charge_row, drop_triggers, rehash
from tests.store.spender import spend, spend_in_process
from tests.store.world import CENT, CURATOR, RHO, RHO_CENT

pytestmark = pytest.mark.quick

HALF = PrivacyLoss(delta_atto=5 * 10**11)
"""Of the declared δ, rounded down: what may be spent of it."""


@pytest.fixture
def registered(database: Database) -> Database:
    world.register(database, of=world.counted_in_rho())
    return database


@pytest.fixture
def registered_on_disk(on_disk: Database) -> Database:
    world.register(on_disk, of=world.counted_in_rho())
    return on_disk


# Spending


def test_exactly_one_hundred_charges_of_a_hundredth_fit(registered: Database) -> None:
    assert spend(registered, 101, RHO_CENT) == (100, 1)
    now = account.account(registered, "patients")
    assert (now.spent, now.remaining, now.charges) == (RHO, HALF, 100)
    with pytest.raises(InsufficientBudgetError):
        ledger.charge(registered, "patients", PrivacyLoss(rho_nano=1), actor=CURATOR)
    assert verify(registered) == 3 + 100 + 2


def test_half_of_the_declared_delta_may_be_spent_and_not_an_atto_more(registered: Database) -> None:
    ledger.charge(registered, "patients", RHO_CENT + HALF, actor=CURATOR)
    assert account.account(registered, "patients").remaining == RHO - RHO_CENT
    with pytest.raises(InsufficientBudgetError):
        ledger.charge(registered, "patients", PrivacyLoss(rho_nano=1, delta_atto=1), actor=CURATOR)
    assert verify(registered) == 3 + 2


def test_a_refusal_tells_rho_and_what_it_is_worth(registered: Database) -> None:
    ledger.charge(registered, "patients", PrivacyLoss(rho_nano=750_000), actor=CURATOR)
    with pytest.raises(InsufficientBudgetError) as refusal:
        ledger.charge(registered, "patients", PrivacyLoss(rho_nano=500_000, delta_atto=1), actor=CURATOR)
    assert refusal.value.requested == "ρ = 0.0005, δ = 1e-18"
    assert refusal.value.remaining == "ρ = 0.00025, δ = 0.0000005"
    (event,) = ledger.events(registered, kinds=[EventKind.SPEND_REFUSED])
    assert event.body == {
        "requested": {"epsilon_nano": 0, "rho_nano": 500_000, "delta_atto": 1},
        "remaining": {"epsilon_nano": 0, "rho_nano": 250_000, "delta_atto": 5 * 10**11},
    }


@pytest.mark.parametrize("loss", [CENT, CENT + RHO_CENT, PrivacyLoss(rho_nano=-1), PrivacyLoss()], ids=str)
def test_a_loss_in_another_currency_or_of_nothing_is_our_bug(registered: Database, loss: PrivacyLoss) -> None:
    with pytest.raises(InternalError, match="charge"):
        ledger.charge(registered, "patients", loss, actor=CURATOR)
    assert ledger.count(registered) == 3


def test_a_pure_population_spends_no_rho(database: Database) -> None:
    world.register(database)
    with pytest.raises(InternalError, match="counts in pure"):
        ledger.charge(database, "patients", RHO_CENT, actor=CURATOR)
    assert ledger.count(database) == 3


def test_populations_of_both_currencies_spend_side_by_side(registered: Database) -> None:
    populations.add(registered, world.population("students"), actor=CURATOR)
    ledger.charge(registered, "students", CENT, actor=CURATOR)
    ledger.charge(registered, "patients", RHO_CENT, actor=CURATOR)
    spent = [account.spent(registered, name) for name in ("students", "patients")]
    assert spent == [CENT, RHO_CENT]
    assert verify(registered) == 3 + 3


def test_threads_spend_exactly_the_cap(registered: Database) -> None:
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(lambda _: spend(registered, 50, RHO_CENT), range(4)))
    assert [sum(column) for column in zip(*outcomes, strict=True)] == [100, 100]
    assert verify(registered) == 3 + 200


@pytest.mark.full
def test_processes_spend_exactly_the_cap(registered_on_disk: Database, path: Path) -> None:
    with ProcessPoolExecutor(4, mp_context=multiprocessing.get_context("spawn")) as pool:
        outcomes = list(pool.map(spend_in_process, [path] * 4, [50] * 4, [RHO_CENT] * 4))
    assert [sum(column) for column in zip(*outcomes, strict=True)] == [100, 100]
    assert account.spent(registered_on_disk, "patients") == RHO
    assert verify(registered_on_disk) == 3 + 200


def test_a_release_is_charged_in_rho_once(registered: Database) -> None:
    plan_id = world.approve(registered, loss=RHO_CENT).id
    begun = [releases.begin(registered, plan_id, RHO_CENT, actor=CURATOR, slug="visits") for _ in range(2)]
    assert begun[0] == begun[1] == releases.get(registered, begun[0].id)
    assert (begun[0].charge.loss, begun[0].charge.spent) == (RHO_CENT, RHO_CENT)


# What rho is worth


def test_the_whole_cap_is_worth_what_was_declared(registered: Database) -> None:
    now = account.account(registered, "patients")
    assert now.declared == PrivacyLoss(epsilon_nano=NANO, delta_atto=10**12 + 1)
    assert now.cap_text == "ρ = 0.001, δ = 0.0000005 (ε = 1, δ = 1.000000000001e-6)"
    assert now.spent_text == "ρ = 0, δ = 0 (ε = 0, δ = 0)"


def test_rho_is_worth_an_epsilon_at_half_of_the_declared_delta(registered: Database) -> None:
    ledger.charge(registered, "patients", PrivacyLoss(rho_nano=400_000, delta_atto=7), actor=CURATOR)
    now = account.account(registered, "patients")
    exact = epsilon_of(400_000, HALF.delta_atto)
    assert exact <= now.spent_worth.epsilon <= exact * Decimal("1.001")
    assert now.spent_worth.delta_atto == HALF.delta_atto + 7


@given(cap=st.integers(1, 10**12), used=st.integers(0, 10**12))
def test_spent_and_left_add_up_to_the_cap_in_four_digits(cap: int, used: int) -> None:
    loss = {"cap": PrivacyLoss(rho_nano=cap), "spent": PrivacyLoss(rho_nano=min(used, cap))}
    declared = PrivacyLoss(epsilon_nano=NANO, delta_atto=10**12)
    now = Account(population="p", currency=Currency.ZCDP, declared=declared, charges=1, **loss).rounded
    assert now.used + now.remaining == now.cap
    assert now.remaining.within(loss["cap"] - loss["spent"])
    assert now.used.rho_nano >= min(used, now.cap.rho_nano), "never less than was spent, but for the end of the cap"
    assert all(len(str(part.rho_nano).rstrip("0")) <= 4 for part in (now.cap, now.used, now.remaining))


# The chain


def test_rho_is_in_the_hash_of_a_charge_and_spent_by_nothing_else(registered: Database) -> None:
    ledger.charge(registered, "patients", RHO_CENT, actor=CURATOR)
    for event in ledger.events(registered):
        assert event.hash == digest(event.public)
        assert (event.public["loss"]["rho_nano"] > 0) == (event.kind == "charge")


# By hand


@pytest.mark.one_in(3)
@pytest.mark.parametrize("statement", ["INSERT", "INSERT OR REPLACE", "INSERT OR IGNORE", "REPLACE"])
@pytest.mark.parametrize(
    "changed",
    [
        {"rho_nano": RHO.rho_nano + 1},
        {"rho_nano": 2**53 - 1},
        {"rho_nano": RHO.rho_nano + 1, "spent_rho_nano": RHO.rho_nano},
        {"rho_nano": RHO.rho_nano + 1, "spent_rho_nano": None},
        {"rho_nano": RHO.rho_nano + 1, "spent_rho_nano": 0},
        {"delta_atto": HALF.delta_atto + 1},
        {"delta_atto": HALF.delta_atto + 1, "spent_delta_atto": 0},
        {"rho_nano": 0, "epsilon_nano": 1},
        {"rho_nano": 1, "epsilon_nano": 1},
        {"epsilon_nano": 1, "spent_epsilon_nano": 0},
        {"charges": 7},
        {"seq": 9},
    ],
    ids=str,
)
def test_a_charge_by_hand_that_breaks_a_rule_is_refused(
    registered_on_disk: Database, raw: sqlite3.Connection, statement: str, changed: dict[str, Any]
) -> None:
    charge_row(raw, epsilon_nano=0, rho_nano=1)
    before = raw.execute("SELECT * FROM ledger").fetchall()
    with pytest.raises(sqlite3.IntegrityError, match="ledger:"):
        charge_row(raw, statement=statement, **{"epsilon_nano": 0, "rho_nano": RHO_CENT.rho_nano, **changed})
    assert raw.execute("SELECT * FROM ledger").fetchall() == before
    assert verify(registered_on_disk) == 4


@pytest.mark.parametrize(
    "changed", [{"rho_nano": -1}, {"rho_nano": 0}, {"rho_nano": 1, "kind": "preview_taken"}], ids=str
)
def test_a_charge_must_cost_and_nothing_else_may(raw: sqlite3.Connection, changed: dict[str, Any]) -> None:
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        charge_row(raw, **{"epsilon_nano": 0, **changed})


def test_the_cap_is_exact_by_hand_too(registered_on_disk: Database, raw: sqlite3.Connection) -> None:
    for _ in range(100):
        charge_row(raw, epsilon_nano=0, rho_nano=RHO_CENT.rho_nano, delta_atto=HALF.delta_atto // 100)
    assert account.account(registered_on_disk, "patients").remaining == PrivacyLoss()
    for loss in ({"rho_nano": 1}, {"delta_atto": 1}):
        with pytest.raises(sqlite3.IntegrityError, match="cap"):
            charge_row(raw, **{"epsilon_nano": 0, **loss})
    assert verify(registered_on_disk) == 103


@pytest.mark.parametrize(("currency", "rho_nano"), [("pure", 1), ("zcdp", -1), ("zcdp", 2**53), ("euro", 1)])
def test_rho_belongs_to_zcdp_alone(raw: sqlite3.Connection, currency: str, rho_nano: int) -> None:
    values = "('p', 'u', 'substitute', ?, 1, ?, 0, 1, '', 1)"
    with pytest.raises(sqlite3.IntegrityError, match="CHECK"):
        raw.execute(f"INSERT INTO populations VALUES {values}", [currency, rho_nano])


def test_nothing_is_spent_in_a_currency_that_this_version_does_not_know(raw: sqlite3.Connection) -> None:
    raw.execute("INSERT INTO populations VALUES ('p', 'u', 'substitute', 'euro', 9, 0, 9, 1, '', 1)")
    sums = {f"spent_{name}": 0 for name in ("epsilon_nano", "rho_nano", "delta_atto")}
    for name in ("epsilon_nano", "rho_nano", "delta_atto"):
        changed = {"epsilon_nano": 0, **sums, name: 1, f"spent_{name}": 1, "charges": 1}
        with pytest.raises(sqlite3.IntegrityError, match="ledger:"):
            charge_row(raw, population="p", **changed)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE populations SET cap_rho_nano = 9",
        "UPDATE populations SET currency = 'pure', cap_rho_nano = 0",
        "REPLACE INTO populations SELECT * FROM populations",
    ],
)
def test_a_registered_population_is_not_changed_by_sql(raw: sqlite3.Connection, statement: str) -> None:
    with pytest.raises(sqlite3.IntegrityError, match=r"^populations:"):
        raw.execute(statement)


# Below the triggers


@pytest.mark.parametrize(
    ("tamper", "found"),
    [
        (lambda raw: raw.execute("UPDATE ledger SET rho_nano = 1 WHERE seq = 5"), "event 5: .*hash"),
        (lambda raw: raw.execute("UPDATE ledger SET rho_nano = 0, epsilon_nano = 9 WHERE seq = 5"), "event 5: .*hash"),
        (lambda raw: raw.execute("UPDATE ledger SET spent_rho_nano = 0 WHERE seq = 6"), "event 6: .*hash"),
        (lambda raw: raw.execute("UPDATE populations SET cap_rho_nano = 9"), "event 2: .*registered"),
        (lambda raw: raw.execute("UPDATE populations SET currency = 'pure', cap_rho_nano = 0"), "event 2: .*regist"),
        (lambda raw: charge_row(raw, epsilon_nano=0, rho_nano=RHO.rho_nano), "event 7: .*over its cap"),
        (lambda raw: charge_row(raw, epsilon_nano=0, delta_atto=HALF.delta_atto + 1), "event 7: .*over its cap"),
        (lambda raw: charge_row(raw, epsilon_nano=1), "event 7: .*over its cap"),
        (lambda raw: charge_row(raw, epsilon_nano=0, rho_nano=-1), "event 7: .*does not fit its kind"),
    ],
)
def test_tampering_below_the_triggers_is_found(
    registered_on_disk: Database, raw: sqlite3.Connection, tamper: Callable[[sqlite3.Connection], object], found: str
) -> None:
    assert spend(registered_on_disk, 3, RHO_CENT) == (3, 0)
    assert verify(registered_on_disk) == 6
    drop_triggers(raw)
    raw.execute("PRAGMA ignore_check_constraints = ON")
    tamper(raw)
    with pytest.raises(IntegrityError, match=found):
        verify(registered_on_disk)


@pytest.mark.parametrize(("above", "whole"), [(0, True), (1, False), (10**400, False)], ids=["all", "more", "absurd"])
def test_a_rho_that_its_epsilon_and_delta_do_not_allow_is_found(on_disk: Database, above: int, whole: bool) -> None:
    """Somebody wrote the whole ledger anew, with right hashes."""
    registered = world.counted_in_rho()
    most = rho_within(registered.cap.epsilon_nano, registered.cap.delta_atto // 2)
    populations.add(on_disk, replace(registered, rho_nano=most), actor=CURATOR)
    with closing(sqlite3.connect(on_disk.path or "", isolation_level=None)) as raw:
        drop_triggers(raw)
        raw.execute("UPDATE ledger SET body = replace(body, ?, ?) WHERE seq = 2", [str(most), str(most + above)])
        if above < NANO:
            raw.execute("UPDATE populations SET cap_rho_nano = ?", [most + above])
        rehash(raw, 2)
    if whole:
        assert verify(on_disk) == 2
        return
    with pytest.raises(IntegrityError, match="event 2: "):
        verify(on_disk)
