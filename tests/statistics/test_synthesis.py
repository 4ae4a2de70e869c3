"""What is told of rows that are nobody's: how far each of their tables is off, with an interval that holds it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from dprelease.statistics.algebra.raking import counted
from dprelease.statistics.algebra.residual import AxisFamily
from dprelease.statistics.algebra.stream import Stream
from dprelease.statistics.algebra.widest import BITS, Widest
from dprelease.statistics.synthesis import Synthesis

CELLS = (12, 10, 2, 2)
TABLES = tuple(places for size in range(3) for places in combinations(range(4), size))
ROWS = 10_000
DRAWS = 40


def people() -> NDArray[np.int64]:
    """Codes of columns that go together, most of them in few cells."""
    numbers = np.random.default_rng(3)
    first = np.minimum(11, numbers.geometric(0.3, ROWS) - 1)
    second = np.minimum(9, first // 2 + numbers.binomial(5, 0.4, ROWS))
    third = (numbers.random(ROWS) < 0.1 + first / 20).astype(np.int64)
    return np.stack([first, second, third, (numbers.random(ROWS) < 0.03 + third / 5).astype(np.int64)])


@pytest.mark.full
@pytest.mark.parametrize(("noise", "excess"), [("laplace", 3.0), ("normal", 0.0)])
def test_intervals_of_small_errors_hold_and_what_is_told_is_on_neither_side(noise: str, excess: float) -> None:
    """Noise is small beside the rounding to whole rows. Seeded, so that it never fails by chance: in 40 draws of ten
    tables 95 % is asked for; without what Laplace noise has beyond normal noise, and with what few noises are by
    chance, it was 87 to 89 %."""
    family, numbers, real = AxisFamily(CELLS, TABLES), np.random.default_rng(7), people()
    widest = Widest(family)
    variances = np.full(len(widest.tables), 2 * 2.8**2)
    held: list[bool] = []
    told = dict.fromkeys(TABLES, 0.0)
    true = dict.fromkeys(TABLES, 0.0)
    for draw in range(DRAWS):
        drawn = [
            counted(real, CELLS, table).astype(np.int64)
            + np.rint(getattr(numbers, noise)(0, 2.8 if excess else 2.8 * 2**0.5, [CELLS[p] for p in table])).astype(
                int
            )
            for table in widest.tables
        ]
        residuals = widest.together(drawn, variances)
        estimates = {
            table: np.array(family.table(residuals, table) / (family.step(table) * 2**BITS), dtype=np.float64)
            for table in TABLES
        }
        made = Synthesis(family, estimates, widest.squares(variances), Stream(bytes([draw])), excess)
        rows = made.rows(round(made.total))
        for table, misfit in made.misfits(rows):
            off = counted(rows, CELLS, table) * (made.total / rows.shape[1]) - counted(real, CELLS, table)
            square = float((off**2).sum())
            told[table] += misfit.square
            true[table] += square
            if table:
                held.append(misfit.lower <= square <= misfit.upper)
    assert sum(held) >= 0.95 * len(held)
    ratios = [told[table] / true[table] for table in TABLES if table]
    assert 0.95 <= float(np.median(ratios)) <= 1.1
