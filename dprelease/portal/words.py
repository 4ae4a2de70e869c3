"""Words of the public portal."""

from __future__ import annotations

from dprelease.words.sentences import Words

WORDS = Words("portal")
tell, tell_html = WORDS.say, WORDS.say_html
