"""The two noisy sums that a published mean or share is made of, found again from the number and its interval.

A share r = y₁ / (y₁ + y₂) tells how the sums go together, and an end e of its interval how large they are: there
|r − e|·(y₁ + y₂) is the reach of the noise, (1 − e)·η₁ − e·η₂, and half a step (`share_interval`). That leaves few
whole numbers for the sum of both, and of these only one gives the published number to its last digit, unless there are
very many rows: then nothing is found.
"""

from __future__ import annotations

from functools import partial
from math import ulp
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.mechanisms import DiscreteGaussian, Mechanism
from dprelease.model.release import Cell, Estimates
from dprelease.model.schema import Schema
from dprelease.statistics.algebra.share import share, weighted_tail
from dprelease.statistics.kinds.mean import ONE_SIDED, Mean
from dprelease.statistics.kinds.proportion import Share
from dprelease.statistics.tabulated import Tabulated

MOST = 1_000_000
"""Whole numbers that are tried for one cell."""
LARGEST = 2.0**50
"""Of a sum: floats hold it, and its products with a share, to less than half a step."""
NEAR = 1e-12
"""Relative, of the reach of noise."""


def pairs(
    statistic: Tabulated, schema: Schema, table: Estimates, mechanisms: tuple[Mechanism, ...]
) -> NDArray[Any] | None:
    """The noisy sums of each cell, side by side; None where the table does not tell them."""
    if isinstance(statistic, Mean):
        if statistic.method != ONE_SIDED:
            return None
    elif not isinstance(statistic, Share):
        return None
    if table.extra or len(mechanisms) != 1:
        return None
    find = partial(_pair, limits=statistic.limits(schema), mechanism=mechanisms[0])
    found = [find(row) for row in zip(table.value, table.lower95, table.upper95, strict=True)]
    if any(each is None for each in found):
        return None
    shape = mechanisms[0].sensitivity.shape or ()
    sums = np.array(found, dtype=np.int64).reshape(shape)
    return sums if _gives(statistic.estimates(schema, [sums], mechanisms), table, statistic.limits(schema)) else None


def _gives(again: Estimates, table: Estimates, limits: tuple[float, float]) -> bool:
    near = 1e-9 * (abs(limits[0]) + abs(limits[1]))
    ends = ((again.lower95, table.lower95), (again.upper95, table.upper95))
    return list(again.value) == list(table.value) and all(
        np.allclose(np.array(one, dtype=float), np.array(other, dtype=float), rtol=0, atol=near) for one, other in ends
    )


def _pair(row: tuple[Cell, ...], limits: tuple[float, float], mechanism: Mechanism) -> tuple[int, int] | None:
    least, most = limits
    width = most - least
    numbers = [float(cell) for cell in row if isinstance(cell, int | float)]
    if len(numbers) < len(row) or width <= 0:
        return None
    value, *ends = numbers
    slip = 4 * ulp(max(abs(least), abs(most))) / width + 2.0**-58
    low, high = 1.0, LARGEST
    for end in ends:
        if end in limits or end == value:
            continue
        apart = abs(value - end) / width
        whole = (_reach((end - least) / width, mechanism) + 0.5) / apart
        # the difference of the scales' squares, by which the tail of Laplace noises is divided, loses digits
        off = whole * (NEAR + ulp(4) / max(abs(least + most - 2 * end) / width, 1e-6) + slip / apart)
        low, high = max(low, whole - off), min(high, whole + off)
    if high - low > MOST:
        return None
    wholes = np.arange(np.floor(low), np.ceil(high) + 1)
    first = np.rint(wholes * ((value - least) / width))
    again = least + width * share(first, wholes - first)
    fitting = np.flatnonzero(again == value)
    if len(fitting) != 1 or wholes[fitting[0]] <= 0:
        return None
    one, both = int(first[fitting[0]]), int(wholes[fitting[0]])
    return one, both - one


def _reach(share: float, mechanism: Mechanism, confidence: float = 0.95) -> float:
    """The half-width of (1 − r)·η₁ − r·η₂, by the formula that intervals are found by."""
    sizes = np.array([1 - share, share]) * mechanism.scale
    if isinstance(mechanism, DiscreteGaussian):
        return NormalDist().inv_cdf((1 + confidence) / 2) * float(np.hypot(*sizes))
    low, high = 0.0, 10.0 * float(sizes.max())
    for _ in range(64):
        middle = (low + high) / 2
        beyond = float(weighted_tail(np.array(middle), *sizes)) > 1 - confidence
        low, high = (middle, high) if beyond else (low, middle)
    return low
