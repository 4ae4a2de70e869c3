"""Sentences of a verdict: codes with values, which become words in the language that is spoken when they are said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dprelease.words.language import ENGLISH, speaking
from dprelease.words.phrases import shown
from dprelease.words.sentences import Words

WORDS = Words("verdict")
MAX_NAME = 80
"""Characters of a name that somebody else chose."""
NOT_COMPARED = "not_compared"
"""Result of a comparison that did not take place."""


@dataclass(frozen=True, slots=True)
class Check:
    """One sentence: something that was checked and holds, that contradicts itself, or that files cannot show."""

    code: str
    """Its entry in the catalogue `verdict`, such as `check.files`."""
    values: Mapping[str, int | str] = field(default_factory=dict)
    """Values by the names of their places: numbers, names and days as they are. `count` chooses the plural."""

    @property
    def words(self) -> str:
        """The sentence in the language that is spoken."""
        count = self.values.get("count")
        values = {name: shown(value) for name, value in self.values.items()}
        return WORDS.say(self.code, count if isinstance(count, int) else None, **values)

    def to_mapping(self) -> dict[str, Any]:
        """Return code and values as JSON, with the English words."""
        with speaking(ENGLISH):
            return {"code": self.code, "values": dict(self.values), "words": self.words}


def line(checks: Iterable[Check]) -> str:
    """Return several of them in one line."""
    return "; ".join(check.words for check in checks)
