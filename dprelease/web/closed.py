"""Closes the side doors that Streamlit's server brings and this program does not use, and its uploads to strangers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from http import HTTPStatus
from importlib.util import find_spec
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from dprelease.errors import AccessError
from dprelease.web.cookies import is_from_own_page, visitor_of
from dprelease.web.identity import visitor
from dprelease.web.notice import notice
from dprelease.web.operation import refusal
from dprelease.workspace.access import authorise

UNUSED = ("/_stcore/metrics", "/_stcore/script-health-check", "/_stcore/agent", "/auth", "/oauth2callback", "/app")
"""Counts of sessions and caches, an interface for programs, another way to sign in, files beside the script."""
PARTS = ("/", "/_stcore/health", "/_stcore/host-config", "/_stcore/stream", "/favicon.png", "/manifest.json")
"""Addresses that Streamlit's pages fetch."""
FOLDERS = ("/_stcore/upload_file", "/_stcore/bidi-components", "/component", "/media")
"""Prefixes of some of them. Streamlit answers any other address with its page, as if it were there."""
STATIC = "/static/"
"""Streamlit's own scripts and fonts, by the files of its package."""
UPLOADS = "/_stcore/upload_file"
"""Takes a file into memory before any of our code runs, for the tab that is named after it."""
DOTS_OR_CONTROLS = re.compile(r"(?:^|/)\.\.?(?:/|$)|[\x00-\x1f\x7f]")
"""Segments that a browser resolves, which only a quoted one leaves in an address; and what no address of ours holds."""
Whose = Callable[[str, str], bool]
"""Callable that returns True if a tab, by its id, is that of a visitor, as `cookies.visitor_of` tells them."""


class Closed:
    """ASGI middleware: 404 for what is not used or not there; 403 for an upload by somebody who may not bring a table,
    or into the tab of another.

    `known`: the addresses of pages. `folders`: what other addresses begin with that are answered further in.
    """

    def __init__(self, app: ASGIApp, known: Sequence[str], folders: Sequence[str], whose: Whose) -> None:
        self.app = app
        self.known = frozenset((*PARTS, *known))
        self.folders = tuple(f"{each}/" for each in (*FOLDERS, *folders))
        self.whose = whose

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] == "http" and any(path == each or path.startswith(f"{each}/") for each in UNUSED):
            await refusal(404, "not_found")(scope, receive, send)
        elif scope["type"] == "http" and not self._is_known(path):
            await _missing(path)(scope, receive, send)
        elif scope["type"] == "http" and path.startswith(UPLOADS) and not await run_in_threadpool(self._may, scope):
            await refusal(403, "no_access_text")(scope, receive, send)
        else:
            try:
                await self.app(scope, receive, send)
            except HTTPException as error:  # by routes that stand before Streamlit's, whose own answers it
                if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
                    await refusal(405, "not_allowed", error.headers)(scope, receive, send)
                else:
                    await _missing(path)(scope, receive, send)

    def _is_known(self, path: str) -> bool:
        if DOTS_OR_CONTROLS.search(path):
            return False
        if path.startswith(STATIC):
            return path in _static_files()
        return path.removesuffix("/") in self.known or path in self.known or path.startswith(self.folders)

    def _may(self, scope: Scope) -> bool:
        request = Request(scope)
        try:
            authorise("receive_upload", visitor(request))
        except AccessError:
            return False
        tab = scope["path"].removeprefix(f"{UPLOADS}/").partition("/")[0]
        return is_from_own_page(request) and self.whose(tab, visitor_of(request))


def _missing(path: str) -> Response:
    """In JSON for programs, by a token as their other errors (RFC 9457), else as a page."""
    if path.startswith("/remote/"):
        told = {"type": "about:blank", "title": "Not Found", "status": 404, "code": "not_found"}
        return JSONResponse(told, status_code=404, media_type="application/problem+json")
    if path.startswith("/api/"):
        return refusal(404, "not_found")
    return notice("missing_title", "missing_text", status=404)


@cache
def _static_files() -> frozenset[str]:
    """Return the addresses of the files that Streamlit's package brings; none where it is not installed."""
    found = find_spec("streamlit")
    folders = [Path(each) / "static" for each in (found and found.submodule_search_locations) or ()]
    return frozenset(f"/{path.relative_to(each).as_posix()}" for each in folders for path in each.glob("static/**/*.*"))
