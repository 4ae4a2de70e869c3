"""What the rooms below the pages say in English in certificates, in the language that is spoken."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from dprelease.bundle.display import pointed
from dprelease.ui.words.spanish.problems import PROBLEMS, VALUES
from dprelease.words.language import language

TEMPLATES: Mapping[str, Mapping[str, str]] = {"es": PROBLEMS}
NAMES: Mapping[str, Mapping[str, str]] = {"es": VALUES}
"""Words that stand in the places of templates."""
PLACE = re.compile(r"\{(\d+)\}")
NUMBERS = re.compile(r"[0-9]+\.[0-9]+(?:e-?[0-9]+)?(?:, δ = [0-9.e-]+)?")
LONGEST = 4000
"""Characters of a text that is compared with templates: what people wrote in it could take very long."""
DEEPEST = 3
KEPT = 4096


def told(text: str) -> str:
    """A sentence that was written in English, its values carried over; as it is where nobody translated it."""
    if language() not in TEMPLATES or len(text) > LONGEST:
        return text
    return _told(text, language(), DEEPEST) or text


@lru_cache(KEPT)
def _told(text: str, code: str, depth: int) -> str | None:
    if text in TEMPLATES[code] and not PLACE.search(text):
        return TEMPLATES[code][text].format()
    if text in NAMES[code]:
        return NAMES[code][text]
    for pattern, own in _patterns(code):
        found = pattern.fullmatch(text)
        if found:
            values = [(depth and _value(value, code, depth - 1)) or _numbers(value) for value in found.groups()]
            return own.format(*values)
    return None


def _value(text: str, code: str, depth: int) -> str | None:
    """What stands in a place: a sentence of ours, or names of ours in a row."""
    names = [NAMES[code].get(name) for name in text.split(", ")]
    return ", ".join(map(str, names)) if all(names) else _told(text, code, depth)


def _numbers(text: str) -> str:
    """A number, or ε with its δ, as the language writes them; anything else as it is."""
    return pointed(text) if NUMBERS.fullmatch(text) else text


@cache
def _patterns(code: str) -> list[tuple[re.Pattern[str], str]]:
    """Templates with places as patterns, those with the most words of their own first."""
    found = [(template, own) for template, own in TEMPLATES[code].items() if PLACE.search(template)]
    found.sort(key=lambda pair: -len(PLACE.sub("", pair[0])))
    return [(_pattern(template), own) for template, own in found]


def _pattern(template: str) -> re.Pattern[str]:
    pieces = [piece.replace("{{", "{").replace("}}", "}") for piece in PLACE.split(template)[::2]]
    return re.compile("(.*?)".join(map(re.escape, pieces)), re.DOTALL)
