"""Detection of the row that holds a table's column names, in text and in workbooks alike."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from dprelease.model.header import clean_name, told_apart

MAX_TITLES = 50
"""Rows among which the one with the names is looked for."""
FILLED = 0.8
"""The part of a table's width that its names fill."""
BELOW = 3
"""Rows of that width under the names."""
NUMBER = re.compile(r"[+-]?[\d.,'\s]*\d[\d.,'\s]*(?:[eE][+-]?\d+)?%?")
DATE = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?:[ T].*)?")
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}.*")
BRACKETS = re.compile(r"\(.+\)|\[.+\]")
UNITS = frozenset(
    "% ‰ € $ £ ¥ eur usd gbp chf kg g mg t km m cm mm km² m² ha l ml h min s kwh °c n years años jahre ans anni".split()  # noqa: SIM905
)
"""Words in a row of units under the names, beside words in brackets."""

Row = tuple[int, Sequence[str]]
"""The number of a row in its file, and its cells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """Position of the row of column names."""

    line: int
    """0 where no row holds them."""
    settled: bool
    width: int
    below: int
    """Rows under the names, among those that were looked at."""
    units: bool = False
    """True if the row under the names seems to hold units."""
    bands: tuple[str, ...] = ()
    """Names with what stands above them, where names repeat and something does."""

    @property
    def is_table(self) -> bool:
        """True if there are at least two columns, with enough rows under them."""
        return self.width >= 2 and self.below >= BELOW


def find_header(rows: Sequence[Row]) -> Header:
    """Find the first row that holds names: it fills the width of the table with words, and rows of it follow."""
    filled = [(number, [cell.strip() for cell in cells]) for number, cells in rows]
    filled = [(number, cells) for number, cells in filled if any(cells)]
    if not filled:
        return Header(line=1, settled=True, width=0, below=0)
    reaches = Counter(_reach(cells) for _, cells in filled)
    width = max(reaches, key=lambda reach: (reaches[reach], reach))
    for place, (number, cells) in enumerate(filled[:MAX_TITLES]):
        below = [row for _, row in filled[place + 1 :]]
        if _holds_names(cells, below, max(width, _reach(cells))):
            return Header(
                line=number,
                settled=True,
                width=max(width, _reach(cells)),
                below=len(below),
                units=bool(below) and filled[place + 1][0] == number + 1 and _are_units(below[0]),
                bands=_bands(filled[place - 1][1], cells) if place and filled[place - 1][0] == number - 1 else (),
            )
    first = filled[0]
    if len(first[1]) >= width and _are_names(first[1], [], width):  # rows that do not fit it are told by their lines
        return Header(line=first[0], settled=True, width=width, below=len(filled) - 1)
    named = not any(map(is_value, filter(None, first[1])))
    return Header(line=first[0] if named else 0, settled=False, width=width, below=len(filled) - named)


def is_value(cell: str) -> bool:
    """Return True if a cell looks like a number or a date: then its row may hold no names."""
    text = cell.strip()
    return any(pattern.fullmatch(text) for pattern in (NUMBER, DATE, ISO_DATE))


def _holds_names(cells: Sequence[str], below: Sequence[Sequence[str]], width: int) -> bool:
    following = [row for row in below[: BELOW + 1] if not _are_units(row)][:BELOW]
    if following and not _is_of_width(following[0], width):
        return False
    alike = sum(_is_of_width(row, width) for row in following)  # one of them may have hardly a cell
    return _are_names(cells, following, width) and alike >= min(len(following), BELOW - 1)


def _are_names(cells: Sequence[str], following: Sequence[Sequence[str]], width: int) -> bool:
    """Return True if distinct words fill the width; or some of it, with a column of values below."""
    told = [cell for cell in cells if cell]
    names = {clean_name(cell).casefold() for cell in told if not is_value(cell)}
    if len(names) >= FILLED * width:
        return True
    are_words = not any(map(is_value, told)) and 2 * len(told) >= width
    return are_words and _has_values(following)


def _is_of_width(cells: Sequence[str], width: int) -> bool:
    return _reach(cells) <= width and (len(cells) >= width or sum(map(bool, cells)) >= 2 or width <= 2)


def _has_values(following: Sequence[Sequence[str]]) -> bool:
    """Return True if a column holds values in every row that follows: then the row above holds names."""
    width = min(map(len, following), default=0)
    return any(all(is_value(row[place]) for row in following) for place in range(width))


def _are_units(cells: Sequence[str]) -> bool:
    told = [cell for cell in cells if cell]
    most = sum(bool(BRACKETS.fullmatch(cell)) or cell.casefold() in UNITS for cell in told)
    return 0 < most == len(told) and 2 * most >= len(cells)


def _bands(above: Sequence[str], cells: Sequence[str]) -> tuple[str, ...]:
    """Names with the band above them, which reaches to the next one."""
    names = [clean_name(cell) for cell in cells]
    if len({name.casefold() for name in names}) == len(names) or not any(above):
        return ()
    found, band = [], ""
    for place, name in enumerate(names):
        band = clean_name(above[place]) if place < len(above) and above[place] else band
        found.append(f"{band} / {name}" if band and name else name)
    return told_apart(found)


def _reach(cells: Sequence[str]) -> int:
    return next((place for place in range(len(cells), 0, -1) if cells[place - 1]), 0)
