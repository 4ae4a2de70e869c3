"""What the processes of the concurrency tests do."""

from __future__ import annotations

from pathlib import Path

from dprelease.errors import InsufficientBudgetError
from dprelease.model.privacy import PrivacyLoss
from dprelease.store import ledger, releases
from dprelease.store.database import Database
from tests.store.world import CENT, CURATOR


def spend(database: Database, times: int, loss: PrivacyLoss = CENT) -> tuple[int, int]:
    """How many charges were accepted and refused."""
    accepted = refused = 0
    for _ in range(times):
        try:
            ledger.charge(database, "patients", loss, actor=CURATOR)
            accepted += 1
        except InsufficientBudgetError:
            refused += 1
    return accepted, refused


def spend_in_process(path: Path, times: int, loss: PrivacyLoss = CENT) -> tuple[int, int]:
    return spend(Database.open(path), times, loss)


def begin_in_process(path: Path, plan_id: str) -> str:
    return releases.begin(Database.open(path), plan_id, CENT, actor=CURATOR, slug="visits").id


def open_in_process(path: Path, barrier: object) -> int:
    barrier.wait()  # type: ignore[attr-defined]
    return ledger.count(Database.open(path))
