"""Exact integers over declared cells: confidential."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from dprelease.model.tally import DiscoveryQuery, TallyQuery


@dataclass(frozen=True, slots=True)
class Tally:
    """The answer to one query: exact counts or sums of the query's shape; int64, or Python's integers where larger.

    Nothing is cut here: what is made of several tallies is clamped as a whole, just before noise (1-Lipschitz).
    """

    query: TallyQuery
    values: NDArray[Any] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Discovery:
    """The answer to one discovery: how many rows each cell has that has any. Which cells those are is confidential."""

    query: DiscoveryQuery
    values: Mapping[str, int] = field(repr=False)
