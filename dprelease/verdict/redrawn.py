"""Pictures drawn again from certificate and tables, and held against those of a bundle.

The same bytes are the rule. Where another processor or another build of the renderer rounds otherwise, places may be
off by 0.01 pixel, and nothing else may.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from dprelease.charts.safe import parsed
from dprelease.words import Phrase, phrase, verbatim

PLACES = frozenset(
    {"d", "transform", "points", "x", "y", "x1", "x2", "y1", "y2", "width", "height", "r", "cx", "cy", "viewBox"}
)
"""The attributes whose numbers are pixels."""
NUMBER = re.compile(r"(-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)", re.ASCII)
CALL = re.compile(r"(\w+\([^()]*\))")
ENDLESS = re.compile("nan|inf", re.IGNORECASE)
MOVED = {"translate": 0, "rotate": 1}
"""Transformations with places among their numbers, and how many numbers before those are none."""
TOLERANCE = 0.01
"""Pixels."""
TIMES, BEYOND = 2, 4096
"""A picture of more than so many times the bytes, and so many beyond, is not parsed."""
MAX_SHOWN = 80
"""Characters of a value that an error shows."""


@dataclass(frozen=True, slots=True)
class PictureDifference:
    """The first place where two pictures differ, with the values there."""

    place: Phrase
    stored: str
    drawn: str


SAME, CLOSE = "same", "close"
Match = str | PictureDifference
"""SAME: the same bytes. CLOSE: no place is off by more than the tolerance, and all else is equal."""


def compare(stored: bytes, drawn: bytes) -> Match:
    """Compare a stored picture with one that was drawn again, which is trusted."""
    if stored == drawn:
        return SAME
    if len(stored) > TIMES * len(drawn) + BEYOND:
        return PictureDifference(phrase("verdict.picture_size"), str(len(stored)), str(len(drawn)))
    try:
        found = parsed(stored)
    except ValueError as cause:
        return PictureDifference(phrase("verdict.picture_whole"), str(cause), "SVG")
    for number, (one, other) in enumerate(zip(_in_order(found), _in_order(parsed(drawn)), strict=False), 1):
        if difference := _element(one, other, number):
            return difference
    return CLOSE  # each element has as many children as the other: neither picture ends before the other one


def _in_order(root: Element) -> Iterator[Element]:
    """Yield every element in document order."""
    yield from root.iter()


def _element(stored: Element, drawn: Element, number: int) -> PictureDifference | None:
    """Return the first difference of two elements: name, attributes, texts in and behind them, number of children."""

    def differs(what: str, found: str | None, expected: str | None) -> PictureDifference:
        shown = [(text or "").strip()[:MAX_SHOWN] for text in (found, expected)]
        return PictureDifference(phrase("verdict.picture_place", number=number, what=verbatim(what)), *shown)

    if stored.tag != drawn.tag:
        return differs("name", stored.tag.rpartition("}")[2], drawn.tag.rpartition("}")[2])
    for name in sorted(stored.attrib.keys() | drawn.attrib.keys()):
        found, expected = stored.attrib.get(name), drawn.attrib.get(name)
        if found != expected and not (found and expected and name in PLACES and _close(name, found, expected)):
            return differs(name, found, expected)
    for what, found, expected in (("text", stored.text, drawn.text), ("tail", stored.tail, drawn.tail)):
        if (found or "") != (expected or ""):
            return differs(what, found, expected)
    if len(stored) != len(drawn):
        return differs("children", str(len(stored)), str(len(drawn)))
    return None


def _close(name: str, stored: str, drawn: str) -> bool:
    """Return True if two attributes differ by the tolerance at most, in numbers that are places."""
    if name != "transform":
        return _numbers(stored, drawn)
    ones, others = CALL.split(stored), CALL.split(drawn)
    return len(ones) == len(others) and all(map(_moved, ones, others))


def _moved(stored: str, drawn: str) -> bool:
    """Return True if two transformations are equal but for their places: scales and angles are equal as text."""
    kind = stored.partition("(")[0]
    if stored == drawn or kind not in MOVED or kind != drawn.partition("(")[0]:
        return stored == drawn
    ones, others = NUMBER.split(stored), NUMBER.split(drawn)
    fixed = 2 * MOVED[kind] + 1
    return ones[:fixed] == others[:fixed] and _numbers(stored, drawn)


def _numbers(stored: str, drawn: str) -> bool:
    """Return True if the numbers of two texts are close, and what is between them is equal."""
    ones, others = NUMBER.split(stored), NUMBER.split(drawn)
    if len(ones) != len(others) or ones[::2] != others[::2] or ENDLESS.search(stored):
        return False
    pairs = zip(ones[1::2], others[1::2], strict=True)
    return all(round(abs(float(one) - float(other)), 6) <= TOLERANCE for one, other in pairs)  # inf - inf is NaN: false
