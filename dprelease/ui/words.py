"""The words on the screen, by key, in the language of whoever is looking."""

from __future__ import annotations

import re
from typing import Any

from dprelease.words.phrases import visible
from dprelease.words.sentences import Words

WORDS = Words("ui")
say, say_html = WORDS.say, WORDS.say_html

MARKDOWN = re.compile(
    r"[\\`*\[\]<>#~$:&@]|(?<![^\W_])_|_(?![^\W_])|^[+-]|-(?=[->])|(?<=[-<])-|(?<=www)\.|(?<=^\d)[.)]", re.IGNORECASE
)
"""Characters that Markdown would interpret. No more is masked: a label is also read out, with its backslashes."""
LONGEST_LABEL = 120


def say_label(key: str, /, **values: Any) -> str:
    """Return the text of a widget's label, which Streamlit reads as Markdown: values are shown as they are written."""
    return WORDS.text(key).format(**{name: as_label(value) for name, value in values.items()})


def as_label(value: Any) -> str:
    """Return any text as a label."""
    text = visible(str(value), LONGEST_LABEL)
    return MARKDOWN.sub(r"\\\g<0>", text)


def known(key: str, otherwise: str) -> str:
    """Return a text where there is one: what later versions add (a kind, an event) is shown by its own name."""
    return WORDS.get(key, otherwise)
