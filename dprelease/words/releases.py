"""The words of releases: in English of bundles and sites, where what never varies stands in the templates."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from dprelease.words.language import language
from dprelease.words.sentences import Html, Words

ALIKE = {"es": {"and": re.compile("[iíIÍ]|[hH][ií](?![ae])"), "or": re.compile(r"[oóOÓ]|[hH][oó]|8|11(?!\d)")}}
"""Patterns, by language, of a word that begins with the sound of the word between the last two of a list."""
WORDS = Words("bundle")
say, say_html = WORDS.say, WORDS.say_html
state = Words("formats").say
"""A sentence of a file for programs, which is in English."""


def json_html(value: Mapping[str, Any]) -> Html:
    """Return JSON inside a page: no character in it can end the element that it is in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return Html(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def enumerate_words(items: Sequence[str], joined_by: Literal["and", "or"] = "and") -> str:
    """Return an enumeration: a; a and b; a, b and c; with `or`: a, b or c.

    In Spanish `y` is `e` before the sound i, and `o` is `u` before o. Unicode's list patterns, so Babel's, have no rule
    for that; it is the one of ICU, with accents.
    """
    if len(items) == 1:
        return items[0]
    plain, other = ("and", "and_alike") if joined_by == "and" else ("or", "or_alike")
    sound = ALIKE.get(language(), {}).get(joined_by)
    key = other if sound is not None and sound.match(items[-1]) else plain
    return say(key, first=", ".join(items[:-1]), last=items[-1])
