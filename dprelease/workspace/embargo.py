"""Releases that wait for their hour: opened when it comes, seen before by a few, moved or cancelled with a reason."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any

from dprelease.bundle.signing import sync_folder
from dprelease.errors import InputError
from dprelease.model import instant
from dprelease.model.actor import WORKSPACE, Actor
from dprelease.model.release import Release
from dprelease.model.report import Report
from dprelease.store import calendar, embargo, plans
from dprelease.store.embargo import NEVER, NOW, SeenBefore
from dprelease.store.releases import Publication, ReleaseState, every, get
from dprelease.words import phrase
from dprelease.workspace.calendar import propose_next, read_hour, tell_calendar, zone_of
from dprelease.workspace.home import writing_public
from dprelease.workspace.operations import Noun, read_text
from dprelease.workspace.publish import load, supersede
from dprelease.workspace.state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbargoedRelease:
    """A release that is whole and signed, and public at its hour. Nothing of its numbers is in it."""

    id: str
    title: str
    due: str
    plan_id: str
    population: str
    by: str
    """Person who published it."""
    seen: tuple[SeenBefore, ...] = ()
    asked: tuple[dict[str, Any], ...] = ()
    """Changes of its hour that wait for a second person."""


SHORT, LONG = 1.0, 30.0
"""Seconds between two looks at the clock, where an hour is near and where none is."""


def of(state: State, publication: Publication) -> EmbargoedRelease:
    record = plans.get(state.database, publication.plan_id)
    return EmbargoedRelease(
        id=publication.id,
        title=record.mapping.get("title") or record.dataset,
        due=publication.due or "",
        plan_id=publication.plan_id,
        population=publication.charge.population or "",
        by=publication.charge.actor,
        seen=tuple(embargo.seen(state.database, publication.id)),
        asked=tuple(dict(each) for each in embargo.asked(state.database, publication.id)),
    )


def as_shown(state: State, release: Release) -> Release | EmbargoedRelease:
    """Return a release as whoever publishes sees it: before its hour what tells no number of it."""
    publication = get(state.database, release.id)
    return of(state, publication) if publication.state is ReleaseState.EMBARGOED else release


def open_due(state: State) -> list[Publication]:
    """Make public what is due. Doing it again changes nothing, and no key and no table is needed for it.

    While the clock is behind the latest event of the ledger nothing is opened. What follows an opening (the calendar,
    a notice on the release that it supersedes, a checkpoint) is signed afterwards; where that fails the release is
    public, and the next start makes up for it.
    """
    if state.home is None or state.database.read_only:
        return []
    due = [each for each in embargo.waiting(state.database) if embargo.is_due(each)]
    if not due or embargo.clock_behind(state.database) is not None:
        return []
    opened = []
    for each in due:
        found = embargo.open_now(state.database, each.id, lambda each=each: _move(state, each))  # type: ignore[misc]
        opened += [] if found is None else [found]
    if opened:
        follow_up(state, opened)
    return opened


def follow_up(state: State, opened: list[Publication]) -> None:
    """Sign and write what follows an opening."""
    for each in opened:
        if each.charge.body.get("supersedes"):
            supersede(state, each, WORKSPACE)
        with state.database.reading() as connection:
            entry = calendar.of_release_within(connection, each.id)
        propose_next(state, entry, each)
    tell_calendar(state, account=True)
    state.keep_outside()


def _move(state: State, publication: Publication) -> None:
    """Put the folder of a release among the public files by one rename; made anew where it is in neither place."""
    assert state.home is not None
    source, target = state.home.embargoed / publication.id, state.home.public / publication.id
    with writing_public():
        if target.exists():
            return
        if source.exists():
            os.rename(source, target)
            sync_folder(state.home.public)
            sync_folder(state.home.embargoed)
        else:
            load(state, publication).write(state.home.public)


def missing(state: State) -> list[Publication]:
    """Return embargoed releases whose files are in neither place, as after a restore."""
    home = state.home
    if home is None:
        return []
    places = (home.embargoed, home.public)
    return [each for each in embargo.waiting(state.database) if not any((at / each.id).exists() for at in places)]


def clear_cancelled(state: State) -> None:
    """Remove the files of cancelled releases."""
    if state.home is not None:
        for each in every(state.database, ReleaseState.CANCELLED):
            rmtree(state.home.embargoed / each.id, ignore_errors=True)


class Embargoes(Noun):
    """Releases that are sealed until their hour."""

    _listed, _heads = "embargoes", ("release", "due", "title")

    def _rows(self) -> list[tuple[str, ...]]:
        found = [of(self._state, each) for each in embargo.waiting(self._state.database)]
        return [(each.id, each.due, each.title) for each in found]

    def find(self, *, actor: Actor | None = None) -> list[EmbargoedRelease]:
        """Return the releases that wait for their hour, in the order of the ledger; no number of them."""
        self._act("embargoes", actor)
        return [of(self._state, each) for each in embargo.waiting(self._state.database)]

    def waits_for_clock(self, *, actor: Actor | None = None) -> str | None:
        """Return the time of the ledger's latest event where this machine's clock is behind it, so that nothing is
        opened; None where it is not. A clock that was set ahead cannot be told.
        """
        self._act("embargoes", actor)
        behind = embargo.clock_behind(self._state.database)
        return behind if behind is not None and embargo.waiting(self._state.database) else None

    def open_due(self, *, actor: Actor | None = None) -> list[str]:
        """Make public what is due, and return the ids. Doing it again changes nothing."""
        self._act("open_due", actor)
        self._state.check_public()
        return [each.id for each in open_due(self._state)]

    def keep(self) -> float:
        """Make public what is due, for the server; return the seconds until the clock is to be looked at again."""
        open_due(self._state)
        hours = [instant.moment_of(each.due) for each in embargo.waiting(self._state.database) if each.due]
        left = min(((hour - instant.present()).total_seconds() for hour in hours), default=LONG)
        return min(LONG, max(SHORT, left / 2))

    def due(self, release_id: str, *, actor: Actor | None = None) -> str:
        """Return the hour of a release, for somebody who may see it before that."""
        acting = self._act("see_embargoed", actor)
        return self._found(release_id, acting).due or ""

    def move(self, release_id: str, due: object, *, reason: str, actor: Actor | None = None) -> EmbargoedRelease:
        """Give a release another hour, later or earlier. In a team it holds once a second person says the same.

        A time without an offset is one of the office's zone. Raises InputError once its hour has come.
        """
        self._act("change_embargo", actor)
        report = Report()
        hour = read_hour(due, report, zone_of(self._state))
        report.raise_any(InputError)
        return self._change(release_id, hour, reason, actor)

    def open_now(self, release_id: str, *, reason: str, actor: Actor | None = None) -> EmbargoedRelease:
        """Make a release public before its hour. In a team it holds once a second person says the same."""
        self._act("change_embargo", actor)
        found = self._change(release_id, NOW, reason, actor)
        open_due(self._state)
        return found

    def cancel(self, release_id: str, *, reason: str, actor: Actor | None = None) -> EmbargoedRelease:
        """State that a release is not made public, and why. What was charged stays charged, and the calendar says when
        it was sealed and how many people saw it. In a team it holds once a second person says the same.
        """
        self._act("change_embargo", actor)
        found = self._change(release_id, NEVER, reason, actor)
        clear_cancelled(self._state)
        return found

    def _change(self, release_id: str, due: str, reason: str, actor: Actor | None) -> EmbargoedRelease:
        acting = self._act("change_embargo", actor)
        self._state.check_public()
        said = read_text(reason, "reason")
        before = {each.id: each for each in embargo.waiting(self._state.database)}
        changed = embargo.change(self._state.database, release_id, due, reason=said, actor=acting)
        if changed is not None:
            tell_calendar(self._state, account=True)
        return of(self._state, before[release_id] if changed is None else changed)

    def see(self, release_id: str, *, actor: Actor | None = None) -> Path:
        """Return the folder of a release for somebody who may see it before its hour; the first time is an event.

        That is who wrote the plan, who approved it, who published it, and whom the list names from their time on. To
        everybody else it is not there: InputError, as for a release that never was.
        """
        acting = self._act("see_embargoed", actor)
        self._found(release_id, acting)
        embargo.see(self._state.database, release_id, actor=acting)
        assert self._state.home is not None
        return self._state.home.embargoed / release_id

    def _found(self, release_id: str, actor: Actor) -> Publication:
        """Return a release that somebody may see before its hour. Raises InputError as for one that never was."""
        waiting = {each.id: each for each in embargo.waiting(self._state.database)}
        if release_id not in waiting or not self._may_see(waiting[release_id], actor):
            raise InputError("release", found=release_id, allowed=phrase("store.id_release"))
        return waiting[release_id]

    def _may_see(self, publication: Publication, actor: Actor) -> bool:
        body, record = publication.charge.body, plans.get(self._state.database, publication.plan_id)
        if actor.name in (record.author, body.get("approver"), publication.charge.actor):
            return True
        now = instant.present()
        readers = body.get("readers", ())
        return any(each["name"] == actor.name and instant.moment_of(each["from"]) <= now for each in readers)
