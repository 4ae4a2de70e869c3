"""Bytes as HTTP serves them: with an ETag, kept where they never change, in parts where asked, to other sites too."""

from __future__ import annotations

import gzip
import hashlib
import re
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from threading import Lock

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse

from dprelease.bundle.listing import TIMESTAMP
from dprelease.portal.shelf import Bundle

FOREVER = "public, max-age=31536000, immutable"
"""For bytes that a signature names: they never change."""
ASK = "public, no-cache"
"""For what may change: caches ask again, by its ETag."""
MAX_KEPT = 64 * 2**20
"""Bytes in memory."""
LARGE = 4 * 2**20
"""Files from here on are read from disk each time, a piece at a time."""
WORTH_SQUEEZING = 1000
"""Bytes: what is shorter fits one packet."""
SQUEEZED = (2**18, 6, 1)
"""Bytes up to which gzip's usual level is quick enough, that level, and the quickest one."""
MAX_SQUEEZED = 16 * 2**20
"""Bytes of compressed representations in memory."""
TEXT = re.compile(r"text/.*|(?:application|image)/(?:.*[+.-])?(?:json|xml|yaml|graphql)(?:;.*)?")
"""Pattern of the media types that compress well."""
GZIP = re.compile(r"(?:gzip|\*)(?:;q=([01](?:\.[0-9]{0,3})?))?")
RANGE = re.compile(r"bytes=([0-9]{0,18})-([0-9]{0,18})")
CROSS_ORIGIN = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Link, Content-Length, Content-Range, Content-Disposition",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
PREFLIGHT = {
    **CROSS_ORIGIN,
    "Access-Control-Allow-Methods": "GET, HEAD, OPTIONS",
    "Access-Control-Allow-Headers": "If-None-Match, If-Range, Range",
    "Access-Control-Max-Age": "86400",
}
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time a zip file can hold: its bytes depend on nothing but its files."""
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".jsonld": "application/ld+json",
    ".yaml": "application/yaml",
    ".csv": "text/csv; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".parquet": "application/vnd.apache.parquet",
    ".pmml": "application/xml",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".pub": "application/x-pem-file",
    ".sig": "application/octet-stream",
    ".tsr": "application/timestamp-reply",
    "": "text/plain; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class Served:
    """A public representation. `path`: where large bytes lie, which then are not in `data`."""

    kind: str
    etag: str
    cache: str
    data: bytes = b""
    path: Path | None = None
    save_as: str = ""
    following: str | None = None
    """The address of the next page."""
    successor: str | None = None
    """The address of what took its place."""
    encoding: str = ""
    """Compression of the bytes, if any."""
    parts: Callable[[], Iterator[bytes]] | None = None
    """Function that makes them while they are sent, which then are not in `data`."""

    @classmethod
    def of(cls, data: bytes, kind: str, *, cache: str = ASK, save_as: str = "") -> Served:
        """Serve content with the ETag of its bytes."""
        return cls(kind, etag(hashlib.sha256(data).hexdigest()), cache, data, save_as=save_as)

    @property
    def headers(self) -> dict[str, str]:
        named = {"Content-Disposition": f'attachment; filename="{self.save_as}"'} if self.save_as else {}
        ranges = "none" if self.parts else "bytes"
        stated = {"ETag": self.etag, "Cache-Control": self.cache, "Accept-Ranges": ranges}
        varies = {"Vary": "Accept-Encoding"} if self.is_squeezable or self.encoding else {}
        links = {"next": self.following, "successor-version": self.successor}
        linked = {"Link": ", ".join(f'<{where}>; rel="{rel}"' for rel, where in links.items() if where)}
        encoded = {"Content-Encoding": self.encoding} if self.encoding else {}
        return {**stated, **varies, **CROSS_ORIGIN, **named, **(linked if linked["Link"] else {}), **encoded}

    @property
    def is_squeezable(self) -> bool:
        """True if it is worth compressing: text of some length, in memory."""
        return not self.encoding and len(self.data) >= WORTH_SQUEEZING and TEXT.fullmatch(self.kind) is not None

    def squeezed(self) -> Served:
        """Compress it, with an ETag of its own."""
        most, usual, quickest = SQUEEZED
        level = usual if len(self.data) <= most else quickest
        data = gzip.compress(self.data, compresslevel=level, mtime=0)
        return replace(self, data=data, etag=f'{self.etag[:-1]}-gzip"', encoding="gzip")


class ResponseCache:
    """Representations by their address, the least recently asked for forgotten first."""

    def __init__(self, most: int = MAX_KEPT) -> None:
        self._most = most
        self._bytes = 0
        self._items: OrderedDict[tuple[str, ...], Served] = OrderedDict()
        self._lock = Lock()

    def get(self, key: tuple[str, ...]) -> Served | None:
        """Return what is kept; None where it has to be made."""
        with self._lock:
            found = self._items.get(key)
            if found is not None:
                self._items.move_to_end(key)
            return found

    def make(self, key: tuple[str, ...], make: Callable[[], Served]) -> Served:
        """Return what is kept, or what is made now, and kept from now on."""
        found = self.get(key)
        if found is not None:
            return found
        found = make()
        with self._lock:
            if key not in self._items:
                self._items[key] = found
                self._bytes += len(found.data)
            while self._bytes > self._most and len(self._items) > 1:
                _, forgotten = self._items.popitem(last=False)
                self._bytes -= len(forgotten.data)
        return found


COMPRESSED = ResponseCache(MAX_SQUEEZED)
"""Compressed representations by the ETag of the plain one: each is made once."""


def etag(digest: str) -> str:
    """Return a strong entity tag of a SHA-256."""
    return f'"{digest[:32]}"'


async def answer(request: Request, served: Served) -> Response:
    """200, 206, 304 or 416, as the request's conditions ask for; compressed where the client takes gzip.

    A part that is asked for by its bytes is one of the plain representation.
    """
    asked = request.headers
    if served.is_squeezable and "range" not in asked and _takes_gzip(asked.get("accept-encoding", "")):
        key = (served.etag, served.kind)
        kept = COMPRESSED.get(key)
        if kept is None:
            kept = await run_in_threadpool(COMPRESSED.make, key, served.squeezed)
        served = replace(served, data=kept.data, etag=kept.etag, encoding=kept.encoding)
    headers = served.headers
    if _matches(asked.get("if-none-match", ""), served.etag):
        return Response(status_code=304, headers=headers)
    if served.path is not None:
        return FileResponse(served.path, headers=headers, media_type=served.kind)
    if served.parts is not None:
        body = iter(()) if request.method == "HEAD" else served.parts()
        return StreamingResponse(body, headers=headers, media_type=served.kind)
    wanted = asked.get("range")
    if wanted is not None and asked.get("if-range", served.etag) == served.etag:
        part = _part(wanted, len(served.data))
        if part is not None:
            return _partial(served, headers, *part)
    return Response(served.data, media_type=served.kind, headers=headers)


def preflight() -> Response:
    """Return what a browser is told that asks for another site whether it may."""
    return Response(status_code=204, headers=PREFLIGHT)


def _takes_gzip(accepted: str) -> bool:
    """Return True if gzip is accepted, by the first offer that names it; `*` is any."""
    offers = (GZIP.fullmatch(part.replace(" ", "").lower()) for part in accepted.split(","))
    found = next(filter(None, offers), None)
    return found is not None and float(found[1] or 1) > 0


def _matches(condition: str, tag: str) -> bool:
    tags = [part.strip().removeprefix("W/") for part in condition.split(",")]
    return tag in tags or "*" in tags


def _part(wanted: str, size: int) -> tuple[int, int] | None:
    """Return the first byte and the one after the last; None where the whole is answered instead."""
    match = RANGE.fullmatch(wanted.replace(" ", ""))
    if match is None or match[1] == match[2] == "":
        return None
    if not match[1]:
        return max(0, size - int(match[2])), size
    first = int(match[1])
    last = int(match[2]) if match[2] else size
    return None if last < first else (first, min(last + 1, size))


def _partial(served: Served, headers: Mapping[str, str], first: int, end: int) -> Response:
    size = len(served.data)
    if first >= end:
        return Response(status_code=416, headers={**CROSS_ORIGIN, "Content-Range": f"bytes */{size}"})
    stated = {**headers, "Content-Range": f"bytes {first}-{end - 1}/{size}"}
    return Response(served.data[first:end], status_code=206, media_type=served.kind, headers=stated)


def media_type(name: str) -> str:
    """Return the media type of a file of a bundle, by its name."""
    return TYPES.get(Path(name).suffix, "application/octet-stream")


def zipped(bundle: Bundle, beside: Mapping[str, bytes]) -> bytes:
    """Return the bundle as a zip file with one folder, and what lies beside that; the same bytes each time."""
    stamp = bundle.timestamp
    contents = {name: bundle.read(name) for name in bundle.sums} | ({} if stamp is None else {TIMESTAMP: stamp})
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        packed = {f"{bundle.id}/{name}": data for name, data in sorted(contents.items())}
        for name, data in (packed | dict(beside)).items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, 0o100644 << 16, 3
            archive.writestr(entry, data, compresslevel=9)
    return buffer.getvalue()
