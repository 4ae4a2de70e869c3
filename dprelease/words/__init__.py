"""Sentences for people, by room, language and key, in gettext catalogues: `dprelease/words/es/ui.po`."""

from __future__ import annotations

from dprelease.words.catalogue import ENGLISH, languages, text, texts

__all__ = ["ENGLISH", "languages", "text", "texts"]
