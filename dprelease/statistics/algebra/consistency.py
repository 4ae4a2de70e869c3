"""Tables of the same rows made to agree: the best estimate of each cell given all the noisy tables together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise
from math import isfinite, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.errors import InternalError
from dprelease.model.tally import Key

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Cuts = tuple[int, ...]
"""The codes at which a cell begins, without the first cell's 0."""
BEHIND = 2**62
"""First code of the cell of rows without an answer: behind every other code."""
Margin = tuple[tuple[str, Cuts], ...]
"""The cells of a margin: columns and their cuts, in the order of the columns' names. The grand total is ()."""

AGREEMENT = 1e-9
"""Tolerance between two tables' figures for one margin, relative to the largest margin that is shared."""
ROUNDS = 60
"""Newton steps; some 10 are used with `nonnegative`, 1 or 2 without."""
STEPS = 1000
"""Conjugate gradient steps in each; some 10 to 30 are used."""
DRIFT = 1e12
"""Largest growth of the residual before the steps are given up."""
SNAP = 2.0**20
"""Before a choice is made by remainder, values are taken to 1 / SNAP: the last bits never decide."""


@dataclass(frozen=True, slots=True, eq=False)
class NoisyCounts:
    """Counts of rows, each cell with independent noise of one variance. No column has two keys."""

    keys: tuple[Key, ...]
    values: NDArray[Any]
    """One axis a key."""
    variance: float

    def __post_init__(self) -> None:
        if self.values.shape != tuple(key.cells for key in self.keys):
            raise InternalError(f"a table of shape {self.values.shape} for other keys")
        if len({key.column for key in self.keys}) < len(self.keys):
            raise InternalError("a table with two keys of one column")
        if not (isfinite(self.variance) and self.variance > 0):
            raise InternalError(f"a table with a variance of {self.variance}")


def consistent(tables: Sequence[NoisyCounts], *, nonnegative: bool) -> list[FloatArray]:
    """Return the tables nearest to the noisy ones, in squares weighted by 1 / variance, that could be of the same rows.

    Two tables share a margin: over each column that both have, the cells between the cuts that both have. So equal
    keys share every cell, bins and single values share the bins, and any two tables share the grand total. In the
    result all shared margins agree to 1e-9 of the largest of them. Without `nonnegative` that is the best linear
    unbiased estimate, and never of larger variance than the noisy cell. With it, no cell is below 0, and the result is
    the nearest such point; agreement goes before nearness, and both are reached to about that precision.

    Method: the dual of the projection, whose gradient is how far the margins are apart, by Newton's method (semismooth,
    damped: Qi and Sun 1993, Levenberg 1944); each step is solved by conjugate gradients, scaled by the noise of each
    margin's gap. Agreement on the pairwise margins suffices for a joint table with cells of either sign.
    """
    links = _Links(tables)
    noisy = np.concatenate([np.ravel(table.values).astype(np.float64) for table in tables] or [np.zeros(0)])
    variance = np.repeat([table.variance for table in tables], [table.values.size for table in tables])
    variance = variance / variance.max(initial=1e-300)
    allowed = AGREEMENT / 1000 * max(1.0, links.gaps(np.abs(noisy), sign=1).max(initial=0.0))
    damping = links.gaps(variance, sign=1) * (1e-4 if nonnegative else 0.0)
    shifted = nearest = noisy
    least = np.inf
    for _ in range(ROUNDS):
        result = np.maximum(shifted, 0) if nonnegative else shifted
        gaps = links.gaps(result)
        largest = float(np.abs(gaps).max(initial=0.0))
        if largest < least:
            nearest, least = result, largest
        if largest <= allowed:
            break
        free = np.where(result > 0, variance, 0) if nonnegative else variance
        enough = max(allowed / 4, 1e-4 * largest if nonnegative else 0.0)
        multipliers = _solution(links, free, damping, gaps, enough)
        push = variance * links.spread(multipliers)
        length = _length(shifted, push, float(gaps @ multipliers), variance) if nonnegative else 1.0
        shifted = shifted - length * push
        damping = damping * (0.1 if length == 1 else 10)
    return [nearest[part].reshape(table.values.shape) for part, table in zip(links.parts, tables, strict=True)]


def _solution(links: _Links, free: FloatArray, damping: FloatArray, gaps: FloatArray, enough: float) -> FloatArray:
    """Return the multipliers by which the free cells close the gaps, all but `enough`: conjugate gradients.

    Ties overlap, so that the equations are singular. They can be met, but only down to rounding: `enough` must be
    above that, and what drifts away regardless is dropped.
    """
    scale = links.gaps(free, sign=1) + damping
    scale[scale <= 0] = 1.0
    found, residual = np.zeros_like(gaps), gaps
    scaled = residual / scale
    direction, size = scaled, float(residual @ scaled)
    best, least = found, size
    for _ in range(STEPS):
        if np.abs(residual).max() <= enough or size > DRIFT * least:
            break
        image = links.gaps(free * links.spread(direction)) + damping * direction
        curvature = float(direction @ image)
        if curvature <= 0:
            break
        found = found + (size / curvature) * direction
        residual = residual - (size / curvature) * image
        scaled = residual / scale
        size, before = float(residual @ scaled), size
        direction = scaled + (size / before) * direction
        if size < least:
            best, least = found, size
    return best


def _length(shifted: FloatArray, push: FloatArray, slope: float, variance: FloatArray) -> float:
    """Return the step length along the push: 1, halved until the dual falls by a small part of what its slope says."""
    before = np.maximum(shifted, 0)
    length = 1.0
    while length > 1e-9:
        moved = length * push
        straight = before - moved
        bent = np.maximum(shifted - moved, 0) - straight
        # The dual is Σ cell² / (2·variance); of its change, the part in the first power is −length·slope.
        rise = float(((moved**2 / 2 + bent * (straight + bent / 2)) / variance).sum())
        if rise <= (1 - 1e-4) * length * slope:
            break
        length /= 2
    return length


class _Links:
    """Margins that the tables share, as differences between one table's margin and another's.

    For each shared margin, every table that holds it is tied to the one among them whose margin has the least noise.
    All tables lie one after another in one vector, and so do all differences.
    """

    def __init__(self, tables: Sequence[NoisyCounts]) -> None:
        ends = np.cumsum([0, *(table.values.size for table in tables)]).tolist()
        self.parts = [slice(first, last) for first, last in pairwise(ends)]
        self._shapes = [table.values.shape for table in tables]
        axes = [_axes(table.keys) for table in tables]
        margins = [_margin(own) for own in axes]
        self._stars: list[tuple[int, _Fold, list[tuple[int, _Fold, slice]]]] = []
        self._size = 0
        for margin in _shared(margins):
            folds = {
                index: _Fold(axes[index], margin) for index, own in enumerate(margins) if _meet(own, margin) == margin
            }
            noise = {index: tables[index].variance * tables[index].values.size for index in folds}
            hub = min(noise, key=lambda index: (noise[index], index))
            members = []
            for index, fold in folds.items():
                if index != hub:
                    members.append((index, fold, slice(self._size, self._size + fold.cells)))
                    self._size += fold.cells
            self._stars.append((hub, folds[hub], members))

    def gaps(self, cells: FloatArray, sign: int = -1) -> FloatArray:
        """Return each member's margin minus the hub's; with sign = 1, plus."""
        tables = [cells[part].reshape(shape) for part, shape in zip(self.parts, self._shapes, strict=True)]
        result = np.empty(self._size)
        for hub, hub_fold, members in self._stars:
            centre = sign * hub_fold.margin(tables[hub])
            for index, fold, place in members:
                result[place] = (fold.margin(tables[index]) + centre).ravel()
        return result

    def spread(self, gaps: FloatArray) -> FloatArray:
        """Return the transpose of `gaps`: each difference laid over the cells it is made of."""
        tables = [np.zeros(shape) for shape in self._shapes]
        for hub, hub_fold, members in self._stars:
            centre = np.zeros(hub_fold.shape)
            for index, fold, place in members:
                difference = gaps[place].reshape(fold.shape)
                tables[index] += fold.spread(difference)
                centre -= difference
            tables[hub] += hub_fold.spread(centre)
        return np.concatenate([table.ravel() for table in tables] or [np.zeros(0)])


class _Fold:
    """Sums a table to a margin, and lays a margin over the table again."""

    def __init__(self, axes: Margin, margin: Margin) -> None:
        wanted = dict(margin)
        self._summed = tuple(axis for axis, (column, _) in enumerate(axes) if column not in wanted)
        kept = [axis for axis, (column, _) in enumerate(axes) if column in wanted]
        self._order = [kept.index(axis) for axis in sorted(kept, key=lambda axis: axes[axis][0])]
        self._groups: list[tuple[int, NDArray[np.intp], NDArray[np.intp]]] = []
        """Axis, first cell and number of cells of each group that is one cell of the margin."""
        for axis in kept:
            column, own = axes[axis]
            if wanted[column] != own:
                firsts = np.concatenate([[0], np.searchsorted(own, wanted[column]) + 1])
                self._groups.append((axis, firsts, np.diff(firsts, append=len(own) + 1)))
        self.shape = _shape(margin)
        self.cells = prod(self.shape)

    def margin(self, table: FloatArray) -> FloatArray:
        summed: FloatArray = table.sum(axis=self._summed, keepdims=True)
        for axis, firsts, _ in self._groups:
            summed = np.add.reduceat(summed, firsts, axis=axis)
        return summed.squeeze(self._summed).transpose(self._order)

    def spread(self, margin: NDArray[Any]) -> NDArray[Any]:
        """Return the margin as an array that broadcasts to the table."""
        laid = np.expand_dims(margin.transpose(np.argsort(self._order)), self._summed)
        for axis, _, sizes in self._groups:
            laid = np.repeat(laid, sizes, axis=axis)
        return laid


@lru_cache(maxsize=256)
def _cuts(key: Key) -> Cuts:
    cuts = tuple(cell if key.to else key.first_code(cell) for cell in range(1, key.coded))
    return (*cuts, BEHIND) if key.missing else cuts


def _axes(keys: Sequence[Key]) -> Margin:
    return tuple((_variable(key), _cuts(key)) for key in keys)


def _variable(key: Key) -> str:
    """Name the variable of a key: its column; cells in no order have nothing in common with other cuts of it.

    Nor has a key of all rows with one of those that have an answer.
    """
    name = f"{key.column}\0{key.level}" if key.to else key.column
    return f"{name}\0missing" if key.missing else name


def _margin(axes: Margin) -> Margin:
    """Return the same cells, named alike whatever the order of the axes."""
    return tuple(sorted((column, cuts) for column, cuts in axes if cuts))


def _shape(margin: Margin) -> tuple[int, ...]:
    return tuple(len(cuts) + 1 for _, cuts in margin)


def _meet(left: Margin, right: Margin) -> Margin:
    """Return the cuts that both margins have in common."""
    others = dict(right)
    common = ((column, _both(cuts, others[column])) for column, cuts in left if column in others)
    return tuple((column, cuts) for column, cuts in common if cuts)


def _both(left: Cuts, right: Cuts) -> Cuts:
    return left if left is right or left == right else tuple(sorted(set(left) & set(right)))


def _shared(margins: Sequence[Margin]) -> list[Margin]:
    """Return every margin that two of the tables share, in a fixed order."""
    times = Counter(margins)
    found = {_meet(left, right) for left, right in combinations(times, 2)}
    return sorted(found | {margin for margin, count in times.items() if count > 1})


def rounded(tables: Sequence[NoisyCounts]) -> list[IntArray]:
    """Return whole numbers near the values of consistent tables, each less than 1 away where their margins form a tree.

    A tree: of the margins that tables share, with the tables themselves, those that any one of them contains can be
    put in order, each a margin of the next (a total, regions, regions by age, regions by sex; not a cross table with
    both its margins). Then the total is rounded and handed down by largest remainder, ties to the earlier cell, so
    that all shared margins agree exactly, and what was not below 0 stays so. Otherwise every cell is rounded to the
    nearest whole number, ties to the even one, and margins agree within half a unit for each cell summed.
    """
    axes = [_axes(table.keys) for table in tables]
    own = [_margin(each) for each in axes]
    parents = _tree([(), *own, *_shared(own)])
    if parents is None:
        return [np.rint(_snapped(table.values)).astype(np.int64) for table in tables]
    whole: dict[Margin, IntArray] = {}
    for margin, parent in parents.items():
        index = next(index for index, holder in enumerate(own) if _meet(holder, margin) == margin)
        values = _snapped(_Fold(axes[index], margin).margin(tables[index].values.astype(np.float64)))
        if parent is None:
            whole[margin] = np.rint(values).astype(np.int64)
        else:
            above = np.arange(whole[parent].size).reshape(whole[parent].shape)
            parts = np.broadcast_to(_Fold(margin, parent).spread(above), values.shape)
            whole[margin] = _handed_down(values.ravel(), parts.ravel(), whole[parent].ravel()).reshape(values.shape)
    return [
        _Fold(each, margin).spread(whole[margin]).reshape(table.values.shape)
        for each, margin, table in zip(axes, own, tables, strict=True)
    ]


def _tree(margins: Sequence[Margin]) -> dict[Margin, Margin | None] | None:
    """Return each margin's next smaller one, small ones first; None where margins in some margin are in no order."""
    ordered = sorted(dict.fromkeys(margins), key=lambda margin: (prod(_shape(margin)), margin))
    parents: dict[Margin, Margin | None] = {}
    for place, margin in enumerate(ordered):
        inside = [other for other in ordered[:place] if _meet(other, margin) == other]
        if any(_meet(left, right) != left for left, right in pairwise(inside)):
            return None
        parents[margin] = inside[-1] if inside else None
    return parents


def _snapped(values: NDArray[Any]) -> FloatArray:
    return np.rint(values.astype(np.float64) * SNAP) / SNAP


def _handed_down(values: FloatArray, parts: NDArray[np.intp], wholes: IntArray) -> IntArray:
    """Return whole numbers near the values that sum to `wholes` over the cells of each part (largest remainder)."""
    floors = np.floor(values)
    result = floors.astype(np.int64)
    missing = wholes - np.bincount(parts, floors, len(wholes)).astype(np.int64)
    sizes = np.bincount(parts, minlength=len(wholes))
    order = np.lexsort((floors - values, parts))
    rank = np.arange(len(values)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    each, more = np.divmod(missing, sizes)
    result[order] += each[parts[order]] + (rank < more[parts[order]])
    return result


def isotonic(values: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """Return the nearest nondecreasing sequence in weighted squares (pool adjacent violators; weights above 0)."""
    heavy = np.ones(len(values)) if weights is None else weights
    levels: list[float] = []
    masses: list[float] = []
    lengths: list[int] = []
    for value, weight in zip(np.asarray(values, dtype=np.float64).tolist(), heavy.tolist(), strict=True):
        level, mass, length = value, weight, 1
        while levels and levels[-1] >= level:
            mass_before = masses.pop()
            level = (levels.pop() * mass_before + level * mass) / (mass_before + mass)
            mass += mass_before
            length += lengths.pop()
        levels.append(level)
        masses.append(mass)
        lengths.append(length)
    return np.repeat(np.array(levels, dtype=np.float64), np.array(lengths, dtype=np.int64))
