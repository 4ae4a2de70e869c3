"""When the outcome of reading rows may show: 1, 2, 4, 8 … seconds after it began, however long it took."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

FIRST = 1.0
"""Seconds. Doubling leaves few moments, so that what a table's size shows is less than one bit for most tables."""


@contextmanager
def on_the_tick() -> Iterator[None]:
    """Leaves the block on a tick, whether it ends well or not."""
    began = time.monotonic()
    try:
        yield
    finally:
        time.sleep(until_next(time.monotonic() - began))


def until_next(elapsed: float) -> float:
    """Seconds from `elapsed` to the next tick."""
    tick = FIRST
    while tick < elapsed:
        tick *= 2
    return tick - elapsed
