"""Phrases before they are said: an id and values, which become words in the language that is spoken then."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from decimal import Decimal

from dprelease.words import catalogue
from dprelease.words.language import language, point

HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
JOINERS = frozenset("\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}")
"""Invisible, but how some scripts are spelt."""
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
VERBATIM = ""
"""The id of what has no words of ours."""


class Figure(str):
    """A number written with a point, which is shown with that of the language."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Phrase:
    """One sentence or a part of one. `str` says it."""

    id: str
    """Room and key, such as `store.a_registered_population`: an entry of the catalogue `store.po`."""
    values: tuple[tuple[str, object], ...] = ()
    """Values by the names of the phrase's places; phrases among them are said in the same language."""

    def __str__(self) -> str:
        if self.id == VERBATIM:
            return str(self.values[0][1])
        room, _, key = self.id.partition(".")
        values = dict(self.values)
        count = values.get("count")
        text = catalogue.text(room, language(), key, count if isinstance(count, int) else None)
        return text.format(**{name: shown(value) for name, value in values.items()})

    def to_mapping(self) -> dict[str, object]:
        """Return the phrase as JSON, without a language."""
        values = {name: _plain(value) for name, value in self.values}
        return values if self.id == VERBATIM else {"code": self.id, "values": values}

    def __bool__(self) -> bool:
        return self != NOTHING


def phrase(id: str, /, **values: object) -> Phrase:
    """Return a phrase: an entry of a catalogue, with these values in its places."""
    return Phrase(id, tuple(values.items()))


def verbatim(text: str) -> Phrase:
    """Return a phrase that is the same in every language: names, options, the words of the operating system."""
    return Phrase(VERBATIM, (("text", text),))


def shown(value: object) -> str:
    """Return numbers with the point of the language; several things in a row; texts as they are."""
    if isinstance(value, tuple):
        return ", ".join(map(shown, value))
    return str(value).replace(".", point()) if isinstance(value, Figure | float | Decimal) else str(value)


def _plain(value: object) -> object:
    if isinstance(value, Phrase):
        return value.to_mapping()
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value if isinstance(value, int) else str(value)


NOTHING = verbatim("")


def quoted(value: object) -> str:
    """Return a value given by the person as it is quoted back in a message: short and without control characters."""
    if isinstance(value, int) and abs(value) >= 10**80:
        return str(phrase("errors.long_number"))
    text = repr(value) if isinstance(value, str) else format(value, "f") if isinstance(value, Decimal) else str(value)
    return visible(text if len(text) <= 80 else text[:77] + "...")


def visible(text: str, longest: int | None = None) -> str:
    """Return the text with a replacement character for each control, direction or unassigned character."""
    if not (text.isascii() and text.isprintable()):
        text = "".join(map(_visible_character, text))
    return text if longest is None or len(text) <= longest else text[: longest - 1].rstrip() + ELLIPSIS


def _visible_character(character: str) -> str:
    hidden = unicodedata.category(character) in HIDDEN and character not in JOINERS
    return "\N{REPLACEMENT CHARACTER}" if hidden else character
