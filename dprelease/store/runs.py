"""Runs: one charge for all editions, which begin in the order of their periods, each once, across any crash."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dprelease.errors import InputError, PlanError
from dprelease.model.actor import Actor
from dprelease.model.calendar_entry import CalendarEntry
from dprelease.model.plan import Plan
from dprelease.model.privacy import PrivacyLoss
from dprelease.model.recurring import Recurrence
from dprelease.model.report import nearest
from dprelease.store.account import account_within
from dprelease.store.charging import RUN, charge
from dprelease.store.connection import Connection
from dprelease.store.database import Database
from dprelease.store.event import EventKind, LedgerEvent, read_event
from dprelease.store.ledger import append_within
from dprelease.store.plans import PlanRecord, get_within
from dprelease.store.releases import Publication, ReleaseState, find_publication_within, insert_within
from dprelease.words import phrase

GONE = (ReleaseState.LOST, ReleaseState.CANCELLED)
RUNS = "SELECT name, plan_id, charge_seq, ended FROM runs"
EDITIONS = """
SELECT editions.period, editions.begun_seq, releases.id, releases.state,
    iif(releases.state = 'published', releases.certificate, NULL), releases.published_on
FROM editions JOIN releases ON releases.charge_seq = editions.begun_seq WHERE run = ? ORDER BY editions.begun_seq
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BegunEdition:
    """An edition that was begun, however far it came."""

    period: str
    begun_seq: int
    release: str
    state: ReleaseState
    """`lost` where it was given up; `embargoed` until its hour, and `cancelled` where that was never to come."""
    certificate: str | None
    """Once it is public: before its hour it tells of numbers."""
    published_on: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedRun:
    """A run as the ledger has it: its plan, the one charge, and the editions that were begun, in that order."""

    name: str
    plan: PlanRecord
    charge: LedgerEvent
    ended: bool
    """True where nothing can begin any more: somebody ended it, or this ledger may be a copy."""
    editions: tuple[BegunEdition, ...]

    @property
    def facts(self) -> Mapping[str, Any]:
        """Public facts of the charge on the run."""
        facts: Mapping[str, Any] = self.charge.body[RUN]
        return facts

    @property
    def recurrence(self) -> Recurrence:
        """The periods."""
        return recurrence(self.facts)

    @property
    def is_ordered(self) -> bool:
        """True if an edition closes the periods before it."""
        return bool(self.facts["ordered"])

    def edition(self, period: str) -> BegunEdition | None:
        """Return what was begun of a period; None where nothing was."""
        return next((each for each in self.editions if each.period == period), None)

    @property
    def unfinished(self) -> BegunEdition | None:
        """The edition that is begun and neither published nor given up."""
        return next((each for each in self.editions if each.state in (ReleaseState.CHARGED, ReleaseState.SEALED)), None)

    @property
    def closed(self) -> tuple[str, ...]:
        """Periods that can never be published any more, in order: given up, or missed."""
        return closed(self.recurrence.periods, self.begun, [each.period for each in self.given_up], self.is_ordered)

    @property
    def begun(self) -> tuple[str, ...]:
        """Periods that were begun."""
        return tuple(each.period for each in self.editions)

    @property
    def given_up(self) -> tuple[BegunEdition, ...]:
        """Editions that are never to be published: given up, or cancelled before their hour."""
        return tuple(each for each in self.editions if each.state in GONE)

    @property
    def embargoed(self) -> BegunEdition | None:
        """The edition that waits for its hour."""
        return next((each for each in self.editions if each.state is ReleaseState.EMBARGOED), None)

    def needs_earlier_rows(self, dataset: str) -> bool:
        """Return True if a dataset's rows must have those of the periods begun so far: editions count them anew."""
        return self.plan.dataset == dataset and self.is_ordered and bool(self.editions and self.open_periods)

    @property
    def open_periods(self) -> tuple[str, ...]:
        """Periods that can still begin, in order."""
        if self.ended:
            return ()
        gone = {*self.begun, *self.closed}
        return tuple(name for name in self.recurrence.periods if name not in gone)


def recurrence(facts: Mapping[str, Any]) -> Recurrence:
    """Return the periods that the facts of a charge name."""
    return Recurrence(**{name: facts[name] for name in ("column", "every", "first", "last", "at_most")})


def closed(periods: Sequence[str], begun: Sequence[str], given_up: Sequence[str], ordered: bool) -> tuple[str, ...]:
    """Return the periods that can never be published any more, in order."""
    last = max((periods.index(name) for name in begun), default=-1) if ordered else -1
    return tuple(name for at, name in enumerate(periods) if name in given_up or (at < last and name not in begun))


def open_run(
    database: Database,
    plan_id: str,
    loss: PrivacyLoss,
    *,
    actor: Actor,
    name: str,
    hashes: Sequence[str],
    body: Mapping[str, Any],
) -> OpenedRun:
    """Charge for all editions of an approved plan's run, or find the run that was; it is on disk when this returns.

    `name`: what it is called where that is free, else with a number. `hashes`: of the mechanisms of each edition.
    Raises InsufficientBudgetError where it does not fit (the refusal is in the ledger), AccessError without approval.
    """
    with database.writing(durable=True) as connection:
        for known in _read(connection, "WHERE plan_id = ?", plan_id):
            return known
        record = get_within(connection, plan_id)
        plan = Plan.parse(record.mapping)
        run = plan.run
        if run is None:
            raise PlanError("run", found=phrase("model.nothing"), allowed=phrase("model.run_none"))
        taken = {known for (known,) in connection.execute("SELECT name FROM runs")}
        free = next(each for each in _names(name) if each not in taken)
        facts = {key: getattr(run, key) for key in ("column", "every", "first", "last", "at_most")}
        facts |= {"name": free, "factor": run.factor(plan.neighbors), "ordered": run.is_ordered(plan.unit.column)}
        outcome = charge(connection, record, loss, actor, {**body, RUN: {**facts, "mechanisms": list(hashes)}})
        if isinstance(outcome, LedgerEvent):
            connection.execute(
                "INSERT INTO runs (name, plan_id, charge_seq, ended) VALUES (?, ?, ?, 0)", [free, plan_id, outcome.seq]
            )
            return get_run_within(connection, free)
    raise outcome


def _names(name: str) -> Any:
    yield name
    yield from (f"{name}-{number}" for number in range(2, 10**6))


def begin(
    database: Database,
    name: str,
    period: str,
    loss: PrivacyLoss,
    *,
    hash: str,
    actor: Actor,
    body: Mapping[str, Any] | None = None,
    announced: CalendarEntry | None = None,
) -> Publication:
    """Begin an edition, or find what was begun of its period: on disk before a row of it is read.

    In a run whose order counts it closes each earlier period that was not begun. Raises InputError for a period that
    the run has not, that is closed or given up, while another edition is unfinished, and after the end of the run;
    PlanError where it would be drawn with other noise than was charged. Nothing is spent. `body` joins the event's, and
    the calendar what is `announced`, of an edition that is embargoed: no other begins before its hour, since the next
    certificate names those before it.
    """
    with database.writing(durable=True) as connection:
        run = get_run_within(connection, name)
        place, known = _place(run, period), run.edition(period)
        if known is not None and known.state not in GONE:
            return find_publication_within(connection, known.release)
        _check_may_begin(run, period, given_up=known is not None)
        stated = run.facts["mechanisms"]
        if loss != run.charge.loss or hash != stated[place if len(stated) > 1 else 0]:
            remedy = phrase("store.finish_release_version_dprelease")
            found = phrase("store.run_other_noise")
            raise PlanError("statistics", found=found, allowed=phrase("store.price_was_charged"), remedy=remedy)
        version = connection.execute("SELECT version FROM datasets WHERE name = ?", [run.plan.dataset]).fetchone()[0]
        population = str(run.charge.population)
        periods, last = run.recurrence.periods, max(map(run.recurrence.place, run.begun), default=-1)
        closes = periods[last + 1 : place] if run.is_ordered else ()
        event = append_within(
            connection,
            EventKind.EDITION_BEGUN,
            actor=actor.name,
            population=population,
            body={
                RUN: name,
                "edition": period,
                "closes": list(closes),
                "plan": run.plan.id,
                "dataset": run.plan.dataset,
                "dataset_version": version,
                "charge": run.charge.seq,
                "charge_hash": run.charge.hash,
                "two_people": run.charge.body["two_people"],
                **({"approver": run.charge.body["approver"], **body} if body else {}),
                **account_within(connection, population).in_force,
            },
        )
        publication = insert_within(connection, run.plan, event, f"{name}-{period.lower()}"[:50], announced)
        connection.execute("INSERT INTO editions (begun_seq, run, period) VALUES (?, ?, ?)", [event.seq, name, period])
        return publication


def _place(run: OpenedRun, period: str) -> int:
    if period not in run.recurrence.periods:
        raise InputError("period", found=period, allowed=run.recurrence.allowed)
    return run.recurrence.place(period)


def _check_may_begin(run: OpenedRun, period: str, *, given_up: bool) -> None:
    left = ", ".join(run.open_periods[:3]) or "-"
    allowed = phrase("store.run_open_periods", periods=left)
    if run.ended:
        remedy = phrase("store.run_open_another")
        raise InputError("run", found=phrase("store.run_ended", name=run.name), allowed=allowed, remedy=remedy)
    if given_up:
        raise InputError("period", found=phrase("store.run_given_up", period=period), allowed=allowed)
    if period in run.closed:
        remedy = phrase("store.run_correct_by_release")
        raise InputError("period", found=phrase("store.run_closed", period=period), allowed=allowed, remedy=remedy)
    other = run.unfinished
    if other is not None:
        found, remedy = phrase("store.run_unfinished", period=other.period), phrase("store.run_finish_first")
        raise InputError("period", found=found, allowed=phrase("store.run_one_at_a_time"), remedy=remedy)
    if run.embargoed is not None:
        found, remedy = phrase("store.run_embargoed", period=run.embargoed.period), phrase("store.run_after_hour")
        raise InputError("period", found=found, allowed=phrase("store.run_one_at_a_time"), remedy=remedy)


def abandon(database: Database, name: str, period: str, reason: str, *, actor: Actor) -> OpenedRun:
    """Give an edition up that was begun and not drawn: it can never be published. Nothing is given back."""
    with database.writing(durable=True) as connection:
        run = get_run_within(connection, name)
        _place(run, period)
        known = run.edition(period)
        if known is None or known.state is not ReleaseState.CHARGED:
            state = "not_begun" if known is None else known.state.value
            found = phrase(f"store.run_edition_{state}", period=period)
            raise InputError("period", found=found, allowed=phrase("store.run_edition_begun"))
        connection.execute("UPDATE releases SET state = 'lost' WHERE id = ?", [known.release])
        connection.execute("DELETE FROM rounds WHERE release_id = ?", [known.release])
        body = {RUN: name, "edition": period, "reason": reason, "begun": known.begun_seq}
        _tell(connection, EventKind.EDITION_ABANDONED, run, actor, body)
        return get_run_within(connection, name)


def end(database: Database, name: str, reason: str, *, actor: Actor) -> OpenedRun:
    """End a run before its last period: nothing can begin in it after that, and nothing is given back."""
    with database.writing(durable=True) as connection:
        run = get_run_within(connection, name)
        if run.unfinished is not None:
            found, remedy = (
                phrase("store.run_unfinished", period=run.unfinished.period),
                phrase("store.run_finish_first"),
            )
            raise InputError("run", found=found, allowed=phrase("store.run_one_at_a_time"), remedy=remedy)
        if not run.ended:
            connection.execute("UPDATE runs SET ended = 1 WHERE name = ?", [name])
            _tell(connection, EventKind.RUN_ENDED, run, actor, {RUN: name, "reason": reason})
        return get_run_within(connection, name)


def _tell(connection: Connection, kind: EventKind, run: OpenedRun, actor: Actor, body: Mapping[str, Any]) -> None:
    append_within(connection, kind, actor=actor.name, population=run.charge.population, body=body)


def get_run(database: Database, name: str) -> OpenedRun:
    """Return a run. Raises InputError where there is none of that name."""
    with database.reading() as connection:
        return get_run_within(connection, name)


def every_run(database: Database) -> list[OpenedRun]:
    """Return every run, the last one opened first."""
    with database.reading() as connection:
        return _read(connection, "ORDER BY charge_seq DESC")


def of_edition(database: Database, publication: Publication) -> OpenedRun | None:
    """Return the run of which a publication is an edition; None where it is of none."""
    if publication.charge.kind != EventKind.EDITION_BEGUN:
        return None
    return get_run(database, publication.charge.body[RUN])


def open_within(connection: Connection, population: str) -> list[str]:
    """Return the names of a population's runs in which an edition may still begin."""
    runs = _read(connection, "WHERE charge_seq IN (SELECT seq FROM ledger WHERE population = ?)", population)
    return [run.name for run in runs if run.open_periods or run.unfinished]


def get_run_within(connection: Connection, name: str) -> OpenedRun:
    for run in _read(connection, "WHERE name = ?", name):
        return run
    names = [known for (known,) in connection.execute("SELECT name FROM runs")]
    raise InputError("run", found=name, allowed=phrase("store.run_name"), remedy=nearest(name, names))


def _read(connection: Connection, where: str, *values: str) -> list[OpenedRun]:
    found = []
    for name, plan_id, seq, ended in connection.execute(f"{RUNS} {where}", values).fetchall():
        (event,) = connection.query("SELECT * FROM ledger WHERE seq = ?", [seq])
        editions = tuple(
            BegunEdition(
                period=row[0],
                begun_seq=row[1],
                release=row[2],
                state=ReleaseState(row[3]),
                certificate=row[4],
                published_on=row[5],
            )
            for row in connection.execute(EDITIONS, [name])
        )
        found.append(
            OpenedRun(
                name=name,
                plan=get_within(connection, plan_id),
                charge=read_event(event),
                ended=bool(ended),
                editions=editions,
            )
        )
    return found
