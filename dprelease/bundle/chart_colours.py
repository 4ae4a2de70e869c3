"""The colours of a grid, which stand for its values: a larger value is further along from one colour to the other."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise

from dprelease.bundle.chart_parts import Part
from dprelease.errors import IntegrityError

COLOUR = re.compile(r"rgb\((\d{1,3}), (\d{1,3}), (\d{1,3})\)")
ROUNDED = 1
"""By how much a part of a colour may be off."""
Coloured = tuple[float, tuple[int, ...]]


def check_colours(marks: Iterable[tuple[float, Part]], name: str, *, both_ways: bool) -> None:
    """Raises IntegrityError where the colours of cells are not in the order of their values.

    `both_ways`: from a middle at 0 to one colour above it and to another below. Which colours they are is open.
    """
    given = list(marks)
    if len({part.fill for _, part in given}) < 2:  # of one value, or of columns that are not measured alike
        return
    found: list[Coloured] = []
    for value, part in given:
        colour = COLOUR.fullmatch(part.fill)
        if colour is None:
            raise IntegrityError(f"{name}: a cell has no colour that stands for its value")
        found.append((value, tuple(map(int, colour.groups()))))
    sides = [[each for each in found if each[0] <= 0], [each for each in found if each[0] >= 0]]
    if not all(_in_order(sorted(side)) for side in (sides if both_ways else [found])):
        raise IntegrityError(f"{name}: its colours are not in the order of the values that they stand for")


def _in_order(found: Sequence[Coloured]) -> bool:
    """Whether each part of the colours only grows, or only shrinks, along the values; equal ones look alike."""
    for parts in zip(*(colour for _, colour in found), strict=True):
        way = 1 if parts[-1] >= parts[0] else -1
        furthest = list(accumulate((way * part for part in parts), max))
        if any(way * part < most - ROUNDED for part, most in zip(parts, furthest, strict=True)):
            return False
        steps = zip(pairwise(value for value, _ in found), pairwise(parts), strict=True)
        if any(value == following and abs(one - other) > ROUNDED for (value, following), (one, other) in steps):
            return False
    return True
