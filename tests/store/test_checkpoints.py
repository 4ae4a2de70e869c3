"""The tree over the ledger, checkpoints of it, and what speaks against a ledger beside one."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

from dprelease.errors import InputError
from dprelease.model import merkle
from dprelease.model.checkpoint import Checkpoint, SignedCheckpoint
from dprelease.model.privacy import PrivacyLoss
from dprelease.store import account, checkpoints, ledger
from dprelease.store.database import Database
from dprelease.store.event import EventKind
from dprelease.store.verify import verify
from tests.store.world import CENT, CURATOR, REVIEWER

pytestmark = pytest.mark.quick

DAY = "2026-11-21"


def sign(checkpoint: Checkpoint) -> SignedCheckpoint:
    return SignedCheckpoint(checkpoint, "nobody", "")


def take(database: Database) -> Checkpoint:
    return checkpoints.take(database, on=DAY, sign=sign).checkpoint


def add(database: Database, events: int) -> None:
    with database.writing():
        for number in range(events):
            ledger.append(database, EventKind.PREVIEW_TAKEN, actor=CURATOR, population="patients", body={"n": number})


def test_roots_and_proofs_are_those_of_the_events_hashes(registered: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "FAN", 4)
    previous = None
    for events in (0, 1, 4, 8, 13, 30, 150):
        add(registered, events)
        leaves = [checkpoints.leaf(event.hash) for event in ledger.events(registered)]
        with registered.writing() as connection:
            signed, proofs = checkpoints.take_within(connection, on=DAY, sign=sign)
            inclusions = [proofs.inclusion(seq) for seq in range(1, signed.checkpoint.size + 1)]
            kept = merkle.root(len(leaves), checkpoints.subtree_within(connection))
            again = merkle.root(len(leaves), checkpoints.subtree_within(connection, kept=False))
        found = signed.checkpoint
        assert kept == again == merkle.root(len(leaves), merkle.over(leaves)) == bytes.fromhex(found.root)
        for seq, inclusion in enumerate(inclusions, start=1):
            assert merkle.includes(leaves[seq - 1], seq - 1, found.size, inclusion, bytes.fromhex(found.root))
        if previous is not None and previous.size < found.size:
            assert proofs.previous == previous
            assert merkle.extends(
                previous.size,
                bytes.fromhex(previous.root),
                found.size,
                bytes.fromhex(found.root),
                [bytes.fromhex(part) for part in proofs.consistency],
            )
        previous = found


def test_a_checkpoint_is_given_out_once_a_size(registered: Database) -> None:
    assert take(registered) == take(registered)
    add(registered, 1)
    assert take(registered).size == 4
    latest = checkpoints.latest(registered)
    assert latest is not None
    assert latest.checkpoint.size == 4


def test_a_ledger_continues_its_own_checkpoints(registered: Database) -> None:
    taken = [take(registered)]
    for events in (1, 5, 40):
        add(registered, events)
        taken.append(take(registered))
    add(registered, 3)
    assert [checkpoints.difference(registered, each) for each in taken] == [None] * 4


def test_another_ledger_does_not(registered: Database) -> None:
    checkpoint = take(registered)
    other = Database.in_memory()
    assert "another workspace" in str(checkpoints.difference(other, checkpoint))
    with pytest.raises(InputError, match="another workspace"):
        checkpoints.accept(other, checkpoint, "it is another", known_signer=True, reason="no", actor=REVIEWER)


def test_kept_hashes_of_blocks_are_not_believed_beside_a_checkpoint(
    registered_on_disk: Database, raw: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "FAN", 4)
    add(registered_on_disk, 40)
    checkpoint = take(registered_on_disk)
    raw.execute("DROP TRIGGER ledger_is_not_rewritten")
    raw.execute("UPDATE ledger SET hash = ? WHERE seq = 5", ["0" * 64])
    assert "are not those" in str(checkpoints.difference(registered_on_disk, checkpoint))


def test_a_recovered_charge_counts_and_carries_no_release(registered: Database) -> None:
    ledger.charge(registered, "patients", CENT, actor=CURATOR)
    checkpoint = take(registered)
    (standing,) = checkpoint.populations
    lost = Checkpoint(
        workspace=checkpoint.workspace,
        size=checkpoint.size + 5,
        root="0" * 64,
        on=DAY,
        populations=(replace(standing, spent=PrivacyLoss(epsilon_nano=3 * 10**9), charges=7),),
    )
    checkpoints.accept(registered, lost, "it is longer", known_signer=True, reason="died", actor=REVIEWER)
    assert account.spent(registered, "patients") == PrivacyLoss(epsilon_nano=3 * 10**9) + CENT
    assert checkpoints.accepted(registered, lost)
    assert verify(registered) == ledger.count(registered)
    recovered = ledger.events(registered, kinds=[EventKind.CHARGE])[-1]
    with registered.writing() as connection, pytest.raises(sqlite3.IntegrityError, match="its own charge"):
        connection.execute(
            "INSERT INTO releases (id, plan_id, charge_seq, state) VALUES ('x', 'x', ?, 'charged')", [recovered.seq]
        )
