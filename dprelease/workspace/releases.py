"""The operations on releases: finding and finishing them, and what is said of them afterwards."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dprelease.bundle.write import remove_abandoned
from dprelease.errors import DPReleaseError, InputError
from dprelease.model.actor import Actor
from dprelease.model.plan import Plan
from dprelease.model.release import Release
from dprelease.portal import calendar as calendars
from dprelease.portal import office as offices
from dprelease.portal.doi import doi_of, draft, read_doi
from dprelease.portal.series_record import SeriesRecord, record_path, series_record
from dprelease.portal.shelf import BundleIndex
from dprelease.portal.source import PublicFolder
from dprelease.store import (
    calendar,
    checkpoints,
    notices,
    published,
    releases,
)
from dprelease.store.event import EventKind
from dprelease.store.notices import NoticeRecord
from dprelease.store.published import NamedRelease
from dprelease.store.releases import Publication, ReleaseState
from dprelease.words import phrase
from dprelease.workspace.calendar import Sealing, tell_calendar
from dprelease.workspace.embargo import clear_cancelled, missing, open_due
from dprelease.workspace.given_files import check_own
from dprelease.workspace.jobs import Job
from dprelease.workspace.operations import MAX_SHOWN, Noun, read_text
from dprelease.workspace.plans import ready
from dprelease.workspace.publish import kept_certificate, load, moved_between, publish, supersede
from dprelease.workspace.runs import finish_edition
from dprelease.workspace.state import State

SETTLED = 10**9
"""Nanoseconds after which a change of a folder has its own time: clocks of file systems tick in steps."""
BEGUN = (ReleaseState.CHARGED, ReleaseState.SEALED)


@dataclass(frozen=True, slots=True)
class Resumed:
    """Outcome of interrupted releases."""

    finished: list[Release]
    failed: dict[str, DPReleaseError]
    """Error that kept a release from being finished, by release id. It stays charged."""


class Releases(Noun):
    """Releases that were published, or are about to be. Nothing is charged but by publishing in the background."""

    _listed, _heads = "releases", ("release", "title", "published")

    def _rows(self) -> list[tuple[str, ...]]:
        found = published.find(self._state.database, limit=MAX_SHOWN)
        return [(each.id, kept_certificate(each).title, each.published_on or "") for each in found]

    def _how_many(self) -> int:
        return published.count(self._state.database)

    @property
    def folder(self) -> Path:
        """Folder of published bundles, notices and the last checkpoint. Raises InputError in memory."""
        if self._state.home is None:
            raise InputError(
                "public folder",
                found=phrase("workspace.workspace_memory"),
                allowed=phrase("workspace.workspace_disk_release_write"),
            )
        return self._state.home.public

    def start(
        self,
        plan: Plan | str,
        *,
        again: bool = False,
        supersedes: str | None = None,
        due: object = None,
        readers: Sequence[Mapping[str, Any]] = (),
        untitled: bool = False,
        actor: Actor | None = None,
    ) -> Job:
        """Publish a plan in the background, as `publish`, unless that is under way: then nothing more is begun."""
        acting = self._act("publish", actor)
        sealing = Sealing.read(self._state, due, readers, untitled=untitled)
        plan_id = ready(self._state, plan, anew=again, actor=actor)
        return self._state.jobs.start(
            plan_id,
            acting.name,
            lambda reached: (
                publish(
                    self._state,
                    plan_id,
                    again=again,
                    supersedes=supersedes,
                    actor=acting,
                    reached=reached,
                    paced=True,
                    sealing=sealing,
                ).id
            ),
        )

    def publishing(self, *, actor: Actor | None = None) -> list[Job]:
        """Return what is being published by this process, and what became of what was, by plan."""
        self._act("publishing", actor)
        return self._state.jobs.all()

    def unfinished(self, *, actor: Actor | None = None) -> list[Publication]:
        """Return releases that were charged and are not published, or whose files are missing, oldest first."""
        self._act("unfinished", actor)
        return _unfinished(self._state)

    def resume(self, *, paced: bool = False, actor: Actor | None = None) -> Resumed:
        """Finish what was interrupted: sealed releases are announced, charged ones drawn, missing files written.

        `paced`: for a server, whose visitors could tell from how long it takes how many rows there are.
        """
        return _resume(self._state, self._act("resume", actor), paced=paced)

    def add_erratum(self, release_id: str, text: str, *, actor: Actor | None = None) -> NoticeRecord:
        """State what is wrong with a release. The release stays as it is; the notice stands beside it, signed."""
        return self._note(release_id, text, None, self._act("add_erratum", actor))

    def supersede(self, release_id: str, *, by: str, reason: str, actor: Actor | None = None) -> NoticeRecord:
        """State that a release takes the place of an earlier one, which stays."""
        return self._note(release_id, reason, by, self._act("supersede", actor))

    def doi_draft(self, release_id: str, *, address: str = "", actor: Actor | None = None) -> dict[str, Any]:
        """Return what the office hands in to DataCite for a release: a draft, with the DOI by its prefix.

        `address`: of the portal. Raises InputError where the office states no prefix.
        """
        self._act("doi_draft", actor)
        shelf = BundleIndex(PublicFolder(self.folder))
        bundle, prefix = shelf.bundle(self.bundle(release_id).name), self.office().doi_prefix
        known = {each: said.doi for each, said in shelf.noticed().items() if said.doi}
        return draft(bundle, bundle.release(), shelf.said(bundle), prefix, address.rstrip("/"), known)

    def register_doi(self, release_id: str, doi: str = "", *, actor: Actor | None = None) -> NoticeRecord:
        """State under which DOI a release is registered; without one, under that of its draft. Its page cites it."""
        acting = self._act("register_doi", actor)
        own = read_doi(doi) if doi else doi_of(self.office().doi_prefix, release_id)
        return self._note(release_id, f"https://doi.org/{own}", None, acting, doi=own)

    def _note(self, release_id: str, text: str, by: str | None, actor: Actor, doi: str = "") -> NoticeRecord:
        self._state.check_public()
        check_own(self._state, release_id, "release")
        notice = notices.add(
            self._state.database,
            release_id,
            text=read_text(text, "text"),
            on=datetime.now(UTC).date().isoformat(),
            sign=self._state.keys.sign_statement,
            actor=actor,
            superseded_by=by,
            moved=None if by is None else moved_between(self._state, release_id, by),
            doi=doi,
        )
        self._state.write_notices(release_id)
        self._state.renew_checkpoint()
        self._state.keep_outside()
        return notice

    def notices(self, release_id: str, *, actor: Actor | None = None) -> list[NoticeRecord]:
        """Return what was said of a release since it was published, oldest first. Open to the public."""
        self._act("notices", actor)
        return notices.of_release(self._state.database, release_id)

    def set_office(self, office: Mapping[str, Any], logo: bytes = b"", *, actor: Actor | None = None) -> offices.Office:
        """Sign who publishes, and put it among the public files in place of what stood there.

        `office`: its parts as in a file. `logo`: a PNG, or an SVG that only draws, of 20 kB at most. Raises InputError
        with every problem.
        """
        self._act("set_office", actor)
        self._state.check_public()
        own = offices.Office.read(office)
        self._state.write_office(offices.statement(own, logo), {offices.logo_name(logo): logo} if logo else {})
        return self.office(actor=actor)

    def office(self, *, actor: Actor | None = None) -> offices.Office:
        """Return who publishes, as public pages show it. Open to the public."""
        self._act("office", actor)
        signed = checkpoints.latest(self._state.database)
        return offices.load(self.folder, None if signed is None else self._state.keys.known(signed))

    def set_series(self, name: str, told: Mapping[str, Any], *, actor: Actor | None = None) -> SeriesRecord:
        """Sign what a series is, and put it among the public files in place of what stood there.

        `told`: title, description, frequency, revisions, contact and next edition, as in a file. Raises InputError with
        every problem.
        """
        self._act("set_series", actor)
        self._state.check_public()
        own = SeriesRecord.read(name, told)
        self._state.write_series(record_path(name), own.statement)
        return self.series(name, actor=actor)

    def series(self, name: str, *, actor: Actor | None = None) -> SeriesRecord:
        """Return what a series is, as its public page shows it. Open to the public."""
        self._act("series", actor)
        signed = checkpoints.latest(self._state.database)
        return series_record(self.folder, name, None if signed is None else self._state.keys.known(signed))

    def find(
        self,
        *,
        limit: int | None = None,
        before: str | None = None,
        plan_id: str | None = None,
        dataset: str | None = None,
        kind: str | None = None,
        actor: Actor | None = None,
    ) -> list[Release]:
        """Return published releases, newest first, all or some. Open to the public.

        `limit`: so many of them, and no others are read. `before`: the last release of the page before. `kind`: of a
        statistic that a plan of the dataset asks for.
        """
        self._act("releases", actor)
        found = published.find(
            self._state.database, limit=limit, before=before, plan_id=plan_id, dataset=dataset, kind=kind
        )
        return [load(self._state, publication) for publication in found]

    def count(self, *, actor: Actor | None = None) -> int:
        """Return the number of published releases. Open to the public."""
        self._act("release_count", actor)
        return published.count(self._state.database)

    def named(self, population: str, *, actor: Actor | None = None) -> list[NamedRelease]:
        """Return the releases of a population by title and day, newest first. Open to the public."""
        self._act("named_releases", actor)
        return published.named(self._state.database, population)

    def get(self, release_id: str, *, actor: Actor | None = None) -> Release:
        """Return one published release. Open to the public."""
        self._act("release", actor)
        publication = releases.get(self._state.database, release_id)
        if publication.state is not ReleaseState.PUBLISHED:
            raise InputError("release", found=release_id, allowed=phrase("store.id_release"))
        return load(self._state, publication)

    def ids(self, *, actor: Actor | None = None) -> list[str]:
        """Return the ids of all published releases, newest first. Open to the public."""
        self._act("release_ids", actor)
        return published.ids(self._state.database)

    def bundle(self, release_id: str, *, actor: Actor | None = None) -> Path:
        """Return the folder of a published bundle. Open to the public."""
        self._act("bundle_path", actor)
        folder, release = self.folder, self.get(release_id, actor=actor)
        path = folder / release.id
        return path if path.exists() else release.write(folder)

    def write_site(self, out: Path, *, address: str = "", actor: Actor | None = None) -> int:
        """Write all published bundles and the portal as static files; return how many releases there are.

        `address`: the web address where they will lie, if it is known.
        """
        self._act("write_site", actor)
        from dprelease.portal.site import write_site

        self._state.check_public()
        public, signed = self.ids(actor=actor), checkpoints.latest(self._state.database)
        said = {each: [notice.statement for notice in self.notices(each)] for each in public}
        write_site(
            [self.bundle(each, actor=actor) for each in public],
            Path(out),
            said,
            None if signed is None else self._state.keys.known(signed),
            address,
            offices.files(self.folder) | calendars.files(self.folder),
        )
        return len(public)


def _unfinished(state: State) -> list[Publication]:
    """Return releases charged and not published, or published by the ledger and not there as files; oldest first."""
    begun = [each for one in BEGUN for each in releases.every(state.database, one)]
    return sorted([*begun, *_not_written(state), *missing(state)], key=lambda each: each.charge.seq)


def _not_written(state: State) -> list[Publication]:
    """Return releases published by the ledger and not there as files; listed anew where ledger or folder changed."""
    if state.home is None:
        return []
    folder = state.home.public.stat()
    mark = (folder.st_ino, folder.st_ctime_ns, published.last_event(state.database))
    if mark == state.written:
        return []
    there = set(os.listdir(state.home.public))
    missing = [releases.get(state.database, each) for each in published.ids(state.database) if each not in there]
    # A folder that changed this very moment may change again with the same time.
    is_settled = abs(time.time_ns() - folder.st_ctime_ns) > SETTLED
    state.written = mark if is_settled and not missing else None
    return missing


def _resume(state: State, actor: Actor, *, paced: bool = False) -> Resumed:
    """Finish what was interrupted, and write public files that are missing. `paced`: as of `publish`."""
    state.check_continues()
    finished, failed = [], {}
    for publication in _unfinished(state):
        try:
            finished.append(_finish(state, publication, actor, paced=paced))
        except DPReleaseError as error:
            failed[publication.id] = error
    if state.home is not None:
        open_due(state)
        clear_cancelled(state)
        for publication in releases.every(state.database, ReleaseState.PUBLISHED):
            if publication.charge.body.get("supersedes"):
                supersede(state, publication, actor)
            state.write_notices(publication.id)
        remove_abandoned(state.home.public)
        if calendar.every(state.database):
            tell_calendar(state)
        state.renew_checkpoint()
        state.keep_outside()
    return Resumed(finished, failed)


def _finish(state: State, publication: Publication, actor: Actor, *, paced: bool) -> Release:
    if publication.state in BEGUN and publication.charge.kind == EventKind.EDITION_BEGUN:
        return finish_edition(state, publication, actor=actor, paced=paced)
    if publication.state in BEGUN:
        return publish(state, publication.plan_id, again=False, supersedes=None, actor=actor, paced=paced)
    release = load(state, publication)
    state.show(release, embargoed=publication.state is ReleaseState.EMBARGOED)
    return release
