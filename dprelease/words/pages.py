"""Words of the pages that the public reads."""

from __future__ import annotations

from dprelease.words.sentences import Words

WORDS = Words("portal")
tell, tell_html = WORDS.say, WORDS.say_html
