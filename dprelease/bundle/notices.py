"""Notices about a release after it was published: each statement signed, and all of them counted by the ledger."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dprelease.bundle.history import SIGNED, History, is_day
from dprelease.bundle.moved import is_moved
from dprelease.bundle.signing import PublicKey
from dprelease.errors import IntegrityError
from dprelease.model.checkpoint import HASH, is_whole
from dprelease.model.encoding import canonical, digest, read_json
from dprelease.words import phrase

VERSION = 1
FOLDER = "notices"
CHECKPOINT = "checkpoint.json"
"""File of the public ledger: a signed checkpoint, with the loss spent and the digest of every notice."""
KEYS = {"dprelease_notice", "kind", "release", "text", "published_on", "ledger"}
FURTHER = {"erratum": KEYS, "superseded": KEYS | {"by", "moved"}, "doi": KEYS | {"doi"}}


def notices_path(release_id: str) -> str:
    """Return the path of the notices about a release, beside its bundle."""
    return f"{FOLDER}/{release_id}.json"


def written(release_id: str, statements: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the content of that file: signed statements, oldest first."""
    return {"dprelease_notices": VERSION, "release": release_id, "notices": [dict(each) for each in statements]}


def listed_in(data: bytes, release_id: str) -> list[Any]:
    """Return the signed statements of such a file. Raises IntegrityError where it is none. Checks no signature."""
    value = read_json(data, notices_path(release_id), whole=True)
    known = value.keys() == {"dprelease_notices", "release", "notices"} and value["dprelease_notices"] == VERSION
    if not known or not isinstance(value["notices"], list):
        raise IntegrityError(phrase("bundle.notices_version_dprelease_writes", notices_path=notices_path(release_id)))
    return list(value["notices"])


@dataclass(frozen=True, slots=True)
class Notice:
    """Statement with the signature of its canonical JSON."""

    statement: Mapping[str, Any]
    signer: str
    signature: str

    @classmethod
    def read(cls, value: object) -> Notice:
        """Read a notice. Raises IntegrityError where this program does not write it so. Checks no signature."""
        match value:
            case {"statement": dict() as statement, "signer": str(signer), "signature": str(signature), **more}:
                if not more and SIGNED.fullmatch(signature) and _states(statement):
                    return cls(statement, signer, signature)
        raise IntegrityError(phrase("bundle.notices_notice_program_writes"))

    def check(self, signers: Sequence[str]) -> None:
        """Raise IntegrityError unless one of these keys signed it."""
        if self.signer not in signers:
            raise IntegrityError(phrase("bundle.notices_another_key_than"))
        PublicKey.of(self.signer).check(bytes.fromhex(self.signature), canonical(self.statement))

    @property
    def digest(self) -> str:
        """Digest of the statement, which a checkpoint commits to."""
        return digest(self.statement)

    @property
    def seq(self) -> int:
        """Number of its event in the ledger."""
        return int(self.statement["ledger"]["seq"])

    @property
    def by(self) -> str | None:
        """Id of the release that supersedes; None of another notice."""
        return self.statement.get("by")

    def to_mapping(self) -> dict[str, Any]:
        return {"statement": dict(self.statement), "signer": self.signer, "signature": self.signature}


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherNotices:
    """Notices about a release that are shown to be its publisher's; and the number of those missing."""

    notices: tuple[Notice, ...] = ()
    """Notices whose signature and hash hold, oldest first."""
    missing: int = 0
    """Number of notices that the ledger's checkpoint lists but are absent, or not as they were signed."""
    refused: int = 0
    """Number of notices found that the publisher did not sign, or not so."""
    known: History | None = field(default=None, repr=False)
    """Newest checkpoint of the publisher's ledger that is here."""

    @property
    def statements(self) -> list[Mapping[str, Any]]:
        """Statements against it: of what supersedes it, and errata."""
        return [notice.statement for notice in self.notices if notice.statement["kind"] != "doi"]

    @property
    def doi(self) -> str:
        """DOI under which it was registered last; empty where none is."""
        return next((each.statement["doi"] for each in reversed(self.notices) if "doi" in each.statement), "")

    @property
    def superseded_by(self) -> str | None:
        """Id of the release that superseded it last; None where none did."""
        return next((notice.by for notice in reversed(self.notices) if notice.by is not None), None)

    @property
    def errata(self) -> int:
        """Number of errata."""
        return sum(notice.statement["kind"] == "erratum" for notice in self.notices)

    @property
    def status(self) -> str:
        """Status: current, corrected or superseded; unknown where notices are missing."""
        if self.missing:
            return "unknown"
        return "superseded" if self.superseded_by is not None else "corrected" if self.errata else "current"

    @property
    def day(self) -> str | None:
        """Day up to which this is known."""
        return None if self.known is None else self.known.checkpoint.on

    def to_mapping(self) -> dict[str, Any]:
        """Return the status for programs, shown beside a release."""
        return {
            "status": self.status,
            "superseded_by": self.superseded_by,
            "errata": self.errata,
            "doi": self.doi,
            "notices_missing": self.missing,
            "notices_refused": self.refused,
            "known_until": self.day,
        }


def newest(own: History, others: Iterable[History]) -> History:
    """Return the longest checkpoint of a release's ledger, by the key that signed it or one that it handed over to.

    `others`: checkpoints whose signatures and hand-overs hold.
    """
    return max([own, *(each for each in others if is_of(own, each))], key=lambda each: each.checkpoint.size)


def is_of(own: History, other: History) -> bool:
    """Return True if a checkpoint is of a release's ledger: by the key that signed it, or one that followed."""
    return other.checkpoint.workspace == own.checkpoint.workspace and own.signed.signer in other.signers


def judged(release_id: str, published: str, found: Sequence[object], own: History, known: History) -> PublisherNotices:
    """Return the genuine statements about a release, and the number of missing ones.

    A statement counts where a key of the publisher signed it and the checkpoint lists it, or is older than it.
    """
    listed = known.checkpoint.notices.get(release_id, ())
    signers = known.signers[known.signers.index(own.signed.signer) :]
    genuine: dict[str, Notice] = {}
    for value in found:
        try:
            notice = Notice.read(value)
            notice.check(signers)
        except IntegrityError:
            continue
        of_it = notice.statement["release"] == release_id and notice.statement["published_on"] >= published
        if of_it and (notice.digest in listed or notice.seq > known.checkpoint.size):
            genuine[notice.digest] = notice
    shown = tuple(sorted(genuine.values(), key=lambda notice: notice.seq))
    missing = sum(each not in genuine for each in listed)
    return PublisherNotices(notices=shown, missing=missing, refused=len(found) - len(genuine), known=known)


def _states(statement: Mapping[str, Any]) -> bool:
    """Return True if a statement has exactly the fields of its kind."""
    match statement:
        case {
            "dprelease_notice": 1,
            "kind": str(kind),
            "release": str(),
            "text": str(),
            "published_on": str(day),
            "ledger": {"seq": int(seq), "hash": str(hash_), **rest},
            **more,
        }:
            further = isinstance(more.get("by", ""), str) and set(statement) == FURTHER.get(kind)
            further &= isinstance(more.get("doi", ""), str)
            further &= "moved" not in statement or is_moved(statement["moved"])
            return bool(further and not rest and is_day(day) and is_whole(seq) and HASH.fullmatch(hash_))
    return False
