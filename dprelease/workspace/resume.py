"""What was interrupted, and how it is finished: with the sealed draw, or a first one; without another charge."""

from __future__ import annotations

import os
from dataclasses import dataclass

from dprelease.bundle.write import remove_abandoned
from dprelease.errors import DPReleaseError
from dprelease.model.actor import Actor
from dprelease.model.release import Release
from dprelease.store import published, releases
from dprelease.store.releases import Publication, ReleaseState
from dprelease.workspace.publish import load, publish, supersede
from dprelease.workspace.state import State

BEGUN = (ReleaseState.CHARGED, ReleaseState.SEALED)


def unfinished(state: State) -> list[Publication]:
    """Releases that are charged and not published, or published by the ledger and not there as files; oldest first."""
    begun = [each for one in BEGUN for each in releases.every(state.database, one)]
    return sorted([*begun, *_not_written(state)], key=lambda each: each.charge.seq)


def _not_written(state: State) -> list[Publication]:
    """Releases that are published by the ledger and not there as files; the folder is listed once."""
    if state.home is None:
        return []
    there = set(os.listdir(state.home.public))
    return [releases.get(state.database, each) for each in published.ids(state.database) if each not in there]


@dataclass(frozen=True, slots=True)
class Resumed:
    """What became of interrupted releases."""

    finished: list[Release]
    failed: dict[str, str]
    """By release id: why it could not be finished. It stays charged."""


def resume(state: State, actor: Actor, *, paced: bool = False) -> Resumed:
    """Finishes what was interrupted, and writes public files that are missing. `paced`: as of `publish`."""
    state.check_continues()
    finished, failed = [], {}
    for publication in unfinished(state):
        try:
            finished.append(_finish(state, publication, actor, paced=paced))
        except DPReleaseError as error:
            failed[publication.id] = str(error)
    if state.home is not None:
        for publication in releases.every(state.database, ReleaseState.PUBLISHED):
            if publication.charge.body.get("supersedes"):
                supersede(state, publication, actor)
            state.write_notices(publication.id)
        remove_abandoned(state.home.public)
        state.renew_checkpoint()
        state.keep_outside()
    return Resumed(finished, failed)


def _finish(state: State, publication: Publication, actor: Actor, *, paced: bool) -> Release:
    if publication.state is not ReleaseState.PUBLISHED:
        return publish(state, publication.plan_id, again=False, supersedes=None, actor=actor, paced=paced)
    release = load(state, publication)
    state.show(release)
    return release
