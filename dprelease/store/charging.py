"""Checks before a plan is charged for: its approval, its rows, and what the population has left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dprelease.errors import AccessError, InsufficientBudgetError, PlanError
from dprelease.model.actor import Actor
from dprelease.model.privacy import PrivacyLoss
from dprelease.store.connection import Connection
from dprelease.store.event import LedgerEvent
from dprelease.store.facts import WorkspaceMode, mode_within
from dprelease.store.ledger import charge_within
from dprelease.store.plans import PlanRecord, approval_within, lapse_within
from dprelease.words import phrase

ROUND = "round"
"""In the body of a charge: the hash of roster, plan and number of the attempt that it paid for."""
RUN = "run"
"""In the body of a charge: the facts of the run whose editions it pays for; in that of an edition, its name."""


def check_resumable(connection: Connection, plan: PlanRecord, charge: LedgerEvent, loss: PrivacyLoss) -> None:
    """Check that a draw costs what was charged for it, and comes from the rows that were meant."""
    _current_population(connection, plan)
    if charge.loss != loss:
        raise PlanError(
            "privacy",
            found=phrase("store.plan_was_charged_now", loss=charge.loss, loss_2=loss),
            allowed=phrase("store.price_was_charged"),
            remedy=phrase("store.finish_release_version_dprelease"),
        )


def charge(
    connection: Connection, plan: PlanRecord, loss: PrivacyLoss, actor: Actor, body: Mapping[str, Any]
) -> LedgerEvent | InsufficientBudgetError:
    """Charge for a release of an approved plan; give the error where it does not fit, so that the refusal is kept.

    With a `round` in its body it is for a round of a federation: no release of this workspace stands on it.
    """
    if "run" in plan.mapping and RUN not in body:
        found, allowed = phrase("store.plan_with_run"), phrase("store.plan_without_run")
        raise PlanError("run", found=found, allowed=allowed, remedy=phrase("store.run_open_it"))
    population = _current_population(connection, plan)
    lapsed = lapse_within(connection, plan, loss)
    approval = approval_within(connection, plan.id)
    if lapsed is not None or approval is None:
        raise AccessError(phrase("store.needs_approval", plan=plan.id, lapsed=lapsed))
    fields = {
        ("round_plan" if ROUND in body else "plan"): plan.id,
        "plan_hash": plan.plan_hash,
        "dataset": plan.dataset,
        "dataset_version": plan.dataset_version,
        "approval": approval.seq,
        "approver": approval.actor,
        "two_people": mode_within(connection) is WorkspaceMode.TEAM,
        **actor.by,
        **body,
    }
    return charge_within(connection, population, loss, actor=actor.name, body=fields)


def _current_population(connection: Connection, plan: PlanRecord) -> str:
    """Return the population whose rows the plan was submitted for, and approved for."""
    population, version = connection.execute(
        "SELECT population, version FROM datasets WHERE name = ?", [plan.dataset]
    ).fetchone()
    if version != plan.dataset_version:
        raise PlanError(
            "dataset",
            found=phrase("store.rows_were_replaced_since", dataset=plan.dataset),
            allowed=phrase("store.rows_was_submitted"),
            remedy=phrase("store.submit_plan_again"),
        )
    return str(population)
