"""Published bundles ready to be shown and served: signatures checked once, and each file when it is read."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from dprelease.bundle.container import PLAIN
from dprelease.bundle.descriptor import kinds, shapes
from dprelease.bundle.history import History
from dprelease.bundle.listing import CHECKSUMS, LEDGER, SIGNATURE, SIGNER, TIMESTAMP, listed
from dprelease.bundle.notices import PublisherNotices, is_of, judged
from dprelease.bundle.outputs import CERTIFICATE, published, read_outputs
from dprelease.bundle.signing import PublicKey
from dprelease.bundle.tables import read_csv
from dprelease.errors import InputError, IntegrityError
from dprelease.model.certificate import Certificate
from dprelease.model.encoding import read_json
from dprelease.model.release import Estimates, Release
from dprelease.portal.source import PublicSource, Stamp
from dprelease.portal.spine import BundleSummary
from dprelease.words import phrase

LOG = logging.getLogger("dprelease.bundle")


@dataclass(frozen=True)
class Bundle:
    """Published bundle on disk, with a signed list of checksums."""

    id: str
    folder: Path
    fingerprint: str
    sums: Mapping[str, str] = field(repr=False)
    """SHA-256 of each file by its path, also of those that are not listed."""

    @classmethod
    def open(cls, release_id: str, folder: Path) -> Bundle:
        """Open a bundle. Raises IntegrityError unless the key in it signed its list of checksums."""
        try:
            sums, signature, pem = ((folder / name).read_bytes() for name in (CHECKSUMS, SIGNATURE, SIGNER))
        except OSError as cause:
            raise IntegrityError(
                phrase("portal.files_cannot_read", release_id=release_id, strerror=cause.strerror)
            ) from None
        key = PublicKey(pem)
        key.check(signature, sums)
        signed = listed(sums)
        if not all(map(PLAIN.fullmatch, signed)):  # a folder may be a copy of one that somebody else signed
            raise IntegrityError(phrase("portal.list_names_files_do", release_id=release_id))
        own = {name: hashlib.sha256(data).hexdigest() for name, data in ((CHECKSUMS, sums), (SIGNATURE, signature))}
        return cls(release_id, folder, key.fingerprint, signed | own)

    @property
    def timestamp(self) -> bytes | None:
        """Timestamp, which may be attached at any time; None where there is none."""
        path = self.folder / TIMESTAMP
        return path.read_bytes() if path.is_file() else None

    def size(self, name: str) -> int:
        """Return the size of a listed file, in bytes."""
        return (self.folder / name).stat().st_size

    def checked(self, name: str) -> Path:
        """Return the path of a listed file that is too large to be held. Raises IntegrityError where it was changed."""
        path = self.folder / name
        with path.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != self.sums[name]:
                raise IntegrityError(phrase("portal.what_was_signed", id_=self.id, name=name))
        return path

    def read(self, name: str) -> bytes:
        """Return the bytes of a listed file. Raises InputError for another one, IntegrityError where it was changed."""
        if name not in self.sums:
            raise InputError("file", found=name, allowed=phrase("portal.file_bundle_lists"))
        try:
            data = (self.folder / name).read_bytes()
        except OSError as cause:
            raise IntegrityError(
                phrase("portal.cannot_read", id_=self.id, name=name, strerror=cause.strerror)
            ) from None
        if hashlib.sha256(data).hexdigest() != self.sums[name]:
            raise IntegrityError(phrase("portal.what_was_signed", id_=self.id, name=name))
        return data

    @cached_property
    def certificate(self) -> Certificate:
        """Content of release.json."""
        return Certificate.read(read_json(self.read(CERTIFICATE), CERTIFICATE))

    @cached_property
    def entry(self) -> Mapping[str, Any]:
        """Content of ledger.json."""
        return read_json(self.read(LEDGER), LEDGER, whole=True)

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """Names of the tables that are published."""
        names = (name for item in self.certificate.statistics for name in item.tables)
        return tuple(name for name in names if f"tables/{name}.csv" in self.sums)

    @cached_property
    def history(self) -> History:
        """Checkpoint in it, by the key that signed it. Raises IntegrityError where another one did."""
        history = History.read(self.entry)
        history.check()
        if history.signed.signer != self.fingerprint:
            raise IntegrityError(phrase("portal.another_key_signed_checkpoint", id_=self.id))
        return history

    def table(self, statistic: str) -> Estimates:
        """Read one table. Raises InputError where the release has no such statistic."""
        data = self.read(f"tables/{statistic}.csv")
        described = shapes(read_json(self.read("datapackage.json"), "datapackage.json"))
        if statistic not in described:
            raise InputError("table", found=statistic, allowed=phrase("portal.statistic_release"))
        return read_csv(data, described[statistic])

    def release(self) -> Release:
        """Read the whole release, with all its tables."""
        descriptor = read_json(self.read("datapackage.json"), "datapackage.json")
        outputs = read_outputs(published(self.certificate), self.read, shapes(descriptor), kinds(descriptor))
        return Release(certificate=self.certificate, outputs=outputs, entry=self.entry)


@dataclass(frozen=True, eq=False)
class Listing:
    """Summaries of all bundles at one moment, with facts about all of them for pages that show a few."""

    spines: Sequence[BundleSummary]
    """Summaries, newest first."""

    @cached_property
    def populations(self) -> Sequence[str]:
        """Names of populations."""
        return sorted({spine.population for spine in self.spines})

    @cached_property
    def publishers(self) -> Sequence[str]:
        """Names of publishers."""
        return sorted({spine.publisher for spine in self.spines if spine.publisher})

    @cached_property
    def topics(self) -> Sequence[str]:
        return sorted({topic for spine in self.spines for topic in spine.topics})

    @cached_property
    def ledgers(self) -> Sequence[Sequence[BundleSummary]]:
        """Summaries of each ledger and signer, with the longest checkpoints first."""
        found: dict[tuple[str, str], list[BundleSummary]] = {}
        for spine in self.spines:
            found.setdefault(spine.ledger, []).append(spine)
        return [sorted(group, key=lambda spine: spine.size, reverse=True) for group in found.values()]

    def after(self, release_id: str) -> Sequence[BundleSummary]:
        """Return the releases published before this one. Raises InputError where it is not listed."""
        place = self._places.get(release_id)
        if place is None:
            raise InputError("after", found=release_id, allowed=phrase("store.id_release"))
        return self.spines[place + 1 :]

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {spine.id: place for place, spine in enumerate(self.spines)}


class BundleIndex:
    """Published bundles of one source. A publication is permanent: bundles that were opened are kept.

    A list is made of summaries, which take a tenth of the time; a bundle is shown from the opened one.
    """

    def __init__(self, source: PublicSource) -> None:
        self.source = source
        self._opened: dict[str, Bundle] = {}
        self._spines: dict[str, BundleSummary] = {}
        self._damaged: set[str] = set()
        self._listed: tuple[Stamp, Listing] | None = None

    def bundle(self, release_id: str) -> Bundle:
        """Return a bundle. Raises InputError where there is no such release, IntegrityError where a file was changed.

        A folder may have the name of another release: then its notices would be looked for in vain.
        """
        found = self._opened.get(release_id)
        if found is None:
            found = Bundle.open(release_id, self.source.folder(release_id))
            if found.certificate.id != release_id:
                raise IntegrityError(phrase("portal.another_release_lies_place", release_id=release_id))
            self._opened[release_id] = found
        return found

    def said(self, bundle: Bundle) -> PublisherNotices:
        """Return the genuine notices about a release since its publication, and the number of missing ones."""
        return next(self.said_of([bundle]))

    def said_of(self, bundles: Iterable[Bundle]) -> Iterator[PublisherNotices]:
        """Yield the same for several, one after another: the checkpoints that lie here are looked through once."""
        histories = self._histories(self.listing())
        for bundle in bundles:
            own = bundle.history
            known = next((each for each in histories if is_of(own, each)), own)  # the longest is the first
            yield judged(bundle.id, bundle.certificate.day, self.source.notices(bundle.id), own, known)

    def publisher(self) -> str:
        """Return the publisher of the newest release that states one; empty where none does."""
        return next((spine.publisher for spine in self.listing().spines if spine.publisher), "")

    def noticed(self) -> Mapping[str, PublisherNotices]:
        """Return what was said of each release that has notices, or should have some by a checkpoint that lies here."""
        listing = self.listing()
        named = {*self.source.noticed(), *(id_ for each in self._histories(listing) for id_ in each.checkpoint.notices)}
        bundles = list(self.open(spine for spine in listing.spines if spine.id in named))
        return {bundle.id: said for bundle, said in zip(bundles, self.said_of(bundles), strict=True)}

    def checkpoint(self) -> History | None:
        """Return the longest checkpoint of a ledger that an intact bundle here is of; any, where there is no bundle."""
        listing = self.listing()
        own = self._own(listing)
        histories = self._histories(listing)
        return next((each for each in histories if not own or any(is_of(one, each) for one in own)), None)

    def _own(self, listing: Listing) -> Sequence[History]:
        """Return the longest checkpoint in an intact bundle of each ledger and signer: others add nothing to these."""
        return [bundle.history for spines in listing.ledgers for bundle in self.open(spines, 1)]

    def _histories(self, listing: Listing) -> Sequence[History]:
        """Return the checkpoints that lie here, longest first."""
        beside, own = self.source.checkpoint(), self._own(listing)
        return sorted([*([] if beside is None else [beside]), *own], key=_size, reverse=True)

    def bundles(self) -> Sequence[Bundle]:
        """Return all intact bundles, newest first; each is opened."""
        return list(self.open(self.listing().spines))

    def open(self, spines: Iterable[BundleSummary], most: int | None = None) -> Iterator[Bundle]:
        """Return the bundles of summaries, as many as are asked for; those that are not intact are passed over."""
        return islice(filter(None, (self._intact(spine.id) for spine in spines)), most)

    def intact(self, spines: Sequence[BundleSummary]) -> Sequence[BundleSummary]:
        """Return the summaries without those known by now to be damaged."""
        return [spine for spine in spines if spine.id not in self._damaged] if self._damaged else spines

    def certificates(self, population: str) -> Iterator[Certificate]:
        """Return the certificates of the releases of a population, newest first, opened one after another."""
        spines = (spine for spine in self.listing().spines if spine.population == population)
        return (bundle.certificate for bundle in self.open(spines))

    def listing(self) -> Listing:
        """Return all summaries. The folder is read again where a release came or went, or one is damaged."""
        stamp, listed = self.source.stamp(), self._listed
        if listed is not None and listed[0] == stamp:
            return listed[1]
        names = self.source.names()
        found = [spine for spine in map(self.spine, names) if spine is not None]
        listing = Listing(sorted(found, key=lambda spine: spine.order, reverse=True))
        if stamp is not None and len(found) == len(names):
            self._listed = (stamp, listing)
        return listing

    def spine(self, release_id: str) -> BundleSummary | None:
        """Return the summary of a bundle; None for a folder that is still being copied, or damaged."""
        if release_id in self._damaged and self._intact(release_id) is None:
            return None
        found = self._spines.get(release_id)
        if found is None:
            try:
                found = self._spines[release_id] = BundleSummary.read(release_id, self.source.folder(release_id))
            except InputError:
                return None
            except (OSError, ValueError, RecursionError) as error:
                LOG.error("%s is not shown: its files cannot be read (%s)", release_id, type(error).__name__)
        return found

    def _intact(self, release_id: str) -> Bundle | None:
        """Return a bundle; None for a folder that is still being copied, or damaged."""
        try:
            bundle = self.bundle(release_id)
            _ = bundle.history
        except (InputError, IntegrityError, KeyError, TypeError, ValueError) as error:
            if not isinstance(error, InputError):
                LOG.error("%s is not shown: its files are not as signed (%s)", release_id, type(error).__name__)
            self._damaged.add(release_id)
            self._spines.pop(release_id, None)
            self._listed = None
            return None
        self._damaged.discard(release_id)
        return bundle


def _size(history: History) -> int:
    return history.checkpoint.size
