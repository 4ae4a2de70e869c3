"""Signing in at an identity provider: there with a state, a nonce and PKCE, and back with a code, once."""

from __future__ import annotations

import logging
from hmac import compare_digest

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from dprelease.errors import AccessError
from dprelease.store.sign_ins import LIFETIME
from dprelease.web.cookies import session_of
from dprelease.web.identity import PROVIDER, TRIES, admitted
from dprelease.web.limits import address
from dprelease.web.notice import notice
from dprelease.web.provider import BACK, Provider, configured
from dprelease.words import phrase
from dprelease.workspace.process import current

LOG = logging.getLogger("dprelease.web")
COOKIE = "dprelease_visit"
"""Ties a visit to the browser that began it: nobody is signed in by somebody else's code."""


def leave(request: Request) -> Response:
    """Send a browser to the provider."""
    provider = configured()
    if provider is None:
        return notice("missing_title", "missing_text", status=404)
    if not TRIES.allows(address(request)):
        return notice("too_often_title", "too_often_text", status=429, headers={"Retry-After": "60"})
    try:
        visit = current().people.begin_visit(again="again" in request.query_params)
        response = RedirectResponse(provider.leave(visit, _back(provider, request)), status_code=303)
    except AccessError as error:
        return _failed(error)
    response.set_cookie(
        COOKIE,
        visit.state,
        max_age=int(LIFETIME.total_seconds()),
        path=PROVIDER,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
    return response


def arrive(request: Request) -> Response:
    """Take a browser back from the provider, and let in who has a role here."""
    provider, asked = configured(), request.query_params
    if provider is None:
        return notice("missing_title", "missing_text", status=404)
    if not TRIES.allows(address(request)):
        return notice("too_often_title", "too_often_text", status=429, headers={"Retry-After": "60"})
    state, without_role = asked.get("state", ""), False
    try:
        if not state or not compare_digest(state.encode(), request.cookies.get(COOKIE, "").encode()):
            raise AccessError(phrase("web.browser_did_begin_sign"))
        visit = current().people.redeem_visit(state)
        if "error" in asked or asked.get("iss", provider.issuer) != provider.issuer:
            raise AccessError(phrase("web.identity_provider_refused_another"))
        vouched = provider.vouch(asked.get("code", ""), visit, _back(provider, request))
        without_role = not vouched.roles
        known = session_of(request) if visit.again else None
        session = current().people.sign_in_by_provider(
            vouched.subject, vouched.name, vouched.roles, shown=vouched.at, again=known
        )
    except AccessError as error:
        current().people.note_failed_visit()
        words = notice("no_role_title", "no_role_text", status=403) if without_role else _failed(error)
        return _forgetting(words)
    return _forgetting(admitted(request, session))


def _back(provider: Provider, request: Request) -> str:
    base = provider.address.rstrip("/") or f"{request.url.scheme}://{request.headers.get('host', '')}"
    return base + BACK


def _failed(error: AccessError) -> Response:
    LOG.warning("a sign-in by the identity provider failed: %s", error)
    return notice("provider_failed_title", "provider_failed_text", status=403)


def _forgetting(response: Response) -> Response:
    response.delete_cookie(COOKIE, path=PROVIDER, httponly=True, samesite="lax")
    return response


ROUTES = [Route(PROVIDER, leave, methods=["GET"]), Route(BACK, arrive, methods=["GET"])]
