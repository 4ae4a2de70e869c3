"""The use cases: register, describe, price, preview, submit, approve, publish, verify; and what they answer with."""

from dprelease.store.account import Account
from dprelease.store.account_news import News
from dprelease.store.drafts import SavedDraft, StaleDraftError
from dprelease.store.event import FIRST_LOOKS, EventKind, LedgerEvent
from dprelease.store.facts import WorkspaceMode
from dprelease.store.ledger import EventFilter
from dprelease.store.notices import NoticeRecord
from dprelease.store.people import Person
from dprelease.store.plans import PlanDecision, PlanRecord, PlanState
from dprelease.store.populations import Request
from dprelease.store.releases import ReleaseState
from dprelease.store.remarks import Authorship, Remark
from dprelease.store.runs import OpenedRun
from dprelease.workspace.runs import due
from dprelease.workspace.workspace import Workspace

__all__ = [
    "FIRST_LOOKS",
    "Account",
    "Authorship",
    "EventFilter",
    "EventKind",
    "LedgerEvent",
    "News",
    "NoticeRecord",
    "OpenedRun",
    "Person",
    "PlanDecision",
    "PlanRecord",
    "PlanState",
    "ReleaseState",
    "Remark",
    "Request",
    "SavedDraft",
    "StaleDraftError",
    "Workspace",
    "WorkspaceMode",
    "due",
]
