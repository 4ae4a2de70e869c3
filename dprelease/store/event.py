"""One line of the ledger."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dprelease.model.privacy import PrivacyLoss

AS_STORED = ("seq", "at", "actor", "population", "kind", "previous_hash", "hash", "charges")


class EventKind(StrEnum):
    """What can happen. The database holds any text here, so that a later version can know more."""

    WORKSPACE_CREATED = "workspace_created"
    MODE_CHANGED = "mode_changed"
    POLICY_CHANGED = "policy_changed"
    REQUEST_MADE = "request_made"
    REQUEST_APPROVED = "request_approved"
    REQUEST_RETURNED = "request_returned"
    POPULATION_CREATED = "population_created"
    CAP_RAISED = "cap_raised"
    PERIOD_OPENED = "period_opened"
    OVERLAP_ATTESTED = "overlap_attested"
    EARLIER_RELEASES_DECLARED = "earlier_releases_declared"
    DATASET_REGISTERED = "dataset_registered"
    SCHEMA_DECLARED = "schema_declared"
    ROWS_REPLACED = "rows_replaced"
    TABLE_DELETED = "table_deleted"
    PLAN_SUBMITTED = "plan_submitted"
    PLAN_APPROVED = "plan_approved"
    PLAN_RETURNED = "plan_returned"
    PLAN_DELEGATED = "plan_delegated"
    CHARGE = "charge"
    SEALED = "sealed"
    PUBLISHED = "published"
    SUPERSEDED = "superseded"
    ERRATUM = "erratum"
    PREVIEW_TAKEN = "preview_taken"
    SPEND_REFUSED = "spend_refused"
    LEDGER_RESTORED = "ledger_restored"
    LEDGER_ACCEPTED = "ledger_accepted"
    KEY_ROTATED = "key_rotated"
    INVITED = "invited"
    SIGN_IN = "sign_in"
    SIGN_IN_FAILED = "sign_in_failed"
    SIGN_OUT = "sign_out"
    SESSION_REVOKED = "session_revoked"
    PASSWORD_CHANGED = "password_changed"  # noqa: S105 (a name)
    ROLES_CHANGED = "roles_changed"
    PERSON_DISABLED = "person_disabled"
    TOKEN_CREATED = "token_created"  # noqa: S105 (a name)
    TOKEN_USED = "token_used"  # noqa: S105 (a name)
    TOKEN_REVOKED = "token_revoked"  # noqa: S105 (a name)


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEvent:
    """One line of the ledger."""

    seq: int
    """1, 2, 3 and so on, without a gap."""
    at: str
    """UTC, by the clock of the machine; only `seq` orders events."""
    actor: str
    population: str | None
    kind: str
    body: Mapping[str, Any]
    """Public facts about the event; never a value from a row, nor an unsalted hash of an unpublished output."""
    loss: PrivacyLoss
    """What a charge spends; nothing for all other kinds."""
    previous_hash: str
    hash: str
    spent: PrivacyLoss | None = None
    """What the population has spent, this event included; None without a population."""
    charges: int | None = None
    """In how many charges."""

    def to_mapping(self) -> dict[str, Any]:
        """What is hashed, and the hash: `digest` of all the other fields."""
        return {
            "seq": self.seq,
            "at": self.at,
            "actor": self.actor,
            "population": self.population,
            "kind": self.kind,
            "body": self.body,
            **self.loss.to_mapping(),
            "previous_hash": self.previous_hash,
            "hash": self.hash,
        }


def read_event(row: Mapping[str, Any]) -> LedgerEvent:
    """An event from the columns of the table."""
    loss = PrivacyLoss(epsilon_nano=row["epsilon_nano"], rho_nano=row["rho_nano"], delta_atto=row["delta_atto"])
    total = None
    if row["population"] is not None:
        total = PrivacyLoss(
            epsilon_nano=row["spent_epsilon_nano"],
            rho_nano=row["spent_rho_nano"],
            delta_atto=row["spent_delta_atto"],
        )
    return LedgerEvent(
        body=json.loads(row["body"]),
        loss=loss,
        spent=total,
        **{name: row[name] for name in AS_STORED},
    )
