"""Identity of the sender of a request: sign-in by a one-time link or a password, and a code; sign-out; tokens."""

from __future__ import annotations

from functools import partial
from urllib.parse import parse_qs, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from dprelease.errors import AccessError
from dprelease.model.actor import PUBLIC, Actor, Role
from dprelease.web.cookies import cookie_of, session_of
from dprelease.web.heads import SECONDS as HEAD_SECONDS
from dprelease.web.limits import RateLimit, TooLargeError, address, body_of
from dprelease.web.notice import by_link, code_asked, entrance, notice, question
from dprelease.web.provider import configured
from dprelease.workspace import sample
from dprelease.workspace.process import current

SECONDS = 12 * 3600
"""Seconds that a browser keeps the cookie; the server ends the session by its own clock."""
MAX_BYTES = 4096
"""Maximum bytes of a form with a name and a password."""
PROVIDER = "/sign-in/provider"
TRIES = RateLimit(10, 60)
"""Rate limit of passwords and links from one address."""


async def sign_in(request: Request) -> Response:
    """Take a name and a password, or the token of a link, and set the session's cookie, which no script can read.

    Where a second factor is on, the cookie is that of half a sign-in, which opens nothing, until a code follows.

    Looking at a link uses nothing up, and signs nobody in: programs that read mail look at links, and other pages send
    browsers to them.
    """
    token = request.query_params.get("token")
    if request.method in ("GET", "HEAD") and token is None:
        half = "anew" not in request.query_params and await _awaits_code(request)
        return code_asked() if half else _entrance()
    if not TRIES.allows(address(request)):
        return notice("too_often_title", "too_often_text", status=429, headers={"Retry-After": "60"})
    if request.method in ("GET", "HEAD"):
        person = await run_in_threadpool(current().people.link_person, token or "")
        return _bad_link() if person is None else by_link(person, token or "")
    if not is_from_here(request):
        return notice("elsewhere_title", "elsewhere_text", status=403)
    fields = await _fields(request)
    if "code" in fields:
        return await _by_code(request, fields["code"])
    given = fields.get("token")
    try:
        if given is not None:
            return await _begun(request, await run_in_threadpool(current().people.sign_in, given))
        by_password = partial(current().people.sign_in_by_password, address=address(request))
        names = (fields.get("name", ""), fields.get("password", ""))
        return await _begun(request, await run_in_threadpool(by_password, *names))
    except AccessError:
        return _entrance(refused=True) if given is None else _bad_link()


async def _by_code(request: Request, code: str) -> Response:
    """Make half a sign-in whole, with another cookie."""
    by_code = partial(current().people.sign_in_by_code, address=address(request))
    try:
        return admitted(request, await run_in_threadpool(by_code, session_of(request), code))
    except AccessError:
        return code_asked(refused=True) if await _awaits_code(request) else _entrance(refused=True)


async def _begun(request: Request, token: str) -> Response:
    """Let somebody in, or ask for their code."""
    half = await run_in_threadpool(current().people.awaits_code, token)
    return admitted(request, token) if half is None else admitted(request, token, to="/sign-in")


async def _awaits_code(request: Request) -> bool:
    return await run_in_threadpool(current().people.awaits_code, session_of(request)) is not None


def admitted(request: Request, session: str, *, to: str | None = None) -> Response:
    """Let somebody in, with the cookie of their session; where half a sign-in is shown, to the page for the code.

    Each begins where its work is: who makes releases at the desk, who decides at the reviews.
    """
    response = RedirectResponse(_start(session) if to is None else to, status_code=303)
    response.set_cookie(
        cookie_of(request),
        session,
        max_age=SECONDS,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return response


BEGINNINGS = {
    frozenset({Role.REVIEWER}): "/review",
    frozenset({Role.AUDITOR}): "/budget",
    frozenset({Role.ADMINISTRATOR}): "/settings?tab=people",
}
"""Address at which work begins, by the roles of whoever has these alone."""


def _start(session: str) -> str:
    """Return the address at which the work of whoever has this session begins."""
    actor = current().people.session_actor(session) or PUBLIC
    roles = actor.roles
    if Role.CURATOR in roles and sample.is_untouched(current(), actor):
        return f"/workbench?new={sample.DATASET}"
    return BEGINNINGS.get(roles, "/")


def sign_out(request: Request) -> Response:
    """Ask on GET; on POST end the session on the server, and forget the cookie."""
    if request.method != "POST":
        return question()
    if not is_from_here(request):
        return notice("elsewhere_title", "elsewhere_text", status=403)
    current().people.sign_out(session_of(request))
    response = RedirectResponse("/", status_code=303)
    response.delete_cookie(cookie_of(request), httponly=True, samesite="lax", secure=request.url.scheme == "https")
    return response


def visitor(request: Request) -> Actor:
    """Return the sender of a request: by a token of a program, else by the cookie of a session, else the public."""
    token = bearer(request)
    if token is not None:
        return current().people.token_actor(token) or PUBLIC
    return current().people.session_actor(session_of(request)) or PUBLIC


def is_signed_in(request: Request) -> bool:
    """Return True if the sender of a request has a session that is valid, or a program's token."""
    return visitor(request) != PUBLIC


def bearer(request: Request) -> str | None:
    """Return the token that a program sends, which no browser adds of itself."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


def is_from_here(request: Request) -> bool:
    """Return True if a page of this server sent a form: browsers say where from, today's in Sec-Fetch-Site."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        return site in ("same-origin", "none")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")


def _bad_link() -> Response:
    return notice("bad_link_title", "bad_link_text", status=403)


def _entrance(*, refused: bool = False) -> Response:
    return entrance(refused=refused, provider=PROVIDER if configured() else "")


async def _fields(request: Request) -> dict[str, str]:
    """Read the fields of a form; none where it is too long, or takes too long."""
    try:
        body = await body_of(request, MAX_BYTES, HEAD_SECONDS)
    except (TimeoutError, ClientDisconnect, TooLargeError):
        return {}
    try:
        return {name: values[0] for name, values in parse_qs(body.decode(), max_num_fields=10).items()}
    except ValueError:
        return {}


ROUTES = [
    Route("/sign-in", sign_in, methods=["GET", "POST"]),
    Route("/sign-out", sign_out, methods=["GET", "POST"]),
]
