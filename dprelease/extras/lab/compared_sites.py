"""Errors, rounds and real ε of methods of several sites: on invented rows, over some draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import exp, inf, sqrt
from typing import Any

import numpy as np

from dprelease.errors import InputError
from dprelease.extras.lab import federated
from dprelease.extras.lab.chance import Floats
from dprelease.extras.lab.federated import DELTA, HONEST, LITERAL, MEANT, ROUNDS, TUNED_CUT, TUNED_STEP, FederatedTrial
from dprelease.extras.lab.graphs import SEVEN, metropolis, misplaced
from dprelease.extras.lab.pair import log_tail
from dprelease.extras.lab.patients import FLOOR, SHARES, Patients
from dprelease.words import Figure, phrase

SITES = len(SHARES)
MIN_ROWS, MAX_ROWS = 280, 100_000
MAX_DRAWS = 100
MIN_EPSILON, MAX_EPSILON = 0.01, 20.0
LOST = 1
"""Sites that may leave out their noise, in the masked sum."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One way to a regression, by its name."""

    name: str
    rounds: int
    rho: Callable[[FederatedTrial], float | None]
    """Real loss ρ; None where no ρ bounds it."""
    slopes: Callable[[FederatedTrial], Floats]
    """Slopes of all sites together, or a row for each site, where sites end with slopes of their own."""

    def error(self, trial: FederatedTrial) -> float:
        """Return the mean square that is left; of sites with slopes of their own, on average."""
        return float(np.mean([trial.patients.error(each) for each in np.atleast_2d(self.slopes(trial))]))


def _goal(trial: FederatedTrial) -> float:
    return trial.rho


def _printed(trial: FederatedTrial) -> float:
    """Return ρ with σ = 1/ε in each round: T ε²/2, for a row that is in every batch of which the gradient is told."""
    return printed_rho(trial.epsilon, ROUNDS)


METHODS = (
    Method(name="masked", rounds=1, rho=_goal, slopes=lambda t: federated.summed(t, SITES / (SITES - LOST))),
    Method(name="open", rounds=1, rho=_goal, slopes=lambda t: federated.summed(t, SITES)),
    Method(name="one_by_one", rounds=1, rho=_goal, slopes=federated.summed_one_by_one),
    Method(name="gradient", rounds=ROUNDS, rho=_goal, slopes=lambda t: federated.gradient(t, honest=True)),
    Method(
        name="gradient_tuned",
        rounds=ROUNDS,
        rho=_goal,
        slopes=lambda t: federated.gradient(t, honest=True, step=TUNED_STEP, cut=TUNED_CUT),
    ),
    Method(
        name="graph",
        rounds=ROUNDS,
        rho=_goal,
        slopes=lambda t: federated.decentralised(t, metropolis(SEVEN), honest=True),
    ),
    Method(name="proximal", rounds=ROUNDS, rho=_goal, slopes=lambda t: federated.proximal(t, HONEST)),
    Method(name="gradient_printed", rounds=ROUNDS, rho=_printed, slopes=lambda t: federated.gradient(t, honest=False)),
    Method(
        name="graph_printed",
        rounds=ROUNDS,
        rho=_printed,
        slopes=lambda t: federated.decentralised(t, metropolis(SEVEN), honest=False),
    ),
    Method(
        name="graph_misplaced",
        rounds=ROUNDS,
        rho=_printed,
        slopes=lambda t: federated.decentralised(t, misplaced(), honest=False),
    ),
    Method(name="proximal_literal", rounds=ROUNDS, rho=lambda t: 0.0, slopes=lambda t: federated.proximal(t, LITERAL)),
    Method(name="proximal_meant", rounds=ROUNDS, rho=lambda t: None, slopes=lambda t: federated.proximal(t, MEANT)),
)
"""Ours first, then others honestly accounted for, then as they are printed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodResult:
    """Result of one method."""

    name: str
    rounds: int
    errors: tuple[float, ...]
    """Errors by draw."""
    epsilon: float | None
    """The real one; None where there is none."""

    @property
    def error(self) -> float:
        return float(np.mean(self.errors))

    def to_mapping(self) -> dict[str, Any]:
        told = {"error": round(self.error, 6), "least": round(min(self.errors), 6), "most": round(max(self.errors), 6)}
        real = None if self.epsilon is None else round(self.epsilon, 3)
        return {"method": self.name, "rounds": self.rounds, **told, "real_epsilon": real}


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulated:
    """All methods on the same rows."""

    rows: int
    epsilon: float
    draws: int
    found: tuple[MethodResult, ...]

    @property
    def by_name(self) -> Mapping[str, MethodResult]:
        return {each.name: each for each in self.found}

    def to_mapping(self) -> dict[str, Any]:
        asked = {"rows": self.rows, "epsilon": self.epsilon, "delta": DELTA, "draws": self.draws, "sites": SITES}
        return {**asked, "floor": FLOOR, "methods": [each.to_mapping() for each in self.found]}


def simulate(rows: int, epsilon: float, draws: int, seed: str = "1") -> Simulated:
    """Try all methods on as many tables as there are draws. The same seed gives the same numbers.

    Raises InputError where a number is beyond what can be tried.
    """
    for name, found, least, most in (
        ("rows", rows, MIN_ROWS, MAX_ROWS),
        ("draws", draws, 1, MAX_DRAWS),
        ("epsilon", epsilon, MIN_EPSILON, MAX_EPSILON),
    ):
        if not least <= found <= most:
            raise InputError(
                name,
                found=found,
                allowed=phrase("model.number_from_to", least=Figure(f"{least:g}"), most=Figure(f"{most:g}")),
            )
    trials = list(trials_of(rows, epsilon, draws, seed))
    return Simulated(
        rows=rows,
        epsilon=epsilon,
        draws=draws,
        found=tuple(
            MethodResult(
                name=each.name,
                rounds=each.rounds,
                errors=tuple(each.error(trial) for trial in trials),
                epsilon=real_epsilon(each.rho(trials[0])),
            )
            for each in METHODS
        ),
    )


def trials_of(rows: int, epsilon: float, draws: int, seed: str) -> Iterator[FederatedTrial]:
    """Draw the rows of so many trials, each from its own seed."""
    for draw in range(draws):
        yield FederatedTrial(Patients.drawn(f"{seed} {draw}", rows), f"{seed} {draw} {rows} {epsilon}", epsilon)


def printed_rho(epsilon: float, rounds: int) -> float:
    """Return the ρ of so many rounds with σ = 1/ε each."""
    return rounds * epsilon**2 / 2


def real_epsilon(rho: float | None, delta: float = DELTA) -> float | None:
    """Return the ε at δ of normal noise that costs ρ, exactly: δ = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ), μ = √(2ρ).

    Balle and Wang 2018, theorem 8. None for None.
    """
    if rho is None:
        return None
    low, high = 0.0, 1.0
    while _delta(rho, high) > delta:
        high *= 2
    if _delta(rho, low) <= delta:
        return 0.0
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _delta(rho, middle) > delta else (low, middle)
    return high


def _delta(rho: float, epsilon: float) -> float:
    if rho == 0:
        return 0.0
    mu = sqrt(2 * rho)
    second = log_tail(mu / 2 + epsilon / mu)
    return exp(log_tail(epsilon / mu - mu / 2)) - (exp(epsilon + second) if second > -inf else 0.0)
