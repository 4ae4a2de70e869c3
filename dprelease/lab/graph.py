"""Sites that average with their neighbours only: the matrices that do it, and one that does not."""

from __future__ import annotations

import numpy as np

from dprelease.lab.chance import Floats

EDGES = ((1, 2), (1, 3), (1, 6), (2, 3), (3, 4), (4, 5), (4, 7), (6, 7))
"""Of seven sites, numbered from 1."""
SITES = 7
THIRD = 1 / 3


def neighbours() -> Floats:
    """1 where two sites are neighbours."""
    found = np.zeros((SITES, SITES))
    for one, other in EDGES:
        found[one - 1, other - 1] = found[other - 1, one - 1] = 1
    return found


def of_laplacian(step: float) -> Floats:
    """I − step · L, L the Laplacian of the graph: symmetric with rows and columns that add up to 1."""
    near = neighbours()
    return np.asarray(np.eye(SITES) - step * (np.diag(near.sum(axis=1)) - near))


def metropolis() -> Floats:
    """1 / (1 + the larger degree) between neighbours; what is left, to a site itself (Xiao, Boyd, Kim 2007)."""
    near = neighbours()
    degrees = near.sum(axis=1)
    found = near / (1 + np.maximum.outer(degrees, degrees))
    return np.asarray(found + np.diag(1 - found.sum(axis=1)))


def misplaced() -> Floats:
    """I − L/3 with one third in a wrong place: a row and a column add up to 4/3, another of each to 2/3."""
    found = of_laplacian(THIRD)
    found[4, 4] -= THIRD
    found[3, 6] += THIRD
    return found
