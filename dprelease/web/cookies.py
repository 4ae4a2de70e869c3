"""Which cookie of a request holds its session."""

from __future__ import annotations

from starlette.requests import HTTPConnection

from dprelease.model.cookie import cookie_name


def cookie_of(request: HTTPConnection) -> str:
    """The name of the cookie that counts on the way a request came."""
    return cookie_name(encrypted=request.url.scheme in ("https", "wss"))


def session_of(request: HTTPConnection) -> str:
    """The token of a session that a browser sent; empty where it sent none."""
    return request.cookies.get(cookie_of(request), "")
