"""Closes the side doors that Streamlit's server brings and this program does not use, and its uploads to strangers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from dprelease.errors import AccessError
from dprelease.web.cookies import is_from_own_page, visitor_of
from dprelease.web.identity import visitor
from dprelease.web.notice import notice
from dprelease.web.operation import refusal
from dprelease.workspace.access import authorise

UNUSED = ("/_stcore/metrics", "/_stcore/script-health-check", "/_stcore/agent", "/auth", "/oauth2callback", "/app")
"""Counts of sessions and caches, an interface for programs, another way to sign in, files beside the script."""
PARTS = ("/_stcore", "/static", "/component", "/media", "/favicon.png", "/manifest.json")
"""What Streamlit's pages fetch."""
UPLOADS = "/_stcore/upload_file"
"""Takes a file into memory before any of our code runs, for the tab that is named after it."""
Whose = Callable[[str, str], bool]
"""Whether a tab, by its id, is that of a visitor, as `cookies.visitor_of` tells them."""


class Closed:
    """ASGI middleware: 404 for what is not used or not there; 403 for an upload by somebody who may not bring a table,
    or into the tab of another.

    `known`: the addresses of pages, and what all other addresses begin with that are answered further in.
    """

    def __init__(self, app: ASGIApp, known: Sequence[str], whose: Whose) -> None:
        self.app = app
        self.known = tuple(known)
        self.whose = whose

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] == "http" and any(path == each or path.startswith(f"{each}/") for each in UNUSED):
            await refusal(404, "not_found")(scope, receive, send)
        elif scope["type"] == "http" and not self._is_known(path):
            await notice("missing_title", "missing_text", status=404)(scope, receive, send)
        elif scope["type"] == "http" and path.startswith(UPLOADS) and not await run_in_threadpool(self._may, scope):
            await refusal(403, "no_access_text")(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _is_known(self, path: str) -> bool:
        return path == "/" or any(path == each or path.startswith(f"{each}/") for each in (*PARTS, *self.known))

    def _may(self, scope: Scope) -> bool:
        request = Request(scope)
        try:
            authorise("receive_upload", visitor(request))
        except AccessError:
            return False
        tab = scope["path"].removeprefix(f"{UPLOADS}/").partition("/")[0]
        return is_from_own_page(request) and self.whose(tab, visitor_of(request))
