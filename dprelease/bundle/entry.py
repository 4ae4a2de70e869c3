"""Place of a release in its publisher's ledger: what ledger.json holds, and every check that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dprelease.bundle.history import VERSION, History, is_day, is_entry, proof_of
from dprelease.bundle.listing import facts_of
from dprelease.bundle.outputs import outputs_hash
from dprelease.errors import IntegrityError
from dprelease.model import merkle
from dprelease.model.certificate import Certificate
from dprelease.model.checkpoint import Checkpoint, SignedCheckpoint
from dprelease.model.encoding import digest
from dprelease.words import phrase

EVENT_KEYS = {
    *("seq", "day", "kind", "population", "facts", "loss", "spent", "charges"),
    *("previous_hash", "rest"),
}
NOTHING = {"epsilon_nano": 0, "rho_nano": 0, "delta_atto": 0}


@dataclass(frozen=True, slots=True)
class ProvenLine:
    """Public part of an event, with the proof that it is in the ledger of a checkpoint."""

    event: Mapping[str, Any]
    """Event whose digest is its hash; `rest` in it commits to what is hidden: who, when exactly, which rows."""
    inclusion: tuple[bytes, ...]

    @classmethod
    def read(cls, value: object, name: str) -> ProvenLine:
        """Read an event. Raises IntegrityError where this program does not write it so. No proof is checked here."""
        if not isinstance(value, Mapping) or value.keys() != {"event", "inclusion"}:
            raise IntegrityError(phrase("bundle.event_proof_program_writes", name=name))
        event = value["event"]
        if not isinstance(event, Mapping) or event.keys() != EVENT_KEYS:
            raise IntegrityError(phrase("bundle.event_program_writes", name=name))
        days = isinstance(event["day"], str) and is_day(event["day"])
        whole = all(isinstance(event[key], Mapping) for key in ("facts", "loss"))
        if type(event["seq"]) is not int or not days or not whole:
            raise IntegrityError(phrase("bundle.event_program_writes", name=name))
        try:
            digest(event)
        except (ValueError, TypeError, RecursionError):
            raise IntegrityError(phrase("bundle.event_program_writes", name=name)) from None
        return cls(event, proof_of(value["inclusion"], "inclusion"))

    @property
    def hash(self) -> str:
        """Hash of the event."""
        return digest(self.event)

    @property
    def facts(self) -> Mapping[str, Any]:
        facts: Mapping[str, Any] = self.event["facts"]
        return facts

    def check(self, checkpoint: Checkpoint) -> None:
        """Raise IntegrityError unless the event is in the ledger of a checkpoint."""
        leaf, root = merkle.leaf_hash(bytes.fromhex(self.hash)), bytes.fromhex(checkpoint.root)
        if not merkle.includes(leaf, self.event["seq"] - 1, checkpoint.size, self.inclusion, root):
            raise IntegrityError(phrase("bundle.inclusion_proof_does_show", event=self.event["seq"]))

    def to_mapping(self) -> dict[str, Any]:
        return {"event": dict(self.event), "inclusion": [part.hex() for part in self.inclusion]}


def entry(
    *,
    charge: ProvenLine,
    published: ProvenLine,
    superseded: ProvenLine | None,
    run: ProvenLine | None,
    signed: SignedCheckpoint,
    previous: Checkpoint | None,
    consistency: Sequence[str],
    rotations: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the content of ledger.json: events, the proofs that a signed checkpoint holds them, and earlier ones.

    `superseded`: the publication of the release that this one supersedes, if it does; `run`: the charge of the run that
    it is an edition of, whose `charge` is the event with which that began; `previous`: the checkpoint given
    out before this one, and `consistency` the proof that this one continues it; `rotations`: as `Rotation.to_mapping`
    writes them, oldest first.
    """
    return {
        "dprelease_ledger": VERSION,
        "charge": charge.to_mapping(),
        "published": published.to_mapping(),
        "superseded": None if superseded is None else superseded.to_mapping(),
        "run": None if run is None else run.to_mapping(),
        **signed.to_mapping(),
        "previous": None if previous is None else {"size": previous.size, "root": previous.root},
        "consistency": list(consistency),
        "rotations": [dict(rotation) for rotation in rotations],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Content of ledger.json: proof that a release was charged for and published, and its place in the ledger."""

    charge: ProvenLine
    published: ProvenLine
    superseded: ProvenLine | None
    run: ProvenLine | None
    history: History

    @classmethod
    def read(cls, value: Mapping[str, Any]) -> Entry:
        """Read a ledger.json. Raises IntegrityError where it is not one of this version. No proof is checked here."""
        if not is_entry(value):
            raise IntegrityError(phrase("bundle.ledger_json_entry_version"))
        older, run = value["superseded"], value["run"]
        return cls(
            charge=ProvenLine.read(value["charge"], "charge"),
            published=ProvenLine.read(value["published"], "event"),
            superseded=None if older is None else ProvenLine.read(older, "superseded"),
            run=None if run is None else ProvenLine.read(run, "run"),
            history=History.read(value),
        )

    def check(self) -> None:
        """Raise IntegrityError unless all events are in the ledger of the checkpoint, which holds too."""
        self.history.check()
        for line in filter(None, (self.charge, self.published, self.superseded, self.run)):
            line.check(self.history.checkpoint)

    def check_tells(self, certificate: Certificate, contents: Mapping[str, bytes], signer: str) -> None:
        """Raise IntegrityError unless the events are the publication of this release, with these files, by this key,
        and of the one that it supersedes.

        The certificate is one that was checked.
        """
        charge, event = certificate.ledger, self.published.event
        facts = {
            "release": certificate.id,
            "charge": charge.seq,
            "charge_hash": charge.hash,
            "published_on": certificate.day,
            "signer": signer,
            "outputs": outputs_hash(facts_of(contents)),
            "version": certificate.versions.get("dprelease"),
        }
        expected = {"kind": "published", "population": certificate.population.name, "loss": NOTHING}
        check_equal("event", expected, event)
        if self.published.facts.keys() != facts.keys():
            raise IntegrityError(phrase("bundle.event_does_state_what"))
        check_equal("event", facts, self.published.facts)
        if event["seq"] <= charge.seq:
            raise IntegrityError(phrase("bundle.event_release_cannot_published"))
        if not self.charge.event["day"] <= event["day"] <= certificate.day <= self.history.checkpoint.on:
            raise IntegrityError(phrase("bundle.event_days_charge_publication"))
        self._check_superseded(certificate)

    def _check_superseded(self, certificate: Certificate) -> None:
        name, line = certificate.supersedes, self.superseded
        if name is None and line is None:
            return
        if name is None or line is None:
            raise IntegrityError(phrase("bundle.superseded_publication_release_one"))
        check_equal("superseded", {"kind": "published", "loss": NOTHING}, line.event)
        check_equal("superseded", {"release": name}, line.facts)
        day = line.facts.get("published_on")
        if line.event["seq"] >= self.charge.event["seq"] or not isinstance(day, str) or day > certificate.day:
            raise IntegrityError(phrase("bundle.superseded_release_cannot_supersede"))


def check_equal(name: str, expected: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Raise IntegrityError unless every expected value is found, of the same type."""
    for key, value in expected.items():
        if key not in found or type(found[key]) is not type(value) or found[key] != value:
            raise IntegrityError(phrase("bundle.release", name=name, key=key))
