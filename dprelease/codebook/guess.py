"""Guesses about a column from its name. A guess is as public as the name: no cell is read."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from dprelease.codebook.propose import compatible
from dprelease.model.column import NUMERIC
from dprelease.model.domain import domain

HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
APART = re.compile(r"[^a-z]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """A declaration that nobody made yet. `word` is what of the name it comes from."""

    word: str
    declared: Mapping[str, Any] = field(default_factory=dict)
    """Declaration as in a plan file; without bounds or categories, where a name says only of what kind values are."""
    leave: bool = False
    """True if such a column is better left out: it names people, or is free text."""
    sure: bool = False
    """True if the whole name says it, and in only one way."""
    usual: tuple[str, ...] = ()
    """Ready domains that such columns often have."""
    dates: bool = False
    """True if a period is asked for."""


@cache
def lexicon() -> tuple[Guess, ...]:
    """Return a guess a word, in the order in which they are preferred: `lexicon.json`, English and Spanish."""
    text = files("dprelease.codebook").joinpath("lexicon.json").read_text("utf-8")
    return tuple(guess for entry in json.loads(text) for guess in _read(**entry))


def _read(words: list[str], **said: Any) -> Iterator[Guess]:
    ready = said.pop("domain", None)
    declared = domain(ready).to_mapping() if ready else said.pop("declared", {})
    usual = tuple(said.pop("usual", ()))
    for word in words:
        yield Guess(word=word, declared=declared, usual=usual, **said)


def guess(name: str, known: Mapping[str, Any] | None = None) -> Guess | None:
    """Return what a name says, or None. `known`: what is declared already and incomplete, which goes first.

    A name that is one of the words says it surely, where the word does; one that begins or ends with it only perhaps.
    """
    found = _of_name(tuple(_words(name)))
    if found is None or not known or "type" not in known:
        return found
    kinds = {known["type"], found.declared.get("type")}
    if len(kinds) > 1 and not kinds <= NUMERIC:
        return None
    merged = compatible(found.declared, known)
    return Guess(word=found.word, declared=merged, sure=found.sure, usual=found.usual, dates=found.dates)


def _of_name(words: tuple[str, ...]) -> Guess | None:
    best: tuple[int, Guess] | None = None
    for each in lexicon():
        own = tuple(each.word.split())
        if own == words:
            return each
        if own in (words[: len(own)], words[-len(own) :]) and (best is None or len(own) > best[0]):
            best = len(own), each
    if best is None:
        return None
    found = best[1]
    return Guess(
        word=found.word,
        declared=found.declared,
        leave=found.leave,
        sure=found.sure and found.leave,  # to leave a column out harms nobody
        usual=found.usual,
        dates=found.dates,
    )


def _words(name: str) -> Iterator[str]:
    """Return the words of a name: small letters without accents, no digits; `edadIngreso_2` is edad, ingreso."""
    plain = unicodedata.normalize("NFKD", HUMP.sub(" ", name))
    bare = "".join(sign for sign in plain if not unicodedata.combining(sign)).casefold()
    return (word for word in APART.split(bare) if word)
