"""Membership: averages of many attributes of a group tell if somebody is in the group (Homer et al. 2008).

The score of x is Σ (q − p)(x − p) / (p(1 − p)) over what was published, q, and how frequent each attribute is, p. Of
somebody in the group its mean is d/n, of anybody else 0; its variance is about d·(1/n + σ²/(n²·p(1−p))).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erf, exp, sqrt

import numpy as np

from dprelease.extras.lab.chance import Floats, integer_laplace, normals, uniforms
from dprelease.extras.lab.outcome import Outcome, drawn_error, success_bound
from dprelease.extras.lab.worlds import genome


@dataclass(frozen=True, slots=True)
class Scores:
    """Scores of members of the group, and of as many others."""

    members: Floats
    others: Floats
    outcome: Outcome
    expected: float
    """Value of `won` by theory."""


def advantage(people: int, attributes: int, variance: float = 0.0, frequent: float = 0.5) -> float:
    """Return the theoretical 2Φ(g/2) − 1, g = √(d / (n + σ²/(p(1−p)))), for noise of variance σ² on each count."""
    gap = sqrt(attributes / (people + variance / (frequent * (1 - frequent))))
    return erf(gap / (2 * sqrt(2)))


def of_rho(rho: float, attributes: int) -> float:
    """Return the variance of normal noise on each of so many counts of one person's attributes: d / 2ρ."""
    return attributes / (2 * rho)


def of_epsilon(epsilon: float, attributes: int) -> float:
    """Return the variance of discrete Laplace noise of scale d/ε: 2q / (1 − q)², q = e^(−ε/d)."""
    q = exp(-epsilon / attributes)
    return 2 * q / (1 - q) ** 2


def membership(
    people: int,
    attributes: int,
    epsilon: float | None = None,
    seed: str = "0",
    *,
    rho: float | None = None,
    groups: int = 1,
) -> Scores:
    """Score members and others against what is published of their group; exact without ε and ρ, which are in all.

    `groups`: how many of them are drawn, with as many others each.
    """
    members: list[Floats] = []
    others: list[Floats] = []
    for group in range(groups):
        name = f"{people}/{attributes}/{seed}/{group}"
        frequent, both = genome(2 * people, attributes, name)
        counts = both[:people].sum(axis=0) + _noise(attributes, epsilon, rho, name)
        weights = (counts / people - frequent) / (frequent * (1 - frequent))
        scores = (both - frequent) @ weights
        members.append(scores[:people])
        others.append(scores[people:])
    inside, outside = np.concatenate(members), np.concatenate(others)
    cut = attributes / people / 2
    won = float((inside > cut).mean() + (outside <= cut).mean()) / 2
    variance = of_epsilon(epsilon, attributes) if epsilon else of_rho(rho, attributes) if rho else 0.0
    known = (1 + advantage(people, attributes, variance)) / 2
    private = 1.0 if epsilon is None else success_bound(epsilon)
    return Scores(inside, outside, Outcome(0.5, won, private, drawn_error(won, 2 * len(inside))), known)


def _noise(attributes: int, epsilon: float | None, rho: float | None, name: str) -> Floats:
    if epsilon:
        return integer_laplace(uniforms(f"noise/{name}", attributes), attributes / epsilon).astype(np.float64)
    if rho:
        return sqrt(of_rho(rho, attributes)) * normals(f"noise/{name}", attributes)
    return np.zeros(attributes)
