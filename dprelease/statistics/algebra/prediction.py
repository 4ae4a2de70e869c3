"""Error by noise of a line's predictions, for rows spread evenly over their columns: before any row is read.

With G = Σ (1, t)(1, t)' and V the covariance of h - Gθ by the noise, the line is off by G⁻¹(h - Gθ), and what it
predicts by a mean square of tr(G⁻¹V)/n over the rows. θ is a line along which the outcome goes from a quarter of its
range to three quarters, each column having the same part in it.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations
from math import fsum

from dprelease.statistics.algebra.line import THRESHOLD, Entry, LineSums, ThroughOrigin
from dprelease.statistics.algebra.solving import inverse
from dprelease.statistics.algebra.weighing import Weights
from dprelease.statistics.predictors import Predictors, Term, ends, largest

SLOPE = 0.5
"""Range of the line, as a part of that of the outcome."""


@lru_cache(maxsize=256)
def mean_square(own: Predictors, weights: Weights, *, one_sided: bool) -> float:
    """Return the mean square of how far a prediction is off, for one row and noise of one largest product.

    It goes with the square of the noise by that of the number of rows. Its unit is the square of the outcome's width
    where terms and outcome go from 0 to 1 (`one_sided`), of half of it where they go from -1. What is drawn towards 0
    on purpose is added, as it is at its most.
    """
    if own.origin:
        return _from_origin(own, weights)
    terms, last = own.terms, 1 + len(own.terms)
    sums = LineSums(
        last,
        _design(terms, one_sided=one_sided),
        {entry: 1.0 / weights.of(*entry, last) for entry in own.entries},
        own.elsewhere(one_sided=one_sided),
    )
    whole = [row[:last] for row in sums.matrix[:last]]
    back = inverse(whole)
    assert back is not None
    slopes = [0.0 if term.category is not None else SLOPE / len(own.columns) for term in terms]
    start = 0.5 - 0.5 * fsum(slopes) if one_sided else 0.0
    varied = sums.varied([start, *slopes])
    off = fsum(a * b for one, other in zip(back, varied, strict=True) for a, b in zip(one, other, strict=True))
    if one_sided or not terms:
        return off
    spread = min(whole[place][place] - whole[0][place] ** 2 for place in range(1, last))
    return off + len(terms) * (THRESHOLD / weights.xy) ** 2 / spread


def _from_origin(own: Predictors, weights: Weights) -> float:
    """Return the mean square without a constant, in squares of the largest outcome: the line rises by half of it."""
    terms, last, places = own.terms, 1 + len(own.terms), range(len(own.terms))
    moments = [_about_zero(term) for term in terms]
    design = {(i, i): moments[i][1] for i in places}
    for i, j in combinations(places, 2):
        design[i, j] = 0.0 if terms[i].column is terms[j].column else moments[i][0] * moments[j][0]
    noise = {(i - 1, j - 1): 1.0 / weights.of(i, j, last) for i, j in own.entries}
    sums = ThroughOrigin(len(terms), design, noise, {})
    back = inverse([row[:-1] for row in sums.matrix[:-1]])
    assert back is not None
    varied = sums.varied([0.0 if term.category is not None else SLOPE / len(own.columns) for term in terms])
    off = fsum(a * b for one, other in zip(back, varied, strict=True) for a, b in zip(one, other, strict=True))
    return off + len(terms) * (THRESHOLD / weights.xy) ** 2 / min(square for _, square in moments)


def _about_zero(term: Term) -> tuple[float, float]:
    """Return a term's mean and mean square, of values by the largest."""
    if term.category is not None:
        return 1.0 / term.column.codes, 1.0 / term.column.codes
    (low, high), most = ends(term), largest(term)
    mean, steps = (low + high) / (2.0 * most), high - low
    return mean, mean * mean + steps * (steps + 2) / (12.0 * most * most)


def _design(terms: tuple[Term, ...], *, one_sided: bool) -> dict[Entry, float]:
    """Return the mean products of terms of columns that are even and apart."""
    means = [1.0, *(_moments(term, one_sided=one_sided)[0] for term in terms)]
    found = {
        (i, j): 0.0 if i and terms[i - 1].column is terms[j - 1].column else means[i] * means[j]
        for j in range(len(means))
        for i in range(j)
    }
    return found | {(0, 0): 1.0} | {(i, i): _moments(term, one_sided=one_sided)[1] for i, term in enumerate(terms, 1)}


def _moments(term: Term, *, one_sided: bool) -> tuple[float, float]:
    """Return a term's mean and mean square."""
    if term.category is not None:
        return 1.0 / term.column.codes, 1.0 / term.column.codes
    steps = term.column.lattice.steps
    square = (steps + 2) / (3.0 * steps)
    return (0.5, (1.0 + square) / 4.0) if one_sided else (0.0, square)
