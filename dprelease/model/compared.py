"""Pairs of rows that an index or a change compares, for the code that checks and writes them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from dprelease.model.derived import Compared
from dprelease.model.release import Axis
from dprelease.model.standard import code_of

Pair = tuple[int, int]
"""A row of a table, and the one that it is compared with; of a base with itself."""


def pairs(axes: Sequence[Axis], asked: Compared) -> tuple[Pair | None, ...]:
    """Return each row's pair; None where too few cells come before, or the bounds cut either period."""
    over = [axis.names[0] for axis in axes].index(asked.over)
    axis = axes[over]
    base = None if asked.base is None else [code_of(cell[0]) for cell in axis.cells].index(asked.base)
    stride = prod(len(each.cells) for each in axes[over + 1 :])
    found: list[Pair | None] = []
    for row, places in enumerate(product(*(range(len(each.cells)) for each in axes))):
        place = places[over]
        other = base if base is not None else place - (asked.lag or 0)
        whole = other >= 0 and not axis.is_cut(place) and not axis.is_cut(other)
        found.append((row, row + (other - place) * stride) if whole else None)
    return tuple(found)
