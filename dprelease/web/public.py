"""Everything public, answered before the dashboard is asked: no session, no sign-in, no private file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import BaseRoute, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from dprelease.portal.cells import TableCache
from dprelease.portal.pages import Portal
from dprelease.portal.shelf import BundleIndex
from dprelease.portal.source import PublicFolder
from dprelease.web.served import ResponseCache

if TYPE_CHECKING:
    from dprelease.workspace import Workspace


class Window:
    """Public releases, and what was made of them to be served."""

    def __init__(self, shelf: BundleIndex, entrance: str = "") -> None:
        self.shelf = shelf
        self.portal = Portal(shelf, served=True, entrance=entrance)
        self.kept = ResponseCache()
        self.held = TableCache()


def of_this_process() -> Window:
    """Return what the workspace of this process published: its public folder, without ledger or anything private."""
    from dprelease.workspace.process import current

    return _window(current())


@lru_cache(maxsize=1)
def _window(workspace: Workspace) -> Window:
    return Window(BundleIndex(PublicFolder(workspace.releases.folder)), entrance="/sign-in")


Look = Callable[[], Window]
"""Callable by which the routes find what is public."""


Known = Callable[[Request], bool]
"""Callable that returns True if a request is of somebody who is signed in."""


class PublicMiddleware:
    """ASGI middleware: answers some addresses itself, and leaves all others to what it stands before.

    `home`: where to send whoever asks for `/` and is not `known`: there is one site for the public, and one for staff.
    """

    def __init__(
        self, app: ASGIApp, routes: Sequence[BaseRoute], prefixes: Sequence[str], *, home: str, known: Known
    ) -> None:
        self.app = app
        self.home = home
        self.known = known
        self.router = Router(routes, redirect_slashes=False)
        self.prefixes = tuple(prefixes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] == "http" and path == "/" and not await run_in_threadpool(self.known, Request(scope)):
            await RedirectResponse(self.home, headers={"Cache-Control": "no-store"}, status_code=302)(
                scope, receive, send
            )
            return
        ours = scope["type"] == "http" and any(path == each or path.startswith(f"{each}/") for each in self.prefixes)
        await (self.router if ours else self.app)(scope, receive, send)
