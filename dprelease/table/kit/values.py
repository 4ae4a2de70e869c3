"""The values of the kit, by the types that can store them: ordinary ones, edges, and what engines differ in."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from functools import cache
from hashlib import sha256
from importlib.resources import files
from itertools import product
from math import inf, isfinite, nan, nextafter

from dprelease.table.kit.reader import BLANKS, Day, Single, Stored


@dataclass(frozen=True)
class KitValue:
    """A text that an engine casts to a stored type, and what is then stored."""

    literal: str | None
    stored: Stored


BEYOND = ("\xa0", "\u2003", "\u2028", "\x85", "\x1c", "\ufeff", "\u200b")
"""Blanks of Unicode, which are no blanks here."""
POOLS: dict[str, list[str]] = json.loads(files(__package__).joinpath("values.json").read_text("utf-8"))
"""Texts by what they seem to say."""
LONG_NUMBERS = (
    *("9" * 400, "0." + "0" * 400 + "1", "9" * 1000, "9" * 1001, "0" * 999 + "1", "0" * 1000 + "1"),
    *("1" + " " * 999, "1" + " " * 1000, "1e" + "0" * 60 + "2"),
)
LONG_WORDS = ("x" * 200, "x" * 201, "😀" * 201)
CATEGORIES = (*POOLS["categories"], LONG_WORDS[0])
WHOLE = (0, 1, -1, 2, 5, 6, 7, 9, 10, 11, 12, 100, -300, -301, 700, 701, 12345, 999_999_999, 10**9)


def texts() -> tuple[KitValue, ...]:
    """Everything that text can say or seem to say."""
    blanked = [
        f"{left}{core}{right}"
        for core in ("1.5", "-1", "2025-01-05", "2025-01-05 12:30", "true", "No", "inf", "a")
        for left, right in product(("", *BLANKS, *BEYOND, " \t"), repeat=2)
    ]
    clocks, zones = POOLS["clocks"], POOLS["zones"]
    times = [f"{day}{mark}{clock}" for day in ("2025-01-05", "2025/1/5") for mark in "T t" for clock in clocks]
    times += [f"2025-01-05{mark}{clock}{zone}" for mark in "T " for clock in clocks[:20] for zone in zones]
    plain = (text for pool in POOLS.values() for text in pool)
    found = dict.fromkeys((*plain, *LONG_NUMBERS, *LONG_WORDS, *blanked, *times))
    return (KitValue(None, None), *(KitValue(text, text) for text in found))


def short_texts(most: int) -> tuple[KitValue, ...]:
    """Return the texts of at most `most` bytes, and those without a literal."""
    return tuple(each for each in texts() if each.literal is None or len(each.literal.encode()) <= most)


def padded_texts(most: int) -> tuple[KitValue, ...]:
    """Pads them as a type of fixed length stores them, from which an engine takes the spaces at the end."""
    kept = (each.literal for each in short_texts(most))
    return tuple(KitValue(text, None if text is None else text.rstrip(" ")) for text in kept)


@cache
def _floats() -> tuple[float, ...]:
    edges = [step * place for step in (0.05, 0.1, 0.25, 0.5, 7.0, 1e-6) for place in range(-12, 40)]
    near = [nextafter(x, toward) for x in edges for toward in (inf, -inf)]
    large = [10.0**power * sign for power in range(-12, 310, 7) for sign in (1, -1)]
    odd = [0.0, -0.0, inf, -inf, nan, 5e-324, -5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 9.21e18, 1e23]
    odd += [2.0**63, -(2.0**63), 2.0**53 + 2, 2.0**63 - 1024, 1234567890123456.5, 0.5 - 2**-54, 5.684341886080802e-14]
    odd += [1e-5, 0.0001, 1234567.5, 123456789.25, 999999999.9999999, 1e9 - 0.5, 1e9 + 0.5, 1e12 - 0.5, 1e12 + 0.5]
    odd += [0.9999995, 0.9999994999, 9.9999999, 99999.995, 4.35, 2.675, 1e16, 1e300, -1e300, 0.30000000000000004]
    return tuple(dict.fromkeys((*odd, *edges, *near, *large, *_patterns(200))))


def _patterns(count: int) -> Iterator[float]:
    """Doubles of any bits, always the same ones."""
    for number in range(count):
        (x,) = struct.unpack("<d", sha256(b"%d" % number).digest()[:8])
        if isfinite(x):
            yield x


def doubles() -> tuple[KitValue, ...]:
    return (KitValue(None, None), *(KitValue(repr(x), x) for x in _floats()))


def singles() -> tuple[KitValue, ...]:
    """Return what 32 bits hold; written out as doubles."""
    found: dict[float, None] = {}
    for x in (*_floats(), 1e-45, 16777216.0, 1234567.5, 0.0001):
        if not isfinite(x) or abs(x) < 3e38:
            found[struct.unpack("<f", struct.pack("<f", x))[0]] = None
    return (KitValue(None, None), *(KitValue(repr(x), Single(x)) for x in found))


def whole(bits: int) -> tuple[KitValue, ...]:
    """Signed whole numbers of so many bits."""
    most = 2 ** (bits - 1)
    edges = (most - 1, -most, 2**53 + 1, 2**60 + 1, 2**60 + 7)
    found = dict.fromkeys(x for x in (*WHOLE, *edges) if -most <= x < most)
    return (KitValue(None, None), *(KitValue(str(x), x) for x in found))


def unsigned(bits: int, *, exact: bool) -> tuple[KitValue, ...]:
    """Whole numbers from 0; those that do not fit 64 bits with a sign are read as doubles, all of their type."""
    found = dict.fromkeys(x for x in (*WHOLE, 2**53 + 1, 2**60 + 1, 2**bits - 1) if 0 <= x < 2**bits)
    return (KitValue(None, None), *(KitValue(str(x), x if exact else Decimal(x)) for x in found))


def decimals(digits: int, places: int, *others: str) -> tuple[KitValue, ...]:
    """Exact decimals that fit."""
    fitting = [text for text in POOLS["decimals"] if len(text.partition(".")[2]) <= places]
    fitting = [text for text in fitting if len(text.partition(".")[0].lstrip("-")) <= digits - places]
    return (KitValue(None, None), *(KitValue(text, Decimal(text)) for text in (*fitting, *others)))


def truths() -> tuple[KitValue, ...]:
    return (KitValue(None, None), KitValue("true", True), KitValue("false", False))


def days() -> tuple[KitValue, ...]:
    """Stored dates."""
    first = date(2024, 1, 20)
    found = [*(first + timedelta(days=number) for number in range(0, 400, 7)), date(1, 1, 1), date(9999, 12, 31)]
    found += [date(1582, 10, 10), date(1969, 12, 31), date(2024, 2, 1), date(2025, 1, 31), date(2025, 1, 5)]
    return (KitValue(None, None), *(KitValue(day.isoformat(), Day(day.toordinal(), day.isoformat())) for day in found))


def far_days(names: Mapping[str, float]) -> tuple[KitValue, ...]:
    """Dates outside the years 1 to 9999, as an engine writes them."""
    return tuple(KitValue(text, Day(number, None)) for text, number in names.items())


def moments(*, zone: bool = False, places: int = 6) -> tuple[KitValue, ...]:
    """Stored times; with `zone`, those of an instant, whose day and text are in UTC."""
    found = [KitValue(None, None)]
    for text in POOLS["moments"]:
        if len(text.partition(".")[2]) <= places:
            day = datetime.fromisoformat(text[:19]).toordinal()
            found.append(KitValue(text + "+00" if zone else text, Day(day, text + "+00" if zone else text)))
    if zone:
        found.append(KitValue("2025-01-05 23:30:00-05:00", Day(date(2025, 1, 6).toordinal(), "2025-01-06 04:30:00+00")))
        found.append(KitValue("2025-01-06 00:30:00+01:00", Day(date(2025, 1, 5).toordinal(), "2025-01-05 23:30:00+00")))
    return tuple(found)


def identifiers() -> tuple[KitValue, ...]:
    return (KitValue(None, None), *(KitValue(text, text) for text in POOLS["identifiers"]))
