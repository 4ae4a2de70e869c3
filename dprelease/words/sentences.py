"""Sentences of a room in the language that is spoken, with values in their places: plain, or as HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from html import escape
from typing import Any

from dprelease.words import catalogue
from dprelease.words.language import ENGLISH, language
from dprelease.words.phrases import visible


class Html(str):
    """Text that is HTML already: templates do not escape it again."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


class Words(Mapping[str, str]):
    """The texts of a room by key."""

    def __init__(self, room: str) -> None:
        self.room = room

    def say(self, key: str, /, **values: Any) -> str:
        """A sentence as plain text, hidden characters of values made visible."""
        return self.filled(key, values, lambda value: visible(str(value)))

    def say_html(self, key: str, /, **values: Any) -> Html:
        """A sentence as HTML, each value escaped and kept from changing the direction of what surrounds it."""
        return Html(self.filled(key, values, isolated, lambda text: escape(text, quote=False)))

    def filled(
        self, key: str, values: Mapping[str, Any], write: Callable[[Any], str], frame: Callable[[str], str] = str
    ) -> str:
        """A sentence with its values as `write` tells, and the words around them as `frame` does.

        Where an earlier version has no words, this one's are said: what it wrote is then not found to say them.
        """
        text = frame(catalogue.known_text(self.room, language(), key))
        return text.format(**{name: write(value) for name, value in values.items()})

    def __getitem__(self, key: str) -> str:
        return catalogue.text(self.room, language(), key)

    def __iter__(self) -> Iterator[str]:
        return iter(catalogue.texts(self.room, ENGLISH))

    def __len__(self) -> int:
        return len(catalogue.texts(self.room, ENGLISH))


def isolated(value: Any) -> Html:
    """A value as HTML: escaped, hidden characters shown, its direction its own affair."""
    return value if isinstance(value, Html) else Html(f"<bdi>{escape(visible(str(value)))}</bdi>")
