"""Today's ledger events, in words; looks at true values are one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from itertools import groupby

import streamlit as st

from dprelease.model.privacy import NANO
from dprelease.statements.display import exact
from dprelease.ui.desk.card import card
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.phrases import counted
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import known, say_html
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
LOOKS = (EventKind.PREVIEW_TAKEN, EventKind.PREVIEW_SWEPT)
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
        lines += [_looks(group)] if look else [_line(event) for event in group]
    return lines


def _line(event: LedgerEvent) -> Html:
    values = {"at": event.at[CLOCK], "name": event.actor, "what": known(f"event_{event.kind}", event.kind)}
    about = event.population or event.body.get("dataset") or event.body.get("name") or ""
    if event.kind == EventKind.ATTEMPT_REFUSED:
        return say_html("desk_event_why", about=about, why=say_html(f"desk_why_{event.body['why']}"), **values)
    spent = event.loss.epsilon + event.loss.rho
    if spent:
        return say_html("desk_event_spent", about=about, symbol=event.loss.symbol, spent=exact(spent), **values)
    return say_html("desk_event_about" if about else "desk_event", about=about, **values)


def _looks(events: Sequence[LedgerEvent]) -> Html:
    swept = _Swept()
    for event in events:
        swept.add(event)
    values = {"at": events[0].at[CLOCK], "name": events[0].actor, "about": events[0].population or ""}
    if not swept.epsilons:
        return say_html("desk_looks_begun", **values)
    values["statistics"] = counted("desk_statistics", len(swept.statistics))
    values["looks"] = counted("desk_looks", swept.looks)
    least, most = min(swept.epsilons), max(swept.epsilons)
    if least == most:
        return say_html("desk_looks_at", epsilon=exact(least), **values)
    return say_html("desk_looks_swept", least=exact(least), most=exact(most), **values)


@dataclass
class _Swept:
    """The sum of several looks."""

    statistics: set[str] = field(default_factory=set)
    epsilons: list[Decimal] = field(default_factory=list)
    looks: int = 0

    def add(self, event: LedgerEvent) -> None:
        if event.kind == EventKind.PREVIEW_SWEPT:
            body = event.body
            self.statistics.add(str(body["statistic"]))
            self.epsilons += [Decimal(body[name]) / NANO for name in ("epsilon_nano_from", "epsilon_nano_to")]
            self.looks += int(body["looks"])
