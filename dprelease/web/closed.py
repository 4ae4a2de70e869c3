"""Closes the side doors that Streamlit's server brings and this program does not use, and its uploads to strangers."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from dprelease.errors import AccessError
from dprelease.web.identity import visitor
from dprelease.web.operation import refusal
from dprelease.workspace.access import authorise

UNUSED = ("/_stcore/metrics", "/_stcore/script-health-check", "/_stcore/agent", "/auth", "/oauth2callback", "/app")
"""Counts of sessions and caches, an interface for programs, another way to sign in, files beside the script."""
UPLOADS = "/_stcore/upload_file"
"""Takes a file into memory before any of our code runs."""


class Closed:
    """ASGI middleware: 404 for what is not used, 403 for an upload by somebody who may not bring a table."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] == "http" and any(path == each or path.startswith(f"{each}/") for each in UNUSED):
            await refusal(404, "not_found")(scope, receive, send)
        elif scope["type"] == "http" and path.startswith(UPLOADS) and not await run_in_threadpool(_may, scope):
            await refusal(403, "no_access_text")(scope, receive, send)
        else:
            await self.app(scope, receive, send)


def _may(scope: Scope) -> bool:
    try:
        authorise("receive_upload", visitor(Request(scope)))
    except AccessError:
        return False
    return True
