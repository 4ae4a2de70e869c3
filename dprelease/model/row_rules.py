"""Rules for rows of a file that are no rows of its table: each told by its own cells alone, never by its position."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dprelease.errors import UploadError
from dprelease.words import phrase, verbatim

MAX_WORDS = 40
LONGEST_WORD = 60
MAX_NOTE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRules:
    """Rows that are left out. A rule looks at one row, so that no row decides about another."""

    empty: bool = False
    """True if rows without any cell are left out."""
    note: int = 0
    """Number n: rows without a cell behind the first n are left out; 0 where none is left out for that."""
    words: tuple[str, ...] = ()
    """Words, in capitals or not: rows with a cell that is one of them are left out."""

    def __post_init__(self) -> None:
        if isinstance(self.note, bool) or not 0 <= self.note <= MAX_NOTE:
            raise UploadError("skip.note", found=self.note, allowed=verbatim(f"0 to {MAX_NOTE}"))
        if len(self.words) > MAX_WORDS or not all(0 < len(bare(word)) <= LONGEST_WORD for word in self.words):
            allowed = phrase("model.words_of_rows", most=MAX_WORDS, longest=LONGEST_WORD)
            raise UploadError("skip.words", found=phrase("model.words_count", count=len(self.words)), allowed=allowed)

    def __bool__(self) -> bool:
        return self.empty or bool(self.note) or bool(self.words)

    def leaves_out(self, cells: Sequence[str | None]) -> bool:
        """Return True if a row is left out, by its cells."""
        texts = [bare(cell or "") for cell in cells]
        if not any(texts):
            return self.empty
        if self.note and not any(texts[self.note :]):
            return True
        words = {bare(word) for word in self.words}
        return bool(words) and not words.isdisjoint(texts)

    def to_mapping(self) -> dict[str, Any]:
        """Return the rules that there are."""
        rules = {"empty": self.empty, "note": self.note, "words": list(self.words)}
        return {name: rule for name, rule in rules.items() if rule}

    def to_texts(self) -> tuple[str, ...]:
        """Return the rules as `parse` reads them, one a text."""
        note = (f"note:{self.note}",) if self.note else ()
        return (*(("empty",) if self.empty else ()), *note, *(f"word:{word}" for word in self.words))

    @classmethod
    def parse(cls, value: Any) -> RowRules:
        """Read a mapping, or texts such as `empty`, `note:1` and `word:Total`."""
        if isinstance(value, RowRules):
            return value
        if isinstance(value, Mapping):
            if not set(value) <= {"empty", "note", "words"} or not isinstance(value.get("empty", False), bool):
                raise _unknown(", ".join(map(str, value)))
            return cls(**{**value, "words": tuple(map(str, value.get("words", ())))})
        found = cls()
        for text in value:
            name, _, rest = str(text).partition(":")
            if name == "word" and rest:
                found = cls(empty=found.empty, note=found.note, words=(*found.words, rest))
            elif name == "note" and (not rest or rest.isdecimal()):
                found = cls(empty=found.empty, note=int(rest or 1), words=found.words)
            elif text == "empty":
                found = cls(empty=True, note=found.note, words=found.words)
            else:
                raise _unknown(str(text))
        return found


def bare(cell: str) -> str:
    """Return a cell as it is compared with a word: without blanks at its ends, and in small letters."""
    return cell.strip().casefold()


def _unknown(found: str) -> UploadError:
    return UploadError("skip", found=found, allowed=verbatim("empty, note:1, word:Total"))
