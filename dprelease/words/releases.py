"""The words of releases: in English of bundles and sites, where what never varies stands in the templates."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from dprelease.words.sentences import Html, Words

WORDS = Words("bundle")
say, say_html = WORDS.say, WORDS.say_html
state = Words("formats").say
"""A sentence of a file for programs, which is in English."""


def json_html(value: Mapping[str, Any]) -> Html:
    """JSON inside a page: no character in it can end the element that it is in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return Html(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def enumerate_words(items: Sequence[str]) -> str:
    """a; a and b; a, b and c."""
    return say("and", first=", ".join(items[:-1]), last=items[-1]) if len(items) > 1 else items[0]
