"""The mechanisms that a page shows on two neighbouring tables, and what may be taken along of them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dprelease.extras.lab import pair
from dprelease.extras.lab.pair import Floats, OutputPair

HEAD = ("value", "p", "q", "false_alarms", "missed")
HERE = 108
REACH = 2
"""Reach of uniform noise."""
SCORES, OTHERS = (4.0, 3.0, 2.0, 0.0), (3.0, 3.0, 2.0, 1.0)
"""Scores of four candidates, on a table and on a neighbour."""
MECHANISMS = (
    *("laplace", "gaussian", "response", "exponential", "permute_and_flip"),
    *("laplace_real", "gaussian_real", "uniform"),
)
"""The first that a release draws, then those of textbooks, then one that promises nothing."""
NUMBERS = frozenset({"laplace", "gaussian", "laplace_real", "gaussian_real", "uniform"})
NORMAL = frozenset({"gaussian", "gaussian_real"})


@lru_cache(maxsize=256)
def pair_of(mechanism: str, epsilon: float, people: int) -> OutputPair:
    """Return the two distributions."""
    there = HERE - people
    match mechanism:
        case "gaussian":
            return pair.discrete_gaussian(1 / epsilon, HERE, there)
        case "response":
            return pair.randomised_response(epsilon)
        case "exponential":
            return pair.exponential(SCORES, OTHERS, epsilon)
        case "permute_and_flip":
            return pair.permute_and_flip(SCORES, OTHERS, epsilon)
        case "laplace_real":
            return pair.laplace(epsilon, HERE, there)
        case "gaussian_real":
            return pair.gaussian(1 / epsilon, HERE, there)
        case "uniform":
            return pair.uniform(REACH, HERE, there)
    return pair.integer_laplace(epsilon, HERE, there)


def tests(shown: OutputPair) -> tuple[Floats, Floats]:
    """Return, by output, false alarms and misses of the test that calls for it and for whatever tells more.

    Of outputs that tell as much, the first count first.
    """
    with np.errstate(invalid="ignore"):
        told = np.where(np.isinf(shown.losses), shown.losses, np.round(shown.losses, 9))
    order = np.argsort(-told, kind="stable")
    wrong, missed = np.empty(len(order)), np.empty(len(order))
    wrong[order], missed[order] = np.cumsum(shown.q[order]), 1 - np.cumsum(shown.p[order])
    return np.clip(wrong, 0, 1), np.clip(missed, 0, 1)


def csv(shown: OutputPair) -> str:
    """Return CSV, a line an output: its probabilities on either table, and the test that begins with it."""
    wrong, missed = tests(shown)
    columns = zip(shown.values, shown.p.tolist(), shown.q.tolist(), wrong.tolist(), missed.tolist(), strict=True)
    return "".join(f"{','.join(map(str, row))}\n" for row in (HEAD, *columns))
