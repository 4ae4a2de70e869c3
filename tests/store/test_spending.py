"""The budget: exact, never exceeded, whoever spends at the same time."""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

from dprelease.errors import InputError, InsufficientBudgetError, InternalError
from dprelease.model.privacy import PrivacyLoss
from dprelease.store import account, ledger, populations
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.verify import verify
from tests.store import world
from tests.store.spender import spend, spend_in_process
from tests.store.world import CENT, CURATOR, ONE

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")


def test_exactly_one_hundred_charges_of_a_hundredth_fit_a_cap_of_one(registered: Database) -> None:
    assert spend(registered, 100) == (100, 0)
    assert account.spent(registered, "patients") == ONE
    assert spend(registered, 1) == (0, 1)
    with pytest.raises(InsufficientBudgetError):
        ledger.charge(registered, "patients", PrivacyLoss(epsilon_nano=1), actor=CURATOR)
    assert verify(registered) == 3 + 100 + 2


def test_a_refusal_says_what_was_asked_and_what_is_left_and_is_logged(registered: Database) -> None:
    ledger.charge(registered, "patients", PrivacyLoss(epsilon_nano=750_000_000), actor=CURATOR)
    with pytest.raises(InsufficientBudgetError) as refusal:
        ledger.charge(
            registered, "patients", PrivacyLoss(epsilon_nano=5 * 10**8), actor=CURATOR, body={"plan": "plan-1"}
        )
    assert (refusal.value.requested, refusal.value.remaining) == ("ε = 0.5, δ = 0", "ε = 0.25, δ = 0")
    (event,) = ledger.events(registered, kinds=[EventKind.SPEND_REFUSED])
    assert event.body == {
        "plan": "plan-1",
        "requested": {"epsilon_nano": 500_000_000, "delta_atto": 0},
        "remaining": {"epsilon_nano": 250_000_000, "delta_atto": 0},
    }
    assert (event.actor, event.population, event.loss) == ("maria", "patients", PrivacyLoss())
    assert account.spent(registered, "patients") == PrivacyLoss(epsilon_nano=750_000_000)


def test_delta_has_its_own_cap(database: Database) -> None:
    world.register(database, cap=PrivacyLoss(epsilon_nano=10**9, delta_atto=10**12))
    loss = PrivacyLoss(epsilon_nano=10**6, delta_atto=4 * 10**11)
    ledger.charge(database, "patients", loss, actor=CURATOR)
    ledger.charge(database, "patients", loss, actor=CURATOR)
    with pytest.raises(InsufficientBudgetError):
        ledger.charge(database, "patients", loss, actor=CURATOR)
    now = account.account(database, "patients")
    assert now.spent == PrivacyLoss(epsilon_nano=2 * 10**6, delta_atto=8 * 10**11)
    assert now.remaining == PrivacyLoss(epsilon_nano=998 * 10**6, delta_atto=2 * 10**11)
    assert now.charges == 2


def test_a_population_does_not_spend_the_budget_of_another(registered: Database) -> None:
    populations.add(registered, world.population("students"), actor=CURATOR)
    ledger.charge(registered, "students", ONE, actor=CURATOR)
    assert account.spent(registered, "patients") == PrivacyLoss()
    assert account.account(registered, "students").remaining == PrivacyLoss()


@pytest.mark.parametrize(
    "loss", [PrivacyLoss(), PrivacyLoss(epsilon_nano=-1), PrivacyLoss(epsilon_nano=1, delta_atto=-1)]
)
def test_a_charge_of_nothing_or_less_is_refused(registered: Database, loss: PrivacyLoss) -> None:
    with pytest.raises(InternalError):
        ledger.charge(registered, "patients", loss, actor=CURATOR)


def test_an_unknown_population_is_named_with_the_nearest(registered: Database) -> None:
    with pytest.raises(InputError, match=r"pattients.*Did you mean 'patients'"):
        ledger.charge(registered, "pattients", CENT, actor=CURATOR)
    with pytest.raises(InputError):
        account.spent(registered, "nobody")


def test_a_charge_cannot_hide_in_a_transaction_that_may_yet_be_undone(registered: Database) -> None:
    with pytest.raises(InternalError), registered.writing():
        ledger.charge(registered, "patients", CENT, actor=CURATOR)
    assert account.spent(registered, "patients") == PrivacyLoss()


def test_threads_spend_exactly_the_cap(registered: Database) -> None:
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(lambda _: spend(registered, 50), range(4)))
    assert [sum(column) for column in zip(*outcomes, strict=True)] == [100, 100]
    assert verify(registered) == 3 + 200


def test_processes_spend_exactly_the_cap(registered_on_disk: Database, path: Path) -> None:
    with ProcessPoolExecutor(4, mp_context=multiprocessing.get_context("spawn")) as pool:
        outcomes = list(pool.map(spend_in_process, [path] * 4, [50] * 4))
    assert [sum(column) for column in zip(*outcomes, strict=True)] == [100, 100]
    assert account.spent(registered_on_disk, "patients") == ONE
    assert verify(registered_on_disk) == 3 + 200


@forks
def test_a_forked_process_spends_from_the_same_budget(registered_on_disk: Database) -> None:
    assert spend(registered_on_disk, 30) == (30, 0)
    children = []
    for _ in range(2):
        child = os.fork()
        if child == 0:
            try:
                os._exit(spend(registered_on_disk, 20)[0])
            finally:
                os._exit(255)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [20, 20]
    assert spend(registered_on_disk, 50) == (30, 20)
    assert verify(registered_on_disk) == 3 + 120


@forks
def test_a_forked_process_cannot_spend_a_budget_in_memory_again() -> None:
    database = Database.in_memory()
    world.register(database)
    child = os.fork()
    if child == 0:
        try:
            spend(database, 1)
        except InternalError:
            os._exit(42)
        finally:
            os._exit(255)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 42
    assert spend(database, 100) == (100, 0)
