"""The operations of those who watch over budgets: requests and decisions, caps, the ledger, keys, backups."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dprelease.errors import InputError, IntegrityError
from dprelease.model.actor import Actor
from dprelease.model.checkpoint import SignedCheckpoint
from dprelease.store import checkpoints, ledger
from dprelease.store.event import EventKind, LedgerEvent
from dprelease.store.verify import verify
from dprelease.workspace import backup
from dprelease.workspace.kept import check_kept
from dprelease.workspace.operations import Operations, read_text
from dprelease.workspace.outside import Outside
from dprelease.workspace.overspent import Overspent, overspent


class Oversight(Operations):
    """What reviewers and the owner do, beside curators' work."""

    # Ledger

    def ledger(
        self,
        population: str | None = None,
        *,
        kinds: Iterable[EventKind] = (),
        limit: int | None = None,
        offset: int = 0,
        newest_first: bool = False,
        actor: Actor | None = None,
    ) -> list[LedgerEvent]:
        """The events of one population or all, of some kinds or all, oldest first unless asked otherwise."""
        self._act("ledger", actor)
        return ledger.events(
            self._state.database,
            population=population,
            kinds=kinds,
            limit=limit,
            offset=offset,
            newest_first=newest_first,
        )

    def count_events(
        self, population: str | None = None, *, kinds: Iterable[EventKind] = (), actor: Actor | None = None
    ) -> int:
        """How many such events there are."""
        self._act("ledger", actor)
        return ledger.count(self._state.database, population=population, kinds=kinds)

    def verify_ledger(self, checkpoint: str | None = None, *, actor: Actor | None = None) -> int:
        """Checks the ledger, and that it continues a checkpoint; counts the events.

        Every event, the chain and all sums; every table that decides, beside what the events tell; what is kept of each
        release, which is made anew from it; the file, by SQLite.

        `checkpoint`: the path or address of one that was kept; by default the one that is kept outside, if any.
        Raises IntegrityError.
        """
        self._act("verify_ledger", actor)
        self._state.verified = None
        count = verify(self._state.database)
        outside = self._state.outside if checkpoint is None else Outside(checkpoint)
        different = None if outside is None else self._state.difference(outside)
        if different is not None:
            raise IntegrityError(f"the ledger does not continue the checkpoint: {different}")
        check_kept(self._state)
        self._state.verified = count
        return count

    def overspent(self, *, actor: Actor | None = None) -> tuple[Overspent, ...]:
        """The releases that spend more than they were charged, by the second implementation of every sensitivity."""
        self._act("overspent", actor)
        return overspent(self._state)

    @property
    def outside_problem(self) -> str | None:
        """Why the checkpoint kept outside was not renewed after the last release; None where it was."""
        return self._state.outside_problem

    @property
    def verified_events(self) -> int | None:
        """How many events the last whole check of this process went through; None before."""
        return self._state.verified

    def checkpoint(self, *, actor: Actor | None = None) -> SignedCheckpoint:
        """A signed checkpoint of the ledger as it stands, public from now on, to be kept where the ledger is not."""
        self._act("checkpoint", actor)
        return self._state.give_checkpoint()

    def accept_ledger(self, reason: str, *, key: str | None = None, actor: Actor | None = None) -> str:
        """Goes on with a ledger that the checkpoint kept outside speaks against; returns the difference.

        What that checkpoint says was spent counts as spent. `key`: the fingerprint of its signer, to be given where
        that is not a key of this workspace, as after a backup from before a new key was made.
        """
        acting = self._act("accept_ledger", actor)
        if self._state.outside is None:
            raise InputError("checkpoint", found="none is kept outside", allowed="a ledger that one speaks against")
        text, kept = read_text(reason, "reason"), self._state.outside.signed()
        different = self._state.difference(self._state.outside)
        if different is None:
            raise InputError("checkpoint", found="one that this ledger continues", allowed="one that it does not")
        known = kept.signer in self._state.keys.fingerprints()
        if not known and key != kept.signer:
            raise InputError(
                "key",
                found=f"a checkpoint signed by {kept.signer}, which is not a key of this workspace",
                allowed="a checkpoint of this workspace",
                remedy="Where that key is yours, give it too.",
            )
        checkpoints.accept(
            self._state.database, kept.checkpoint, different, known_signer=known, reason=text, actor=acting
        )
        return different

    # Keys and copies

    @property
    def public_key(self) -> str:
        """The fingerprint of the key that signs releases now, for `verify(..., key=...)`."""
        return self._state.keys.current.fingerprint

    def public_key_pem(self) -> bytes:
        """The public key as a PEM file."""
        return self._state.keys.current.public.pem

    def keys(self) -> list[str]:
        """The fingerprint of every key that ever signed here, oldest first. Open to the public."""
        return self._state.keys.fingerprints()

    def rotate_key(self, *, actor: Actor | None = None) -> str:
        """Makes a new signing key, to which the present one hands over; returns its fingerprint."""
        return self._state.keys.rotate(self._act("rotate_key", actor)).fingerprint

    def backup(self, out: str | Path, *, actor: Actor | None = None) -> Path:
        """Copies the whole workspace into a new folder while it is in use; private tables and keys too."""
        self._act("backup", actor)
        return backup.write(self._state, Path(out))
