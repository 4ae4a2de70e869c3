"""The words of the public portal."""

from __future__ import annotations

from dprelease.bundle.words import Sentences
from dprelease.words.language import Words

WORDS = Words("portal")
tell, tell_html = Sentences(WORDS).plain, Sentences(WORDS).html
