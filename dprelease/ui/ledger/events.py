"""The events of the ledger: those looked for, one line each, a page at a time."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import streamlit as st

from dprelease.model.encoding import digest
from dprelease.statements.display import shown
from dprelease.ui.kit import blocks, budget
from dprelease.ui.kit.event_lines import LOOKS, line, looks
from dprelease.ui.kit.markup import fill, joined
from dprelease.ui.kit.phrases import day_format, moment
from dprelease.ui.kit.session import actor, workspace
from dprelease.ui.words import known, say
from dprelease.words.sentences import Html
from dprelease.workspace import EventKind

if TYPE_CHECKING:
    from dprelease.workspace import EventFilter, LedgerEvent

A_PAGE = 15
"""Maximum lines of a page."""
MAX_TEXT = 200
MAX_DIGITS = 16
ABOUT = ("release", "plan", "dataset", "other", "period", "name")
"""Keys of an event's body that name what the event is about."""
IN_WORDS = ("reason", "comment", "text")
"""Keys of an event's body that hold what somebody wrote."""
GROUPS: dict[str, tuple[EventKind, ...]] = {
    "spending": (EventKind.CHARGE,),
    "refusals": (EventKind.SPEND_REFUSED, EventKind.ATTEMPT_REFUSED),
    "previews": (
        EventKind.PREVIEW_TAKEN,
        EventKind.PREVIEW_SWEPT,
        EventKind.READING_TAKEN,
        EventKind.OVERLAP_COMPARED,
    ),
    "caps": (EventKind.CAP_RAISED, EventKind.PERIOD_OPENED),
    "decisions": (
        EventKind.PLAN_SUBMITTED,
        EventKind.PLAN_APPROVED,
        EventKind.PLAN_RETURNED,
        EventKind.PLAN_DELEGATED,
        EventKind.PLAN_REMARKED,
        EventKind.REMARK_ANSWERED,
        EventKind.REMARK_SETTLED,
        EventKind.REQUEST_MADE,
        EventKind.REQUEST_APPROVED,
        EventKind.REQUEST_RETURNED,
    ),
    "publications": (
        EventKind.SEALED,
        EventKind.PUBLISHED,
        EventKind.SUPERSEDED,
        EventKind.ERRATUM,
        EventKind.DOI,
        EventKind.EDITION_BEGUN,
        EventKind.EDITION_ABANDONED,
        EventKind.RUN_ENDED,
        EventKind.EMBARGO_ASKED,
        EventKind.EMBARGO_CHANGED,
        EventKind.EMBARGO_CANCELLED,
        EventKind.SEEN_BEFORE,
        EventKind.OPENED,
    ),
    "registrations": (
        EventKind.POPULATION_CREATED,
        EventKind.OVERLAP_ATTESTED,
        EventKind.EARLIER_RELEASES_DECLARED,
        EventKind.DATASET_REGISTERED,
        EventKind.SCHEMA_DECLARED,
        EventKind.ROWS_REPLACED,
        EventKind.LAYOUT_CHANGED,
        EventKind.DATASET_OPENED,
        EventKind.TABLE_DELETED,
    ),
    "workspace": (
        EventKind.WORKSPACE_CREATED,
        EventKind.MODE_CHANGED,
        EventKind.POLICY_CHANGED,
        EventKind.INVITED,
        EventKind.SIGN_IN,
        EventKind.SIGN_OUT,
        EventKind.SESSION_REVOKED,
        EventKind.PASSWORD_CHANGED,
        EventKind.SECOND_FACTOR_ON,
        EventKind.SECOND_FACTOR_OFF,
        EventKind.RECOVERY_CODE_USED,
        EventKind.RECOVERY_CODES_MADE,
        EventKind.ROLES_CHANGED,
        EventKind.PERSON_RESET,
        EventKind.PERSON_DISABLED,
        EventKind.PERSON_ENABLED,
        EventKind.TOKEN_CREATED,
        EventKind.TOKEN_REVOKED,
        EventKind.KEY_ROTATED,
        EventKind.LEDGER_RESTORED,
        EventKind.ACCEPTANCE_ASKED,
        EventKind.LEDGER_ACCEPTED,
    ),
}
"""The kinds of events as people look for them; each kind is in one group."""


def entry(seq: str) -> None:
    """Show the event that an address asks for by its number; nothing where it asks for none."""
    number = int(seq) if seq.isascii() and seq.isdecimal() and len(seq) < MAX_DIGITS else 0
    if not 0 < number <= workspace().ledger.count(actor=actor()):
        return
    (found,) = workspace().ledger.events(limit=1, offset=number - 1, actor=actor())
    blocks.heading("ledger_entry", seq=shown(found.seq))
    st.html(fill('<ol class="dp-events">{}</ol>', _told(found, _words(found))))


def events(population: str | None) -> None:
    """Show the events looked for, of one population or all; newest first, a page at a time; looks of a day as one."""
    place = st.container(horizontal=True, vertical_alignment="center", key="ledger-find")
    with place.popover(say("ledger_find"), icon=":material/search:"):
        wanted = _looked_for()
    lines: EventFilter = {**wanted, "folded": LOOKS}
    count = workspace().ledger.count(population, actor=actor(), **lines)
    pages, number = max(1, -(-count // A_PAGE)), 1
    if pages > 1:
        key = f"page-{digest([population, str(wanted)])}"
        place.markdown(say("ledger_page"), width="content")
        number = int(
            place.number_input(
                say("ledger_page"),
                min_value=1,
                max_value=pages,
                step=1,
                width=130,
                key=key,
                label_visibility="collapsed",
            )
        )
        place.markdown(say("ledger_pages", count=shown(pages)), width="content")
    start = (number - 1) * A_PAGE
    part = workspace().ledger.events(population, limit=A_PAGE, offset=start, newest_first=True, actor=actor(), **lines)
    if not part:
        blocks.text("ledger_nothing")
        return
    items = joined(_line(event, wanted) for event in part)
    st.html(fill('<ol class="dp-events" aria-label="{}">{}</ol>', say("ledger_caption"), items))
    told = say("ledger_shown", first=shown(start + 1), last=shown(start + len(part)), count=shown(count))
    file = blocks.anchor(_file(population, wanted), say("ledger_csv"), download=True)
    st.html(fill('<p class="dp-row-note dp-between"><span>{}</span>{}</p>', told, file))


def _looked_for() -> EventFilter:
    """Ask what else is asked of an event."""
    group = st.selectbox(
        say("ledger_kind"),
        list(GROUPS),
        index=None,
        placeholder=say("ledger_kind_all"),
        format_func=lambda each: say(f"group_{each}"),
    )
    person = st.selectbox(
        say("event_who"), workspace().ledger.actors(actor=actor()), index=None, placeholder=say("ledger_anybody")
    )
    since, until = (
        st.date_input(say(f"report_{end}"), value=None, format=day_format(), key=f"ledger-{end}")
        for end in ("since", "until")
    )
    text = st.text_input(say("ledger_text"), max_chars=MAX_TEXT)
    return {"kinds": GROUPS.get(group or "", ()), "person": person, "since": since, "until": until, "text": text or ""}


def _line(event: LedgerEvent, wanted: EventFilter) -> Html:
    return _told(event, looks(_of_the_day(event, wanted)) if event.kind in LOOKS else _words(event))


def _words(event: LedgerEvent) -> Html:
    return line(event, ", ".join(filter(None, (event.population, _about(event)))))


def _told(event: LedgerEvent, words: Html) -> Html:
    return fill(
        '<li><span class="dp-seq">{}</span><span class="dp-when">{}</span><span class="dp-told">{}</span>{}</li>',
        shown(event.seq),
        moment(event.at),
        words,
        budget.loss(event.loss) if event.kind == EventKind.CHARGE else Html(""),
    )


def _of_the_day(event: LedgerEvent, wanted: EventFilter) -> list[LedgerEvent]:
    """Return the looks that one line stands for, newest first."""
    day = date.fromisoformat(event.at[: len("2025-12-31")])
    kinds = [kind for kind in wanted.get("kinds", ()) if kind in LOOKS] or LOOKS
    same: EventFilter = {"kinds": kinds, "person": event.actor, "since": day, "until": day, "text": wanted["text"]}
    return workspace().ledger.events(event.population, newest_first=True, actor=actor(), **same)


def _file(population: str | None, wanted: EventFilter) -> str:
    """Return the address of the events looked for, as a file."""
    since, until = wanted.get("since"), wanted.get("until")
    asked = {
        "population": population,
        "kind": [kind.value for kind in wanted.get("kinds", ())],
        "person": wanted.get("person"),
        "since": None if since is None else since.isoformat(),
        "until": None if until is None else until.isoformat(),
        "text": wanted.get("text"),
    }
    query = urlencode({name: value for name, value in asked.items() if value}, doseq=True)
    return f"/reports/-/events.csv?{query}" if query else "/reports/-/events.csv"


def _about(event: LedgerEvent) -> str:
    """Return the subject of an event, and what somebody wrote about it."""
    about = next((str(event.body[key]) for key in ABOUT if event.body.get(key)), "")
    if about == event.population:
        about = ""
    if "overlap" in event.body:
        written = known(f"overlap_{event.body['overlap']}", event.body["overlap"])
    else:
        written = next((str(event.body[key]) for key in IN_WORDS if event.body.get(key)), "")
    return say("about_words", about=about, words=written) if about and written else about or written
