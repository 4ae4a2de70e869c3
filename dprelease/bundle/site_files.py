"""Files beside a bundle: the notices about it, and the last checkpoint of its publisher's ledger."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urljoin

from dprelease.bundle.fetch import Download, is_address, located
from dprelease.bundle.history import History
from dprelease.bundle.notices import CHECKPOINT, PublisherNotices, judged, listed_in, newest, notices_path
from dprelease.errors import InputError, IntegrityError
from dprelease.model.encoding import read_json
from dprelease.words import phrase

MOST = 10_000_000
"""Largest size of each of them in bytes."""
UP = "../"
"""Prefix of names in a zip file's content that lie beside the bundle."""


@dataclass(frozen=True, slots=True)
class SiteFiles:
    """Bytes of both files, as they lie there; None where there is none."""

    notices: bytes | None = None
    checkpoint: bytes | None = None

    @classmethod
    def find(cls, source: str | Path, release_id: str, packed: Mapping[str, bytes]) -> SiteFiles:
        """Look in the zip file itself, else beside the folder or file, or where a web server offers the folder."""
        own = cls(packed.get(UP + notices_path(release_id)), packed.get(UP + CHECKPOINT))
        if own != cls():
            return own
        if is_address(source):
            return _fetched(str(source), release_id)
        folder = Path(source).absolute().parent
        places = [folder, *([folder.parent] if folder.name == "releases" else ())]
        found = [data for place in places if (data := _read(place / CHECKPOINT)) is not None]
        return cls(_read(folder / notices_path(release_id)), found[0] if found else None)

    def history(self) -> History | None:
        """Return the checkpoint, if any. Raises IntegrityError where it is none, or not as it was signed."""
        if self.checkpoint is None:
            return None
        try:
            history = History.read(read_json(self.checkpoint, CHECKPOINT, whole=True))
            history.check()
        except IntegrityError as cause:
            raise IntegrityError(
                phrase("bundle.notices_beside_bundle_was", checkpoint=CHECKPOINT, cause=cause)
            ) from None
        return history

    def said(self, release_id: str, published: str, own: History, *further: History) -> PublisherNotices:
        """Return the notices about a release. `further`: checkpoints of its ledger that were obtained elsewhere."""
        beside = self.history()
        known = newest(own, (*([] if beside is None else [beside]), *further))
        found = [] if self.notices is None else listed_in(self.notices, release_id)
        return judged(release_id, published, found, own, known)


def _read(path: Path) -> bytes | None:
    try:
        if not path.is_file():  # a pipe would be waited for
            return None
        with path.open("rb") as file:
            data = file.read(MOST + 1)
    except OSError:
        return None
    if len(data) > MOST:
        raise IntegrityError(phrase("bundle.notices_beside_bundle_more", path=path.name, most=MOST))
    return data


def _fetched(address: str, release_id: str) -> SiteFiles:
    """Fetch both, the checkpoint first: a notice added meanwhile is newer than it, and not missing."""
    download = Download(left=2 * MOST)
    base, _ = located(download, address)
    if base is None:
        return SiteFiles()
    found = next((data for place in _above(base) if (data := _optional(download, place + CHECKPOINT))), None)
    return SiteFiles(_optional(download, urljoin(base, UP) + notices_path(release_id)), found)


def _above(base: str) -> Iterator[str]:
    yield urljoin(base, UP)
    if urljoin(base, UP).endswith("/releases/"):
        yield urljoin(base, UP + UP)


def _optional(download: Download, address: str) -> bytes | None:
    """Return a file in JSON; None where there is none, or a page that says so."""
    try:
        data = download.get_optional(address)
    except InputError:
        return None
    return data if data is not None and data.lstrip()[:1] == b"{" else None
