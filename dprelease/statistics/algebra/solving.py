"""Linear equations and eigenvalues of small matrices, in plain floats and one order: the same on every machine."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, sqrt

Vector = list[float]
Matrix = list[Vector]
DIGITS = 9
"""Significant digits of published floats."""
SWEEPS = 30
"""Largest number of sweeps of rotations; fewer than ten are usual."""


def nine(x: float) -> float:
    """Return a number in nine significant digits, those that are published; never -0."""
    return float(f"{x:.{DIGITS}g}") + 0.0


def dot(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the sum of products, rounded once."""
    return fsum(a * b for a, b in zip(one, other, strict=True))


def times(matrix: Matrix, vector: Sequence[float]) -> Vector:
    return [dot(row, vector) for row in matrix]


def solved(matrix: Matrix, right: Sequence[float], ridge: float) -> Vector:
    """Return the solution of (matrix + λ)x = right, λ the first of ridge, 2·ridge, 4·ridge, ... to make it positive."""
    while True:
        root = cholesky(matrix, ridge)
        if root is not None:
            return substituted(root, right)
        ridge *= 2.0


def cholesky(matrix: Matrix, ridge: float) -> Matrix | None:
    """Return the lower triangle L with LL' = matrix + ridge; None where that is not positive."""
    root: Matrix = []
    for i, row in enumerate(matrix):
        own: Vector = []
        for j in range(i):
            own.append((row[j] - dot(own, root[j][: len(own)])) / root[j][j])
        rest = row[i] + ridge - dot(own, own)
        if not rest > 1e-12 * (abs(row[i]) + ridge):
            return None
        root.append([*own, sqrt(rest)])
    return root


def substituted(root: Matrix, right: Sequence[float]) -> Vector:
    forward: Vector = []
    for row, number in zip(root, right, strict=True):
        forward.append((number - dot(row[: len(forward)], forward)) / row[len(forward)])
    found = [0.0] * len(root)
    for i in range(len(root) - 1, -1, -1):
        later = fsum(root[j][i] * found[j] for j in range(i + 1, len(root)))
        found[i] = (forward[i] - later) / root[i][i]
    return found


def inverse(matrix: Matrix) -> Matrix | None:
    """Return the inverse of a positive matrix; None where it is not."""
    root = cholesky(matrix, 0.0)
    if root is None:
        return None
    many = len(matrix)
    return [substituted(root, [float(i == j) for j in range(many)]) for i in range(many)]


def product(one: Matrix, other: Matrix) -> Matrix:
    columns = list(zip(*other, strict=True))
    return [[dot(row, column) for column in columns] for row in one]


def eigen(matrix: Matrix) -> tuple[Vector, Matrix]:
    """Return the eigenvalues of a symmetric matrix, and a row for each vector: by Jacobi's rotations, row by row."""
    many = len(matrix)
    own = [list(row) for row in matrix]
    vectors = [[float(i == j) for j in range(many)] for i in range(many)]
    whole = sqrt(fsum(number * number for row in own for number in row))
    for _ in range(SWEEPS):
        if sqrt(fsum(own[i][j] ** 2 for i in range(many) for j in range(i))) <= 1e-15 * whole:
            break
        for i in range(many):
            for j in range(i + 1, many):
                _rotate(own, vectors, i, j)
    return [own[i][i] for i in range(many)], vectors


def _rotate(own: Matrix, vectors: Matrix, i: int, j: int) -> None:
    """Make an entry 0 by a rotation of two axes."""
    if own[i][j] == 0.0:
        return
    half = (own[j][j] - own[i][i]) / (2.0 * own[i][j])
    tangent = (1.0 if half >= 0 else -1.0) / (abs(half) + sqrt(half * half + 1.0))
    cosine = 1.0 / sqrt(tangent * tangent + 1.0)
    sine = tangent * cosine
    for row in own:
        row[i], row[j] = cosine * row[i] - sine * row[j], sine * row[i] + cosine * row[j]
    for rows in (own, vectors):
        rows[i], rows[j] = (
            [cosine * a - sine * b for a, b in zip(rows[i], rows[j], strict=True)],
            [sine * a + cosine * b for a, b in zip(rows[i], rows[j], strict=True)],
        )
