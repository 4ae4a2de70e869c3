"""Files for programs of strangers at fixed addresses: what they may read, and whom to tell of a weakness."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from dprelease.portal.sitemap import SITEMAP
from dprelease.web.notice import notice

CONTACT = "DPRELEASE_SECURITY_CONTACT"
"""Whom to tell of a weakness: mailto:… or https://…"""
SECURITY = "/.well-known/security.txt"
ROBOTS = "User-agent: *\nAllow: /public/\nAllow: /r/\nAllow: /series/\nAllow: /api/\nDisallow: /\n"
LASTS = timedelta(days=180)


def robots(request: Request) -> Response:
    """Published releases may be indexed, and nothing else; the sitemap lists them."""
    return PlainTextResponse(f"{ROBOTS}Sitemap: {request.base_url}public/{SITEMAP}\n")


def security(request: Request) -> Response:
    """RFC 9116, where the deployment names a contact."""
    contact = os.environ.get(CONTACT, "")
    if not contact.startswith(("mailto:", "https://", "tel:")) or not contact.isprintable():
        return notice("missing_title", "missing_text", status=404)
    expires = (datetime.now(UTC) + LASTS).strftime("%Y-%m-%dT%H:%M:%SZ")
    return PlainTextResponse(f"Contact: {contact}\nExpires: {expires}\nPreferred-Languages: en, es\n")


def moved(request: Request) -> Response:
    """Redirect from the address used before there was a standard."""
    return RedirectResponse(SECURITY, status_code=301)


ROUTES = [
    Route("/robots.txt", robots, methods=["GET"]),
    Route(SECURITY, security, methods=["GET"]),
    Route("/security.txt", moved, methods=["GET"]),
]
