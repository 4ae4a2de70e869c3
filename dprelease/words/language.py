"""The languages that people read here, and which of them is being spoken."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import date
from functools import cache

from dprelease.words import catalogue

ENGLISH = catalogue.ENGLISH
COOKIE = "dprelease_language"
"""Cookie in which a browser keeps the code that was chosen."""
RANGE = re.compile(r"\s*([A-Za-z]+|\*)(?:-[A-Za-z0-9-]+)?\s*(?:;\s*q\s*=\s*([01](?:\.[0-9]*)?)\s*)?")
MONTH = re.compile(r"[0-9]{4}-[0-9]{2}")
MAX_RANGES = 20
_spoken: ContextVar[str | None] = ContextVar("language", default=None)
_ask: Callable[[], str | None] = lambda: None  # noqa: E731 (until somebody listens)


class Languages(Mapping[str, str]):
    """Own name of each language that has catalogues, by code (ISO 639)."""

    def __getitem__(self, code: str) -> str:
        if code not in catalogue.languages():
            raise KeyError(code)
        return _own_name(code)

    def __contains__(self, code: object) -> bool:
        return code in catalogue.languages()

    def __iter__(self) -> Iterator[str]:
        return iter(catalogue.languages())

    def __len__(self) -> int:
        return len(catalogue.languages())


LANGUAGES = Languages()


@cache
def _own_name(code: str) -> str:
    from babel import Locale

    name = Locale(code).get_display_name(code) or code
    return name[:1].upper() + name[1:]


def point() -> str:
    """Return the decimal mark of the language that is spoken."""
    return _point(language())


@cache
def _point(code: str) -> str:
    if code == ENGLISH:
        return "."
    from babel.numbers import get_decimal_symbol

    return get_decimal_symbol(code)


def day_in_words(at: str) -> str:
    """Write the day of a time (ISO 8601) as the language that is spoken writes days; empty where there is none."""
    from babel.dates import format_date

    code = language()
    written = "en_GB" if code == ENGLISH else code  # 22 Nov 2026
    return format_date(date.fromisoformat(at[: len("2026-11-22")]), "medium", written) if at else ""


def period_in_words(name: str) -> str:
    """Write a month (2027-06) as the language that is spoken writes months; any other period as it is named."""
    if not MONTH.fullmatch(name):
        return name
    from babel.dates import format_skeleton

    return str(format_skeleton("yMMMM", date.fromisoformat(f"{name}-01"), locale=language()))


def language() -> str:
    """Return the code of the language that is spoken now, in this thread or task."""
    return _spoken.get() or _ask() or ENGLISH


def speak(code: str) -> None:
    """Set the language that is spoken from here on; unknown ones are English."""
    _spoken.set(code if code in LANGUAGES else ENGLISH)


@contextmanager
def speaking(code: str) -> Iterator[None]:
    """Speak a language inside the context: what is written once for everyone says which, whoever asked for it."""
    token = _spoken.set(code)
    try:
        yield
    finally:
        _spoken.reset(token)


def listen(ask: Callable[[], str | None]) -> None:
    """Set the question for the language, where nobody has spoken yet: in a thread begun for somebody who is looking."""
    global _ask
    _ask = ask


def of_terminal(environment: Mapping[str, str]) -> str:
    """Return the language of a terminal: of $DPRELEASE_LANGUAGE, else of its locale; English where it has none."""
    named = (environment.get(name) for name in ("DPRELEASE_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"))
    code = re.split("[^a-z]", next(filter(None, named), ENGLISH).lower())[0]
    return code if code in LANGUAGES else ENGLISH


def preferred(chosen: str | None, accepted: str) -> str:
    """Return the language of a browser: the one chosen here, else the first that it accepts (RFC 9110, 12.5.4)."""
    if chosen in LANGUAGES:
        return str(chosen)
    ranges = [RANGE.fullmatch(text) for text in accepted.split(",")[:MAX_RANGES]]
    weighed = [(float(found[2] or 1), found[1].lower()) for found in ranges if found]
    for weight, code in sorted(weighed, key=lambda one: -one[0]):
        if weight > 0 and code in (*LANGUAGES, "*"):
            return code if code in LANGUAGES else ENGLISH
    return ENGLISH
