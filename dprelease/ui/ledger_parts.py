"""Budgets and events as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from dprelease.bundle.display import shown
from dprelease.bundle.words import Html
from dprelease.model.privacy import PrivacyLoss, decimal_text
from dprelease.ui import blocks
from dprelease.ui.budget import cap, left, spent
from dprelease.ui.markup import fill
from dprelease.ui.words import known, say

if TYPE_CHECKING:
    from dprelease.store.account import Account
    from dprelease.store.event import LedgerEvent

A_PAGE = 100
SECONDS = len("2025-12-31T23:59:59")
ABOUT = ("release", "plan", "dataset", "name")
"""Where in its body an event says what it is about."""


def budgets(accounts: Sequence[Account]) -> None:
    """Cap, spent and left of each population, with a bar."""
    blocks.heading("ledger_budgets")
    heads = ["population", "ledger_bar_head", "spent", "left", "cap", "ledger_releases"]
    rows = [
        (
            account.population,
            _bar(account),
            spent(account),
            left(account),
            cap(account),
            shown(account.charges),
        )
        for account in accounts
    ]
    blocks.table(say("ledger_budget_caption"), [say(head) for head in heads], rows, numbers=(5,))


def _bar(account: Account) -> Html:
    used, most = (decimal_text(amount.epsilon + amount.rho) for amount in (account.spent, account.cap))
    words = say("ledger_bar", population=account.population, symbol=account.cap.symbol, spent=used, cap=most)
    return fill('<progress max="{}" value="{}" aria-label="{}">{}</progress>', most, used, words, words)


def events(found: Sequence[LedgerEvent]) -> None:
    """Newest first, a page at a time."""
    newest = list(reversed(found))
    pages = max(1, -(-len(newest) // A_PAGE))
    number = 1
    if pages > 1:
        number = int(st.number_input(say("ledger_page"), min_value=1, max_value=pages, step=1, width=160))
    part = newest[(number - 1) * A_PAGE : number * A_PAGE]
    heads = [
        "event_seq",
        "event_at",
        "event_who",
        "event_what",
        "population",
        "event_about",
        "event_epsilon",
        "event_rho",
        "event_delta",
    ]
    rows = list(map(_row, part))
    # Where nothing is counted in ρ, there is no column for it.
    if not any(event.loss.rho_nano for event in part):
        place = heads.index("event_rho")
        heads.pop(place)
        rows = [(*row[:place], *row[place + 1 :]) for row in rows]
    numbers = (0, *range(heads.index("event_epsilon"), len(heads)))
    blocks.table(say("ledger_caption"), [say(head) for head in heads], rows, numbers=numbers, whole=True)
    if part:
        first, last = shown(part[-1].seq), shown(part[0].seq)
        blocks.note("ledger_shown", first=first, last=last, count=shown(len(found)))


def _row(event: LedgerEvent) -> tuple[str, ...]:
    about = next((str(event.body[key]) for key in ABOUT if key in event.body), "")
    charged = _charged(event.loss) if event.kind == "charge" else ("", "", "")
    return (
        shown(event.seq),
        event.at[:SECONDS].replace("T", " "),
        event.actor,
        known(f"event_{event.kind}", event.kind),
        event.population or "",
        "" if about == event.population else about,
        *charged,
    )


def _charged(loss: PrivacyLoss) -> tuple[str, str, str]:
    """ε or ρ, whichever it is counted in, and δ."""
    amount, delta = decimal_text(loss.amount), decimal_text(loss.delta)
    return ("", amount, delta) if loss.rho_nano else (amount, "", delta)
