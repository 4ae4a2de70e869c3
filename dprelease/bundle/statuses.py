"""How reliable each published number is, as one letter beside it: in CSV, JSON, Parquet and SDMX."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat

from dprelease.model.release import Cell, Estimates, plain

STATUS = "status"
"""The name of the column."""
NORMAL, LOW, MISSING = "A", "U", "O"
"""Codes of SDMX's CL_OBS_STATUS: normal value, low reliability, missing value."""
UNSURE = 0.5
"""The margin of error, as a share of the value, above which its reliability is called low."""


def statuses(estimates: Estimates) -> Iterator[str]:
    """The status of each row, in the order of the CSV file."""
    columns = (estimates.value, estimates.lower95, estimates.upper95)
    numbers = zip(*(chain.from_iterable(plain(column)) for column in columns), strict=True)
    for (value, lower, upper), counted in zip(numbers, _counted(estimates), strict=False):
        yield _status(value, margin(lower, upper), counted)


def margin(lower: Cell, upper: Cell) -> float | None:
    """Half of an interval; of one without any width, 0."""
    numbers = isinstance(lower, int | float) and isinstance(upper, int | float)
    return (upper - lower) / 2 if numbers else None  # type: ignore[operator]


def _counted(estimates: Estimates) -> Iterator[bool]:
    """Of each row whether a count with an interval of its own stands beside its value."""
    lower = estimates.extra.get("count_lower95")
    return repeat(False) if lower is None else (end is not None for end in lower)


def _status(value: Cell, half: float | None, counted: bool) -> str:
    """Of a value without an interval nobody knows how far off it is: it is never called normal."""
    if value is None:
        return MISSING
    if half is None:
        return NORMAL if counted else LOW
    return LOW if isinstance(value, int | float) and half > abs(value) * UNSURE else NORMAL
