"""Compares what is kept of each published release with the ledger: its certificate, its draw and its entry."""

from __future__ import annotations

import json
from collections.abc import Iterator

from dprelease.bundle.listing import facts_of
from dprelease.bundle.outputs import outputs_hash, release_files
from dprelease.errors import DPReleaseError, IntegrityError
from dprelease.store import checkpoints, releases
from dprelease.store.releases import Publication, ReleaseState
from dprelease.workspace.publish import kept_certificate, load
from dprelease.workspace.state import State


def check_kept(state: State) -> None:
    """Makes every release anew from what is kept of it. Raises IntegrityError where that is not what was published."""
    for publication in releases.all(state.database, ReleaseState.PUBLISHED):
        try:
            different = next(_different(state, publication), None)
        except (DPReleaseError, ValueError, KeyError, TypeError, IndexError) as cause:
            raise IntegrityError(f"release {publication.id}: what is kept of it cannot be read") from cause
        if different is not None:
            raise IntegrityError(f"release {publication.id}: its {different} is not what the ledger tells of")


def _different(state: State, publication: Publication) -> Iterator[str]:
    with state.database.reading() as connection:
        event = releases.publication_within(connection, publication.id)
        signed = checkpoints.at_within(connection, event.seq)
    certificate = kept_certificate(publication)
    charge = publication.charge
    if (certificate.id, certificate.ledger.hash) != (publication.id, charge.hash):
        yield "certificate"
    if outputs_hash(facts_of(release_files(load(state, publication)))) != event.body["outputs"]:
        yield "certificate or draw"
    entry = json.loads(publication.entry or "{}")
    told = {"charge": entry["charge"]["event"], "published": entry["published"]["event"]}
    held = {} if signed is None else signed.to_mapping()
    if told != {"charge": charge.public, "published": event.public} or not held or not entry.items() >= held.items():
        yield "entry"
