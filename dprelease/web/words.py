"""The words of the pages that are served outside the dashboard."""

from __future__ import annotations

from dprelease.words.sentences import Words

WORDS = Words("web")
say = WORDS.say
