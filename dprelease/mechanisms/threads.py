"""Large draws on several processors: OpenDP lets other threads run while it draws."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Given = TypeVar("Given")
Drawn = TypeVar("Drawn")
PIECES = max(2, min(8, os.cpu_count() or 1))
MOST = 8
"""Threads, also where there are fewer processors: then all of a few draws end at about the same time."""
LARGE = 20_000
"""Numbers. Fewer are drawn in about the time that threads take to start."""


def each_of(draw: Callable[[Given], Drawn], given: Sequence[Given], numbers: int) -> list[Drawn]:
    """Return what is drawn for each of some inputs, which are so many numbers in all."""
    if numbers < LARGE or len(given) < 2:
        return [draw(each) for each in given]
    with ThreadPoolExecutor(min(len(given), MOST)) as pool:
        return list(pool.map(draw, given))


def noisy(measurement: Any, exact: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a measurement that adds independent noise to each integer of a vector, asked about an array in pieces."""
    pieces = np.array_split(exact.ravel(), PIECES if exact.size >= LARGE else 1)
    drawn = each_of(measurement, pieces, exact.size)
    return np.concatenate([np.array(piece, dtype=np.int64) for piece in drawn]).reshape(exact.shape)
