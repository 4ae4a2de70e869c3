"""Weights of sites that average with their neighbours, and the printed ones that do not serve."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from dprelease.extras.lab import graphs
from dprelease.extras.lab.graphs import GRAPHS, SEVEN, metropolis, misplaced, mixes_by, of_laplacian


@pytest.mark.parametrize("graph", GRAPHS)
def test_weights_are_symmetric_and_add_up_to_one(graph: str) -> None:
    for each in (of_laplacian(graph, 1 / 3), metropolis(graph), of_laplacian(graph, 0.01)):
        assert each.sum(axis=0) == pytest.approx(np.ones(GRAPHS[graph][0]))
        assert (each == each.T).all()
        assert graphs.grows_by(each) == pytest.approx(1)


def test_what_is_left_of_a_difference() -> None:
    found = [mixes_by(each) for each in (of_laplacian(SEVEN, 1 / 3), metropolis(SEVEN), of_laplacian(SEVEN, 0.01))]
    assert found == pytest.approx([0.78367, 0.83363, 0.9935], abs=5e-5)


@pytest.mark.parametrize("graph", GRAPHS)
def test_no_step_leaves_less_than_the_best_and_none_beyond_the_last_averages(graph: str) -> None:
    best, last = graphs.best_step(graph), graphs.last_step(graph)
    assert all(mixes_by(of_laplacian(graph, best)) <= mixes_by(of_laplacian(graph, best * each)) for each in (0.9, 1.1))
    assert mixes_by(of_laplacian(graph, 0.99 * last)) < 1 < mixes_by(of_laplacian(graph, 1.01 * last))
    assert graphs.spread(of_laplacian(graph, 0.99 * last), 2000)[-1] < 0.01


def parted(total: int, places: int) -> list[list[int]]:
    """Return every way to divide a whole number among so many places."""
    cuts = combinations(range(total + places - 1), places - 1)
    return [[b - a - 1 for a, b in zip((-1, *cut), (*cut, total + places - 1), strict=True)] for cut in cuts]


def test_the_printed_matrix_is_the_only_one_of_its_kind() -> None:
    """Rows 3 and 5 add up to 4/3 and 2/3, or the other way round; the largest eigenvalue is 1.02309."""
    right = np.rint(3 * of_laplacian(SEVEN, 1 / 3)).astype(int)
    found = []
    for totals in ((4, 2), (2, 4)):
        for third in parted(totals[0], 7):
            for fifth in parted(totals[1], 7):
                tried = right.copy()
                tried[2], tried[4] = third, fifth
                if sorted(tried.sum(axis=0)) == [2, 3, 3, 3, 3, 3, 4]:
                    found.append(tried)
    grown = np.abs(np.linalg.eigvals(np.array(found) / 3)).max(axis=1)
    alike = [tried for tried, each in zip(found, grown, strict=True) if round(float(each), 5) == 1.02309]
    assert [each.tolist() for each in alike] == [np.rint(3 * misplaced()).astype(int).tolist()]
    assert graphs.grows_by(misplaced()) == pytest.approx(1.0230907, abs=1e-7)
