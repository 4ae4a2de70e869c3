"""Graphs of sites that average with their neighbours: weights, and what their eigenvalues say of them.

Weights W serve if they are symmetric and each row adds up to 1: then the average of all sites stays what it was, and a
difference between sites shrinks by the second largest |eigenvalue| in each round (Xiao, Boyd 2004).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from dprelease.extras.lab.chance import Floats

SEVEN = "seven"
GRAPHS: Mapping[str, tuple[int, tuple[tuple[int, int], ...]]] = {
    SEVEN: (7, ((1, 2), (1, 3), (1, 6), (2, 3), (3, 4), (4, 5), (4, 7), (6, 7))),
    "ring": (5, ((1, 2), (2, 3), (3, 4), (4, 5), (1, 5))),
    "chain": (5, ((1, 2), (2, 3), (3, 4), (4, 5))),
}
"""Number of sites, and the pairs that average with one another, numbered from 1."""
METROPOLIS, LAPLACIAN, PRINTED = "metropolis", "laplacian", "printed"
THIRD = 1 / 3


def neighbours(graph: str) -> Floats:
    """Return the adjacency matrix: 1 where two sites are neighbours."""
    sites, edges = GRAPHS[graph]
    found = np.zeros((sites, sites))
    for one, other in edges:
        found[one - 1, other - 1] = found[other - 1, one - 1] = 1
    return found


def laplacian(graph: str) -> Floats:
    """Return L: each site's number of neighbours on the diagonal, −1 where two are neighbours."""
    near = neighbours(graph)
    return np.asarray(np.diag(near.sum(axis=1)) - near)


def of_laplacian(graph: str, step: float) -> Floats:
    """Return I − step · L: symmetric with rows and columns that add up to 1."""
    return np.asarray(np.eye(GRAPHS[graph][0]) - step * laplacian(graph))


def metropolis(graph: str) -> Floats:
    """Return 1 / (1 + the larger degree) between neighbours; the rest to a site itself (Xiao, Boyd, Kim 2007)."""
    near = neighbours(graph)
    degrees = near.sum(axis=1)
    found = near / (1 + np.maximum.outer(degrees, degrees))
    return np.asarray(found + np.diag(1 - found.sum(axis=1)))


def misplaced() -> Floats:
    """Return I − L/3 of the seven sites as it is printed in one source: row 3 adds up to 4/3 and row 5 to 2/3.

    Of all matrices of thirds that differ from I − L/3 in these two rows, with one column of 4/3 and one of 2/3, it is
    the only one whose largest eigenvalue is 1.02309 (`tests/extras/lab/test_graphs.py` goes through them).
    """
    found = of_laplacian(SEVEN, THIRD)
    found[2] = np.array([1, 1, 1, 0, 1, 0, 0]) * THIRD
    found[4] = np.array([0, 0, 0, 1, 1, 0, 0]) * THIRD
    return found


def weights(graph: str, kind: str, step: float) -> Floats:
    """Return W by its kind; what is printed wrongly is one of seven sites."""
    if kind == PRINTED:
        return misplaced()
    return metropolis(graph) if kind == METROPOLIS else of_laplacian(graph, step)


def eigenvalues(matrix: Floats) -> tuple[float, ...]:
    """Return the absolute values of all eigenvalues, the largest first."""
    return tuple(sorted(np.abs(np.linalg.eigvals(matrix)).round(12).tolist(), reverse=True))


def grows_by(matrix: Floats) -> float:
    """Return the largest absolute eigenvalue: with more than 1, what is averaged grows with every round."""
    return eigenvalues(matrix)[0]


def mixes_by(matrix: Floats) -> float:
    """Return what is left of a difference between sites after a round: the largest |eigenvalue| of W − 11ᵀ/n."""
    sites = len(matrix)
    return eigenvalues(matrix - np.ones((sites, sites)) / sites)[0]


def best_step(graph: str) -> float:
    """Return the α of I − αL that leaves least of a difference: 2 / (λ_2 + λ_n) of L. Xiao, Boyd 2004, section 4.1."""
    found = np.linalg.eigvalsh(laplacian(graph))
    return float(2 / (found[1] + found[-1]))


def last_step(graph: str) -> float:
    """Return the α from which on nothing is averaged any more: 2 / λ_n of L."""
    return float(2 / np.linalg.eigvalsh(laplacian(graph))[-1])


def spread(matrix: Floats, rounds: int) -> tuple[float, ...]:
    """Return how far sites that begin with 1, 2, … are from their first average, after 0 to so many rounds."""
    values = np.arange(1.0, len(matrix) + 1)
    whole, found = float(values.mean()), []
    for _ in range(rounds + 1):
        found.append(float(np.abs(values - whole).max()))
        values = matrix @ values
    return tuple(found)
