"""Exact integers over declared cells: confidential."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dprelease.model.tally import TallyQuery


@dataclass(frozen=True, slots=True)
class Tally:
    """The answer to one query: int64 counts or sums, of the query's shape, clamped to ±2^62."""

    query: TallyQuery
    values: NDArray[np.int64] = field(repr=False)
