"""The words on the screen, by key, in the language of whoever is looking."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from dprelease.bundle.display import visible
from dprelease.bundle.words import Html, isolated
from dprelease.words.language import Words

WORDS = Words("ui")

MARKDOWN = re.compile(
    r"[\\`*\[\]<>#~$:&@]|(?<![^\W_])_|_(?![^\W_])|^[+-]|-(?=[->])|(?<=[-<])-|(?<=www)\.|(?<=^\d)[.)]", re.IGNORECASE
)
"""What Markdown would read as more than itself. No more is masked: a label is also read out, with its backslashes."""
LONGEST_LABEL = 120


def say(key: str, /, **values: Any) -> str:
    """A plain text, its values made visible."""
    return WORDS[key].format(**{name: visible(str(value)) for name, value in values.items()})


def say_label(key: str, /, **values: Any) -> str:
    """A text for the label of a widget, which Streamlit reads as Markdown: values are shown as they are written."""
    return WORDS[key].format(**{name: as_label(value) for name, value in values.items()})


def as_label(value: Any) -> str:
    """Any text as a label."""
    text = visible(str(value), LONGEST_LABEL)
    return MARKDOWN.sub(r"\\\g<0>", text)


def say_html(key: str, /, **values: Any) -> Html:
    """A text as HTML: each value escaped and kept from changing the direction of what surrounds it."""
    filled = {name: isolated(value) for name, value in values.items()}
    return Html(escape(WORDS[key], quote=False).format(**filled))


def known(key: str, otherwise: str) -> str:
    """A text where there is one: what later versions add (a kind, an event) is shown by its own name."""
    return WORDS.get(key, otherwise)
