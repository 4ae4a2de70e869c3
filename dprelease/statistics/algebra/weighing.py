"""Products of terms of a line that are measured together, some of them more precisely than others."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dprelease.statistics.algebra.products import Changes


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of products by their factors: the constant (c), terms (x), and the outcome (y)."""

    cc: int
    cx: int
    cy: int
    xx: int
    xy: int
    yy: int
    own: int = 0
    """Weight of a term's square, if another than of two terms."""

    def of(self, i: int, j: int, last: int) -> int:
        """Return the weight of the product of two places, in order; 0 is the constant, the last the outcome."""
        if i == 0:
            return self.cc if j == 0 else self.cy if j == last else self.cx
        if i == last:
            return self.yy
        return self.xy if j == last else (self.own or self.xx) if i == j else self.xx

    def changes(self, columns: int, squares: int, *, outcome_squared: bool, grouped: bool) -> Changes:
        """Return a row's changes; `columns`: those of which a row has a term that is not 0, `squares`: ordered ones.

        Alone, no entry changes by more than its weight. In place of another, with a = t + s, b = t - s of two rows and
        |a| + |b| <= 2, each entry changes by half of |a_i b_j + b_i a_j| <= 1 - u_i u_j at most, u = |a| - 1 and
        u = 1 for the constant. So L1 is the largest Σ w (1 - u_i u_j), a quadratic in the sum of u over columns and in
        that of the outcome; L2² is at most Σ w² (1 - u_i u_j)², its parts i < j largest at corners, the others at 0.
        A column with several terms may change two entries where it had one: then every entry but that of the rows
        counts twice.
        """
        pairs, square = columns * (columns - 1) // 2, int(outcome_squared)
        entries = [(self.cc, 1), (self.cx, columns), (self.cy, 1), (self.xx, pairs + squares), (self.xy, columns)]
        entries.append((self.yy, square))
        alone = sum(weight * many for weight, many in entries)
        squared = sum(weight**2 * many for weight, many in entries)
        largest = max(weight for weight, many in entries if many)
        if grouped:
            both: Fraction | int = max(alone, 2 * (alone - self.cc))
            both_squared = max(squared, 4 * (squared - self.cc**2))
        else:
            whole = alone + self.xx * (columns - squares) + self.yy * (1 - square)
            both = max(Fraction(alone), whole - self._least(columns))
            both_squared = max(squared, self._largest(columns))
        return Changes(alone, both, both_squared, 2 * largest, squared, largest)

    def _least(self, columns: int) -> Fraction:
        """Return the least Σ_{i <= j} w u_i u_j: of a quadratic in X = Σ u and y over a box, in it or on its edges.

        For a given X the sum of squares is least where all u are the same.
        """
        d = columns
        curve = Fraction(self.xx * (d + 1), 2 * d) if d else Fraction(0)

        def value(x: Fraction, y: Fraction) -> Fraction:
            return self.cc + self.cx * x + self.cy * y + self.yy * y * y + self.xy * x * y + curve * x * x

        def cut(number: Fraction, end: int) -> Fraction:
            return max(Fraction(-end), min(Fraction(end), number))

        def best(y: Fraction) -> Fraction:
            return cut(-(self.cx + self.xy * y) / (2 * curve), d) if d else Fraction(0)

        places = [(best(y), y) for y in map(Fraction, (-1, 1))]
        places += [(x, cut(-(self.cy + self.xy * x) / (2 * self.yy), 1)) for x in map(Fraction, (-d, d))]
        places += [(Fraction(x), Fraction(y)) for x in (-d, d) for y in (-1, 1)]
        level = 4 * curve * self.yy - self.xy**2
        if level > 0:
            x = Fraction(self.xy * self.cy - 2 * self.yy * self.cx) / level
            y = (self.xy * self.cx - 2 * curve * self.cy) / level
            places.append((cut(x, d), cut(y, 1)))
        return min(value(x, y) for x, y in places)

    def _largest(self, columns: int) -> int:
        """Return Σ w² (1 - u_i u_j)², with u of -1 or 1 where i < j, and of 0 where i = j."""
        corners = (
            low * self.cx**2
            + (self.cy**2 if sign < 0 else 0)
            + low * (columns - low) * self.xx**2
            + (low if sign > 0 else columns - low) * self.xy**2
            for low in range(columns + 1)
            for sign in (-1, 1)
        )
        return 4 * max(corners) + columns * self.xx**2 + self.yy**2


BY_SUM = Weights(cc=30, cx=15, cy=40, xx=10, xy=30, yy=3)
"""Weights where the sum of all changes counts (Laplace noise)."""
BY_SQUARES = Weights(cc=17, cx=12, cy=20, xx=10, xy=17, yy=5)
"""Weights where the sum of their squares does (Gaussian noise): the roots of the same."""
EQUAL = Weights(cc=1, cx=1, cy=1, xx=1, xy=1, yy=1)
"""Equal weights: no product counts more than another."""
OBJECTIVE = Weights(cc=1, cx=2, cy=2, xx=2, xy=2, yy=1, own=1)
"""Weights of sums of products of terms between 0 and 1 as coefficients of Σ (y - w·(1, x))²."""


def of_objective(columns: int, squares: int, *, outcome_squared: bool, grouped: bool) -> Changes:
    """Return a row's changes in the coefficients of the objective: all are of one sign, none exceeds its weight.

    Alone, where all d columns and the outcome are ordered: 1 + 2d + 2 + d(d - 1) + d + 2d + 1 = (d + 2)². In place of
    another, each entry changes by the larger of two numbers at most, so that nothing is added; but where a column has
    several terms, two rows may have different ones, and only the number of rows is the same.
    """
    pairs, square = columns * (columns - 1) // 2, int(outcome_squared)
    alone = 3 + 4 * columns + 2 * pairs + squares + square
    squared = 5 + 8 * columns + 4 * pairs + squares + square
    both, both_squared = (max(alone, 2 * (alone - 1)), 2 * squared) if grouped else (alone, squared)
    return Changes(alone, both, both_squared, 2, squared, 2)


def of_origin(weights: Weights, columns: int, lists: int, *, signed: bool) -> Changes:
    """Return a row's changes in squares and products of terms, and products with the outcome, without a constant.

    `lists`: how many of the columns have several terms. `signed`: some column or the outcome has values of both signs;
    else no product of a row need be negative, and none exceeds its weight, alone or in place of another. Signed, with
    u = |t + s| - 1 for two rows t and s, an entry changes by w (1 - u_i u_j) at most. Of d ordered columns L1 is Σ w
    less the least Σ w u_i u_j, which is -xy²/(4·curve), curve = xx/2 + (own - xx/2)/d, where all u are -xy/(2d·curve):
    attained from 1 to that u everywhere. L2² is largest where each u is -1 or 1, as xy >= own. A product with a term of
    a list changes in two entries at most, by its weight each, or in one by twice that. Proof J‴ of docs/privacy.md.
    """
    few = columns - lists
    one, square = _of_a_row(weights, few)
    alone, alone_square = _of_a_row(weights, columns)
    both: Fraction | int = one
    both_square = square
    if signed and few:
        curve = Fraction(weights.xx, 2) + ((weights.own or weights.xx) - Fraction(weights.xx, 2)) / few
        both = one + weights.xy**2 / (4 * curve)
        corners = (low * (few - low) * weights.xx**2 + low * weights.xy**2 for low in range(few + 1))
        both_square = max(square, 4 * max(corners))
    each = max(weights.own or weights.xx, weights.xy, weights.xx if columns > 1 else 0)
    both += 2 * (alone - one)
    both_square += (4 if signed else 2) * (alone_square - square)
    return Changes(alone, both, both_square, each * (2 if signed else 1), alone_square, each)


def _of_a_row(weights: Weights, columns: int) -> tuple[int, int]:
    """Return Σ of the weights of products that a row may have, and of their squares."""
    counted = [(weights.own or weights.xx, columns), (weights.xx, columns * (columns - 1) // 2), (weights.xy, columns)]
    return sum(weight * many for weight, many in counted), sum(weight**2 * many for weight, many in counted)


TAYLOR = Weights(cc=1, cx=2, cy=4, xx=2, xy=4, yy=0, own=1)
"""Weights of sums of products of terms between 0 and 1 and of an outcome of -1 or 1, as eighths of the coefficients of
Σ (½ - y)·w·(1, x) + ⅛(w·(1, x))²."""


def of_taylor(columns: int, squares: int, *, grouped: bool) -> Changes:
    """Return a row's changes in the coefficients of the objective, in eighths.

    Alone, of d ordered columns (d + 1)(d + 5): 4(d + 1) of the outcome, (d + 1)² of the rest. In place of another at
    most (d + 3)²: with a = t + s, b = t - s over the d + 1 terms, of which the constant has a = 2 and b = 0, those of
    the outcome change by 4·Σa at most and the others by (Σa)(Σ|b|), |b| <= min(a, 2 - a). With A the sum of the other
    a that is at most 4(2 + A) + (2 + A)·min(A, 2d - A), largest at A = d + 1. Attained where one term stays and the
    others leave, with another outcome. Where a column has several terms, two rows may have different ones.
    """
    pairs = columns * (columns - 1) // 2
    alone = 5 + 6 * columns + 2 * pairs + squares
    squared = 17 + 20 * columns + 4 * pairs + squares
    if grouped:
        return Changes(alone, max(alone, 2 * (alone - 1)), 4 * squared, 8, squared, 4)
    both = max(squared, 64 * (1 + columns) + 4 * columns + 4 * pairs + squares)
    return Changes(alone, max(alone, (columns + 3) ** 2), both, 8, squared, 4)
