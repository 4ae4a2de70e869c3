"""The public portal as a process of its own: it reads a public folder, and has neither ledger, key nor table."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from dprelease.portal.shelf import BundleIndex
from dprelease.portal.source import PublicFolder
from dprelease.web import api, portal, releases
from dprelease.web.guard import LOCAL, Guard
from dprelease.web.notice import notice
from dprelease.web.public import Window
from dprelease.web.run import proxies
from dprelease.web.well_known import ROUTES as WELL_KNOWN


def application(folder: Path, hosts: Sequence[str] = LOCAL) -> Starlette:
    """Everything public that lies in a folder. Raises InputError where there is no such folder."""
    window = Window(BundleIndex(PublicFolder(folder)))

    def look() -> Window:
        return window

    async def into_portal(request: Request) -> Response:
        return RedirectResponse(f"{portal.PREFIX}/", status_code=307)

    async def nothing(request: Request) -> Response:
        return notice("missing_title", "missing_text", status=404)

    public = [*api.routes(look), *releases.routes(look), *portal.routes(look)]
    own = [Route("/", into_portal), *WELL_KNOWN, *public, Route("/{rest:path}", nothing)]
    return Starlette(routes=own, middleware=[Middleware(Guard, hosts=(*LOCAL, *hosts))])


def run(portal: Starlette, *, address: str, port: int) -> None:
    """Serve until it is stopped."""
    import_module("pandas")  # while one thread loads it, charts cannot be drawn by another
    import uvicorn

    from dprelease.web.heads import server_options

    options = server_options(proxies())
    uvicorn.run(portal, host=address, port=port, log_level="warning", access_log=False, **options)
