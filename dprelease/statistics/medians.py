"""A line through medians: of an outcome, in bins of equal width of another column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, expm1, fsum, sqrt
from statistics import median
from typing import Any, Self

import numpy as np

from dprelease.mechanisms import NOISE, Mechanism
from dprelease.mechanisms.mechanism import Noise
from dprelease.model.privacy import Terms
from dprelease.model.schema import Schema
from dprelease.model.tally import Key
from dprelease.statistics.algebra.grouping import equal_bins
from dprelease.statistics.algebra.sensitivity import simplex
from dprelease.statistics.algebra.solving import dot
from dprelease.statistics.kinds.quantiles import Median
from dprelease.statistics.ranked import CELLS_BY
from dprelease.statistics.tabulated import Integers, Measurement, Pick

BINS = 8
CHOICE, ROWS = Fraction(7, 10), Fraction(1, 10)
"""Parts of the share for the choice and for the rows; the rest is for intervals."""
TURNS, LEAST = 30, 0.02
SURE = 1 - 0.02 / BINS
"""Confidence level, on either side, of the noise of a bin without rows: its number of rows has to exceed the reach."""
Ends = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Medians(Median):
    """The median of a column in each of eight bins of another one, how many rows it has, and its interval.

    No statistic of a plan: `linear` asks it. Bins are apart, so that each is given the whole share: seven tenths for
    the choices, one for the rows of bins, and two for those around the chosen values, of which intervals follow.
    """

    along: str
    """The column of the bins."""

    @classmethod
    def of(cls, name: str, outcome: str, along: str) -> Self:
        return cls(id=name, column=outcome, along=along, cells=CELLS_BY, interval=True)

    def group_keys(self, schema: Schema) -> tuple[Key, ...]:
        return (equal_bins(schema[self.along], BINS),)

    def measurements(self, schema: Schema, terms: Terms) -> tuple[Measurement, ...]:
        chosen, around = super().measurements(schema, terms)
        shape = (self.groups(schema),)
        rows = Measurement(NOISE[terms.currency], shape, simplex(terms, shape), ROWS)
        return replace(chosen, weight=CHOICE), rows, replace(around, weight=1 - CHOICE - ROWS)

    def exact(self, schema: Schema, tallies: Sequence[Integers]) -> tuple[Integers, ...]:
        return (*super().exact(schema, tallies), tallies[0].reshape(self.groups(schema), -1).sum(axis=1))

    def drawn(self, schema: Schema, noisy: Sequence[Integers], pick: Pick) -> tuple[Integers, ...]:
        return (*super().drawn(schema, noisy[:1], pick), *noisy[1:])

    def could_be_drawn(self, schema: Schema, drawn: Sequence[Any]) -> bool:
        """Return True if these are codes of the column, and counts around each."""
        codes = np.asarray(drawn[0])
        return bool(((codes >= 0) & (codes < schema[self.column].codes)).all())

    def error_of_prediction(self, schema: Schema, mechanisms: Sequence[Mechanism], rows: float, reach: float) -> float:
        """Estimate the error by noise of the line's predictions, for rows spread evenly, at `reach` deviations.

        The choice among ranks is off by Laplace noise of the scale b, so a median by as much of the cells of its
        bin's rows: q = e^(-rows of a cell/b), variance 2q/(1 - q)² in cells. Of k even bins a line has 2/k of that.
        Where medians are exact the noise in the bins' rows moves their weights, and the line by that part of a step.
        """
        choice, noise, _ = mechanisms
        assert isinstance(noise, Noise)
        bins, lattice = self.groups(schema), schema[self.column].lattice
        width, step = float(lattice.steps * lattice.resolution), float(lattice.resolution)
        held, cells = rows / bins, self.key(schema).cells
        if held < self.least_rows(noise) or bins < 2:
            return width / 2.0
        each = min(700.0, held / cells / (choice.scale / 2.0))
        off = width / cells * sqrt(2.0 * exp(-each)) / -expm1(-each)
        far = reach * max(sqrt(2.0 / bins) * off, step * min(1.0, sqrt(noise.variance) / held)) / (width / 2.0)
        return width / 2.0 * far / sqrt(1.0 + far * far)

    def least_rows(self, noise: Mechanism) -> int:
        """Return the least noisy rows of a bin that counts: one without rows has them in 0.125 % of releases or fewer,
        so that any of eight is kept in 1 % of them."""
        assert isinstance(noise, Noise)
        return noise.half_width(SURE) + 1

    def line(self, schema: Schema, drawn: Sequence[Any], mechanisms: Sequence[Mechanism]) -> MedianLine:
        """Return the line by weighted least squares through the middles of the bins with rows and the medians there.

        Both are from -1 to 1. Bins of fewer than `least_rows` noisy rows are left out: their medians are of nothing. A
        bin counts by w = n²/(n/4 + r²), what its median varies less by the drawing of rows and by the choice among
        ranks, of the deviation r; n is its noisy number of rows.
        """
        codes, rows, around = (np.asarray(part) for part in drawn)
        choice, noise, counted = mechanisms
        (key,) = self.group_keys(schema)
        kept = np.flatnonzero(rows >= self.least_rows(noise)).tolist()
        along = schema[self.along].lattice.steps
        lasts = [*(key.first_code(at) - 1 for at in range(1, key.cells)), along]
        x = [_place(key.first_code(at) + lasts[at], along, 1) for at in kept]
        chosen = codes[:, None]
        ends = self._ends(schema, chosen, [chosen[:, 0], around], [counted], 0.95)
        steps = schema[self.column].lattice.steps
        y, low, high = ([_place(int(code), steps, 2) for code in each.ravel()[kept]] for each in (chosen, *ends))
        square, held = choice.scale**2 / 2.0, [float(each) for each in rows[kept].tolist()]
        weights = [n * n / (n / 4.0 + square) for n in held]
        return MedianLine(x, resistant(x, y, weights) if len(x) > 1 else weights, y, list(zip(low, high, strict=True)))


def _place(code: int, steps: int, times: int) -> float:
    """Return the place of a code, from -1 at code 0 to 1 at the last."""
    return (times * code - steps) / steps


@dataclass(frozen=True)
class MedianLine:
    """A weighted line through points, each of which lies between ends; through fewer than two there is none."""

    x: Sequence[float]
    weights: Sequence[float]
    y: Sequence[float]
    ends: Sequence[Ends]

    @property
    def parts(self) -> tuple[list[float], list[float]]:
        """Weights of each y in the intercept and in the slope; all x differ."""
        whole = fsum(self.weights)
        middle = dot(self.weights, self.x) / whole
        spread = fsum(w * (x - middle) ** 2 for w, x in zip(self.weights, self.x, strict=True))
        slope = [w * (x - middle) / spread for w, x in zip(self.weights, self.x, strict=True)]
        return [w / whole - middle * part for w, part in zip(self.weights, slope, strict=True)], slope

    def told(self, parts: Sequence[float]) -> tuple[float, float, float]:
        """Return Σ part·y and its interval, by how far each end is from its y, squared: MOVER (Zou and Donner 2008)."""
        value = dot(parts, self.y)
        down = up = 0.0
        for part, y, (low, high) in zip(parts, self.y, self.ends, strict=True):
            near, far = (y - low, high - y) if part >= 0 else (high - y, y - low)
            down += (part * near) ** 2
            up += (part * far) ** 2
        return value, value - sqrt(down), value + sqrt(up)


def resistant(x: Sequence[float], y: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Weights that are smaller where a point lies off the line, as one of a bin of hardly any rows does (Huber 1964).

    Each is multiplied by min(1, s/residual), s 1.5 times the median residual and at least a hundredth of the width; the
    line and the residuals are worked out anew thirty times.
    """
    found = list(weights)
    for _ in range(TURNS):
        start, slope = (dot(part, y) for part in MedianLine(x, found, y, ()).parts)
        off = [abs(at - start - slope * place) for place, at in zip(x, y, strict=True)]
        least = max(LEAST, 1.5 * median(off))
        found = [w * min(1.0, least / max(least, each)) for w, each in zip(weights, off, strict=True)]
    return found
