"""The audit report of a population: what the ledger says of it in some days, to print and to sign."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_UP, Decimal
from typing import Any

from dprelease.adversaries.population import over_all
from dprelease.bundle.document import Document, Row, Section
from dprelease.bundle.signing import PublicKey
from dprelease.errors import IntegrityError
from dprelease.model.population import Overlap, Population
from dprelease.model.privacy import NANO, Currency, PrivacyLoss, total
from dprelease.statements.display import exact, pointed, shown
from dprelease.store import account, checkpoints, facts, ledger, plans, populations, releases, submitted
from dprelease.store.account import Account, loss_text
from dprelease.store.charging import ROUND
from dprelease.store.event import FIRST_LOOKS, EventKind, LedgerEvent
from dprelease.store.previews import plans_looked_at
from dprelease.store.releases import Publication, ReleaseState
from dprelease.store.verify import verify
from dprelease.words.releases import say
from dprelease.workspace.publish import kept_certificate
from dprelease.workspace.state import State

DECISIONS = (
    EventKind.PLAN_SUBMITTED,
    EventKind.PLAN_APPROVED,
    EventKind.PLAN_RETURNED,
    EventKind.PLAN_DELEGATED,
    EventKind.PLAN_REMARKED,
    EventKind.REMARK_ANSWERED,
    EventKind.REMARK_SETTLED,
)
DECIDED = (EventKind.PLAN_APPROVED, EventKind.PLAN_RETURNED)
CAPS = (EventKind.POPULATION_CREATED, EventKind.CAP_RAISED, EventKind.PERIOD_OPENED)
NOTICES = (EventKind.SUPERSEDED, EventKind.ERRATUM, EventKind.DOI)
A_DAY, A_SECOND, A_HASH = 10, 19, 12
"""Characters of a time to the day and to the second, and of a hash that tells plans apart."""


@dataclass(frozen=True, slots=True)
class Days:
    """From one day to another, both included."""

    since: date | None
    until: date

    def __contains__(self, at: object) -> bool:
        day = str(at)[:A_DAY]
        return (self.since is None or day >= self.since.isoformat()) and day <= self.until.isoformat()

    def __str__(self) -> str:
        until = self.until.isoformat()
        if self.since is None:
            return say("audit_all", until=until)
        return say("audit_range", since=self.since.isoformat(), until=until)


def report(state: State, population: str, days: Days, *, made: date) -> Document:
    """Return everything that the ledger says of a population in these days; the whole ledger is checked on the way."""
    registered, now = populations.get(state.database, population), account.account(state.database, population)
    events = [event for event in ledger.events(state.database, population=population) if event.at in days]
    return Document(
        kind=say("audit_kind"),
        title=say("audit_title", population=population),
        lead=say("audit_lead", range=str(days)),
        facts=list(_facts(state, registered, now, events, made)),
        sections=list(_sections(state, now, events, days)),
    )


def _facts(
    state: State, population: Population, now: Account, events: Sequence[LedgerEvent], made: date
) -> Iterator[tuple[str, str]]:
    cap = pointed(now.cap_text)
    charged = total(event.loss for event in events if event.kind == EventKind.CHARGE)
    looks = sum(event.kind in FIRST_LOOKS for event in events)
    yield say("audit_unit"), population.unit
    yield say("audit_relation"), say(f"audit_relation_{population.neighbors.value}", unit=population.unit)
    yield say("audit_size"), say("audit_open") if population.size is None else shown(population.size)
    period = now.period
    yield say("audit_cap"), cap if period is None else say("audit_cap_period", cap=cap, period=period)
    yield say("audit_spent"), pointed(now.spent_text)
    yield say("audit_spent_range"), _loss(charged, now)
    yield say("audit_left"), pointed(now.remaining_text)
    yield say("audit_all_looks"), shown(looks)
    yield say("audit_mode"), say(f"audit_mode_{facts.mode(state.database).value}")
    yield say("audit_chain"), _chain(state)
    signed = checkpoints.latest(state.database)
    if signed is not None:
        point = signed.checkpoint
        yield say("audit_checkpoint"), say("audit_checkpoint_of", hash=point.hash, size=shown(point.size), on=point.on)
    yield say("audit_key"), state.keys.current.fingerprint
    yield say("audit_made"), made.isoformat()


def _chain(state: State) -> str:
    try:
        return say("audit_chain_whole", count=shown(verify(state.database)))
    except IntegrityError as problem:
        return say("audit_chain_broken", problem=str(problem))


def _sections(state: State, now: Account, events: Sequence[LedgerEvent], days: Days) -> Iterator[Section]:
    of_charge = {each.charge.seq: each for each in releases.every(state.database)}
    charges = [event for event in events if event.kind == EventKind.CHARGE]
    yield _section(
        "releases",
        ("when", "release", "plan", "who", "approver", "loss", "total"),
        [row for event in charges if (row := _release(state, now, event, of_charge.get(event.seq)))],
    )
    open_ = [event for event in charges if not _is_published(of_charge.get(event.seq))]
    if open_:
        heads, rows = (
            ("when", "who", "what", "loss"),
            [_open_charge(now, event, of_charge.get(event.seq)) for event in open_],
        )
        yield _section("charges", heads, rows, text=say("audit_charges_text"))
    factors = _Factors(state)
    yield _section("decisions", ("when", "who", "what", "plan", "comment"), _told(state, events, DECISIONS, factors))
    of_caps = ("when", "who", "approver", "what", "before", "after", "comment")
    yield _section("caps", of_caps, list(_caps(state, now, events, factors)))
    of_refused = ("when", "who", "plan", "why", "asked", "remaining")
    yield _section("refused", of_refused, list(_refused(state, now, events, days)))
    resets = _of(state, days, EventKind.PERSON_RESET)
    yield _section("resets", ("when", "who", "person"), [(_moment(e), e.actor, str(e.body["name"])) for e in resets])
    yield _attack(state, now)
    with state.database.reading() as connection:
        looks = list(_looks(events, plans_looked_at(connection, now.population)))
    yield _section("looks", ("when", "who", "dataset", "plan", "looked"), looks, text=say("audit_looks_text"))
    withheld = [row for event in charges if (row := _withheld(event, of_charge.get(event.seq)))]
    if withheld:
        yield _section("withheld", ("when", "release"), withheld, text=say("audit_withheld_text"))
    yield _section("sums", ("what", "loss"), list(_sums(now, events)), text=say("audit_sums_text"))
    rotated = _of(state, days, EventKind.KEY_ROTATED)
    if rotated:
        yield _section("keys", ("when", "who", "key"), list(map(_told_key, rotated)))
    notices = [event for event in events if event.kind in NOTICES]
    if notices:
        rows = [
            (_moment(event), say(f"audit_event_{event.kind}"), str(event.body.get("release", "")), _comment(event))
            for event in notices
        ]
        yield _section("notices", ("when", "what", "release", "comment"), rows)
    overlaps = populations.overlaps(state.database, now.population)
    if overlaps:
        yield _section("overlaps", ("population", "overlap", "who", "approver"), list(_overlaps(state, now, overlaps)))
    earlier = populations.earlier_releases(state.database, now.population)
    if earlier:
        yield _section("earlier", ("release",), [(each,) for each in earlier])


def _section(key: str, heads: Row, rows: Sequence[Row], *, text: str = "") -> Section:
    return Section(
        heading=say(f"audit_{key}"),
        text=text if rows else "",
        heads=[say(f"audit_{head}") for head in heads],
        rows=rows,
        empty=say("audit_none"),
    )


def _attack(state: State, now: Account) -> Section:
    """Return the section on what whoever knows all other rows learns of one unit, from all charges and from the cap."""
    registered = populations.get(state.database, now.population)
    charges = ledger.events(state.database, population=now.population, kinds=[EventKind.CHARGE])
    found = over_all(now.before + now.cap, [event.loss for event in charges], now.currency)
    rows = [
        (say(f"audit_attack_{name}"), exact(Decimal(repr(50 * (1 + each))).quantize(Decimal("0.1"), ROUND_UP)))
        for name, each in (("cap", found.cap), ("charged", found.charged))
    ]
    text = say(f"audit_attack_text_{registered.neighbors.value}", unit=registered.unit)
    return _section("attack", ("of", "right"), rows, text=text)


def _is_published(publication: Publication | None) -> bool:
    return publication is not None and publication.state is ReleaseState.PUBLISHED


def _release(state: State, now: Account, event: LedgerEvent, publication: Publication | None) -> Row | None:
    if publication is None or not _is_published(publication):
        return None
    mapping = plans.get(state.database, publication.plan_id).mapping
    return (
        _moment(event),
        publication.id,
        str(mapping.get("title") or mapping["dataset"]),
        event.actor,
        str(event.body.get("approver", "")),
        _loss(event.loss, now),
        "" if event.spent is None else _loss(event.spent, now),
    )


def _open_charge(now: Account, event: LedgerEvent, publication: Publication | None) -> Row:
    kind = "recovered" if event.body.get("recovered") else "round" if ROUND in event.body else "unpublished"
    if publication is not None and publication.state is ReleaseState.LOST:
        kind = "lost"
    what = say(f"audit_{kind}")
    return _moment(event), event.actor, what, _loss(event.loss, now)


def _of(state: State, days: Days, *kinds: EventKind) -> list[LedgerEvent]:
    """Return the events of the workspace in these days, of whatever population."""
    return [event for event in ledger.events(state.database, kinds=kinds) if event.at in days]


class _Factors:
    """Holders of a second factor when an event was written."""

    def __init__(self, state: State) -> None:
        kinds = (EventKind.SECOND_FACTOR_ON, EventKind.SECOND_FACTOR_OFF, EventKind.PERSON_RESET)
        self._changes = ledger.events(state.database, kinds=kinds)

    def of(self, name: str, event: LedgerEvent) -> bool:
        """Return True if a person had a second factor when an event was written."""
        of_them = (each for each in self._changes if each.body["name"] == name and each.seq < event.seq)
        return next((each.kind == EventKind.SECOND_FACTOR_ON for each in reversed([*of_them])), False)

    def told(self, name: str, event: LedgerEvent) -> str:
        """Return somebody who decided, with how the account was secured then."""
        return say(f"audit_{'with' if self.of(name, event) else 'without'}_factor", name=_who(event, name))


def _told(state: State, events: Sequence[LedgerEvent], kinds: Sequence[EventKind], factors: _Factors) -> list[Row]:
    titles = {record.id: record.mapping.get("title") or record.dataset for record in submitted.find(state.database)}
    return [
        (
            _moment(event),
            factors.told(event.actor, event) if event.kind in DECIDED else _who(event, event.actor),
            say(f"audit_event_{event.kind}"),
            titles[event.body["plan"]],
            _comment(event),
        )
        for event in events
        if event.kind in kinds
    ]


def _caps(state: State, now: Account, events: Sequence[LedgerEvent], factors: _Factors) -> Iterator[Row]:
    """Yield each cap with the one before it, and who agreed: of the first one the event that precedes it tells."""
    approved = {event.seq: event for event in ledger.events(state.database, kinds=[EventKind.REQUEST_APPROVED])}
    before = ""
    for event in events:
        if event.kind in CAPS:
            cap = _loss(_cap(event, now), now)
            decision = approved.get(event.seq - 1)
            name = event.body.get("approver", event.actor) if decision is None else decision.actor
            agreed = factors.told(name, event if decision is None else decision)
            reason = _comment(event) or ("" if decision is None else _comment(decision))
            yield _moment(event), event.actor, agreed, say(f"audit_event_{event.kind}"), before, cap, reason
            before = cap


def _cap(event: LedgerEvent, now: Account) -> PrivacyLoss:
    """Return the cap in its budget's currency; of zcdp, half of δ is for what is discovered, if anything ever is."""
    if now.currency is Currency.PURE:
        return PrivacyLoss(epsilon_nano=event.body["epsilon_nano"], delta_atto=event.body["delta_atto"])
    discovered = event.body["delta_atto"] // 2 if now.discovers else 0
    return PrivacyLoss(rho_nano=event.body["rho_nano"], delta_atto=discovered)


def _looks(events: Sequence[LedgerEvent], plans: Mapping[int, Mapping[str, Any]]) -> Iterator[Row]:
    """Yield each look, at which plan by its title, and at which ε; `plans`: by the event that began a look."""
    titles = dict[str, str]()
    for event in events:
        if event.kind == EventKind.READING_TAKEN:
            yield _moment(event), event.actor, str(event.body["dataset"]), "", say("audit_look_reading")
        if event.kind in (EventKind.PREVIEW_TAKEN, EventKind.PREVIEW_SWEPT):
            body, plan = event.body, plans.get(event.seq)
            if plan is not None:
                titles[body["plan_hash"]] = str(plan.get("title") or body["dataset"])
                what = say("audit_look_began", epsilon=exact(Decimal(str(plan["privacy"]["epsilon"]))))
            elif event.kind == EventKind.PREVIEW_SWEPT:
                first, last = (exact(Decimal(body[f"epsilon_nano_{end}"]) / NANO) for end in ("from", "to"))
                values = {"statistic": body["statistic"], "first": first, "last": last, "looks": body["looks"]}
                what = say("audit_look_swept", **values)
            else:
                what = say("audit_look_elsewhere")
            title = titles.get(body["plan_hash"]) or str(body["plan_hash"])[:A_HASH]
            yield _moment(event), event.actor, str(body["dataset"]), title, what


def _overlaps(state: State, now: Account, overlaps: Mapping[str, Overlap | None]) -> Iterator[Row]:
    """Yield the attested overlap with each other population, by whom, and who confirmed it; or that it waits."""
    told, states = dict[str, LedgerEvent](), populations.uncounted_overlaps(state.database, now.population)
    for event in ledger.events(state.database, kinds=[EventKind.OVERLAP_ATTESTED]):
        pair = {str(event.population), str(event.body["other"])}
        if now.population in pair:
            told[(pair - {now.population}).pop()] = event
    for other, overlap in overlaps.items():
        word = overlap.value if overlap else states.get(other, "open")
        event_of = told.get(other)
        who = ("", "") if event_of is None else (event_of.actor, _who(event_of, event_of.body.get("approver", "")))
        yield other, say(f"audit_overlap_{word}"), *who


def _withheld(event: LedgerEvent, publication: Publication | None) -> Row | None:
    """Return a release of which only what it cost is published, since it failed what its plan asked of it."""
    if publication is None or publication.certificate is None or not kept_certificate(publication).is_withheld:
        return None
    return _moment(event), publication.id


def _sums(now: Account, events: Sequence[LedgerEvent]) -> Iterator[Row]:
    """Yield the loss spent before these days, in them and after them, their total, and the difference."""
    charged = total(event.loss for event in events if event.kind == EventKind.CHARGE)
    spends = [event for event in events if event.spent is not None]
    before = spends[0].spent - spends[0].loss if spends and spends[0].spent is not None else now.spent - charged
    last = spends[-1].spent if spends and spends[-1].spent is not None else now.spent
    after = now.spent - last
    yield say("audit_sum_before"), _loss(before, now)
    yield say("audit_sum_range"), _loss(charged, now)
    yield say("audit_sum_after"), _loss(after, now)
    yield say("audit_sum_spent"), _loss(now.spent, now)
    yield say("audit_sum_difference"), _loss(now.spent - after - charged - before, now)


def _told_key(event: LedgerEvent) -> Row:
    return _moment(event), event.actor, PublicKey(str(event.body["new_pem"]).encode()).fingerprint


def _refused(state: State, now: Account, events: Sequence[LedgerEvent], days: Days) -> Iterator[Row]:
    """Yield charges and approvals that were refused, in their order."""
    attempts = [event for event in _of(state, days, EventKind.ATTEMPT_REFUSED) if event.body["name"] == now.population]
    spends = [event for event in events if event.kind == EventKind.SPEND_REFUSED]
    for event in sorted([*spends, *attempts], key=lambda event: event.seq):
        asked = say("audit_request", number=event.body["request"]) if "request" in event.body else ""
        about = str(event.body.get("plan", asked))
        if event.kind == EventKind.SPEND_REFUSED:
            amounts = (PrivacyLoss(**event.body[name]) for name in ("requested", "remaining"))
            texts = tuple(_loss(amount, now) for amount in amounts)
        else:
            texts = ("", "")
        why = say(f"audit_why_{event.body.get('why', 'spend')}")
        yield _moment(event), event.actor, about, why, *texts


def _loss(amount: PrivacyLoss, now: Account) -> str:
    """Return a loss as text, its numbers written as in the language that is spoken."""
    return pointed(loss_text(amount, now.currency))


def _comment(event: LedgerEvent) -> str:
    return next((str(event.body[name]) for name in ("comment", "reason", "text", "period") if event.body.get(name)), "")


def _who(event: LedgerEvent, name: str) -> str:
    """Return the name of whoever decided, with who else had opened the door for that."""
    access = event.body.get("access")
    return say(f"audit_access_{access['issued']}", name=name, by=access["by"]) if access else name


def _moment(event: LedgerEvent) -> str:
    return event.at[:A_SECOND].replace("T", " ")
