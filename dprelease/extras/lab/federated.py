"""Regressions of several sites: sums of products in one round, beside methods of many rounds of the literature.

Noise is `chance`, from a seed: it is as large as that of a release, and protects nobody.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.accounting.zcdp import rho_within
from dprelease.extras.lab.chance import Floats, normals, uniforms
from dprelease.extras.lab.patients import Patients, SiteRows
from dprelease.model.privacy import ATTO, NANO

ROUNDS = 60
BATCH = 32
LITERAL, MEANT, HONEST = "literal", "meant", "honest"
"""Ways of the proximal point."""
STEP, NODE_STEP = 0.5, 0.2
"""Step along a gradient of half the mean square: with a centre, and of each site on a graph. No source tells them."""
CUT = 1.25
"""The gradient of a row is cut to this length (public)."""
TUNED_STEP, TUNED_CUT = 0.1, 1.0
"""Best step and cut for gradients on such rows, found by looking at the errors."""
REACH = 2.5
"""So is a row of columns and outcome."""
SIDE = 3.5
"""So is a number by itself, where numbers are cut one by one."""
NEAR = 10.0
"""μ of the proximal point: how strongly a site stays with what it was given."""
LONGEST = 1.25
"""So are slopes that a site sends (public)."""
DELTA = 1e-5
CERTAIN = 0.05


@dataclass(frozen=True)
class FederatedTrial:
    """One table, one seed and a goal (ε, δ) for each row."""

    patients: Patients
    seed: str
    epsilon: float

    @property
    def rho(self) -> float:
        """ρ that (ε, δ) is worth."""
        return rho_within(round(self.epsilon * NANO), round(DELTA * ATTO)) / NANO

    @property
    def sites(self) -> tuple[SiteRows, ...]:
        return self.patients.sites

    @cached_property
    def weights(self) -> Floats:
        """The part of all rows that each site has."""
        return np.array([len(site) for site in self.sites]) / len(self.patients.all)

    def noise(self, label: object, *shape: int) -> Floats:
        return normals(f"{self.seed} noise {label}", *shape)


def summed(trial: FederatedTrial, variance: float) -> Floats:
    """Estimate slopes by sums of products, in one round. `variance`: of the noise, as a multiple of that of one table.

    A row (x, y) is cut to the length R: the L2 sensitivity of Σ (x, y)(x, y)ᵀ, each product off the diagonal once but
    weighted √2, is R². Noise σ = R²/√(2ρ); then ridge regression with λ = max(0, σ √(d ln(2d²/.05)) − max(λ_min − 2σ,
    0)), λ_min of the noisy Σ xxᵀ (Wang 2018, AdaSSP, where each step has noise of its own).
    """
    sigma = REACH**2 / sqrt(2 * trial.rho) * sqrt(variance)
    both = np.column_stack([trial.patients.all.x, trial.patients.all.y])
    both = _shorter(both, REACH)
    noisy = both.T @ both + _symmetric(sigma * trial.noise("moments", *[both.shape[1]] * 2))
    many = both.shape[1] - 1
    products, with_outcome = noisy[:many, :many], noisy[:many, many]
    least = float(np.linalg.eigvalsh(products)[0])
    ridge = max(0.0, sigma * sqrt(many * log(2 * many**2 / CERTAIN)) - max(least - 2 * sigma, 0.0))
    return np.asarray(np.linalg.solve(products + ridge * np.eye(many), with_outcome))


def summed_one_by_one(trial: FederatedTrial) -> Floats:
    """Return the same where each number is cut to ±B and each of 21 products (1 among the columns) has noise for B²√21.

    No ridge: the noise may turn a column's own square around.
    """
    sides = np.clip(np.column_stack([trial.patients.all.x, trial.patients.all.y]), -SIDE, SIDE)
    many = sides.shape[1] - 1
    products = (many + 2) * (many + 3) // 2
    sigma = SIDE**2 * sqrt(products) / sqrt(2 * trial.rho)
    noise = np.triu(sigma * trial.noise("products", many + 1, many + 1))
    noisy = sides.T @ sides + noise + np.triu(noise, 1).T
    return np.asarray(np.linalg.solve(noisy[:many, :many], noisy[:many, many]))


def gradient(
    trial: FederatedTrial, *, honest: bool, step: float = STEP, cut: float = CUT, rounds: int = ROUNDS
) -> Floats:
    """Run federated gradient descent. As printed: σ = 1/ε on the sum over a batch of 32, the last of a round's batches.

    Honest: all rows of a site in each round, σ = √(T/(2ρ)), since every one of T rounds is paid for.
    """
    slopes = np.zeros(trial.patients.all.x.shape[1])
    for turn in range(rounds):
        found = [
            _told(trial, site, number, slopes, turn, rounds if honest else 0, cut)
            for number, site in enumerate(trial.sites)
        ]
        slopes = slopes - step * trial.weights @ np.array(found)
    return slopes


def decentralised(trial: FederatedTrial, graph: Floats, *, honest: bool, rounds: int = ROUNDS) -> Floats:
    """Estimate each site's slopes (a row each), by averages with its neighbours and noisy gradients of its own rows.

    Site 1 of the graph is the one with most rows.
    """
    many = len(trial.sites)
    slopes = np.zeros((many, trial.patients.all.x.shape[1]))
    for turn in range(rounds):
        found = [
            _told(trial, site, number, slopes[number], turn, rounds if honest else 0, CUT)
            for number, site in enumerate(trial.sites)
        ]
        slopes = graph[::-1, ::-1] @ slopes - NODE_STEP * many * trial.weights[:, np.newaxis] * np.array(found)
    return slopes


def proximal(trial: FederatedTrial, way: str, *, near: float = NEAR, rounds: int = ROUNDS) -> Floats:
    """Run the proximal point: each site minimises half its mean square + μ/2 |w − w_t|², and sends it with noise.

    literal: noise on w_t, and so what was minimised is lost. meant: noise 2C/(mε) on what was minimised, m its rows,
    which no sensitivity gives. honest: slopes cut to the length C, σ = 2C √(T/(2ρ)).
    """
    slopes = np.zeros(trial.patients.all.x.shape[1])
    for turn in range(rounds):
        sent = []
        for number, site in enumerate(trial.sites):
            noise = trial.noise((way, turn, number), slopes.size)
            x, rows = site.x, len(site)
            solved = np.linalg.solve(x.T @ x / rows + near * np.eye(slopes.size), x.T @ site.y / rows + near * slopes)
            small = 2 * LONGEST / (rows * trial.epsilon)
            if way == HONEST:
                cut = _shorter(solved[np.newaxis], LONGEST)[0]
                sent.append(cut + 2 * LONGEST * sqrt(rounds / (2 * trial.rho)) * noise)
            else:
                sent.append((slopes if way == LITERAL else solved) + small * noise)
        slopes = trial.weights @ np.array(sent)
    return slopes


def _told(
    trial: FederatedTrial, site: SiteRows, number: int, slopes: Floats, turn: int, paid: int, cut: float
) -> Floats:
    """Return a noisy mean gradient of a site; `paid`: the rounds that its noise pays for, 0 where σ = 1/ε."""
    noise = cut * trial.noise(("gradient", turn, number), slopes.size)
    if paid:
        x, y, noise = site.x, site.y, noise * sqrt(paid / (2 * trial.rho))
    else:
        chosen = (uniforms(f"{trial.seed} batch {turn} {number}", BATCH) * len(site)).astype(np.int64)
        x, y, noise = site.x[chosen], site.y[chosen], noise / trial.epsilon
    each = _shorter(x * (x @ slopes - y)[:, np.newaxis], cut)
    return np.asarray((each.sum(axis=0) + noise) / len(y))


def _shorter(rows: NDArray[np.floating[Any]], longest: float) -> Floats:
    """Return each row, shortened to that length at most."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows * np.minimum(1, longest / np.maximum(lengths, 1e-300)))


def _symmetric(noise: Floats) -> Floats:
    """Return noise of a symmetric matrix: on the diagonal as it is, off it with a √2-th, the same on both sides."""
    upper = np.triu(noise, 1) / sqrt(2)
    return np.asarray(np.diag(np.diag(noise)) + upper + upper.T)
