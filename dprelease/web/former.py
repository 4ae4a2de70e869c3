"""Redirects from the addresses that places had before to those that they have now."""

from __future__ import annotations

from functools import partial

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from dprelease.model.stated import RELEASE_ID

FORMER = {
    "/desk": "/",
    "/data": "/tables",
    "/upload": "/tables",
    "/ledger": "/budget",
    "/account": "/settings",
    "/people": "/settings?tab=people",
    "/attacks": "/public/lab/",
    "/mechanisms": "/public/lab/mechanisms.html",
}
"""Addresses of now by those of before."""


def _onwards(request: Request, *, to: str) -> Response:
    """Send a browser on, with what its address asked for."""
    query = request.url.query if "?" not in to else ""
    return RedirectResponse(f"{to}?{query}" if query else to, status_code=308)


def _release(request: Request) -> Response:
    """Send a browser from the dashboard's page of a release to that of now; without its id, to the list."""
    release_id = request.query_params.get("id", "")
    is_one = RELEASE_ID.fullmatch(release_id) is not None
    return RedirectResponse(f"/own/release/{release_id}/" if is_one else "/releases", status_code=308)


ROUTES = [
    *(Route(each, partial(_onwards, to=to), methods=["GET"]) for each, to in FORMER.items()),
    Route("/release", _release, methods=["GET"]),
]
