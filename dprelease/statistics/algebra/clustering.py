"""Groups of weighted points: k-means (Lloyd) and fuzzy c-means (Bezdek), the same to the last bit on every machine.

Points and centres are in parts of each column's width. Only + − × ÷ and square roots of single numbers are used, which
IEEE 754 fixes, and sums are taken in the order of the points: the points, the weights and k alone decide the answer.
"""

from __future__ import annotations

from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Labels = NDArray[np.intp]
STARTS = 4
ROUNDS = 200
STILL = 1e-7
"""A part of the width: where no centre of c-means moves further, it has ended."""
FUZZINESS = (Decimal("1.25"), Decimal("1.5"), Decimal(2), Decimal(3))
"""Permitted values of fuzziness: memberships then need no powers but products and square roots."""


def projected(counts: NDArray[np.int64]) -> FloatArray:
    """The weights nearest to noisy counts that are not negative and have their sum; all 1 where that is not above 0.

    They are max(0, count − t), t such that they add up to the sum.
    """
    given = counts.astype(np.float64)
    whole = _sum(given)
    if not whole > 0:
        return np.ones(len(given))
    falling = -np.sort(-given)
    cut = (np.cumsum(falling) - whole) / np.arange(1, len(given) + 1)
    last = int(np.flatnonzero(falling > cut)[-1])
    return np.asarray(np.maximum(given - cut[last], 0.0))


def squares(points: FloatArray, centres: FloatArray) -> FloatArray:
    """Return the squared distance of each point (rows) to each centre (columns)."""
    found = np.zeros((len(points), len(centres)))
    for place in range(points.shape[1]):
        found += (points[:, place, None] - centres[None, :, place]) ** 2
    return found


def nearest(points: FloatArray, centres: FloatArray) -> Labels:
    """Return the nearest centre of each point; of several the first."""
    return np.asarray(np.argmin(squares(points, centres), axis=1))


def memberships(points: FloatArray, centres: FloatArray, fuzziness: Decimal) -> FloatArray:
    """Return memberships of points by centre: 1 / Σ_j (d_i/d_j)^(2/(m−1)), d the distance and m the fuzziness.

    A point that is a centre belongs to it alone, to several in the same place in equal parts.
    """
    found = squares(points, centres)
    at = found == 0
    own = at.any(axis=1)
    closeness = np.where(at, 1.0, 0.0)
    closeness[~own] = 1 / _root(found[~own], fuzziness)
    whole = np.zeros(len(points))
    for place in range(len(centres)):
        whole += closeness[:, place]
    return np.asarray(closeness / whole[:, None])


def _root(square: FloatArray, fuzziness: Decimal) -> FloatArray:
    """Return d^(2/(m−1)) of d²."""
    if fuzziness == 3:
        return np.sqrt(square)
    return square if fuzziness == 2 else square * square if fuzziness == Decimal("1.5") else (square * square) ** 2


def _power(share: FloatArray, fuzziness: Decimal) -> FloatArray:
    """Return u^m."""
    if fuzziness in (2, 3):
        return share * share if fuzziness == 2 else share * share * share
    root = np.sqrt(share)
    return share * root if fuzziness == Decimal("1.5") else share * np.sqrt(root)


def centres(points: FloatArray, weights: FloatArray, k: int, fuzziness: Decimal | None = None) -> FloatArray:
    """The centres of least cost that are reached from some starts, in the order of their first column, then the next.

    The cost is Σ w·d² to the nearest centre, of c-means Σ w·uᵐ·d². A centre that is nobody's stays where it is.
    """
    kept = weights > 0
    own, held = points[kept], weights[kept]
    found = None
    for number in range(STARTS):
        begun = _start(points, weights, k, number)
        ended = _lloyd(own, held, begun) if fuzziness is None else _fuzzy(own, held, begun, fuzziness)
        cost = _cost(own, held, ended, fuzziness)
        if found is None or cost < found[0]:
            found = cost, ended
    assert found is not None
    return np.array(sorted(found[1].tolist()))


def _start(points: FloatArray, weights: FloatArray, k: int, number: int) -> FloatArray:
    """Return the point of most weight, the one nearest to the mean or farthest from it, or the first; then, again and
    again, the one of most w·d², d the distance to the nearest that is chosen; where no weight is left, of most d²."""
    apart = squares(points, _mean(points, weights)[None])[:, 0]
    kept = np.where(weights > 0, apart, -1.0)
    first = (np.argmax(weights), np.argmin(np.where(weights > 0, apart, np.inf)), np.argmax(kept), 0)[number]
    chosen = [int(first)]
    near = squares(points, points[chosen])[:, 0]
    while len(chosen) < k:
        worst = weights * near
        chosen.append(int(np.argmax(worst if worst.max() > 0 else near)))
        near = np.minimum(near, squares(points, points[chosen[-1:]])[:, 0])
    return np.array(points[chosen])


def _mean(points: FloatArray, weights: FloatArray) -> FloatArray:
    return np.array([_sum(column * weights) for column in points.T]) / _sum(weights)


def _lloyd(points: FloatArray, weights: FloatArray, begun: FloatArray) -> FloatArray:
    found, labels = begun, nearest(points, begun)
    for _ in range(ROUNDS):
        found = _means(points, weights, labels, found)
        before, labels = labels, nearest(points, found)
        if np.array_equal(before, labels):
            break
    return found


def _means(points: FloatArray, weights: FloatArray, labels: Labels, before: FloatArray) -> FloatArray:
    whole = np.bincount(labels, weights, len(before))
    sums = np.stack([np.bincount(labels, weights * column, len(before)) for column in points.T], axis=1)
    some = whole > 0
    return np.where(some[:, None], sums / np.where(some, whole, 1)[:, None], before)


def _fuzzy(points: FloatArray, weights: FloatArray, begun: FloatArray, fuzziness: Decimal) -> FloatArray:
    found = begun
    for _ in range(ROUNDS):
        shares = _power(memberships(points, found, fuzziness), fuzziness) * weights[:, None]
        whole = np.array([_sum(column) for column in shares.T])
        sums = np.array([[_sum(share * column) for column in points.T] for share in shares.T])
        some = whole > 0
        before, found = found, np.where(some[:, None], sums / np.where(some, whole, 1)[:, None], found)
        if np.abs(found - before).max() <= STILL:
            break
    return found


def _cost(points: FloatArray, weights: FloatArray, found: FloatArray, fuzziness: Decimal | None) -> float:
    apart = squares(points, found)
    if fuzziness is None:
        return _sum(apart.min(axis=1) * weights)
    shares = _power(memberships(points, found, fuzziness), fuzziness)
    return _sum(np.array([_sum(column * weights) for column in (shares * apart).T]))


def _sum(numbers: FloatArray) -> float:
    """Add up in order."""
    return float(np.bincount(np.zeros(len(numbers), dtype=np.intp), numbers, 1)[0])
