"""The words of the pages that are served outside the dashboard."""

from __future__ import annotations

from dprelease.words.language import Words

WORDS = Words("web")


def say(key: str) -> str:
    """One text."""
    return WORDS[key]
