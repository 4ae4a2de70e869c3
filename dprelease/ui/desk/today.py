"""Today's ledger events, in words; looks at true values are one line."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby

import streamlit as st

from dprelease.statements.display import exact
from dprelease.ui.desk.card import card
from dprelease.ui.kit.event_lines import LOOKS, line, looks
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import say_html
from dprelease.words.sentences import Html
from dprelease.workspace import EventKind, LedgerEvent

MOST = 5
READ = 100
"""Number of last events of which the lines are made."""
KINDS = (
    EventKind.CHARGE,
    EventKind.SPEND_REFUSED,
    EventKind.ATTEMPT_REFUSED,
    EventKind.PREVIEW_TAKEN,
    EventKind.PREVIEW_SWEPT,
    EventKind.READING_TAKEN,
    EventKind.CAP_RAISED,
    EventKind.PERIOD_OPENED,
    EventKind.PLAN_SUBMITTED,
    EventKind.PLAN_APPROVED,
    EventKind.PLAN_RETURNED,
    EventKind.PUBLISHED,
    EventKind.SUPERSEDED,
    EventKind.ERRATUM,
    EventKind.POPULATION_CREATED,
    EventKind.DATASET_REGISTERED,
    EventKind.SCHEMA_DECLARED,
    EventKind.ROWS_REPLACED,
    EventKind.LAYOUT_CHANGED,
)
CLOCK = slice(len("2025-12-31T"), len("2025-12-31T23:59"))


def today() -> None:
    """Show the last lines; nothing on a day without any."""
    date = datetime.now(UTC).date().isoformat()
    events = workspace().ledger.events(kinds=KINDS, limit=READ, newest_first=True, actor=actor())
    lines = _lines([event for event in events if event.at.startswith(date)])[:MOST]
    if not lines:
        return
    with card("today"):
        st.html(fill('<ul class="dp-day">{}</ul>', joined(fill("<li>{}</li>", line) for line in lines)))


def _lines(events: Sequence[LedgerEvent]) -> list[Html]:
    """Return one line for each event; one for looks that follow one another, of one person at one population."""
    lines = []
    for (look, *_), found in groupby(events, key=lambda each: (each.kind in LOOKS, each.actor, each.population)):
        group = list(found)
        told = [(group[0], looks(group))] if look else [(event, _line(event)) for event in group]
        lines += [fill("<time>{}</time> {}", event.at[CLOCK], words) for event, words in told]
    return lines


def _line(event: LedgerEvent) -> Html:
    about = event.population or event.body.get("dataset") or event.body.get("name") or ""
    spent = event.loss.epsilon + event.loss.rho
    words = line(event, about)
    return say_html("event_line_spent", line=words, symbol=event.loss.symbol, spent=exact(spent)) if spent else words
