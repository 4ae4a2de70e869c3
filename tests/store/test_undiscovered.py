"""Populations of which nothing is ever discovered: all of δ is for ρ, and none of it is spent."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dprelease.accounting.rho_conversion import with_rho
from dprelease.accounting.zcdp import epsilon_of
from dprelease.errors import InputError, InsufficientBudgetError, IntegrityError
from dprelease.model.checkpoint import SpentTotals
from dprelease.model.population import Population
from dprelease.model.privacy import NANO, PrivacyLoss
from dprelease.store import account, ledger, populations
from dprelease.store.database import Database
from dprelease.store.verify import verify
from tests.store import world
from tests.store.by_hand import charge_row, drop_triggers, rehash
from tests.store.world import CURATOR, RHO_CENT

pytestmark = pytest.mark.quick


def undiscovered(epsilon_nano: int = NANO, delta_atto: int = 10**12) -> Population:
    cap = PrivacyLoss(epsilon_nano=epsilon_nano, delta_atto=delta_atto)
    return with_rho(replace(world.counted_in_rho(), cap=cap, discovers=False))


@given(
    first=st.tuples(st.integers(10**7, 10**10), st.integers(2, 10**15)),
    second=st.tuples(st.integers(10**7, 10**10), st.integers(2, 10**15)),
    losses=st.lists(st.tuples(st.integers(0, 40), st.sampled_from([0, 0, 0, 1])), max_size=12),
    renewed=st.integers(0, 12),
)
def test_it_never_spends_more_than_its_cap(
    first: tuple[int, int], second: tuple[int, int], losses: list[tuple[int, int]], renewed: int
) -> None:
    """Whatever is asked of it, before and after a cap is raised: what is spent means at most ε at its whole δ."""
    registered = undiscovered(*first)
    with closing(Database.in_memory()) as database:
        populations.add(database, registered, actor=CURATOR)
        part = registered.rho_nano // 25
        for place, (parts, delta) in enumerate(losses):
            if place == renewed:
                with suppress(InputError):  # a lower one
                    populations.raise_cap(database, undiscovered(*second), reason="More.", actor=CURATOR)
            loss = PrivacyLoss(rho_nano=parts * part, delta_atto=delta)
            if loss != PrivacyLoss():
                with suppress(InsufficientBudgetError):
                    ledger.charge(database, "patients", loss, actor=CURATOR)
        now = account.account(database, "patients")
        assert (now.spent.delta_atto, now.cap.delta_atto) == (0, 0)
        assert epsilon_of(now.spent.rho_nano, now.declared.delta_atto) * NANO <= now.declared.epsilon_nano
        assert now.spent_worth.delta_atto <= now.declared.delta_atto
        assert verify(database) == ledger.count(database)


def test_no_delta_is_charged_by_hand_either(on_disk: Database, path: Path) -> None:
    populations.add(on_disk, undiscovered(), actor=CURATOR)
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        charge_row(raw, epsilon_nano=0, rho_nano=1)
        with pytest.raises(sqlite3.IntegrityError, match="cap"):
            charge_row(raw, epsilon_nano=0, rho_nano=1, delta_atto=1)
        for currency, discovers in (("pure", 0), ("zcdp", 2), ("zcdp", None)):
            values = "('p', 'u', 'substitute', ?, 1, 0, 2, 1, '', ?)"
            with pytest.raises(sqlite3.IntegrityError, match=r"CHECK|populations"):
                raw.execute(f"INSERT INTO populations VALUES {values}", [currency, discovers])
    assert verify(on_disk) == 3


@pytest.mark.parametrize("loss", [{"delta_atto": 1}, {"rho_nano": 10**9}])
def test_what_is_spent_below_the_triggers_is_found(on_disk: Database, path: Path, loss: dict[str, int]) -> None:
    populations.add(on_disk, undiscovered(), actor=CURATOR)
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        drop_triggers(raw)
        charge_row(raw, **{"epsilon_nano": 0, **loss})
    with pytest.raises(IntegrityError, match=r"event 3: .*over its cap"):
        verify(on_disk)


def test_the_promise_is_not_taken_back(on_disk: Database, path: Path) -> None:
    populations.add(on_disk, undiscovered(), actor=CURATOR)
    ledger.charge(on_disk, "patients", RHO_CENT, actor=CURATOR)
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        with pytest.raises(sqlite3.IntegrityError, match="does not change"):
            raw.execute("UPDATE populations SET discovers = 1")
        drop_triggers(raw)
        raw.execute("UPDATE populations SET discovers = 1")
    with pytest.raises(IntegrityError, match=r"event 2: .*registered"):
        verify(on_disk)


def test_a_rho_at_the_whole_delta_without_the_promise_is_found(on_disk: Database, path: Path) -> None:
    """Somebody wrote the whole ledger anew, with right hashes, and left the promise out."""
    populations.add(on_disk, undiscovered(), actor=CURATOR)
    with closing(sqlite3.connect(path, isolation_level=None)) as raw:
        drop_triggers(raw)
        raw.execute("UPDATE populations SET discovers = 1")
        raw.execute("UPDATE ledger SET body = json_remove(body, '$.discovers') WHERE seq = 2")
        rehash(raw, 2)
    with pytest.raises(IntegrityError, match=r"event 2: "):
        verify(on_disk)


def test_a_copy_of_the_ledger_keeps_the_promise(on_disk: Database) -> None:
    with on_disk.writing() as connection:
        populations.recover_within(connection, replace(undiscovered(), period="2027"), CURATOR.name)
    assert populations.get(on_disk, "patients") == replace(undiscovered(), period="2027")
    assert verify(on_disk) == 3


@pytest.mark.parametrize("stated", [True, 0, None, "no"])
def test_a_checkpoint_states_the_promise_in_one_way(stated: object) -> None:
    standing = SpentTotals(undiscovered(), PrivacyLoss(rho_nano=1), 1, 2, 3)
    mapping = standing.to_mapping()
    assert mapping["discovers"] is False
    assert SpentTotals.from_mapping(mapping) == standing
    for wrong in (mapping | {"discovers": stated}, {**mapping, "currency": "pure"}):
        with pytest.raises((ValueError, TypeError)):
            SpentTotals.from_mapping(wrong)
