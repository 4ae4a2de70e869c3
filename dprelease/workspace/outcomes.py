"""Sources of the error of each simulated number: noise, bounds, and rows that are left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dprelease.model.release import Cell
from dprelease.workspace.preview import StatisticPreview


def numeric(item: StatisticPreview) -> bool:
    """Return True if all true values of a statistic are numbers."""
    return len(item.true) > 0 and all(isinstance(value, int | float) for value in item.true.value)


def noise(item: StatisticPreview) -> Iterator[float | None]:
    """Return, of each cell, half of what the middle 95 % of the draws span."""
    for low, high in zip(*item.spread(), strict=True):
        numbers = isinstance(low, int | float) and isinstance(high, int | float)
        yield (high - low) / 2 if numbers else None  # type: ignore[operator]


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts of the error of one published number; None where not known."""

    noise: float | None
    """Half of what the middle 95 % of the draws span."""
    clipping: float | None
    """Error from the bounds: negative where they make the number smaller."""
    cutting: float | None
    """Error from leaving out rows of units with many."""

    @property
    def largest(self) -> str | None:
        """`noise`, `clipping` or `cutting`, whichever is largest; None where all are 0 or none is known."""
        known = {name: abs(part) for name in ("noise", "clipping", "cutting") if (part := getattr(self, name))}
        return max(known, key=lambda name: known[name]) if known else None


def parts(item: StatisticPreview) -> list[Parts]:
    """Return the parts of the error of each cell."""
    uncut = item.uncut.value if item.uncut is not None and item.uncut.axes == item.true.axes else None
    unclipped = item.unclipped.value if item.unclipped is not None and uncut is not None else None
    result = []
    for place, (true, half) in enumerate(zip(item.true.value, noise(item), strict=True)):
        without_cut = None if uncut is None else uncut[place]
        clipping = None if unclipped is None else _less(without_cut, unclipped[place])
        result.append(Parts(half, clipping, None if uncut is None else _less(true, without_cut)))
    return result


def _less(one: Cell, other: Cell) -> float | None:
    numbers = isinstance(one, int | float) and isinstance(other, int | float)
    return float(one) - float(other) if numbers else None  # type: ignore[arg-type]
