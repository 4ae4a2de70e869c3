"""Download of a bundle from a web address. Its server is not trusted: its answers are limited in bytes and time."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urljoin, urlsplit

from dprelease.bundle import container
from dprelease.bundle.listing import CHECKSUMS, SIGNATURE, TIMESTAMP, listed
from dprelease.errors import InputError, IntegrityError
from dprelease.model.stated import RELEASE
from dprelease.words import Phrase, phrase, quoted

if TYPE_CHECKING:
    from http.client import HTTPResponse
    from urllib.request import OpenerDirector

ADDRESS = re.compile(r"https?://", re.IGNORECASE)
SILENCE = 30.0
"""Seconds without a byte after which a server is given up."""
PATIENCE = 900.0
"""Seconds for all files together."""
MAX_REDIRECTS = 5
REDIRECTS = (301, 302, 303, 307, 308)
NOT_THERE = (403, 404, 410)
PIECE = 2**16
LISTED = re.compile(rb"[0-9a-f]{64}  ")
PAGE = re.compile(rf"(.*?)(?:/[a-z]{{2}})?/release/({RELEASE})(?:/.*)?")
"""Pattern of the path of a portal's page about a release, in one of its languages."""
WHERE = phrase("bundle.server_says_404_sha256sums")
ZIP = b"PK\x03\x04"
DER = b"\x30"


def is_address(source: str | Path) -> bool:
    """Return True if a source is a web address and not a path."""
    return isinstance(source, str) and ADDRESS.match(source) is not None


def fetch_files(address: str) -> dict[str, bytes]:
    """Fetch every file of a bundle by its path inside it: from a zip file, or a folder that a web server offers.

    Of a folder those files are fetched that its SHA256SUMS lists, with its signature and, if there is one, its
    timestamp. Raises IntegrityError for what is not a bundle or too large, InputError where the server does not answer.
    """
    download = Download()
    base, found = located(download, address)
    if base is None:
        return container.unpacked(BytesIO(found), address)
    contents = {CHECKSUMS: found}
    names = listed(contents[CHECKSUMS]).keys()
    if len(names) > container.MAX_FILES:
        raise IntegrityError(
            phrase("bundle.more_than_files_bundle", checksums=CHECKSUMS, most_files=container.MAX_FILES)
        )
    for name in names:
        if not container.PLAIN.fullmatch(name):
            raise IntegrityError(phrase("bundle.file_does_belong_bundle", name=quoted(name)))
    for name in (SIGNATURE, *names):
        contents[name] = download.get(base + name)
    if TIMESTAMP not in contents:
        timestamp = download.get_optional(base + TIMESTAMP)
        if timestamp is not None and timestamp.startswith(DER):  # else a page that says there is no such file
            contents[TIMESTAMP] = timestamp
    return contents


def located(download: Download, address: str) -> tuple[str | None, bytes]:
    """Return the address of a bundle's folder with its SHA256SUMS; or None with the bytes of a zip file.

    The address of a page about a release leads to its files. Raises InputError where there are none.
    """
    base, packed = download.first(address)
    if packed is not None:
        return None, packed
    pages = [*_files_of(address), *_files_of(base)]
    for folder in dict.fromkeys((base, *pages)):
        found = download.get_optional(folder + CHECKSUMS)
        if found is not None and (LISTED.match(found) or not pages):
            return folder, found
    raise _refusal(address, WHERE)


def _files_of(address: str) -> list[str]:
    """Return possible addresses of a release's files, by the address of a page about it."""
    parts = urlsplit(address)
    page = PAGE.fullmatch(parts.path)
    if page is not None:
        places = [f"{page[1]}/releases/{page[2]}/", f"/r/{page[2]}/"]
    else:
        shown = re.search(rf"(?:^|&)id=({RELEASE})(?:&|$)", parts.query)
        api = re.fullmatch(rf".*/api/releases/({RELEASE})(?:/.*)?", parts.path)
        places = [f"/r/{found[1]}/" for found in (shown, api) if found is not None]
    return [parts._replace(path=place, query="", fragment="").geturl() for place in places]


def fetch(source: str | Path, most: int) -> bytes:
    """Read a file of at most `most` bytes, by its path or web address. Raises InputError where it cannot be read."""
    if is_address(source):
        return Download(left=most).get(str(source))
    try:
        with open(source, "rb") as file:
            data = file.read(most + 1)
    except (OSError, ValueError):
        data = None
    if data is None or len(data) > most:
        allowed = phrase("bundle.path_file_can_read", most=most)
        raise InputError("file", found=str(source), allowed=allowed)
    return data


class AbsentError(Exception):
    """Server's answer that there is nothing at an address."""

    def __init__(self, address: str) -> None:
        self.address = address
        super().__init__(address)


@dataclass
class Download:
    """Download of several files from an untrusted server, together within limits."""

    left: int = field(default_factory=lambda: container.MAX_BYTES)
    """Bytes that may still be received."""
    until: float = field(default_factory=lambda: time.monotonic() + PATIENCE)

    def get(self, address: str) -> bytes:
        """Return a file. Raises InputError where there is none."""
        with self._answer(address) as response:
            return self._rest(response)

    def get_optional(self, address: str) -> bytes | None:
        """Return a file; None where the server says that it is not there."""
        try:
            with self._answer(address, NOT_THERE) as response:
                return self._rest(response)
        except AbsentError:
            return None

    def first(self, address: str) -> tuple[str, bytes | None]:
        """Return the address of a bundle's folder; and the bytes found there where they are a zip file."""
        try:
            with self._answer(address, NOT_THERE) as response:
                address, start = response.url, response.read(len(ZIP))
                if start == ZIP:
                    return address, start + self._rest(response)
        except AbsentError as error:
            address = error.address  # a folder need not have a page of its own
        parts = urlsplit(address)
        path = parts.path.removesuffix("index.html").removesuffix("/")
        return parts._replace(path=f"{path}/", query="", fragment="").geturl(), None

    @contextmanager
    def _answer(self, address: str, absent: tuple[int, ...] = ()) -> Iterator[HTTPResponse]:
        """Yield the response, after redirects to other web addresses. Raises AbsentError for a status in `absent`."""
        from http.client import HTTPException
        from urllib.error import HTTPError, URLError

        try:
            with self._followed(address) as response:
                yield response
        except HTTPError as error:
            error.close()
            if error.code in absent:
                raise AbsentError(error.url) from None
            _refused(address, phrase("bundle.server_says", code=error.code, reason=quoted(error.reason)))
        except TimeoutError:
            _refused(address, phrase("bundle.server_does_answer_time"))
        except URLError as error:
            _refused(address, phrase("bundle.cannot_reached", reason=quoted(str(error.reason))))
        except (OSError, HTTPException, ValueError) as error:
            _refused(address, phrase("bundle.server_does_answer_web", kind=type(error).__name__))

    def _followed(self, address: str) -> HTTPResponse:
        from urllib.error import HTTPError
        from urllib.request import Request

        for _ in range(MAX_REDIRECTS + 1):
            self._check_time()
            try:
                response: HTTPResponse = _opener().open(Request(address), timeout=SILENCE)  # noqa: S310 (see is_address)
                return response
            except HTTPError as error:
                to = error.headers.get("Location")
                if error.code not in REDIRECTS or to is None:
                    raise
                error.close()
                target = urljoin(address, to)
                if not is_address(target):
                    raise IntegrityError(
                        phrase("bundle.leads_no_web_address", address=quoted(address), target=quoted(target))
                    ) from None
                address = target
        raise IntegrityError(phrase("bundle.leads_from_address_address", address=quoted(address)))

    def _rest(self, response: HTTPResponse) -> bytes:
        """Return the rest of a file, read as it arrives."""
        pieces = []
        while piece := response.read1(PIECE):
            self._check_time()
            self.left -= len(piece)
            if self.left < 0:
                raise IntegrityError(phrase("bundle.server_sends_more_bytes", url=quoted(response.url)))
            pieces.append(piece)
        return b"".join(pieces)

    def _check_time(self) -> None:
        if time.monotonic() > self.until:
            raise TimeoutError


def _opener() -> OpenerDirector:
    """Return an opener of web addresses only, through the proxies that are set, which follows no redirect."""
    from urllib.request import (
        HTTPDefaultErrorHandler,
        HTTPErrorProcessor,
        HTTPHandler,
        HTTPSHandler,
        OpenerDirector,
        ProxyHandler,
        UnknownHandler,
    )

    opener = OpenerDirector()
    for handler in (
        ProxyHandler(),
        HTTPHandler(),
        HTTPSHandler(),
        HTTPErrorProcessor(),
        HTTPDefaultErrorHandler(),
        UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener


def _refused(address: str, why: Phrase) -> NoReturn:
    raise _refusal(address, why) from None


def _refusal(address: str, why: Phrase) -> InputError:
    return InputError("address", found=address, allowed=phrase("bundle.web_address_file_bundle"), remedy=why)
