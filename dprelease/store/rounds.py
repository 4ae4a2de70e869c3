"""Charges for rounds of federations: each attempt once, whoever asks, across any crash."""

from __future__ import annotations

from dprelease.model.actor import Actor
from dprelease.model.privacy import PrivacyLoss
from dprelease.store.charging import ROUND, charge
from dprelease.store.database import Database
from dprelease.store.event import LedgerEvent, read_event
from dprelease.store.plans import get_within

CHARGED = """
SELECT * FROM ledger INDEXED BY ledger_by_kind WHERE kind = 'charge' AND body ->> 'round' = ? AND seq > (
    SELECT coalesce(max(seq), 0) FROM ledger INDEXED BY ledger_by_kind
    WHERE kind IN ('ledger_restored', 'ledger_accepted')
)
"""
"""An earlier one may have been drawn under by another copy of this ledger."""


def charge_round(database: Database, plan_id: str, loss: PrivacyLoss, attempt: str, *, actor: Actor) -> LedgerEvent:
    """Charge for an attempt of an approved plan, or find the event that did. It is on disk when this returns.

    Raises InsufficientBudgetError where it does not fit (the refusal is in the ledger), AccessError where the plan is
    not approved, PlanError where the dataset's rows were replaced since it was submitted.
    """
    with database.writing(durable=True) as connection:
        for row in connection.query(CHARGED, [attempt]):
            return read_event(row)
        outcome = charge(connection, get_within(connection, plan_id), loss, actor, {ROUND: attempt})
    if isinstance(outcome, LedgerEvent):
        return outcome
    raise outcome
