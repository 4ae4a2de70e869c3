"""The words of releases: in English of bundles and sites, where what never varies stands in the templates."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from dprelease.bundle.display import visible
from dprelease.words import as_of
from dprelease.words.language import Words

WORDS = Words("bundle")
FORMATS = Words("formats")
"""In English only, in which files of a bundle are written."""


class Html(str):
    """Text that is HTML already: templates do not escape it again."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


@dataclass(frozen=True, slots=True)
class Sentences:
    """The texts of a catalogue with their values filled in, hidden characters made visible."""

    words: Words

    def plain(self, key: str, /, **values: Any) -> str:
        """A sentence as plain text."""
        return self._text(key).format(**{name: visible(str(value)) for name, value in values.items()})

    def html(self, key: str, /, **values: Any) -> Html:
        """A sentence as HTML, each value escaped and kept from changing the direction of what surrounds it."""
        told = {name: isolated(value) for name, value in values.items()}
        return Html(escape(self._text(key), quote=False).format(**told))

    def _text(self, key: str) -> str:
        """A text; this version's where an earlier one had none, so that it is not found in what that wrote."""
        try:
            return self.words[key]
        except KeyError:
            with as_of(None):
                return self.words[key]


say, say_html = Sentences(WORDS).plain, Sentences(WORDS).html
state = Sentences(FORMATS).plain
"""A sentence of a file for programs, which is in English."""


def isolated(value: Any) -> Html:
    """A value as HTML: escaped, hidden characters shown, its direction its own affair."""
    return value if isinstance(value, Html) else Html(f"<bdi>{escape(visible(str(value)))}</bdi>")


def json_html(value: Mapping[str, Any]) -> Html:
    """JSON inside a page: no character in it can end the element that it is in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return Html(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def enumerate_words(items: list[str]) -> str:
    """a; a and b; a, b and c."""
    return say("and", first=", ".join(items[:-1]), last=items[-1]) if len(items) > 1 else items[0]
