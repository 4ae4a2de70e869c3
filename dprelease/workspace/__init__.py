"""The use cases: register, describe, price, preview, submit, approve, publish, verify; and what they answer with."""

from dprelease.store.account import Account
from dprelease.store.account_news import News
from dprelease.store.drafts import SavedDraft, StaleDraftError
from dprelease.store.event import FIRST_LOOKS, EventKind, LedgerEvent
from dprelease.store.facts import Mode
from dprelease.store.ledger import Wanted
from dprelease.store.notices import Notice
from dprelease.store.people import Person
from dprelease.store.plans import Decision, PlanRecord, PlanState
from dprelease.store.populations import Request
from dprelease.store.releases import ReleaseState
from dprelease.store.remarks import Remark, Said
from dprelease.workspace.workspace import Workspace

__all__ = [
    "FIRST_LOOKS",
    "Account",
    "Decision",
    "EventKind",
    "LedgerEvent",
    "Mode",
    "News",
    "Notice",
    "Person",
    "PlanRecord",
    "PlanState",
    "ReleaseState",
    "Remark",
    "Request",
    "Said",
    "SavedDraft",
    "StaleDraftError",
    "Wanted",
    "Workspace",
]
