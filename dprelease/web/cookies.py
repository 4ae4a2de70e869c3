"""Whose a request is, by the cookie that holds its session, and which page sent it."""

from __future__ import annotations

import hashlib

from starlette.requests import HTTPConnection

from dprelease.model.cookie import cookie_name


def cookie_of(request: HTTPConnection) -> str:
    """Return the name of the cookie that counts on the way a request came."""
    return cookie_name(encrypted=request.url.scheme in ("https", "wss"))


def session_of(request: HTTPConnection) -> str:
    """Return the token of a session that a browser sent; empty where it sent none."""
    return request.cookies.get(cookie_of(request), "")


def visitor_of(request: HTTPConnection) -> str:
    """Return what tells whose a tab of the dashboard is: a hash of that token."""
    return hashlib.sha256(f"tab {session_of(request)}".encode()).hexdigest()


def is_from_own_page(request: HTTPConnection) -> bool:
    """Return True if a page of this server sent the request: same scheme, name and port. Other ports are others."""
    scheme = "https" if request.url.scheme in ("wss", "https") else "http"
    return request.headers.get("origin") == f"{scheme}://{request.headers.get('host', '')}"
