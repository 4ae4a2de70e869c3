"""Column names of a file, from the cells of its header."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import count


def clean_name(cell: str) -> str:
    """Return the name in a cell: line breaks and blanks of any kind are one blank each."""
    return " ".join(cell.split())


def told_apart(names: Sequence[str]) -> tuple[str, ...]:
    """Return names with a number behind those that are called like another one: a, A, a_2 become a, A_3, a_2."""
    taken, found, seen = {_same(name) for name in names}, list[str](), set[str]()
    for name in names:
        if _same(name) in seen:
            name = next(other for number in count(2) if _same(other := f"{name}_{number}") not in taken)
            taken.add(_same(name))
        seen.add(_same(name))
        found.append(name)
    return tuple(found)


def named(cells: Sequence[str]) -> tuple[str, ...]:
    """Return a name for each cell: the number of its column where it is blank, and no two alike."""
    names = [clean_name(cell) or f"column_{place}" for place, cell in enumerate(cells, start=1)]
    return told_apart(names)


def _same(name: str) -> str:
    return unicodedata.normalize("NFC", name).lower()
