"""The texts that one word may be written as: a finite list, since engines differ in what they call the same."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

BLANK, FIXED = " ", "\u00a0"


def variants(word: str) -> tuple[str, ...]:
    """Return a word as it is composed and decomposed, with accents and without."""
    plain = "".join(each for each in unicodedata.normalize("NFD", word) if not unicodedata.combining(each))
    return unique((word, *(unicodedata.normalize(form, word) for form in ("NFC", "NFD")), plain))


def composed(text: str) -> tuple[str, ...]:
    """Return a text composed and decomposed, its blanks breaking or not. Never another case, never other accents."""
    forms = (text, *(unicodedata.normalize(form, text) for form in ("NFC", "NFD")))
    return unique(way for form in forms for way in (form, form.replace(BLANK, FIXED), form.replace(FIXED, BLANK)))


def cased(word: str) -> tuple[str, ...]:
    """Return a word as it is written, in small letters, in capitals and with one capital; with accents and without."""
    ways = (word, word.lower(), word.upper(), word.title())
    return unique(spelt for way in ways for spelt in variants(way))


def unique(texts: Iterable[str]) -> tuple[str, ...]:
    """Return each text once, in its order."""
    return tuple(dict.fromkeys(texts))
