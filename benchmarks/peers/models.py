"""A peer's side of benchmarks/models.py: diffprivlib's and interpret's models, and scikit-learn's without privacy.

Everyone is given the same rows and the same bounds. diffprivlib's logistic regression is given columns divided by their
bounds, so that no row is longer than 1. Where a library draws by a seed it is given none.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import pandas as pd
from diffprivlib import models as private
from interpret.privacy import DPExplainableBoostingClassifier
from sklearn import cluster, linear_model

from benchmarks.peers.scoring import Array, cost, fuzzy_cost, rmse, scores, split

DELTA = 1e-6
TIMES = 10
"""Starts of k-means without privacy."""
SLOW = 3
"""Draws of the boosting machine: it takes minutes."""


class Job:
    """Rows with one-hot columns in [lower, upper], their outcome, and the columns as they are declared."""

    def __init__(self, asked: Mapping[str, Any]) -> None:
        with np.load(asked["data"], allow_pickle=False) as found:
            self.x, self.y = found["x"], found["y"]
            self.lower, self.upper = found["lower"], found["upper"]
        self.epsilon: float = asked["epsilon"]
        self.seeds: list[int] = asked["seeds"]
        self.outcome: list[float] = asked.get("outcome", [])
        self.frame = pd.DataFrame(asked["frame"]) if asked.get("frame") else None
        self.bounds: Mapping[str, list[float]] = asked.get("bounds", {})
        self.clusters: int = asked.get("clusters", 0)

    @property
    def unit(self) -> Array:
        """Columns in [0, 1]."""
        return (self.x - self.lower) / (self.upper - self.lower)

    def again(self, run: Callable[[Array, Array], Any], most: int | None = None) -> list[Any]:
        return [run(*split(len(self.x), seed)) for seed in self.seeds[:most]]


def linear(job: Job) -> dict[str, Any]:
    lower, upper = job.outcome

    def peer(kept: Array, tested: Array) -> list[float]:
        model = private.LinearRegression(
            epsilon=job.epsilon, bounds_X=(job.lower, job.upper), bounds_y=(lower, upper), fit_intercept=True
        )
        found = model.fit(job.x[kept], job.y[kept]).predict(job.x[tested])
        return [rmse(job.y[tested], found), rmse(job.y[tested], np.clip(found, lower, upper))]

    def plain(kept: Array, tested: Array) -> list[float]:
        found = linear_model.LinearRegression().fit(job.x[kept], job.y[kept]).predict(job.x[tested])
        return [rmse(job.y[tested], found), rmse(job.y[tested], np.full(len(tested), job.y[kept].mean()))]

    return {"diffprivlib": job.again(peer), "without privacy": job.again(plain)}


def classes(job: Job) -> dict[str, Any]:
    unit = job.unit / np.sqrt(job.x.shape[1])

    def logistic(kept: Array, tested: Array) -> list[float]:
        model = private.LogisticRegression(epsilon=job.epsilon, data_norm=1.0, max_iter=1000)
        model.fit(unit[kept], job.y[kept])
        return scores(job.y[tested], model.predict_proba(unit[tested])[:, 1])

    def bayes(kept: Array, tested: Array) -> list[float]:
        model = private.GaussianNB(epsilon=job.epsilon, bounds=(job.lower, job.upper))
        model.fit(job.x[kept], job.y[kept])
        return scores(job.y[tested], np.nan_to_num(model.predict_proba(job.x[tested])[:, 1], nan=0.5))

    def plain(kept: Array, tested: Array) -> list[float]:
        model = linear_model.LogisticRegression(C=1e6, max_iter=3000).fit(job.unit[kept], job.y[kept])
        return scores(job.y[tested], model.predict_proba(job.unit[tested])[:, 1])

    found = {
        "diffprivlib, logistic": job.again(logistic),
        "diffprivlib, naive Bayes": job.again(bayes),
        "without privacy": job.again(plain),
    }
    frame = job.frame
    if frame is not None:
        types = ["continuous" if name in job.bounds else "nominal" for name in frame]

        def boosted(kept: Array, tested: Array) -> list[float]:
            model = DPExplainableBoostingClassifier(
                feature_names=list(frame),
                feature_types=types,
                epsilon=job.epsilon,
                delta=DELTA,
                privacy_bounds={name: tuple(limits) for name, limits in job.bounds.items()},
            )
            model.fit(frame.iloc[kept], job.y[kept])
            return scores(job.y[tested], model.predict_proba(frame.iloc[tested])[:, 1])

        found["interpret, DP-EBM (δ = 1e-6)"] = job.again(boosted, SLOW)
    return found


def clusters(job: Job) -> dict[str, Any]:
    """Costs as ratios to k-means without privacy."""
    unit = job.unit
    best = cluster.KMeans(job.clusters, n_init=TIMES, random_state=0).fit(unit).cluster_centers_
    least = cost(unit, best)

    def peer(_: int) -> float:
        model = private.KMeans(job.clusters, epsilon=job.epsilon, bounds=(job.lower, job.upper)).fit(job.x)
        return cost(unit, (model.cluster_centers_ - job.lower) / (job.upper - job.lower)) / least

    return {"diffprivlib": [peer(seed) for seed in job.seeds], "least": [least], "least fuzzy": [_fuzzy(unit, best)]}


def _fuzzy(unit: Array, centres: Array) -> float:
    """The least objective of fuzzy c-means that its own steps reach from the centres of k-means."""
    for _ in range(300):
        squares = np.maximum(((unit[:, None, :] - centres[None]) ** 2).sum(axis=2), 1e-12)
        weights = (1 / squares) / (1 / squares).sum(axis=1, keepdims=True)
        power = weights**2
        centres = (power.T @ unit) / power.sum(axis=0)[:, None]
    return fuzzy_cost(unit, centres)


TASKS = {"linear": linear, "classes": classes, "clusters": clusters}


def main() -> None:
    warnings.filterwarnings("ignore")
    out = sys.stdout
    for line in sys.stdin:
        asked = json.loads(line)
        with redirect_stdout(sys.stderr):
            found = TASKS[asked["task"]](Job(asked))
        out.write(json.dumps(found) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
