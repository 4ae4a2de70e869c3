"""Rows of a model that was fitted to tables chosen one after the other, and how far they are off where it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import fsum, sqrt

import numpy as np

from dprelease.mechanisms import DiscreteLaplace
from dprelease.mechanisms.mechanism import Noise
from dprelease.statistics.adaptive import AdaptiveModel
from dprelease.statistics.algebra.cliques import spread
from dprelease.statistics.algebra.raking import Codes, counted
from dprelease.statistics.algebra.residual import FloatArray, Places
from dprelease.statistics.algebra.stream import Stream
from dprelease.statistics.synthesis import OF_ONE, Z95, Misfit

EXCESS: Mapping[type[Noise], float] = {DiscreteLaplace: 3.0}
"""The fourth cumulant of the noise over its squared variance; 0 of nearly normal noise."""


@dataclass(frozen=True)
class AdaptiveSynthesis:
    """Rows of a model."""

    cells: tuple[int, ...]
    model: AdaptiveModel
    stream: Stream
    chooses: bool = True
    """True if tables over several columns may have been measured."""

    @cached_property
    def count(self) -> int:
        """The noisy number of rows."""
        return round(self.model.total)

    def rows(self, count: int) -> Codes:
        """Return so many rows, in no order: of each column the cell of each row."""
        places = spread(self.model.universe.weights.ravel(), count, float(self.stream.uniform("start", 1)[0]))
        order = np.argsort(self.stream.words("order", count), kind="stable")
        return np.array(np.unravel_index(places[order], self.cells), dtype=np.int64).reshape(len(self.cells), count)

    def misfits(self, rows: Codes) -> Iterator[tuple[Places, Misfit]]:
        """Yield each measured table's largest squared error in the rows: the upper end of its interval as value.

        Its distance from the true one is that from the noisy one but for the noise, by the triangle inequality:
        √S ± √R with S = Σ (row − noisy)² and R what the squared noise of d cells stays below: d·V + 1.96·√((2 + κ)·d)·V
        and more for few cells, V its variance and κ of `EXCESS`. So the interval holds however rows follow the noise.
        """
        for places, (noisy, noise) in self.model.known.items():
            own = counted(rows, self.cells, places) * (self.model.total / max(1, rows.shape[1]))
            apart = _squared(own - noisy.astype(np.float64))
            reach = sqrt(_noise_below(noise, noisy.size))
            bound = (sqrt(apart) + reach) ** 2
            yield places, Misfit(bound, max(0.0, sqrt(apart) - reach) ** 2, bound)


def _noise_below(noise: Noise, cells: int) -> float:
    """Return an upper bound of the sum of squared noises of so many cells, in 95 % of all draws and more."""
    heavy = 2 + EXCESS.get(type(noise), 0.0)
    return noise.variance * (cells + Z95 * sqrt(heavy * cells) + OF_ONE * heavy)


def _squared(numbers: FloatArray) -> float:
    return fsum((numbers * numbers).ravel().tolist())
