"""Domain of a chart: numbers that can be quoted set it, and all others end at its frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dprelease.model.grade import Grade


def extent(rows: Sequence[Mapping[str, Any]], *, zero: bool, every: bool = False) -> tuple[float, float]:
    """Return the least and greatest number of the rows that can be quoted, intervals included; 0 too if asked.

    `every`: of all rows, as of a model's coefficients, whose intervals are what is to be seen.
    """
    ends = [row[name] for row in rows if every or not row["unsure"] for name in ("value", "lower", "upper")]
    numbers = [end for end in ends if end is not None] + ([0.0] if zero else [])
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    return (low, high) if low < high else (low, low + 1)


def cut(row: Mapping[str, Any], domain: tuple[float, float]) -> dict[str, Any]:
    """Return a row whose number and interval end at the frame; `over` and `under` where an arrow says so.

    A number that is not told apart from none has no mark.
    """
    ends = ("value", "lower", "upper")
    if row["grade"] is Grade.NONE:
        return {**row, **dict.fromkeys(ends), "over": False, "under": False}
    low, high = domain
    numbers = [row[name] for name in ends if row[name] is not None]
    kept = {name: None if row[name] is None else min(max(row[name], low), high) for name in ends}
    return {**row, **kept, "over": any(each > high for each in numbers), "under": any(each < low for each in numbers)}
