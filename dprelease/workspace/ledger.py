"""The operations on the ledger: its events, its checks and checkpoints, the keys that sign, and copies of it all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Unpack

from dprelease.bundle.document import Document
from dprelease.bundle.listing import LEDGER, facts_of
from dprelease.bundle.outputs import outputs_hash, release_files
from dprelease.errors import DPReleaseError, InputError, IntegrityError
from dprelease.model.actor import Actor
from dprelease.model.checkpoint import SignedCheckpoint
from dprelease.model.encoding import read_json
from dprelease.store import checkpoints, ledger, releases
from dprelease.store.event import EventKind, LedgerEvent
from dprelease.store.ledger import EventFilter
from dprelease.store.releases import Publication, ReleaseState
from dprelease.store.verify import verify
from dprelease.words import NOTHING, Phrase, phrase
from dprelease.words.language import ENGLISH, speaking
from dprelease.workspace import backup
from dprelease.workspace.audit import Days, report
from dprelease.workspace.event_lines import HEAD, csv_line
from dprelease.workspace.operations import Noun, read_text
from dprelease.workspace.outside import OutsideCheckpoint
from dprelease.workspace.publish import kept_certificate, load
from dprelease.workspace.state import State
from dprelease.worstcase import Excess, excesses

AT_ONCE = 10_000
"""Events that are held at a time while they are written."""


@dataclass(frozen=True, slots=True)
class Overspent:
    """A release with a statistic that spends more than it was charged; or of which that cannot be worked out."""

    release: str
    excess: Excess | None
    problem: Phrase = NOTHING
    """Why nothing is known of its loss; empty where something is."""

    def __str__(self) -> str:
        return f"{self.release}, {self.problem or self.excess}"

    def to_mapping(self) -> dict[str, Any]:
        found = {"problem": str(self.problem)} if self.excess is None else self.excess.to_mapping()
        return {"release": self.release, **found}


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A step towards going on with a ledger that a checkpoint speaks against."""

    difference: str
    lost: list[int] | None
    """The events of charges that were not drawn for, and are not any more; None until a second person accepts it."""

    @property
    def accepted(self) -> bool:
        """False in a team until a second person, a reviewer, accepts it."""
        return self.lost is not None


class Ledger(Noun):
    """The log of everything that was spent and decided, and what proves that it is whole."""

    _listed, _heads = "ledger", ("event", "how often")

    def __init__(self, state: State) -> None:
        super().__init__(state)
        self._checked: tuple[int, tuple[Overspent, ...]] = (0, ())
        """Up to which charge every release was looked at, and those of them that are overspent."""

    def __iter__(self) -> Iterator[LedgerEvent]:
        return iter(self.events())

    def __len__(self) -> int:
        return self.count()

    def _rows(self) -> list[tuple[str, ...]]:
        found = {each.value: ledger.count(self._state.database, kinds=[each]) for each in EventKind}
        return [(kind.replace("_", " "), str(count)) for kind, count in found.items() if count]

    def events(
        self,
        population: str | None = None,
        *,
        limit: int | None = None,
        offset: int = 0,
        newest_first: bool = False,
        actor: Actor | None = None,
        **wanted: Unpack[EventFilter],
    ) -> list[LedgerEvent]:
        """Return the events of one population or all, oldest first unless asked otherwise; all or some.

        `kinds`: of these; `person`: of whom they tell; `since`, `until`: days; `text`: what stands in one, or in the
        title of its plan; `folded`: kinds of which each day, person and population has only its last.
        """
        self._act("ledger", actor)
        return ledger.events(
            self._state.database, population=population, limit=limit, offset=offset, newest_first=newest_first, **wanted
        )

    def count(self, population: str | None = None, *, actor: Actor | None = None, **wanted: Unpack[EventFilter]) -> int:
        """Return the number of such events."""
        self._act("ledger", actor)
        return ledger.count(self._state.database, population=population, **wanted)

    def actors(self, *, actor: Actor | None = None) -> list[str]:
        """Return everybody of whom some event tells."""
        self._act("ledger", actor)
        return ledger.actors(self._state.database)

    def csv(
        self, population: str | None = None, *, actor: Actor | None = None, **wanted: Unpack[EventFilter]
    ) -> Iterator[str]:
        """Yield such events as lines of a CSV file, with its head: amounts exactly, in whole numbers."""
        self._act("ledger", actor)
        return self._lines(population, wanted)

    def _lines(self, population: str | None, wanted: EventFilter) -> Iterator[str]:
        wanted["kinds"] = tuple(wanted.get("kinds", ()))
        total = ledger.count(self._state.database, population=population, **wanted)
        yield HEAD
        for start in range(0, total, AT_ONCE):
            size = min(AT_ONCE, total - start)  # what is added meanwhile is not of it
            part = ledger.events(self._state.database, population=population, limit=size, offset=start, **wanted)
            yield from map(csv_line, part)

    def verify(self, checkpoint: str | None = None, *, actor: Actor | None = None) -> int:
        """Check the ledger, and that it continues a checkpoint; count the events.

        Every event, the chain and all sums; every table that decides, beside what the events tell; what is kept of each
        release, which is made anew from it; `checkpoint.json` and the `ledger.json` of every bundle in the public
        folder; the file, by SQLite. A bundle that is not there is listed by `releases.unfinished`.

        `checkpoint`: the path or address of one that was kept; by default the one that is kept outside, if any.
        Raises IntegrityError.
        """
        self._act("verify_ledger", actor)
        self._state.verified = None
        count = verify(self._state.database)
        outside = self._state.outside if checkpoint is None else OutsideCheckpoint(checkpoint)
        different = None if outside is None else self._state.difference(outside)
        if different is not None:
            raise IntegrityError(phrase("workspace.ledger_does_continue_checkpoint", different=different))
        self._state.check_public(quickly=False)
        _check_kept(self._state)
        self._state.verified = count
        return count

    def overspent(self, *, actor: Actor | None = None) -> tuple[Overspent, ...]:
        """Return releases that spend more than they were charged, by the second implementation of every sensitivity."""
        self._act("overspent", actor)
        database, (checked, known) = self._state.database, self._checked
        whole = True
        for seq, name, certificate in releases.certificates(database, after=checked):
            whole = whole and certificate is not None
            found = () if certificate is None else _overspent(name, certificate)
            known = (*known, *found)
            if whole:  # what was drawn is looked at once; what follows a draw that waits, again
                self._checked = (seq, known)
        return known

    @property
    def outside_problem(self) -> Exception | None:
        """Error by which the outside checkpoint was not renewed after the last release; None where it was."""
        return self._state.outside_problem

    @property
    def contradiction(self) -> Phrase | None:
        """Contradiction of the ledger by public files, so that nothing is spent; None where all fits."""
        return next((each.words for each in self._state.witnesses()), None)

    @property
    def lost_charges(self) -> list[int]:
        """Charges that were given up, undrawn, when the ledger was restored or accepted last."""
        kinds = [EventKind.LEDGER_RESTORED, EventKind.LEDGER_ACCEPTED]
        found = ledger.events(self._state.database, kinds=kinds, newest_first=True, limit=1)
        return [seq for event in found for seq in event.body["lost"]]

    @property
    def abandoned_copies(self) -> list[Path]:
        """Paths where killed backups and restores left rows and keys that the program could not remove."""
        return self._state.abandoned

    @property
    def verified_events(self) -> int | None:
        """Number of events that the last whole check of this process went through; None before."""
        return self._state.verified

    def checkpoint(self, *, actor: Actor | None = None) -> SignedCheckpoint:
        """A signed checkpoint of the ledger as it stands, public from now on, to be kept where the ledger is not."""
        self._act("checkpoint", actor)
        self._state.check_public()
        return self._state.give_checkpoint()

    def accept(self, reason: str, *, key: str | None = None, actor: Actor | None = None) -> Acceptance:
        """Go on with a ledger that public files or the checkpoint kept outside speak against.

        A reviewer accepts. In a team it takes two people: the first, a curator or a reviewer, asks for it, and another
        one, a reviewer, accepts the same.

        What the longest of these checkpoints says was spent counts as spent: the others are taken to be of its
        beginning. `key`: the fingerprint of its signer, to be given where
        that is not a key of this workspace, as after a backup from before a new key was made. What was charged here and
        not drawn is lost, for another copy may have drawn and published it: published again, it is charged anew.
        """
        acting = self._act("accept_ledger", actor)
        text, against = read_text(reason, "reason"), self._against()
        if not against:
            is_kept = self._state.outside is not None
            found = phrase("workspace.one_ledger_continues") if is_kept else phrase("workspace.none_kept_outside")
            raise InputError("checkpoint", found=found, allowed=phrase("workspace.one_does"))
        kept, different = max(against, key=lambda each: each[0].checkpoint.size)
        known = kept.signer in self._state.keys.fingerprints()
        if not known and key != kept.signer:
            raise InputError(
                "key",
                found=phrase("workspace.checkpoint_signed_key_workspace", signer=kept.signer),
                allowed=phrase("workspace.checkpoint_workspace"),
                remedy=phrase("workspace.where_key_yours_give"),
            )
        with speaking(ENGLISH):  # as the ledger keeps it
            words = str(different)
        shorter = {each.checkpoint.hash for each, _ in against} - {kept.checkpoint.hash}
        lost = checkpoints.accept(
            self._state.database,
            kept.checkpoint,
            words,
            shorter=sorted(shorter),
            known_signer=known,
            reason=text,
            actor=acting,
        )
        return Acceptance(words, lost)

    def _against(self) -> list[tuple[SignedCheckpoint, Phrase]]:
        """Return each checkpoint that contradicts the ledger, and how: the one kept outside first, then public ones."""
        found = [(each.signed, each.different) for each in self._state.witnesses(quickly=False)]
        outside = self._state.outside
        different = None if outside is None else self._state.difference(outside)
        return found if outside is None or different is None else [(outside.signed(), different), *found]

    def public_key_pem(self) -> bytes:
        """Return the public key as a PEM file."""
        return self._state.keys.current.public.pem

    def keys(self) -> list[str]:
        """Return the fingerprint of every key that ever signed here, oldest first. Open to the public."""
        return self._state.keys.fingerprints()

    def audit_report(
        self, population: str, *, since: date | None = None, until: date | None = None, actor: Actor | None = None
    ) -> Document:
        """Return every release, charge, decision, refused attempt and preview of a population, in some days or all.

        To print (`.html()`) or as a file (`.pdf()`), in the language that is spoken. Checks the whole ledger.
        Raises InputError where `since` is after `until` (default: today).
        """
        self._act("audit_report", actor)
        today = datetime.now(UTC).date()
        last = until or today
        if since is not None and since > last:
            raise InputError(
                "since", found=since.isoformat(), allowed=phrase("workspace.day_up", last=last.isoformat())
            )
        return report(self._state, population, Days(since, last), made=today)

    def rotate_key(self, *, actor: Actor | None = None) -> str:
        """Make a new signing key, to which the present one hands over; return its fingerprint."""
        return self._state.keys.rotate(self._act("rotate_key", actor)).fingerprint

    def backup(self, out: str | Path, *, actor: Actor | None = None) -> Path:
        """Copy the whole workspace into a new folder while it is in use; private tables and keys too."""
        self._act("backup", actor)
        return backup.write(self._state, Path(out))


def _check_kept(state: State) -> None:
    """Make every release anew from what is kept of it. Raises IntegrityError where that is not what was published."""
    for publication in (each for one in releases.DONE for each in releases.every(state.database, one)):
        try:
            different = next(_different(state, publication), None)
        except (DPReleaseError, OSError, ValueError, KeyError, TypeError, IndexError) as cause:
            raise IntegrityError(phrase("workspace.release_what_kept_cannot", publication=publication.id)) from cause
        if different is not None:
            raise IntegrityError(
                phrase("workspace.release_what_ledger_tells", publication=publication.id, different=different)
            )


def _different(state: State, publication: Publication) -> Iterator[str]:
    with state.database.reading() as connection:
        event = releases.publication_within(connection, publication.id)
        signed = checkpoints.at_within(connection, event.seq)
    certificate = kept_certificate(publication)
    charge = publication.charge
    several = certificate.several
    paid = {certificate.ledger.hash} if several is None else {site.charge for site in several.sites}
    if certificate.id != publication.id or charge.hash not in paid:
        yield "certificate"
    if outputs_hash(facts_of(release_files(load(state, publication)))) != event.body["outputs"]:
        yield "certificate or draw"
    if not _is_as_kept(state, publication):
        yield "ledger.json"
    if charge.hash != certificate.ledger.hash:  # of the first site of a round, whose entry it shows
        if signed is None:
            yield "entry"
        return
    entry = json.loads(publication.entry or "{}")
    told = {"charge": entry["charge"]["event"], "published": entry["published"]["event"]}
    held = {} if signed is None else signed.to_mapping()
    if told != {"charge": charge.public, "published": event.public} or not held or not entry.items() >= held.items():
        yield "entry"


def _is_as_kept(state: State, publication: Publication) -> bool:
    """Return True if the bundle, public or embargoed, states the events kept of the release, or is not there."""
    is_embargoed = publication.state is ReleaseState.EMBARGOED
    try:
        folder = None if state.home is None else state.home.embargoed if is_embargoed else state.home.public
        text = None if folder is None else (folder / publication.id / LEDGER).read_bytes()
    except FileNotFoundError:
        return True
    return text is None or read_json(text, LEDGER, whole=True) == json.loads(publication.entry or "{}")


def _overspent(release_id: str, certificate: str) -> tuple[Overspent, ...]:
    """Return the excess loss of a certificate's statistics, or why it is not known."""
    try:
        return tuple(Overspent(release_id, excess) for excess in excesses(json.loads(certificate)))
    except IntegrityError as cause:
        return (Overspent(release_id, None, cause.said),)
