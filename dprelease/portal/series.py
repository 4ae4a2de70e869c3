"""Editions of what is published again and again: all of them, and the latest that holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dprelease.bundle.history import History
from dprelease.bundle.notices import PublisherNotices
from dprelease.errors import InputError
from dprelease.portal.shelf import Bundle, BundleIndex
from dprelease.words import phrase

Chain = tuple[str, str]
"""Ledger and the first of the keys that signed it one after the other."""
HOLDS = ("current", "corrected")


@dataclass(frozen=True)
class Edition:
    """Release of a series."""

    bundle: Bundle
    said: PublisherNotices

    @property
    def name(self) -> str:
        """Name of the edition; without one, the days it covers, or the day of its publication."""
        about = self.bundle.certificate.about
        return about.edition or about.reference_period or self.bundle.certificate.day

    @property
    def order(self) -> tuple[str, str, int]:
        """Key that sorts editions by the last day that they cover; where none is stated, by the day of publication."""
        facts = self.bundle.certificate
        return facts.about.reference_period.partition("/")[2] or facts.day, facts.day, facts.ledger.seq

    @property
    def holds(self) -> bool:
        """True if its tables may be used: they are published, and not superseded as far as is known.

        False where notices are missing.
        """
        return self.said.status in HOLDS and not self.bundle.certificate.is_withheld


@dataclass(frozen=True)
class Series:
    """Editions that one publisher signed, newest first."""

    name: str
    chain: Chain
    editions: Sequence[Edition]

    @cached_property
    def current(self) -> Sequence[Edition]:
        """Editions that hold, newest first."""
        return [each for each in self.editions if each.holds]

    @property
    def run(self) -> dict[str, Any] | None:
        """Public facts of the run of its newest edition, and which periods are out or closed; None where it is none."""
        found = [each.bundle.certificate for each in self.editions if each.bundle.certificate.edition_of]
        stated = found[0].edition_of if found else None
        if stated is None:
            return None
        told = found[0].plan["run"]
        published = [
            each.edition for each in reversed(found) if each.edition_of and each.edition_of.name == stated.name
        ]
        return {
            "name": stated.name,
            **{key: str(told[key]) for key in ("every", "first", "last")},
            **{key: getattr(stated, key) for key in ("periods", "at_most", "factor")},
            "charge": stated.charge.seq,
            "published": published,
            "closed": list(stated.closed),
        }

    @property
    def latest(self) -> Edition:
        """Newest edition that holds. Raises InputError where none does."""
        if not self.current:
            raise InputError("series", found=self.name, allowed=phrase("portal.edition_that_holds"))
        return self.current[0]


def find(shelf: BundleIndex, name: str) -> Sequence[Series]:
    """Find the series of a name, one per publisher: this portal's first. Raises InputError where there is none.

    A publisher with other keys joins no other's series: it stands beside it under its own publisher.
    """
    bundles = list(shelf.open(spine for spine in shelf.listing().spines if spine.series == name))
    found: dict[Chain, list[Edition]] = {}
    for bundle, said in zip(bundles, shelf.said_of(bundles), strict=True):
        found.setdefault(_chain(bundle.history), []).append(Edition(bundle, said))
    if not found:
        raise InputError("series", found=name, allowed=phrase("portal.name_of_published_series"))
    own = shelf.source.checkpoint()
    listed = [
        Series(name, chain, sorted(each, key=lambda edition: edition.order, reverse=True))
        for chain, each in found.items()
    ]
    return sorted(listed, key=lambda series: own is None or series.chain != _chain(own))


def newest(shelf: BundleIndex, name: str) -> Edition:
    """Return the newest edition that holds, of this portal's own publisher. Raises InputError where none does, or where
    publishers share the name and none of them is this portal's."""
    found = find(shelf, name)
    own = shelf.source.checkpoint()
    if len(found) > 1 and (own is None or found[0].chain != _chain(own)):
        raise InputError("series", found=name, allowed=phrase("portal.series_of_one_publisher"))
    return found[0].latest


def names(shelf: BundleIndex) -> Sequence[str]:
    """Return the names of all series that have an intact edition."""
    spines = shelf.intact(shelf.listing().spines)
    return sorted({spine.series for spine in spines if spine.series})


def _chain(history: History) -> Chain:
    return history.checkpoint.workspace, history.signers[0]
