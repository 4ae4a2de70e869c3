"""Stands before every request: answers to its own names only, and sets the security headers of every response."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dprelease.web.cookies import is_from_own_page, visitor_of
from dprelease.web.former import FORMER
from dprelease.web.language import asked_anew, marked, spoken
from dprelease.web.words import say
from dprelease.words.language import speaking

LOG = logging.getLogger("dprelease.web")
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
PLAIN = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
"""For our own pages and files: no script at all."""
DASHBOARD = (
    "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; worker-src 'self' blob:; "
    "object-src 'none'; form-action 'self'; base-uri 'self'; frame-ancestors 'none'"
)
"""For Streamlit, which brings a line of inline script and writes its styles into the page."""
PORTAL = (
    "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; script-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""For the public portal, whose script files compare, check and try models in the visitor's browser."""
EMBED = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors *"
"""For what any site may show in a frame: a picture in the page, and no script."""
LOGO = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"
"""For the office's logo, which somebody else drew: opened by itself, it runs and fetches nothing."""
LOGOS = ("/public/office-logo.svg", "/public/office-logo.png")
LOCAL = ("localhost", "127.0.0.1", "::1")
"""Names of this machine."""
VISITOR = "x-dprelease-visitor"
"""Named in `.streamlit/config.toml` as what tells Streamlit whose a tab is."""
OURS = (
    "/api",
    "/r",
    "/public",
    "/v",
    "/series",
    "/embed",
    "/language",
    "/guide",
    "/upload",
    *FORMER,
    "/reports",
    "/federation",
    "/remote",
    "/sign-in",
    "/sign-out",
    "/robots.txt",
)


class Guard:
    """ASGI middleware; `hosts` are the names a browser may call this server by."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        self.app = app
        self.hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        if hostname(Headers(scope=scope).get("host", "")) not in self.hosts:
            await self._refuse(scope, receive, send)
        elif scope["type"] == "websocket":
            if not is_from_own_page(HTTPConnection(scope)):
                await self._refuse(scope, receive, send)
            else:
                await self.app(with_visitor(scope), receive, send)
        else:
            code = spoken(scope)
            with speaking(code):
                sending = with_headers(scope, send if is_ours(scope) else marked(code, send))
                await self._answer(scope if is_ours(scope) else asked_anew(scope, code), receive, sending)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            with speaking(spoken(scope)):
                response = PlainTextResponse(say("wrong_host"), status_code=400)
            await response(scope, receive, with_headers(scope, send))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def noting(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, receive, noting)
        except Exception as error:  # noqa: BLE001 (the log learns which error and where, never its text)
            places = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)[-5:]]
            LOG.error("%s at %s", type(error).__name__, " > ".join(places))
            if not begun:
                failed = JSONResponse({"error": "failed", "message": say("failed")}, status_code=500)
                await failed(scope, receive, send)


def with_visitor(scope: Scope) -> Scope:
    """Say whose a tab is, by a hash of its cookie: Streamlit gives it back to that one only.

    A tab is asked for by its id, which is no secret. What a browser says in that header itself is dropped.
    """
    others = [(name, value) for name, value in scope["headers"] if name.lower() != VISITOR.encode()]
    return {**scope, "headers": [*others, (VISITOR.encode(), visitor_of(HTTPConnection(scope)).encode())]}


def is_ours(scope: Scope) -> bool:
    """Return True if an address is one of our own pages and files, not Streamlit's."""
    return any(scope["path"] == path or scope["path"].startswith(f"{path}/") for path in OURS)


def with_headers(scope: Scope, send: Send) -> Send:
    """Send the same, with the security headers that suit the address."""
    ours = is_ours(scope)

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            if _is_embedded(scope["path"]):
                del headers["X-Frame-Options"]
            headers["Content-Security-Policy"] = _policy(scope["path"]) if ours else DASHBOARD
            if ours:
                headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return sending


def _policy(path: str) -> str:
    """Return the content security policy of one of our own addresses."""
    if _is_embedded(path):
        return EMBED
    if path in LOGOS:
        return LOGO
    return PORTAL if path.startswith("/public/") else PLAIN


def _is_embedded(path: str) -> bool:
    """Return True if other sites may show the page in a frame."""
    return path.startswith("/embed/")


def hostname(host: str) -> str:
    """Return the name in a Host header, without port and brackets."""
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
    return name.strip("[]").lower()
