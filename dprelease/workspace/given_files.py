"""Files of a round of several sites beside its sum, and the signature of the site that wrote the bundle."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dprelease.bundle.listing import LEDGER, SIGNATURE, SIGNER
from dprelease.bundle.outputs import ROUND_FOLDER, kept_beside
from dprelease.bundle.signing import GivenSignature, PublicKey
from dprelease.errors import InputError
from dprelease.store import releases
from dprelease.store.releases import Publication
from dprelease.words import phrase
from dprelease.workspace.state import State


@dataclass(frozen=True, slots=True)
class GivenFiles:
    """Files by their paths in the bundle."""

    files: Mapping[str, bytes]

    @classmethod
    def of(cls, state: State, publication: Publication) -> GivenFiles:
        """Return the files of a round; none, where the release is of this site alone."""
        kept = releases.kept_answers(state.database, publication.id)
        return cls({} if kept is None else kept_beside(kept))

    @property
    def round(self) -> dict[str, bytes]:
        """The messages and the sum."""
        return {path: data for path, data in self.files.items() if path.startswith(ROUND_FOLDER)}

    @property
    def signature(self) -> GivenSignature | None:
        """Return the signature of another site that signed the bundle; None where this one does."""
        if SIGNATURE not in self.files:
            return None
        return GivenSignature(PublicKey(self.files[SIGNER]), self.files[SIGNATURE])

    def entry_or(self, own: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the release in the ledger of that site, which the bundle shows; else in the own one."""
        found: Mapping[str, Any] = json.loads(self.files[LEDGER]) if LEDGER in self.files else own
        return found


def check_own(state: State, release_id: str, asked: str) -> None:
    """Raise InputError where another site signed a release: only that one can say something of it afterwards."""
    try:
        given = GivenFiles.of(state, releases.get(state.database, release_id))
    except InputError:
        return  # there is no such release, which whoever asks next says better
    if given.signature is not None:
        found = phrase("workspace.signed_by_another_site", release=release_id, key=given.signature.fingerprint)
        raise InputError(asked, found=found, allowed=phrase("workspace.signed_here"))
