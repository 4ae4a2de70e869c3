"""Signing in by a one-time link, and out."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from dprelease.errors import AccessError
from dprelease.web.notice import notice, question
from dprelease.workspace.process import COOKIE, current

SECONDS = 12 * 3600
"""How long a browser keeps the cookie; the server ends the session by its own clock."""


def sign_in(request: Request) -> Response:
    """Redeems `?token=` and sets the session's cookie, which no script can read."""
    try:
        session = current().sign_in(request.query_params.get("token", ""))
    except AccessError:
        return notice("bad_link_title", "bad_link_text", status=403)
    response = RedirectResponse("/", status_code=303)
    response.set_cookie(
        COOKIE, session, max_age=SECONDS, httponly=True, samesite="lax", secure=request.url.scheme == "https"
    )
    return response


def sign_out(request: Request) -> Response:
    """Asks on GET; on POST ends the session on the server, and forgets the cookie."""
    if request.method != "POST":
        return question()
    current().sign_out(request.cookies.get(COOKIE, ""))
    response = RedirectResponse("/", status_code=303)
    response.delete_cookie(COOKIE, httponly=True, samesite="lax")
    return response


ROUTES = [Route("/sign-in", sign_in, methods=["GET"]), Route("/sign-out", sign_out, methods=["GET", "POST"])]
