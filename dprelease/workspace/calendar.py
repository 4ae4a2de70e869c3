"""The operations on the calendar of releases, and the hour until which a release is sealed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from dprelease.errors import InputError
from dprelease.model import instant
from dprelease.model.actor import Actor
from dprelease.model.calendar_entry import (
    EVERY,
    OF_RUNS,
    TO_COME,
    CalendarEntry,
    EntryState,
    following,
    new_uid,
    now,
    read_series,
    read_title,
    read_when,
)
from dprelease.model.plan import Plan
from dprelease.model.report import Report
from dprelease.portal import calendar as public
from dprelease.portal import office as offices
from dprelease.store import calendar, checkpoints, embargo, runs
from dprelease.store.releases import Publication
from dprelease.words import phrase
from dprelease.words.language import ENGLISH
from dprelease.workspace.operations import Noun, read_text
from dprelease.workspace.state import State

MAX_READERS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class PreReader:
    """Somebody who may see a release before it is public: a name here, an office, and from when."""

    name: str
    office: str
    since: str

    def to_mapping(self) -> dict[str, str]:
        return {"name": self.name, "office": self.office, "from": self.since}


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealing:
    """Hour until which a release is sealed, who sees it before, and whether the calendar names it."""

    due: str
    readers: tuple[PreReader, ...] = ()
    untitled: bool = False

    @classmethod
    def read(
        cls, state: State, due: object, readers: Sequence[Mapping[str, Any]] = (), *, untitled: bool = False
    ) -> Sealing | None:
        """Read what is asked of an embargo; None without a time. One without an offset is of the office's zone.

        Raises InputError: of readers or `untitled` without a time; of a time that is past, or that daylight saving
        skips or doubles; of a reader whose time is longer than the policy allows; where the folders are not on one file
        system, or in memory.
        """
        if due is None:
            if readers or untitled:
                raise InputError("due", found=phrase("model.nothing"), allowed=phrase("model.instant_to_come"))
            return None
        _check_folders(state)
        report, zone = Report(), zone_of(state)
        hour = read_hour(due, report, zone)
        hours = state.policy().seen_before_hours
        found = []
        for place, each in enumerate(readers[: MAX_READERS + 1]):
            at = f"readers[{place}]"
            parts = report.mapping(each, at, allowed=("name", "office", "from"), required=("name", "from"))
            name = report.text(parts.get("name"), f"{at}.name", longest=60, shortest=1)
            office = report.optional_text(parts, "office", at)
            since = instant.read_instant(parts.get("from"), f"{at}.from", report, zone)
            before = instant.moment_of(hour) - instant.moment_of(since) if since and hour else timedelta()
            if not timedelta() <= before <= timedelta(hours=hours):
                report.add(f"{at}.from", found=since, allowed=phrase("workspace.seen_at_most_before", hours=hours))
            found.append(PreReader(name=name, office=office, since=since))
        if len(found) > MAX_READERS:
            report.add("readers", found=len(readers), allowed=phrase("workspace.so_many_readers", most=MAX_READERS))
        report.raise_any(InputError)
        return cls(due=hour, readers=tuple(found), untitled=untitled)

    @property
    def facts(self) -> dict[str, Any]:
        """Parts of the charge's event. Only the hour may become public, with the release."""
        readers = [each.to_mapping() for each in self.readers]
        return {"due": self.due, **({"readers": readers} if readers else {}), "untitled": self.untitled}


def read_hour(due: object, report: Report, zone: str) -> str:
    """Return an instant that is still to come; empty, with a problem in the report, where it is none."""
    hour = instant.read_instant(due, "due", report, zone)
    if hour and instant.moment_of(hour) <= instant.present():
        report.add("due", found=phrase("model.is_past", when=hour), allowed=phrase("model.instant_to_come"))
    return hour


def zone_of(state: State) -> str:
    """Return the time zone of the office; empty where it states none."""
    if state.home is None:
        return ""
    signed = checkpoints.latest(state.database)
    return offices.load(state.home.public, None if signed is None else state.keys.known(signed)).time_zone


def _check_folders(state: State) -> None:
    home = state.home
    if home is None:
        found, allowed = phrase("workspace.workspace_memory"), phrase("workspace.workspace_disk_release_write")
        raise InputError("due", found=found, allowed=allowed)
    home.embargoed.mkdir(mode=0o700, exist_ok=True)
    if home.embargoed.stat().st_dev != home.public.stat().st_dev:
        found, allowed = phrase("workspace.two_file_systems"), phrase("workspace.one_file_system")
        raise InputError("embargoed", found=found, allowed=allowed)


def announced(state: State, plan: Plan, sealing: Sealing) -> CalendarEntry:
    """Return the line of a release that is about to be sealed: that of its series, where one is foreseen."""
    day = instant.present().date().isoformat()
    told: dict[str, Any] = {
        "when": sealing.due,
        "state": EntryState.CONFIRMED,
        "sealed": day,
        "changed": now(),
        "reason": "",
    }
    if sealing.untitled:
        return CalendarEntry(uid=new_uid(), **told)
    series = plan.about.series
    foreseen = [each for each in calendar.unlinked(state.database) if series and each.series == series]
    title = dict(plan.texts.title) or {ENGLISH: plan.title or plan.dataset}
    told |= {"title": title, "series": series, "edition": plan.about.edition}
    if plan.run is not None and series:
        told["every"] = OF_RUNS.get(plan.run.every, "")
    first = next((each for each in foreseen if each.state in TO_COME), None)
    if first is None:
        return CalendarEntry(uid=new_uid(), **told)
    was = first.was if first.is_month else (*first.was, first.when)
    told["title"] = first.title  # as the office said it, in its languages
    return replace(first, sequence=first.sequence + 1, was=was, **told)


def tell_calendar(state: State, *, account: bool = False) -> None:
    """Sign the calendar as it stands and put it among the public files. `account`: with a checkpoint of the ledger."""
    if state.home is None:
        return
    if account or checkpoints.latest(state.database) is None:
        state.give_checkpoint()
    held = [each.to_mapping() for each in embargo.held(state.database)]
    state.write_calendar(public.statement(calendar.every(state.database), held))


class Calendar(Noun):
    """Lines of the calendar of releases, in the order of time. It is public as soon as it changes."""

    _listed, _heads = "calendar", ("uid", "when", "title", "state")

    def _rows(self) -> list[tuple[str, ...]]:
        found = calendar.every(self._state.database)
        return [(each.uid, each.when, next(iter(each.title.values()), ""), each.state.value) for each in found]

    def find(self, *, actor: Actor | None = None) -> list[CalendarEntry]:
        """Return all lines. Open to the public."""
        self._act("calendar", actor)
        return calendar.every(self._state.database)

    def add(
        self,
        title: str | Mapping[str, str],
        when: object,
        *,
        series: str = "",
        every: str = "",
        confirmed: bool = False,
        actor: Actor | None = None,
    ) -> CalendarEntry:
        """State that something is to come: at an instant, or in a month such as 2027-06.

        `title`: by language, or in English. `every`: monthly, quarterly or yearly; once a release of the series has
        come, the next one is foreseen by itself. A time without an offset is one of the office's zone.
        """
        self._act("set_calendar", actor)
        report = Report()
        told: dict[str, Any] = {"title": read_title(title, report), "series": read_series(series, report)}
        if every:
            report.choice(every, "every", EVERY)
        at = read_when(when, report, zone_of(self._state))
        report.raise_any(InputError)
        state = EntryState.CONFIRMED if confirmed else EntryState.PROVISIONAL
        return self._keep(CalendarEntry(uid=new_uid(), when=at, state=state, every=every, changed=now(), **told))

    def move(
        self, uid: str, when: object, *, reason: str = "", confirmed: bool = False, actor: Actor | None = None
    ) -> CalendarEntry:
        """Give a line another time; the former one stays beside it. A reason is asked for where an hour was confirmed.

        Of a release that is sealed, `releases.change_embargo` does that.
        """
        self._act("set_calendar", actor)
        entry, report = self._own(uid), Report()
        at = read_when(when, report, zone_of(self._state))
        report.raise_any(InputError)
        settled = entry.state is not EntryState.PROVISIONAL
        said = read_text(reason, "reason", least=1 if settled else 0)
        state = EntryState.CONFIRMED if confirmed and not settled else entry.state
        if settled and at[:10] > entry.when[:10]:
            state = EntryState.POSTPONED
        return self._keep(_changed(entry, when=at, was=(*entry.was, entry.when), state=state, reason=said))

    def cancel(self, uid: str, reason: str, *, actor: Actor | None = None) -> CalendarEntry:
        """State that something does not come, and why. The line stays."""
        self._act("set_calendar", actor)
        entry = self._own(uid)
        return self._keep(_changed(entry, state=EntryState.CANCELLED, reason=read_text(reason, "reason")))

    def _own(self, uid: str) -> CalendarEntry:
        """Return a line that is to come, and of no sealed release. Raises InputError."""
        entry, release_id = calendar.get(self._state.database, uid)
        if release_id is not None:
            allowed, remedy = phrase("workspace.line_of_no_release"), phrase("workspace.change_its_embargo")
            raise InputError("uid", found=uid, allowed=allowed, remedy=remedy)
        if entry.state not in TO_COME:
            raise InputError("uid", found=phrase("workspace.line_is_over"), allowed=phrase("workspace.line_to_come"))
        return entry

    def _keep(self, entry: CalendarEntry) -> CalendarEntry:
        self._state.check_public()
        calendar.put(self._state.database, entry)
        tell_calendar(self._state)
        return entry


def propose_next(state: State, entry: CalendarEntry, publication: Publication) -> None:
    """Foresee the next release of a series that comes regularly, unless something of it is foreseen.

    Of an edition of a run it is the next period that can begin; nothing is foreseen where there is none.
    """
    run = runs.of_edition(state.database, publication)
    upcoming = "" if run is None else next(iter(run.open_periods), None)
    if not entry.every or upcoming is None:
        return
    known = [each for each in calendar.every(state.database) if each.series == entry.series and each.uid != entry.uid]
    if not any(each.state in TO_COME for each in known):
        calendar.put(state.database, following(entry, upcoming))


def _changed(entry: CalendarEntry, **changes: Any) -> CalendarEntry:
    return replace(entry, sequence=entry.sequence + 1, changed=instant.written(instant.present()), **changes)
