"""Log-odds of noisy counts with intervals: of a bin in one class beside another, and of the classes themselves."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from dprelease.mechanisms.mechanism import Noise
from dprelease.model.release import Cell
from dprelease.statistics.algebra.agreed import ReconciledTables
from dprelease.statistics.algebra.elementary import Floats, log
from dprelease.statistics.algebra.solving import nine

CELLS = 0.9
"""The part of the misses that the two cells of a log-odds may have; the sizes of the two classes have the rest."""
CONFIDENCE = 0.95
LEAST = 1e-12
"""Least variance: noise at a very large ε has none that a float could tell from 0."""


def ends(number: float) -> Cell:
    """Return the end of an interval; none where it is infinite: nothing can be said."""
    return nine(number) if np.isfinite(number) else None


@dataclass(frozen=True)
class Spans:
    """Intervals that hold together: of each cell of a table, and of each class."""

    cell: float
    """The half-width of a cell's."""
    classes: Floats
    reach: float
    """The half-width of a class's."""

    @classmethod
    def of(cls, found: ReconciledTables, noise: Noise, cells: float = CELLS) -> Spans:
        """Return intervals of two cells and two classes that hold together with 95 % (Bonferroni).

        `cells`: the cells' part of misses. A class is a weighted sum of draws: that reaches no further than one draw of
        its variance, which has the heavier tail.
        """
        misses = 1 - CONFIDENCE
        one = noise.half_width(1 - misses * cells / 2) if cells else 0
        rest = noise.half_width(1 - misses * (1 - cells) / 2) + 1
        return cls(float(one), found.noisy, rest * sqrt(found.variance / max(float(noise.variance), LEAST)))

    def log_odds(self, one: float, other: float, first: int, second: int) -> tuple[float, float]:
        """Return the least and the greatest of ln(one/class) − ln(other/class), by the noisy counts of two cells."""
        low, high = _ratio(one - self.cell, one + self.cell, other - self.cell, other + self.cell)
        a, b = float(self.classes[first]), float(self.classes[second])
        least, most = _ratio(a - self.reach, a + self.reach, b - self.reach, b + self.reach)
        return low - most, high - least

    def share(self, place: int) -> tuple[float, float]:
        """Return the least and the greatest share of a class: it against all others, which have as many draws each."""
        own, reach = float(self.classes[place]), self.reach * sqrt(len(self.classes) - 1)
        others = float(sum(self.classes)) - own
        least, most = max(0.0, own - self.reach), max(0.0, own + self.reach)
        few, many = max(0.0, others - reach), max(0.0, others + reach)
        return least / (least + many) if least > 0 else 0.0, most / (most + few) if few > 0 else 1.0


def _ratio(low: float, high: float, least: float, most: float) -> tuple[float, float]:
    """Return the least and the greatest ln(a/b) with a in [low, high] and b in [least, most], cut at 0."""
    down = float(log(low) - log(most)) if low > 0 < most else -np.inf
    up = float(log(high) - log(least)) if least > 0 < high else np.inf
    return down, up
