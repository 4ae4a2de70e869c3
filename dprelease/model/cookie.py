"""The cookie that holds the token of a session."""

from __future__ import annotations

COOKIE = "dprelease_session"
"""Name of the session cookie over an unencrypted connection: on this machine."""
CLOSED_COOKIE = f"__Host-{COOKIE}"
"""Cookie name behind https: no other host and no unencrypted page can have set it."""


def cookie_name(*, encrypted: bool) -> str:
    """Return the one cookie that counts on such a way."""
    return CLOSED_COOKIE if encrypted else COOKIE
