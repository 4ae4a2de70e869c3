"""Numbers as pages and charts show them, read back: whether a text shows what a cell of a table has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from math import floor, log10

from dprelease.bundle.cells import key_text
from dprelease.bundle.display import MINUS, THIN, half_width, visible
from dprelease.bundle.words import WORDS, say
from dprelease.model.release import Cell

NUMBER = re.compile(rf"[{MINUS}-]?[0-9][0-9{THIN}]*(?:[.,][0-9]+)?(?:e[{MINUS}-]?[0-9]+)?")
ROUNDED = Decimal("0.001")
"""How far a number of four digits may be off, of itself."""


def numbers(texts: Iterable[str]) -> list[Decimal]:
    """The numbers in texts, as they are shown."""
    found = []
    for text in texts:
        for match in NUMBER.findall(text.replace("\N{NO-BREAK SPACE}", " ")):
            with_point = match.replace(THIN, "").replace(MINUS, "-").replace(",", ".")
            try:
                found.append(Decimal(with_point))
            except InvalidOperation:
                continue
    return found


def tick(text: str) -> float | None:
    """The number beside a tick of an axis; None where there is another text."""
    bare = "".join(text.split()).replace(THIN, "").replace(MINUS, "-").replace("+", "")
    share = bare.endswith("%")
    try:
        number = Decimal(bare.removesuffix("%").replace(",", "."))
    except InvalidOperation:
        return None
    return float(number / 100 if share else number) if number.is_finite() else None


def fits(text: str, column: str, cells: Mapping[str, Cell], keys: Sequence[str]) -> bool:
    """Whether a text is how a cell is shown: of a number, a rounding that the interval beside it allows."""
    cell = cells[column]
    if column in keys:
        return " ".join(text.split()) == " ".join(key_text(cell).split())
    told = numbers([text])
    if cell is None:
        return not told
    if isinstance(cell, str):
        state = f"answer_{cell}".replace(" ", "_")
        ways = [visible(cell), *([say(state)] if state in WORDS else ())]
        same = {" ".join(each.split()) for way in ways for each in (way, say("unsure", value=way))}
        return " ".join(text.split()) in same
    value = Decimal(repr(cell))
    half = half_width(cells["lower95"], cells["upper95"])
    if "count_lower95" in cells and column.startswith("count"):
        half = half_width(cells["count_lower95"], cells["count_upper95"])
    step = abs(value) * ROUNDED if half is None else Decimal(10) ** floor(log10(half / 2))
    return len(told) == 1 and abs(told[0] - value) <= max(step, abs(value) * Decimal("1e-9"))
