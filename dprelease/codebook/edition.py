"""The columns of a next edition beside those of the one before: by name alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from dprelease.codebook.vocabulary import plain_word

ALIKE = 0.7
"""Minimum likeness of two names for one to be proposed as the other: twice what they share by their lengths."""
YEARS = re.compile(r"(?:19|20)[0-9]{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """Differences between the column names of two editions."""

    same: tuple[str, ...]
    gone: tuple[str, ...]
    """Names of the edition before that this one lacks."""
    new: tuple[str, ...]
    proposed: Mapping[str, str] = field(default_factory=dict)
    """New names by the one that each may have had before."""


def compare(before: Iterable[str], now: Iterable[str]) -> Renamed:
    """Compare names. Each that is gone is proposed as the new one that is most alike, each new one once.

    A year in a name counts for nothing: `gasto_2024` is `gasto_2025`, and `gasto`.
    """
    old, names = tuple(before), tuple(now)
    gone = tuple(name for name in old if name not in names)
    new = tuple(name for name in names if name not in old)
    pairs = sorted(((_likeness(a, b), -place, a, b) for place, a in enumerate(gone) for b in new), reverse=True)
    proposed: dict[str, str] = {}
    for likeness, _, a, b in pairs:
        if likeness >= ALIKE and a not in proposed and b not in proposed.values():
            proposed[a] = b
    ordered = {name: proposed[name] for name in gone if name in proposed}
    return Renamed(same=tuple(name for name in old if name in names), gone=gone, new=new, proposed=ordered)


def _likeness(a: str, b: str) -> float:
    one, other = (YEARS.sub("", word).strip("_") or word for word in map(plain_word, (a, b)))
    return SequenceMatcher(None, one, other, autojunk=False).ratio()
