"""Events of the ledger as sentences; looks at true values of one person as one."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from dprelease.model.privacy import NANO
from dprelease.statements.display import exact
from dprelease.ui.kit.phrases import counted
from dprelease.ui.words import known, say_html
from dprelease.words.sentences import Html
from dprelease.workspace import EventKind, LedgerEvent

LOOKS = (EventKind.PREVIEW_TAKEN, EventKind.PREVIEW_SWEPT)


def line(event: LedgerEvent, about: str) -> Html:
    """Return who did what; `about`: its subject."""
    values = {"name": event.actor, "what": known(f"event_{event.kind}", event.kind), "about": about}
    if event.kind == EventKind.ATTEMPT_REFUSED:
        return say_html("event_line_why", why=say_html(f"desk_why_{event.body['why']}"), **values)
    return say_html("event_line_about" if about else "event_line", **values)


def looks(events: Sequence[LedgerEvent]) -> Html:
    """Return how much one person looked at, of one population, and at which ε."""
    swept = [event.body for event in events if event.kind == EventKind.PREVIEW_SWEPT]
    values = {"name": events[0].actor, "about": events[0].population or ""}
    if not swept:
        return say_html("event_looks_begun", **values)
    epsilons = [Decimal(body[f"epsilon_nano_{end}"]) / NANO for body in swept for end in ("from", "to")]
    values["statistics"] = counted("desk_statistics", len({body["statistic"] for body in swept}))
    values["looks"] = counted("event_looks", sum(int(body["looks"]) for body in swept))
    least, most = min(epsilons), max(epsilons)
    if least == most:
        return say_html("event_looks_at", epsilon=exact(least), **values)
    return say_html("event_looks_swept", least=exact(least), most=exact(most), **values)
