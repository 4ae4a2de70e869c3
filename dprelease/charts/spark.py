"""Small picture of a row of numbers for lists: bars from zero, without words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

WIDTH, HEIGHT = 104, 40
"""Pixels of the picture."""
FEWEST, MOST = 2, 48
"""Numbers that a picture may have."""


def spark(values: Sequence[float | None]) -> str:
    """Draw numbers as SVG of 1 kB at most; None leaves its place empty. Empty where there are too few, or too many."""
    known = [value for value in values if value is not None]
    if len(known) < FEWEST or len(values) > MOST or not any(known):
        return ""
    top, bottom = max(0.0, *known), min(0.0, *known)
    zero = round(HEIGHT * top / (top - bottom))
    ends = [round(WIDTH * place / len(values)) for place in range(len(values) + 1)]
    bars = "".join(
        f"M{left} {zero}V{round(HEIGHT * (top - value) / (top - bottom))}H{right - (right > left + 1)}V{zero}"
        for value, (left, right) in zip(values, pairwise(ends), strict=True)
        if value is not None
    )
    size = f'xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}"'
    return f'<svg {size} aria-hidden="true"><path d="{bars}"/></svg>'
