"""Report that gathers every problem of an input, so that a person mends them all at once."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from dprelease.errors import InputError, Problem, problem
from dprelease.words import NOTHING, Phrase, phrase, quoted, verbatim

NUMBER = r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?"
"""A number written as text. Not `007`, `1_000` or digits of other scripts, which readers take differently."""
MAX_NUMBER = 10**15
DIGITS = 15
"""Significant digits that survive JSON and binary floating point."""
FEW_DIGITS = phrase("model.number_at_most_15")
DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"


class Report:
    """The problems found so far in one input. `path` is written like `statistics[2].bins`."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def add(self, path: str, *, found: object, allowed: Phrase, remedy: Phrase = NOTHING) -> None:
        self.problems.append(problem(path, found, allowed, remedy))

    def raise_any(self, error: type[InputError]) -> None:
        """Raise `error` with all problems, if there are any."""
        if self.problems:
            raise error.from_problems(self.problems)

    def mapping(
        self, value: object, path: str, *, allowed: Iterable[str], required: Iterable[str] = ()
    ) -> dict[str, Any]:
        """Check that value is a mapping with known keys; return it, or an empty one."""
        names = sorted(allowed)
        if not isinstance(value, Mapping):
            self.add(path, found=value, allowed=phrase("model.mapping_keys", names=", ".join(names)))
            return {}
        result = {str(key): item for key, item in value.items()}
        for key in result:
            if key not in names:
                self.add(
                    join(path, key),
                    found=phrase("model.unknown_key", key=quoted(key)),
                    allowed=verbatim(", ".join(names)),
                    remedy=nearest(key, names),
                )
        for key in required:
            if result.get(key) is None:
                self.add(join(path, key), found=phrase("model.nothing"), allowed=phrase("model.value_key_required"))
        return result

    def choice(self, value: object, path: str, options: Iterable[str]) -> str | None:
        """Return one of the given words, or None with a problem that names the nearest."""
        names = list(options)
        if isinstance(value, str) and value in names:
            return value
        self.add(path, found=value, allowed=verbatim(", ".join(names)), remedy=nearest(value, names))
        return None

    def text(self, value: object, path: str, *, longest: int = 200, shortest: int = 0) -> str:
        if isinstance(value, str) and shortest <= len(value) <= longest and sound(value):
            return value
        key = "model.text_from_to" if shortest else "model.text_at_most"
        self.add(path, found=value, allowed=phrase(key, shortest=shortest, longest=longest))
        return ""

    def optional_text(
        self, fields: Mapping[str, Any], key: str, path: str, *, longest: int = 200, shortest: int = 0
    ) -> str:
        """Return the text under a key of the mapping at `path`; empty where the key is left out."""
        if fields.get(key) is None:
            return ""
        return self.text(fields[key], join(path, key), longest=longest, shortest=shortest)

    def scalar(self, value: object, path: str) -> str | bool | int | Decimal | None:
        """Return a declared value of a column: text, true or false, a number, or a date, which becomes ISO text."""
        if isinstance(value, date):
            value = value.isoformat()
        if isinstance(value, str):
            return self.text(value, path)
        if isinstance(value, bool):
            return value
        number = self.decimal(value, path, allowed=phrase("model.number_text_date_true"))
        return int(number) if number is not None and number == number.to_integral_value() else number

    def integer(self, value: object, path: str, *, lowest: int, highest: int) -> int | None:
        allowed = phrase("model.whole_number_from", lowest=lowest, highest=highest)
        number = self.decimal(value, path, allowed=allowed)
        if number is None:
            return None
        if number != number.to_integral_value() or not lowest <= number <= highest:
            self.add(path, found=value, allowed=allowed)
            return None
        return int(number)

    def decimal(self, value: object, path: str, *, allowed: Phrase = FEW_DIGITS) -> Decimal | None:
        number = as_decimal(value)
        if number is None:
            self.add(path, found=value, allowed=allowed)
        return number

    def flag(self, value: object, path: str) -> bool:
        if isinstance(value, bool):
            return value
        self.add(path, found=value, allowed=phrase("model.true_false"))
        return False

    def sequence(self, value: object, path: str, *, longest: int) -> list[Any]:
        if isinstance(value, list | tuple) and 1 <= len(value) <= longest:
            return list(value)
        found = phrase("model.items", count=len(value)) if isinstance(value, list | tuple) else value
        self.add(path, found=found, allowed=phrase("model.list_1_items", longest=longest))
        return []


def as_decimal(value: object) -> Decimal | None:
    """Return the exact decimal of a number (or of text that holds one), None where it is not a usable one.

    From -10^15 to 10^15, 0 or at least 10^-30 in size, with at most 15 significant digits (floats are read to 15): such
    a number survives JSON, and no arithmetic on it can explode.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        return None
    if isinstance(value, str) and (len(value) > 60 or not re.fullmatch(NUMBER, value)):
        return None
    if isinstance(value, int) and abs(value) > MAX_NUMBER:
        return None
    number = Decimal(f"{value:.{DIGITS}g}") if isinstance(value, float) else Decimal(value)
    if not number.is_finite() or (number != 0 and not (number.adjusted() >= -30 and abs(number) <= MAX_NUMBER)):
        return None
    digits = "".join(map(str, number.as_tuple().digits)).strip("0")
    return number.normalize() if len(digits) <= DIGITS else None


def sound(text: str) -> bool:
    """Return True if a text has no NUL, and no half of a surrogate pair, which UTF-8 cannot hold."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def nearest(word: object, words: Iterable[str]) -> Phrase:
    """Return a remedy that names the nearest allowed word, if one is near."""
    close = difflib.get_close_matches(str(word), list(words), n=1, cutoff=0.5)
    return phrase("model.did_you_mean", word=quoted(close[0])) if close else NOTHING


def read_date(value: object) -> date | None:
    """Return a day, or text such as 2025-12-31; None for anything else, also a time of day."""
    if isinstance(value, date):
        return None if isinstance(value, datetime) else value
    try:
        return date.fromisoformat(value) if isinstance(value, str) and re.fullmatch(DAY, value) else None
    except ValueError:
        return None
