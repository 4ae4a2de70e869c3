"""The operations of those who watch over budgets: requests and decisions, caps, the ledger, keys, backups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dprelease.accounting.caps import with_rho
from dprelease.errors import InputError, IntegrityError
from dprelease.model.actor import Actor
from dprelease.model.checkpoint import SignedCheckpoint
from dprelease.model.population import Overlap, Population
from dprelease.model.privacy import PrivacyLoss, read_delta, read_epsilon
from dprelease.model.report import Report
from dprelease.store import checkpoints, facts, ledger, populations
from dprelease.store.event import EventKind, LedgerEvent
from dprelease.store.populations import Request
from dprelease.store.verify import verify
from dprelease.workspace import backup
from dprelease.workspace.kept import check_kept
from dprelease.workspace.operations import Operations
from dprelease.workspace.outside import Outside
from dprelease.workspace.overspent import Overspent, overspent

MOST_TEXT = 2000


class Oversight(Operations):
    """What reviewers and the owner do, beside curators' work."""

    # People

    def require_two_people(self, *, actor: Actor | None = None) -> None:
        """Makes this a workspace of a team, for good: plans and budgets then take a second person."""
        facts.require_two(self._state.database, actor=self._act("require_two_people", actor))

    # Budgets

    def raise_cap(
        self, population: str, *, epsilon: Any, delta: Any = None, reason: str, actor: Actor | None = None
    ) -> Population:
        """Raises what all releases about a population may spend together; in a team, asks a second person for it."""
        acting = self._act("raise_cap", actor)
        wanted = self._with_cap(population, epsilon, delta)
        populations.raise_cap(self._state.database, wanted, reason=read_text(reason, "reason"), actor=acting)
        return populations.get(self._state.database, population)

    def open_period(
        self,
        population: str,
        name: str,
        *,
        epsilon: Any,
        delta: Any = None,
        reason: str = "",
        actor: Actor | None = None,
    ) -> Population:
        """Opens a period with a cap of its own, such as a year; in a team, asks a second person for it.

        What was spent before stays in the sums, and on every certificate. No clock opens a period.
        """
        acting = self._act("open_period", actor)
        wanted = replace(self._with_cap(population, epsilon, delta), period=read_text(name, "period"))
        populations.open_period(self._state.database, wanted, reason=read_text(reason, "reason", least=0), actor=acting)
        return populations.get(self._state.database, population)

    def _with_cap(self, population: str, epsilon: Any, delta: Any) -> Population:
        now = populations.get(self._state.database, population)
        report = Report()
        cap = PrivacyLoss(
            epsilon_nano=read_epsilon(epsilon, "epsilon", report),
            delta_atto=now.cap.delta_atto if delta is None else read_delta(delta, "delta", report),
        )
        report.raise_any(InputError)
        return with_rho(replace(now, cap=cap))

    def attest_overlap(self, population: str, other: str, overlap: str, *, actor: Actor | None = None) -> None:
        """States whether two populations have the same units, some in common, or none."""
        acting = self._act("attest_overlap", actor)
        populations.attest_overlap(self._state.database, population, other, read_overlap(overlap, other), actor=acting)

    def overlaps(self, population: str, *, actor: Actor | None = None) -> dict[str, Overlap | None]:
        """How each other population overlaps this one; None where nobody attested it."""
        self._act("overlaps", actor)
        return populations.overlaps(self._state.database, population)

    def declare_earlier_releases(
        self, population: str, descriptions: Sequence[str], *, actor: Actor | None = None
    ) -> None:
        """States what was published about a population without a guarantee that is counted here."""
        acting = self._act("declare_earlier_releases", actor)
        texts = [read_text(each, "earlier_releases") for each in descriptions]
        populations.declare_earlier_releases(self._state.database, population, texts, actor=acting)

    def earlier_releases(self, population: str, *, actor: Actor | None = None) -> list[str]:
        """What was declared to be published without a guarantee that is counted here."""
        self._act("earlier_releases", actor)
        return populations.earlier_releases(self._state.database, population)

    def requests(self, *, actor: Actor | None = None) -> list[Request]:
        """What was asked of a second person, and what they decided."""
        self._act("requests", actor)
        return populations.requests(self._state.database)

    def approve_request(self, request: int, *, comment: str = "", actor: Actor | None = None) -> Request:
        """Carries out what somebody else asked for."""
        acting = self._act("approve_request", actor)
        return populations.decide(
            self._state.database, request, approve=True, comment=read_text(comment, "comment", least=0), actor=acting
        )

    def return_request(self, request: int, *, comment: str, actor: Actor | None = None) -> Request:
        """Declines what somebody else asked for, and says why."""
        acting = self._act("return_request", actor)
        return populations.decide(
            self._state.database, request, approve=False, comment=read_text(comment, "comment"), actor=acting
        )

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


def read_overlap(value: object, other: str) -> Overlap:
    """Raises InputError."""
    report = Report()
    chosen = report.choice(value, f"overlaps.{other}", [each.value for each in Overlap])
    report.raise_any(InputError)
    return Overlap(chosen or "")


def read_text(value: object, path: str, *, least: int = 1) -> str:
    """A text of at least so many characters, spaces around it not counted. Raises InputError."""
    report = Report()
    text = report.text(value, path, longest=MOST_TEXT)
    if len(text.strip()) < least:
        report.add(path, found="nothing", allowed="some words")
    report.raise_any(InputError)
    return text.strip()
