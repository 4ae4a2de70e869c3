"""Sentences for people, by room, language and key, in gettext catalogues: `dprelease/words/es/ui.po`."""

from __future__ import annotations

from dprelease.words.catalogue import ENGLISH, as_of, kept, languages, text, texts, versions
from dprelease.words.phrases import NOTHING, Figure, Phrase, phrase, quoted, verbatim

__all__ = [
    "ENGLISH",
    "NOTHING",
    "Figure",
    "Phrase",
    "as_of",
    "kept",
    "languages",
    "phrase",
    "quoted",
    "text",
    "texts",
    "verbatim",
    "versions",
]
