"""One line of the ledger."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dprelease.model.encoding import canonical
from dprelease.model.privacy import PrivacyLoss
from dprelease.store.chain import commitment, parted

AS_STORED = ("seq", "at", "actor", "population", "kind", "previous_hash", "salt", "hash", "charges")


class EventKind(StrEnum):
    """Kind of an event. The database holds any text here, so that a later version can know more."""

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
    OVERLAP_COMPARED = "overlap_compared"
    EARLIER_RELEASES_DECLARED = "earlier_releases_declared"
    DATASET_REGISTERED = "dataset_registered"
    DATASET_OPENED = "dataset_opened"
    SCHEMA_DECLARED = "schema_declared"
    ROWS_REPLACED = "rows_replaced"
    LAYOUT_CHANGED = "layout_changed"
    TABLE_DELETED = "table_deleted"
    PLAN_SUBMITTED = "plan_submitted"
    PLAN_APPROVED = "plan_approved"
    PLAN_RETURNED = "plan_returned"
    PLAN_DELEGATED = "plan_delegated"
    PLAN_REMARKED = "plan_remarked"
    REMARK_ANSWERED = "remark_answered"
    REMARK_SETTLED = "remark_settled"
    CHARGE = "charge"
    EDITION_BEGUN = "edition_begun"
    EDITION_ABANDONED = "edition_abandoned"
    RUN_ENDED = "run_ended"
    SEALED = "sealed"
    PUBLISHED = "published"
    EMBARGO_ASKED = "embargo_asked"
    EMBARGO_CHANGED = "embargo_changed"
    EMBARGO_CANCELLED = "embargo_cancelled"
    SEEN_BEFORE = "seen_before"
    OPENED = "opened"
    SUPERSEDED = "superseded"
    ERRATUM = "erratum"
    DOI = "doi"
    PREVIEW_TAKEN = "preview_taken"
    PREVIEW_SWEPT = "preview_swept"
    READING_TAKEN = "reading_taken"
    SPEND_REFUSED = "spend_refused"
    ATTEMPT_REFUSED = "attempt_refused"
    LEDGER_RESTORED = "ledger_restored"
    ACCEPTANCE_ASKED = "acceptance_asked"
    LEDGER_ACCEPTED = "ledger_accepted"
    KEY_ROTATED = "key_rotated"
    INVITED = "invited"
    SIGN_IN = "sign_in"
    SIGN_OUT = "sign_out"
    SESSION_REVOKED = "session_revoked"
    PASSWORD_CHANGED = "password_changed"  # noqa: S105 (a name)
    ROLES_CHANGED = "roles_changed"
    SECOND_FACTOR_ON = "second_factor_on"
    SECOND_FACTOR_OFF = "second_factor_off"
    RECOVERY_CODE_USED = "recovery_code_used"
    RECOVERY_CODES_MADE = "recovery_codes_made"
    PERSON_RESET = "person_reset"
    PERSON_DISABLED = "person_disabled"
    PERSON_ENABLED = "person_enabled"
    TOKEN_CREATED = "token_created"  # noqa: S105 (a name)
    TOKEN_REVOKED = "token_revoked"  # noqa: S105 (a name)


FIRST_LOOKS = (EventKind.PREVIEW_TAKEN, EventKind.READING_TAKEN)
"""Kinds of events with which looks at true values, or at exact counts of them, begin."""


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
    """Facts about the event; never a value from a row, nor an unsalted hash of an unpublished output."""
    loss: PrivacyLoss
    """Loss that a charge spends; nothing for all other kinds."""
    previous_hash: str
    salt: str
    """256 random bits, which hide what of the event stays private."""
    hash: str
    """The digest of its public part."""
    spent: PrivacyLoss | None = None
    """Loss that the population has spent, this event included; None without a population."""
    charges: int | None = None
    """In how many charges."""

    @property
    def day(self) -> str:
        """Day of the event: its time, as far as it may become public."""
        return self.at[:10]

    @property
    def public(self) -> dict[str, Any]:
        """Public part of the event, which its hash covers: nobody's name, no clock time, no version of rows."""
        facts, others = parted(self.kind, self.body)
        return {
            "seq": self.seq,
            "day": self.day,
            "kind": self.kind,
            "population": self.population,
            "facts": facts,
            "loss": _amounts(self.loss),
            "spent": None if self.spent is None else _amounts(self.spent),
            "charges": self.charges,
            "previous_hash": self.previous_hash,
            "rest": commitment(salt=self.salt, at=self.at, actor=self.actor, body=canonical(others).decode()),
        }

    @property
    def rest(self) -> dict[str, Any]:
        """Private part of the event: its digest stands in the public part."""
        return {"salt": self.salt, "at": self.at, "actor": self.actor, "body": parted(self.kind, self.body)[1]}

    def to_mapping(self) -> dict[str, Any]:
        """Return the event for those who may see all of it."""
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

    def to_record(self) -> dict[str, Any]:
        """Return the event as exported: `hash` is the digest of `public`, and its `rest` the digest of `rest`."""
        return {"public": self.public, "rest": self.rest, "hash": self.hash}


def _amounts(loss: PrivacyLoss) -> dict[str, int]:
    return {"epsilon_nano": loss.epsilon_nano, "rho_nano": loss.rho_nano, "delta_atto": loss.delta_atto}


def read_event(row: Mapping[str, Any]) -> LedgerEvent:
    """Return an event from the columns of the table."""
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
