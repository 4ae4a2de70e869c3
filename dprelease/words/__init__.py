"""Sentences for people, by room, language and key, in gettext catalogues: `dprelease/words/es/ui.po`."""

from __future__ import annotations

from dprelease.words.catalogue import ENGLISH, as_of, kept, languages, text, texts, versions

__all__ = ["ENGLISH", "as_of", "kept", "languages", "text", "texts", "versions"]
