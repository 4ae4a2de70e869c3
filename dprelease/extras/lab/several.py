"""A method of several sites by what it is set to: its error by ε, by μ and by α, and the ε that it really has.

On the invented rows of `patients`; every noise is `chance` from a seed, so that each number comes out again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dprelease.extras.lab import federated, graphs
from dprelease.extras.lab.compared_sites import printed_rho, real_epsilon, trials_of
from dprelease.extras.lab.federated import HONEST, MEANT, FederatedTrial

GRADIENT, PROXIMAL, NEIGHBOURS = "gradient", "proximal", "neighbours"
METHODS = (GRADIENT, PROXIMAL, NEIGHBOURS)
EPSILONS = (0.1, 0.5, 1.0, 2.0, 5.0, 10.0)
"""ε of a curve."""
FEW, MANY = 1500, 20_000
NEAR_ROWS, NEAR_EPSILON, NEAR_DRAWS = 1600, 0.2, 8
"""At these the proximal point has the printed error of 0.387 at μ = 10: the source tells neither."""
STEP_DRAWS = 2


@dataclass(frozen=True, slots=True)
class SitesRun:
    """One method and its settings."""

    method: str = NEIGHBOURS
    weights: str = graphs.METROPOLIS
    step: float = 1 / 3
    """α of the weights I − αL."""
    near: float = 10.0
    """μ of the proximal point."""
    rounds: int = 60
    rows: int = FEW

    def error(self, epsilon: float, *, paid: bool, draws: int = 1) -> float:
        """Return the mean square that is left; `paid`: with noise that pays for every round, else as printed."""
        return float(np.mean([self._error(each, paid) for each in _trials(self.rows, epsilon, draws)]))

    def _error(self, trial: FederatedTrial, paid: bool) -> float:
        if self.method == GRADIENT:
            slopes = federated.gradient(trial, honest=paid, rounds=self.rounds)
        elif self.method == PROXIMAL:
            slopes = federated.proximal(trial, HONEST if paid else MEANT, near=self.near, rounds=self.rounds)
        else:
            matrix = graphs.weights(graphs.SEVEN, self.weights, self.step)
            slopes = federated.decentralised(trial, matrix, honest=paid, rounds=self.rounds)
        return float(np.mean([trial.patients.error(each) for each in np.atleast_2d(slopes)]))

    def real(self, epsilon: float) -> float | None:
        """Return the ε that σ = 1/ε has in so many rounds, at δ = 10⁻⁵; None where no sensitivity gives one."""
        return None if self.method == PROXIMAL else real_epsilon(printed_rho(epsilon, self.rounds))


@lru_cache(maxsize=32)
def _trials(rows: int, epsilon: float, draws: int) -> tuple[FederatedTrial, ...]:
    return tuple(trials_of(rows, epsilon, draws, "1"))


@lru_cache(maxsize=64)
def by_epsilon(run: SitesRun) -> tuple[tuple[float, float, float], ...]:
    """Return ε, the error as printed, and the error of noise that pays for every round."""
    return tuple((each, run.error(each, paid=False), run.error(each, paid=True)) for each in EPSILONS)


def near_row(near: float) -> tuple[float, float, float]:
    """Return the errors of the proximal point at one μ: as printed at two ε, and paid for at the second."""
    run = SitesRun(PROXIMAL, near=near, rows=NEAR_ROWS)
    printed = run.error(NEAR_EPSILON, paid=False, draws=NEAR_DRAWS), run.error(1.0, paid=False)
    return (*printed, run.error(1.0, paid=True))


def step_row(step: float) -> tuple[float, float]:
    """Return the errors of averages with neighbours by I − αL at one α, as printed and paid for."""
    run = SitesRun(NEIGHBOURS, graphs.LAPLACIAN, step, rows=MANY)
    printed, paid = (run.error(1.0, paid=each, draws=STEP_DRAWS) for each in (False, True))
    return printed, paid


BY_NEAR = (
    (0.001, 0.3791, 0.3767, 1549.2),
    (0.01, 0.3791, 0.3767, 1508.1),
    (0.1, 0.3792, 0.3766, 1452.3),
    (0.5, 0.3797, 0.3765, 1441.6),
    (1.0, 0.3802, 0.3765, 1438.3),
    (2.0, 0.3811, 0.3765, 1435.9),
    (5.0, 0.3833, 0.3764, 1433.7),
    (10.0, 0.3872, 0.3766, 1432.8),
    (20.0, 0.3939, 0.3771, 1432.3),
    (50.0, 0.4048, 0.3853, 1431.9),
    (100.0, 0.4608, 0.4421, 1431.8),
    (500.0, 0.7697, 0.7256, 1431.7),
    (1000.0, 0.8607, 0.8072, 1431.7),
)
"""Thirteen μ, each with its `near_row`: six seconds to compute, so that they stand here and a test computes them."""
BY_STEP = (
    (0.01, 0.3883, 0.3821),
    (0.05, 0.3828, 0.3792),
    (0.1, 0.3805, 0.3780),
    (0.15, 0.3795, 0.3774),
    (0.2, 0.3789, 0.3771),
    (0.25, 0.3786, 0.3769),
    (0.3, 0.3786, 0.3768),
    (1 / 3, 0.3789, 0.3768),
    (0.35, 0.3794, 0.3768),
    (0.4, 0.9021, 0.8997),
    (0.45, 19674.3, 17404.8),
)
"""Eleven α, each with its `step_row`."""
