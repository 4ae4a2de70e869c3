"""The English words of the pages that are served outside the dashboard."""

from __future__ import annotations

from collections.abc import Mapping

ENGLISH: Mapping[str, str] = {
    "product": "dprelease",
    "home": "Go to the dashboard",
    "bad_link_title": "This sign-in link does not work",
    "bad_link_text": "A link works once, within an hour. Whoever runs the server gets a new one in the terminal, with: "
    "dprelease serve",
    "sign_out_title": "Sign out?",
    "sign_out_text": "Your session ends at once, in every window. Plans that were not submitted are lost.",
    "sign_out_button": "Sign out",
    "stay": "Stay signed in",
    "missing_title": "There is no such page",
    "missing_text": "The address may be mistyped, or what it named was never published.",
    "not_found": "Nothing is published at this address.",
    "wrong_host": "This server does not answer to that name.",
    "failed": "Something went wrong on this server. Nothing about it is shown here; its log says where.",
}
WORDS = ENGLISH


def say(key: str) -> str:
    """One text."""
    return WORDS[key]
