"""Sentences for people, by room, language and key, in gettext catalogues: `dprelease/words/es/ui.po`."""

from __future__ import annotations

from dprelease.words.catalogue import ENGLISH, languages, text, texts
from dprelease.words.phrases import NOTHING, Figure, Phrase, phrase, quoted, verbatim

__all__ = [
    "ENGLISH",
    "NOTHING",
    "Figure",
    "Phrase",
    "languages",
    "phrase",
    "quoted",
    "text",
    "texts",
    "verbatim",
]
