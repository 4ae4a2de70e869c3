"""Sentences of a room in the language that is spoken, with values in their places: plain, or as HTML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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

    def say(self, key: str, number: int | None = None, /, **values: Any) -> str:
        """Return a sentence as plain text, hidden characters of values visible; a number chooses its form (plural)."""
        return self.text(key, number).format(**{name: visible(str(value)) for name, value in values.items()})

    def say_html(self, key: str, number: int | None = None, /, **values: Any) -> Html:
        """Return a sentence as HTML, each value escaped and kept from changing the direction of what surrounds it."""
        told = {name: isolated(value) for name, value in values.items()}
        return Html(escape(self.text(key, number), quote=False).format(**told))

    def text(self, key: str, number: int | None = None) -> str:
        """Return a sentence with its places."""
        return catalogue.text(self.room, language(), key, number)

    def __getitem__(self, key: str) -> str:
        return catalogue.text(self.room, language(), key)

    def __iter__(self) -> Iterator[str]:
        return iter(catalogue.texts(self.room, ENGLISH))

    def __len__(self) -> int:
        return len(catalogue.texts(self.room, ENGLISH))


def isolated(value: Any) -> Html:
    """Return a value as HTML: escaped, hidden characters shown, its direction its own affair."""
    return value if isinstance(value, Html) else Html(f"<bdi>{escape(visible(str(value)))}</bdi>")
