"""One address of the public interface: what answers it, and how that is described."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from dprelease.errors import InputError, IntegrityError
from dprelease.portal.cells import AskedError
from dprelease.web.limits import RateLimit, address, api_per_minute
from dprelease.web.public import Look, Window
from dprelease.web.served import CROSS_ORIGIN, Served, answer, preflight
from dprelease.web.words import say

LOG = logging.getLogger("dprelease.web")
ASKED = RateLimit(api_per_minute(), 60)
"""Rate limit of one address; a deployment for few readers sets it lower."""
ANY = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]
Make = Callable[[Window, Request], Served]


@dataclass(frozen=True, slots=True)
class Operation:
    """Operation of the public interface: one address and its answer."""

    name: str
    path: str
    """With places in braces, as Starlette and OpenAPI both write them."""
    summary: str
    kind: str
    """The media type of its answers."""
    make: Make
    """May take a while; runs beside the event loop. Raises InputError where nothing is published there."""
    final: bool
    """True if the answer never changes: then it is kept, and the next answer needs no other thread."""
    queries: Mapping[str, str]
    """Selection by each query parameter, described by the parameter's name."""
    schema: Mapping[str, Any] | None
    """JSON Schema of the answer, where it is JSON."""
    also: Sequence[str] = ()
    """Further media types that it can be asked for."""
    shapes: Mapping[str, Any] = field(default_factory=dict)
    """JSON Schema by query parameter, for those that are not any text."""
    keys: str = ""
    """Selection by further parameters, whose names differ from table to table; then all others are refused with 400."""

    def route(self, look: Look) -> Route:
        """Return the route of the operation, for every method."""

        async def endpoint(request: Request) -> Response:
            return await guarded(request, lambda: self._served(request, look()))

        return Route(self.path, endpoint, methods=ANY, name=self.name)

    async def _served(self, request: Request, window: Window) -> Served:
        if not self.final:
            return await run_in_threadpool(self.make, window, request)
        key = (self.name, *request.path_params.values())
        kept = window.kept.get(key)
        if kept is None:
            kept = await run_in_threadpool(window.kept.make, key, lambda: self.make(window, request))
        return kept


def operation(
    path: str,
    kind: str,
    *,
    final: bool = False,
    queries: Mapping[str, str] | None = None,
    schema: Mapping[str, Any] | None = None,
    also: Sequence[str] = (),
    shapes: Mapping[str, Any] | None = None,
    keys: str = "",
) -> Callable[[Make], Operation]:
    """Make an operation of the function that answers it; the function's name and docstring name and describe it."""

    def made(make: Make) -> Operation:
        summary = (make.__doc__ or "").removesuffix(".")
        asked = queries or {}
        return Operation(make.__name__, path, summary, kind, make, final, asked, schema, also, shapes or {}, keys)

    return made


async def guarded(request: Request, find: Callable[[], Awaitable[Served]]) -> Response:
    """GET and HEAD answered, OPTIONS explained, everything else refused; what is missing is said in JSON."""
    hasty = too_often(request)
    if hasty is not None:
        return hasty
    if request.method == "OPTIONS":
        return preflight()
    if request.method not in ("GET", "HEAD"):
        return refusal(405, "not_allowed", {"Allow": "GET, HEAD, OPTIONS"})
    try:
        return await answer(request, await find())
    except AskedError as error:
        return _unknown(error)
    except InputError:
        return refusal(404, "not_found")
    except IntegrityError as error:
        LOG.error("a published file is not what was signed: %s", error)
        return refusal(500, "damaged")


def too_often(request: Request, limit: RateLimit | None = None) -> Response | None:
    """Take one try of whoever asks; return the refusal where none is left."""
    return None if (limit or ASKED).allows(address(request)) else refusal(429, "too_often_text", {"Retry-After": "60"})


def _unknown(error: AskedError) -> JSONResponse:
    """Return a refusal that states the allowed values, all of them public; nothing the visitor sent is repeated."""
    more = {"parameter": error.place or None, "nearest": error.nearest, "allowed": error.allowed, "of": error.count}
    return refusal(400, error.key, more=more)


def refusal(
    status: int, key: str, headers: Mapping[str, str] | None = None, more: Mapping[str, Any] | None = None
) -> JSONResponse:
    """Return an error in JSON. Nothing that a visitor sent is repeated."""
    stated = {"Cache-Control": "no-store", **CROSS_ORIGIN, **(headers or {})}
    return JSONResponse({"error": key, "message": say(key), **(more or {})}, status_code=status, headers=stated)
