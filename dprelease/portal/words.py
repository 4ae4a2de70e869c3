"""The words of the public portal."""

from __future__ import annotations

from html import escape
from typing import Any

from dprelease.bundle.display import visible
from dprelease.bundle.words import Html, isolated
from dprelease.words.language import Words

WORDS = Words("portal")


def tell(key: str, /, **values: Any) -> str:
    """A sentence as plain text, its values made visible."""
    return WORDS[key].format(**{name: visible(str(value)) for name, value in values.items()})


def tell_html(key: str, /, **values: Any) -> Html:
    """A sentence as HTML, each value escaped and kept from changing the direction of what surrounds it."""
    return Html(escape(WORDS[key], quote=False).format(**{name: isolated(value) for name, value in values.items()}))
