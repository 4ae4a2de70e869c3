"""The discrete Gaussian mechanism for residuals: one loss for many vectors that a row changes together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import inf, isqrt, nextafter, prod, sqrt
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np

from dprelease.mechanisms import library
from dprelease.mechanisms.gaussian import root_above
from dprelease.mechanisms.mechanism import (
    Integers,
    Mechanism,
    check_distance,
    check_whole,
    clamped,
    refused_in_pure,
    smallest_scale,
)
from dprelease.mechanisms.threads import noisy
from dprelease.model.privacy import NANO, PrivacyLoss
from dprelease.model.stated import Norms
from dprelease.model.tally import Sensitivity, Shape

Places = tuple[int, ...]
"""A set of axes, in order."""

BITS = 200
"""Losses are rounded up to multiples of 2^-BITS, so that sums of fractions stay short."""
SLACK = Fraction(1, 2**46)
"""Beyond the rounding of a few operations an axis, each by a part of 2^-53 at most."""
MAX_AXES = 14
"""There are 2^k sets of k axes in which two cells may differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResidualGaussian(Mechanism):
    """Discrete Gaussian noise added to the residuals of a table of counts, with a scale s_B for each set B of its axes.

    The residuals of B are Y_B = ⊗ (d_i·I − J) over the axes i in B, applied to the counts by B: whole numbers, Π d_i of
    them; those of no axis are the number of rows. A unit has m rows. Loss: ρ = m²/2 · Σ_B w_B with w_B =
    Π d_i(d_i − 1) / s_B² where units come or go, since every cell is alike; where rows may move to a cell that differs
    in a set S of axes, ρ = m² · max_S Σ_B w_B·(1 − Π −1/(d_i − 1) over B∩S), and no less than before. No pure ε. Xiao,
    He, Zhang, Kifer 2023; Canonne, Kamath, Steinke 2020, theorem 4; each vector is sampled exactly by OpenDP.
    """

    name: ClassVar[str] = "residual_gaussian"
    cells: str
    """Number of cells of each axis, such as `3 4 2`."""
    sets: str
    """Sets of axes by their places, such as `|0|1|0 1`: the first of these is the empty one."""
    rows: int
    """Maximum rows of one unit."""
    moves: bool
    """True if a unit's rows may become other rows."""
    scales: str
    """Noise scale of each set, in the same order; `scale` is the least of them."""

    def __post_init__(self) -> None:
        Mechanism.__post_init__(self)
        check_whole("rows", self.rows, least=1)
        least = min(self.by_set.values())
        if self.scale != least:
            raise ValueError(f"{self.scale} is not the least of the scales")
        if self.sensitivity != sensitivity(self.cells, self.sets, self.rows, self.moves):
            raise ValueError("a sensitivity that is not that of the residuals")

    @classmethod
    def calibrate(cls, sensitivity: Sensitivity, share: PrivacyLoss, *_: Any, **settings: Any) -> Self:
        """`ratios`: what the scales are to be to one another, in the order of the sets; all alike by default."""
        if share.rho_nano == 0:
            raise refused_in_pure(cls.name)
        check_distance(isqrt(sensitivity.l2_squared))
        own = {name: settings[name] for name in ("cells", "sets", "rows", "moves")}
        sets = _places(own["sets"])
        ratios = settings.get("ratios") or [1.0] * len(sets)
        at_one = joint_rho(dict(zip(sets, ratios, strict=True)), _cells(own["cells"]), own["rows"], moves=own["moves"])
        rho = Fraction(share.rho_nano, NANO)
        factor = smallest_scale(sqrt(at_one / rho), lambda scale: at_one / Fraction(scale) ** 2 <= rho)
        # A float above the product: rounding may not make a scale smaller than the loss was worked out for.
        scales = [nextafter(factor * ratio, inf) for ratio in ratios]
        stated = " ".join(map(repr, scales))
        return cls(sensitivity=sensitivity, share=share, scale=min(scales), scales=stated, **own)

    @property
    def by_set(self) -> Mapping[Places, float]:
        """Scale of each set of axes."""
        return _by_set(self.cells, self.sets, self.scales)

    @property
    def epsilon(self) -> None:
        return None

    @property
    def rho(self) -> Fraction:
        return joint_rho(self.by_set, _cells(self.cells), self.rows, moves=self.moves)

    def release(self, values: Integers) -> Integers:
        """`values`: the residuals of each set, one after the other along the last axis."""
        sizes = _sizes(_cells(self.cells), self.by_set)
        parts = np.split(clamped(values), np.cumsum(sizes)[:-1], axis=-1)
        drawn = zip(self.by_set.values(), parts, strict=True)
        return np.concatenate([noisy(library.gaussian(scale), part) for scale, part in drawn], axis=-1)

    def noiseless(self, values: Integers) -> Integers:
        return clamped(values)

    @property
    def norms(self) -> Norms:
        return Norms(l2=root_above(self.sensitivity.l2_squared))

    @property
    def settings(self) -> dict[str, Any]:
        return {"cells": self.cells, "sets": self.sets, "rows": self.rows, "moves": self.moves}

    @property
    def derived(self) -> dict[str, Any]:
        return {"scales": self.scales}


@lru_cache(maxsize=256)
def sensitivity(cells: str, sets: str, rows: int, moves: bool) -> Sensitivity:
    """Return the sensitivity of the residuals of all sets, one after the other.

    In L2 it is what the joint loss comes to with noise of one scale; in L1 and L∞, which decide nothing, a bound.
    """
    numbers, places = _cells(cells), _places(sets)
    sides, of_sets = 2 if moves else 1, [[numbers[place] for place in each] for each in places]
    return Sensitivity(
        l1=sides * rows * sum(prod(2 * (d - 1) for d in each) for each in of_sets),
        linf=sides * rows * max(prod(d - 1 for d in each) for each in of_sets),
        l2_squared=int(2 * joint_rho(dict.fromkeys(places, 1.0), numbers, rows, moves=moves)),
        shape=(sum(_sizes(numbers, places)),),
    )


def named(sets: Iterable[Places]) -> str:
    """Return sets of axes as a certificate states them."""
    return "|".join(" ".join(map(str, places)) for places in sets)


@lru_cache(maxsize=256)
def _places(sets: str) -> tuple[Places, ...]:
    return tuple(tuple(map(int, part.split())) for part in sets.split("|"))


@lru_cache(maxsize=256)
def _cells(cells: str) -> Shape:
    return tuple(map(int, cells.split()))


def _sizes(cells: Shape, sets: Iterable[Places]) -> list[int]:
    return [prod(cells[place] for place in places) for places in sets]


@lru_cache(maxsize=256)
def _by_set(cells: str, sets: str, scales: str) -> Mapping[Places, float]:
    """Raise ValueError where a set has no scale, stands twice, or names an axis that has nothing to tell apart."""
    shape, places, numbers = _cells(cells), _places(sets), [float(text) for text in scales.split()]
    axes = {place for each in places for place in each}
    ordered = all(tuple(sorted(set(each))) == each for each in places)
    if (
        not ordered
        or len(axes) > MAX_AXES
        or len(set(places)) != len(places)
        or len(numbers) != len(places)
        or not all(0 <= place < len(shape) and shape[place] > 1 for place in axes)
        or not all(0 < number < inf for number in numbers)
    ):
        raise ValueError("scales that are not those of sets of axes")
    return MappingProxyType(dict(zip(places, numbers, strict=True)))


def joint_rho(scales: Mapping[Places, float], cells: Shape, rows: int, *, moves: bool) -> Fraction:
    """Return the ρ of all residuals together, with these scales; never less than the exact one.

    Each part is rounded up to a multiple of 2^-BITS, and where rows move, SLACK is added.
    """
    weights = {places: _weight([cells[place] for place in places], scale) for places, scale in scales.items()}
    most = Fraction(sum(weights.values()), 2)
    if moves:
        most = max(most, _moved(weights, cells))
    return most * Fraction(rows * rows, 1 << BITS)


def _weight(cells: Sequence[int], scale: float) -> int:
    """Π d(d − 1) / scale², in multiples of 2^-BITS and rounded up."""
    top, bottom = scale.as_integer_ratio()
    return -(-(prod(d * (d - 1) for d in cells) * bottom**2 << BITS) // top**2)


def _moved(weights: Mapping[Places, int], cells: Shape) -> Fraction:
    """The largest loss over all sets S of axes in which two cells differ: a pass an axis, for all of them at once.

    In floats, of parts that add up to 1 in absolute value all the way: what rounding may have taken off is less than
    SLACK, which is added.
    """
    total = sum(weights.values())
    axes = sorted({place for places in weights for place in places})
    alike = np.zeros((2,) * len(axes))
    for places, weight in weights.items():
        alike[tuple(int(axis in places) for axis in axes)] = weight / total
    for number, axis in enumerate(axes):
        without, within = np.take(alike, 0, number), np.take(alike, 1, number)
        alike = np.stack([without + within, without - within / (cells[axis] - 1)], axis=number)
    return total * (1 - Fraction(float(np.min(alike))) + SLACK)
