"""The noise of counts that were estimated of noisy residuals: normal, and one draw for all tables of a family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist
from typing import Any

from dprelease.errors import InternalError
from dprelease.mechanisms import DiscreteGaussian, ResidualGaussian
from dprelease.statistics.algebra.residual import AxisFamily, Places

SLACK = 1 + 1e-9
"""For the rounding of variances."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimated(DiscreteGaussian):
    """The noise of a cell; `scale` is its standard deviation.

    A half-width is one of the normal law and half a row, which the steps of values are at most. Cells are not
    independent, so `of_class` stands beside: the variance of a sum over the first key, as it is in each table of the
    family.
    """

    of_class: float
    family: str
    """Whose tables all tell the same rows of a class."""

    def half_width(self, confidence: float = 0.95) -> int:
        return ceil(NormalDist().inv_cdf((1 + confidence) / 2) * self.scale * SLACK + 0.5)

    @property
    def variance(self) -> float:
        return self.scale**2

    def release(self, values: Any) -> Any:
        raise InternalError("noise of estimates is not drawn")


def estimated(noise: ResidualGaussian, cells: Mapping[int, int], table: Places, family: str) -> Estimated:
    """Return the noise of the cells of a table over two columns, of which the second tells the class.

    V = Σ over sets B within the table of σ_B²·Π (1 − 1/d), as `AxisFamily.variances` has it. Of K classes, a class has
    the variance W, all rows T; all other classes W + T·(1 − 2/K). `of_class` is W, or the (K − 1)th part of that where
    it is more: then neither a class nor all others reach farther than they are taken to.
    """
    own = AxisFamily(tuple(cells[place] for place in sorted(cells)), ((min(table), max(table)), table[1:], ()))
    cell, one, rows = own.variances(own.squares(noise.by_set)).tolist()
    classes = cells[table[1]]
    others = one + rows * (1 - 2 / classes)
    of_class = max(one, others / (classes - 1)) if classes > 1 else one
    return Estimated(
        sensitivity=noise.sensitivity, share=noise.share, scale=sqrt(cell) * SLACK, of_class=of_class, family=family
    )
