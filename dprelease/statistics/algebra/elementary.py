"""Exponentials, logarithms and sums of floats that come out the same on every machine, bit by bit.

What is verified byte by byte is computed with these: of IEEE additions, multiplications, divisions and scalings by
powers of two alone, which are exact to the last bit everywhere, in an order that is fixed here. The `exp` and `log` of
a machine's mathematics library differ in the last digit from one to the next, and so do `np.sum` and `np.dot`, whose
order depends on the processor. `np.add.accumulate` and `np.bincount` add one number after another.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
HIGH, LOW = float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33")
"""ln 2 in two parts: of the first, multiples below 2^20 are exact."""
PI = float.fromhex("0x1.921fb54442d18p+1")
LARGEST = 700.0
"""Beyond it e^x is cut: far from where a double overflows."""
TERMS = 14
"""Terms of the series of e^x for |x| <= (ln 2)/2: the rest is below 2^-60 of it. Of the logarithm's, likewise."""


def exp(x: ArrayLike) -> Floats:
    """Return e^x of each number, with x cut to ±700; relative error below 1e-15."""
    cut = np.minimum(np.maximum(np.asarray(x, dtype=np.float64), -LARGEST), LARGEST)
    twos = np.floor(cut / (HIGH + LOW) + 0.5)
    rest = (cut - twos * HIGH) - twos * LOW
    series = np.ones_like(rest)
    for n in range(TERMS, 0, -1):
        series = 1.0 + rest * series / n
    return np.ldexp(series, twos.astype(np.int64))


def log(x: ArrayLike) -> Floats:
    """Return ln x of each positive number; relative error below 1e-15, near 1 of ln(1 + x)'s argument as given."""
    fraction, twos = np.frexp(np.asarray(x, dtype=np.float64))
    small = fraction < 0.7071067811865476
    fraction, twos = np.where(small, fraction * 2.0, fraction), twos - small
    part = (fraction - 1.0) / (fraction + 1.0)
    square = part * part
    series = np.zeros_like(part)
    for n in range(TERMS, -1, -1):
        series = series * square + 1.0 / (2 * n + 1)
    return np.asarray(twos * HIGH + (2.0 * part * series + twos * LOW))


def cosine(x: ArrayLike) -> Floats:
    """Return cos(π·x) of each number from 0 to 1; absolute error below 1e-15."""
    turns = np.asarray(x, dtype=np.float64)
    square = (np.minimum(turns, 1.0 - turns) * PI) ** 2
    series = np.ones_like(square)
    for n in range(2 * TERMS, 0, -2):
        series = 1.0 - square * series / (n * (n - 1))
    return np.where(turns > 0.5, -series, series)


def logistic(x: ArrayLike) -> Floats:
    """Return 1/(1 + e^-x) of each number."""
    return np.asarray(1.0 / (1.0 + exp(-np.asarray(x, dtype=np.float64))))


def added(numbers: NDArray[Any], axis: int = -1) -> Floats:
    """Return the sum along an axis, one number after another; 0 of none."""
    values = np.asarray(numbers, dtype=np.float64)
    if values.shape[axis] == 0:
        return np.asarray(np.zeros(np.delete(values.shape, axis)))
    return np.asarray(np.take(np.add.accumulate(values, axis=axis), -1, axis=axis))


def inverted(matrix: Floats) -> Floats:
    """Return the inverse of a positive definite matrix, by Gauss and Jordan's steps in order."""
    width = len(matrix)
    left, right = matrix.copy(), np.eye(width)
    for k in range(width):
        pivot = left[k, k]
        left[k], right[k] = left[k] / pivot, right[k] / pivot
        factor = left[:, k].copy()
        factor[k] = 0.0
        left -= factor[:, None] * left[k][None, :]
        right -= factor[:, None] * right[k][None, :]
    return right
