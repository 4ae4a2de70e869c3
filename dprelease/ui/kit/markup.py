"""HTML put together from fixed templates: whatever is not HTML already is escaped on the way in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape, unescape
from typing import Any

from dprelease.words.phrases import visible
from dprelease.words.sentences import Html

TAG = re.compile(r"<[^>]*>")


def fill(template: str, *values: Any, **named: Any) -> Html:
    """Return the template with its places filled; values are shown with nothing hidden and no markup of their own."""
    return Html(template.format(*map(_safe, values), **{name: _safe(value) for name, value in named.items()}))


def joined(parts: Iterable[Html]) -> Html:
    """Return pieces of HTML one after the other."""
    return Html("".join(parts))


def as_text(markup: Html) -> str:
    """Return HTML of ours as the text that it shows."""
    return unescape(TAG.sub("", markup))


def dotted(parts: Iterable[Any]) -> Html:
    """Return facts in a line, apart by dots."""
    return Html(" · ".join(_safe(part) for part in parts if part))


def _safe(value: Any) -> Html:
    return value if isinstance(value, Html) else Html(escape(visible(str(value))))
