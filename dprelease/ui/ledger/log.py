"""The ledger as a whole: whether it holds, what is left of each budget, what was not finished, and the events."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from math import inf
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import streamlit as st

from dprelease.errors import IntegrityError
from dprelease.model.encoding import digest
from dprelease.model.privacy import NANO, PrivacyLoss
from dprelease.statements.display import exact, pointed, shown
from dprelease.ui.kit import blocks, budget, session
from dprelease.ui.kit.markup import fill
from dprelease.ui.kit.phrases import counted, day_format, moment
from dprelease.ui.kit.problems import box, kindly
from dprelease.ui.kit.session import actor, may, workspace
from dprelease.ui.words import known, say, say_html
from dprelease.words.sentences import Html
from dprelease.workspace import EventKind

if TYPE_CHECKING:
    from dprelease.workspace import Account, EventFilter, LedgerEvent
    from dprelease.workspace.ledger import Overspent

A_PAGE = 30
MAX_CHECKED = 5_000
"""Maximum events of a ledger that is checked without being asked."""
CHECKED = "ledger_checked"
"""Session key of the opening of a page at which the ledger was last checked."""
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
    "publications": (EventKind.SEALED, EventKind.PUBLISHED, EventKind.SUPERSEDED, EventKind.ERRATUM, EventKind.DOI),
    "registrations": (
        EventKind.POPULATION_CREATED,
        EventKind.OVERLAP_ATTESTED,
        EventKind.EARLIER_RELEASES_DECLARED,
        EventKind.DATASET_REGISTERED,
        EventKind.SCHEMA_DECLARED,
        EventKind.ROWS_REPLACED,
        EventKind.LAYOUT_CHANGED,
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
    found = workspace().ledger.events(limit=1, offset=number - 1, actor=actor())
    blocks.heading("ledger_entry", seq=shown(found[0].seq))
    _table(found)


def chain() -> None:
    """Check all of the ledger as the page is opened, a very long one when asked, and show what was found."""
    place = st.container()
    short = workspace().ledger.count(actor=actor()) <= MAX_CHECKED
    again = st.button(say("ledger_check"), type="tertiary")
    if again or (short and st.session_state.get(CHECKED) != session.visit()):
        st.session_state[CHECKED] = session.visit()
        with place, kindly(), st.spinner(say("ledger_checking")):
            try:
                workspace().ledger.verify(actor=actor())
                st.session_state.pop(session.BROKEN, None)
            except IntegrityError as error:
                st.session_state[session.BROKEN] = error.said
    with place:
        _standing()


def _standing() -> None:
    count, checked = workspace().ledger.count(actor=actor()), workspace().ledger.verified_events
    events = counted("events", count)
    if session.BROKEN in st.session_state:
        box(say_html("ledger_broken", problem=st.session_state[session.BROKEN]))
    elif checked is None:
        box(say_html("ledger_unchecked", events=events), kind="notice")
    elif checked < count:
        box(say_html("ledger_part", events=events, checked=shown(checked)), kind="notice")
    else:
        box(say_html("ledger_intact", events=events), kind="done")
    against = workspace().ledger.contradiction
    if against is not None:
        box(say_html("public_problem", problem=against))
    problem = workspace().ledger.outside_problem
    if problem is not None:
        box(say_html("outside_problem", problem=problem))


def unfinished() -> None:
    """Show the plans that were charged and are not published; nothing where all are."""
    found = workspace().releases.unfinished(actor=actor())
    if not found:
        return
    box(fill("<p>{}</p>{}", counted("unfinished", len(found)), say_html("unfinished_text")), kind="warning")
    heads = ("unfinished_release", "population", "event_who", "event_at", "unfinished_far", "unfinished_cost")
    rows = [
        (
            each.id,
            each.charge.population,
            each.charge.actor,
            moment(each.charge.at),
            known(f"unfinished_{each.state}", each.state),
            budget.loss(each.charge.loss),
        )
        for each in found
    ]
    blocks.table(say("unfinished_caption"), [say(head) for head in heads], rows)
    if may("resume") and st.button(say("unfinished_finish")):
        with kindly(), st.spinner(say("unfinished_finishing")):
            failed = workspace().releases.resume(paced=True, actor=actor()).failed
            if not failed:
                session.flash("unfinished_done")
                st.rerun()
            box(say_html("unfinished_failed", why="; ".join(map(str, failed.values()))))


def overspent() -> None:
    """Show the releases that spend more than they were charged, with both figures; nothing where there is none."""
    found = workspace().ledger.overspent(actor=actor())
    if not found:
        return
    count = len({each.release for each in found})
    box(fill("<p>{}</p>{}", counted("overspent", count), say_html("overspent_text")))
    heads = ("overspent_release", "overspent_statistic", "overspent_true", "overspent_charged")
    blocks.table(say("overspent_caption"), [say(head) for head in heads], list(map(_excess, found)), numbers=(2, 3))


def _excess(found: Overspent) -> tuple[str, ...]:
    excess = found.excess
    if excess is None:
        return found.release, "", say("overspent_unknown", why=found.problem), ""
    figures = (
        (excess.symbol, say("overspent_unbounded") if each == inf else pointed(f"{each:.6g}"))
        for each in (excess.true, excess.charged)
    )
    return (
        found.release,
        excess.measurement,
        *(say("overspent_figure", symbol=symbol, figure=figure) for symbol, figure in figures),
    )


def budgets(accounts: Sequence[Account]) -> None:
    """Show cap, spent and left of each population, with a bar."""
    blocks.heading("ledger_budgets")
    heads = ["population", "ledger_bar_head", "spent", "left", "cap", "ledger_releases"]
    rows = [
        (
            account.population,
            _bar(account),
            budget.spent(account),
            budget.left(account),
            budget.cap(account),
            shown(account.charges),
        )
        for account in accounts
    ]
    blocks.table(say("ledger_budget_caption"), [say(head) for head in heads], rows, numbers=(5,))


def _bar(account: Account) -> Html:
    rounded = account.rounded
    used, most = (exact(amount.epsilon + amount.rho) for amount in (rounded.used, rounded.cap))
    words = say("ledger_bar", population=account.population, symbol=account.cap.symbol, spent=used, cap=most)
    return fill('<progress max="{}" value="{}" aria-label="{}">{}</progress>', most, used, words, words)


def events(populations: Sequence[str]) -> None:
    """Show the events looked for, by population, kind, person, day and text; newest first, a page at a time."""
    blocks.heading("ledger_events")
    population, wanted = _looked_for(populations)
    count = workspace().ledger.count(population, actor=actor(), **wanted)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        pages, number = max(1, -(-count // A_PAGE)), 1
        if pages > 1:
            key = f"page-{digest([population, str(wanted)])}"
            number = int(st.number_input(say("ledger_page"), min_value=1, max_value=pages, step=1, width=160, key=key))
    start = (number - 1) * A_PAGE
    part = workspace().ledger.events(population, limit=A_PAGE, offset=start, newest_first=True, actor=actor(), **wanted)
    if not part:
        blocks.text("ledger_nothing")
        return
    _table(part)
    blocks.note("ledger_shown", first=shown(start + 1), last=shown(start + len(part)), count=shown(count))
    blocks.links([blocks.anchor(_file(population, wanted), say("ledger_csv"), download=True)])


def _looked_for(populations: Sequence[str]) -> tuple[str | None, EventFilter]:
    """Ask for a population, or none, and for what else is asked of an event."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        population = st.selectbox(
            say("ledger_filter"), populations, index=None, placeholder=say("ledger_all"), width=220
        )
        group = st.selectbox(
            say("ledger_kind"),
            list(GROUPS),
            index=None,
            placeholder=say("ledger_kind_all"),
            format_func=lambda each: say(f"group_{each}"),
            width=220,
        )
        person = st.selectbox(
            say("event_who"),
            workspace().ledger.actors(actor=actor()),
            index=None,
            placeholder=say("ledger_anybody"),
            width=180,
        )
        since, until = (
            st.date_input(say(f"report_{end}"), value=None, format=day_format(), width=150, key=f"ledger-{end}")
            for end in ("since", "until")
        )
        text = st.text_input(say("ledger_text"), max_chars=MAX_TEXT, width=220)
    wanted: EventFilter = {
        "kinds": GROUPS.get(group or "", ()),
        "person": person,
        "since": since,
        "until": until,
        "text": text or "",
    }
    return population, wanted


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


def _table(part: Sequence[LedgerEvent]) -> None:
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


def _row(event: LedgerEvent) -> tuple[str | Html, ...]:
    charged = _charged(event.loss) if event.kind == "charge" else ("", "", "")
    return (
        shown(event.seq),
        moment(event.at),
        event.actor,
        known(f"event_{event.kind}", event.kind),
        event.population or "",
        _about(event),
        *charged,
    )


def _about(event: LedgerEvent) -> str:
    """Return the subject of an event, and what somebody wrote about it."""
    about = next((str(event.body[key]) for key in ABOUT if event.body.get(key)), "")
    if about == event.population:
        about = ""
    if event.kind == EventKind.PREVIEW_SWEPT:
        written = _swept(event)
    elif "overlap" in event.body:
        written = known(f"overlap_{event.body['overlap']}", event.body["overlap"])
    else:
        written = next((str(event.body[key]) for key in IN_WORDS if event.body.get(key)), "")
    return say("about_words", about=about, words=written) if about and written else about or written


def _swept(event: LedgerEvent) -> str:
    """Return at which ε a statistic was looked at, and how often."""
    first, last = (exact(Decimal(event.body[f"epsilon_nano_{end}"]) / NANO) for end in ("from", "to"))
    values = {"statistic": event.body["statistic"], "first": first, "last": last}
    return say("event_swept_words", event.body["looks"], looks=shown(event.body["looks"]), **values)


def _charged(loss: PrivacyLoss) -> tuple[str, str, str]:
    """Return ε or ρ, whichever it is counted in, and δ."""
    amount, delta = exact(loss.amount), exact(loss.delta)
    return ("", amount, delta) if loss.rho_nano else (amount, "", delta)
