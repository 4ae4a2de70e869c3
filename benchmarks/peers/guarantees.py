"""A peer's side of benchmarks/guarantees.py: how often linear regressions of two neighbouring tables show an event.

Only what the libraries publish is looked at: slope and intercept, by the calls that their documentation gives.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import opendp.prelude as dp
from diffprivlib import models
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import beta

Array = NDArray[Any]
CONFIDENCE = 0.99
STEEP = 20.0
"""Slopes beyond it are the event for diffprivlib."""
FEW, MANY = np.array([[0.1, 0.0], [0.0, 0.0]]), np.zeros((200, 2))
"""Rows (x, y). The last of either becomes (1, 0)."""
REPLACED = np.array([[1.0, 0.0]])
FOUR = np.array([[0.0, 0.0], [1.0, 0.0], [0.4, 1.2], [0.6, 1.2]])
"""Of these the third is removed."""
FLAT = 1e-9


def limits(first: int, second: int, draws: int) -> dict[str, float]:
    """The logarithm of the ratio of two frequencies, and what it is at least, by Clopper and Pearson's limits."""
    each = (1 - CONFIDENCE) / 2
    low = beta.ppf(each, first, draws - first + 1) if first else 0.0
    high = beta.ppf(1 - each, second + 1, draws - second) if second < draws else 1.0
    return {
        "first": first / draws,
        "second": second / draws,
        "observed": float(np.log(first / second)) if first and second else float("inf"),
        "least": float(np.log(low / high)) if low else 0.0,
    }


def counted(event: Callable[[Array], bool], tables: tuple[Array, Array], draws: int) -> dict[str, float]:
    """How often fits of the first table show the event, and those of the second."""
    found = [sum(event(table) for _ in range(draws)) for table in tables]
    return limits(found[0], found[1], draws)


def squares(epsilon: float, draws: int) -> dict[str, float]:
    """Σx² as diffprivlib keeps it of each fit, without an intercept: what it is, and its largest distance from that."""
    x = np.random.default_rng(1).random((100, 1))
    found = []
    for _ in range(draws):
        model = models.LinearRegression(epsilon=epsilon, bounds_X=(0, 1), bounds_y=(0, 1), fit_intercept=False)
        found.append(float(model.fit(x, x[:, 0])._obj_coefs[2][0, 0]))
    truth = float((x**2).sum())
    return {"truth": truth, "off": float(np.abs(np.array(found) - truth).max())}


def diffprivlib(table: Array, epsilon: float, *, intercept: bool) -> bool:
    model = models.LinearRegression(epsilon=epsilon, bounds_X=(0, 1), bounds_y=(0, 1), fit_intercept=intercept)
    return abs(float(model.fit(table[:, :1], table[:, 1]).coef_[0])) > STEEP


def opendp(epsilon: float) -> Callable[[Array], bool]:
    """Tells whether a fit is the line y = 0; its scale is that at which the library states this ε for one row."""

    def made(scale: float) -> Any:
        return dp.sklearn.linear_model.LinearRegression(
            dp.max_divergence(), x_bounds=[(0.0, 1.0)], y_bounds=(0.0, 1.0), scale=scale, candidates_count=2
        )

    scale = brentq(lambda each: made(each).measurement.map(1) - epsilon, 0.01, 100.0)
    regression = made(scale)

    def event(table: Array) -> bool:
        line = regression.fit(X=table[:, :1], y=table[:, 1])
        return abs(float(line.coef_[0])) < FLAT and abs(float(line.intercept_)) < FLAT

    return event


def answer(asked: dict[str, Any]) -> dict[str, float]:
    epsilon, draws = asked["epsilon"], asked["draws"]
    if asked["task"] == "squares":
        return squares(epsilon, draws)
    if asked["task"] == "opendp":
        return counted(opendp(epsilon), (np.delete(FOUR, 2, axis=0), FOUR), draws)
    table = MANY if asked["intercept"] else FEW
    tables = (table, np.concatenate([table[:-1], REPLACED]))
    return counted(lambda own: diffprivlib(own, epsilon, intercept=asked["intercept"]), tables, draws)


def main() -> None:
    warnings.filterwarnings("ignore")
    dp.enable_features("contrib", "idealized-numerics", "honest-but-curious", "floating-point")
    out = sys.stdout
    for line in sys.stdin:
        with redirect_stdout(sys.stderr):
            found = answer(json.loads(line))
        out.write(json.dumps(found) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
