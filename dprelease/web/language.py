"""Choosing a language: a link that sets a cookie and leads back; and the language of each request."""

from __future__ import annotations

import re
from urllib.parse import urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request, cookie_parser
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Message, Scope, Send

from dprelease.web.notice import notice
from dprelease.words.language import COOKIE, ENGLISH, LANGUAGES, preferred

SECONDS = 365 * 24 * 3600
OWN_PATH = re.compile(r"/(?:[A-Za-z0-9_.~-][A-Za-z0-9_.~/-]*)?")
"""Never two slashes at the start, which is another host, nor a backslash, which some browsers take for one."""
OWN_QUERY = re.compile(r"[A-Za-z0-9_.~%=&+-]{0,2000}")
PAGE = b'<html lang="en">'
KEPT_BACK = (b"if-none-match", b"if-modified-since", b"accept-encoding")
"""Request headers withheld from the sender of a page: it comes whole and readable, to write its language in."""


def choose(request: Request) -> Response:
    """Remember a language for a year, and go to `?to=`, a page of this server, with the rest of the query."""
    code = request.path_params["code"]
    if code not in LANGUAGES:
        return notice("missing_title", "missing_text", status=404)
    response = RedirectResponse(own_address(request), status_code=303)
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, code, max_age=SECONDS, httponly=True, samesite="lax", secure=secure)
    return response


def own_address(request: Request) -> str:
    """Return the address to go back to: one of this server's own pages, else the first one."""
    path = request.query_params.get("to", "/")
    rest = urlencode([(name, value) for name, value in request.query_params.multi_items() if name != "to"])
    if not OWN_PATH.fullmatch(path):
        return "/"
    return f"{path}?{rest}" if rest and OWN_QUERY.fullmatch(rest) else path


def spoken(scope: Scope) -> str:
    """Return the language of whoever sent a request."""
    headers = Headers(scope=scope)
    chosen = cookie_parser(headers.get("cookie", "")).get(COOKIE)
    return preferred(chosen, headers.get("accept-language", ""))


def asked_anew(scope: Scope, code: str) -> Scope:
    """A page in another language than English is not compared with one that the browser holds: that may be English."""
    if code == ENGLISH or "." in scope["path"].rpartition("/")[2]:
        return scope
    return {**scope, "headers": [(name, value) for name, value in scope["headers"] if name not in KEPT_BACK]}


def marked(code: str, send: Send) -> Send:
    """Send the same; the dashboard's document says its language, so that it is read out in it.

    Streamlit's own document says English. What takes its place is as long, and has no ETag that a browser could hold
    against the English one.
    """
    in_page = False

    async def sending(message: Message) -> None:
        nonlocal in_page
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            in_page = headers.get("content-type", "").startswith("text/html") and "content-encoding" not in headers
            if in_page:
                headers.add_vary_header("Cookie")
                headers.add_vary_header("Accept-Language")
                if code != ENGLISH:
                    del headers["etag"], headers["last-modified"]
        elif in_page and message["type"] == "http.response.body":
            own = PAGE.replace(ENGLISH.encode(), code.encode())
            message = {**message, "body": message.get("body", b"").replace(PAGE, own, 1)}
        await send(message)

    return sending


ROUTES = [Route("/language/{code}", choose, methods=["GET"])]
