"""python-dp, the Python face of Google's C++ library."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydp.algorithms.laplacian import (
    BoundedMean,
    BoundedStandardDeviation,
    BoundedSum,
    BoundedVariance,
    Count,
    Median,
    Percentile,
)
from pydp.algorithms.quantile_tree import QuantileTree

from benchmarks.peers.answering import Array, Draws, Job, serve

SLOW = 500


def bounded(kind: Any, values: Array, limits: tuple[float, float], epsilon: float, **settings: Any) -> Any:
    """A function that runs an algorithm afresh on the values."""
    given = values.astype(float).tolist()
    lower, upper = map(float, limits)

    def run() -> float:
        return kind(epsilon=epsilon, lower_bound=lower, upper_bound=upper, dtype="float", **settings).quick_result(
            given
        )

    return run


def one(job: Job, kind: Any) -> Draws:
    run = bounded(kind, job.column, job.limits, job.epsilon)
    return job.again(lambda: [run()])


def number(rows: int, epsilon: float) -> Any:
    given = [1.0] * rows
    return lambda: Count(epsilon=epsilon, dtype="float").quick_result(given)


def count(job: Job) -> Draws:
    run = number(len(job.column), job.epsilon)
    return job.again(lambda: [run()])


def to_lattice(job: Job, values: list[float]) -> list[float]:
    """Continuous answers, taken to the column's resolution."""
    return (np.round(np.sort(values) / job.step) * job.step).tolist()


def median(job: Job) -> Draws:
    run = bounded(Median, job.column, job.limits, job.epsilon)
    return job.again(lambda: to_lattice(job, [run()]), SLOW)


def percentiles(job: Job, *alphas: float) -> Draws:
    runs = [
        bounded(Percentile, job.column, job.limits, job.epsilon / len(alphas), percentile=alpha) for alpha in alphas
    ]
    return job.again(lambda: to_lattice(job, [run() for run in runs]), SLOW)


def tree(job: Job, *alphas: float) -> Draws:
    """With the height and branching that Google's libraries use by default."""
    grown = QuantileTree(*map(float, job.limits), 4, 16)
    for value in job.column.tolist():
        grown.add_entry(value)

    def released() -> list[float]:
        return grown.compute_quantiles(
            epsilon=job.epsilon,
            delta=0.0,
            max_partitions_contributed=1,
            max_contributions_per_partition=1,
            quantiles=list(alphas),
            noise_type="laplace",
        )

    return job.again(lambda: to_lattice(job, released()), SLOW)


def counts(job: Job) -> Draws:
    shape = tuple(job.cells.values())
    codes = np.ravel_multi_index([job.columns[name] for name in job.cells], shape)
    runs = [number(rows, job.epsilon) for rows in np.bincount(codes, minlength=int(np.prod(shape))).tolist()]
    return job.again(lambda: [run() for run in runs], SLOW)


def mean_by(job: Job) -> Draws:
    ((name, cells),) = job.cells.items()
    parts = [job.column[job.columns[name] == cell] for cell in range(cells)]
    runs = [bounded(BoundedMean, part, job.limits, job.epsilon) for part in parts]
    return job.again(lambda: [run() for run in runs])


def share_of_mean(job: Job) -> Draws:
    run = bounded(BoundedMean, job.column, (0, 1), job.epsilon)
    return job.again(lambda: [run()])


def share_of_counts(job: Job) -> Draws:
    none, some = np.array(counts(job)).T
    return (some / np.maximum(none + some, 1))[:, None].tolist()


def top(job: Job, k: int) -> Draws:
    return np.argsort(-np.array(counts(job)), axis=1, kind="stable")[:, :k].tolist()


def joint(job: Job, epsilon: float) -> Any:
    """A function that gives a noisy covariance, of three noisy means of centred columns."""
    (first, second), ((low, high), (low2, high2)) = job.columns.values(), job.bounds.values()
    c, d = first - (low + high) / 2, second - (low2 + high2) / 2
    reach, reach2 = (high - low) / 2, (high2 - low2) / 2
    runs = [
        bounded(BoundedMean, values, (-most, most), epsilon)
        for values, most in ((c, reach), (d, reach2), (c * d, reach * reach2))
    ]

    def run() -> float:
        of_c, of_d, of_both = (part() for part in runs)
        return of_both - of_c * of_d

    return run


def covariance(job: Job) -> Draws:
    run = joint(job, job.epsilon / 3)
    return job.again(lambda: [run()])


def correlation(job: Job) -> Draws:
    """The covariance for three fifths of ε, each variance for one."""
    between = joint(job, job.epsilon / 5)
    variances = [
        bounded(BoundedVariance, values, limits, job.epsilon / 5)
        for values, limits in zip(job.columns.values(), job.bounds.values(), strict=True)
    ]

    def released() -> list[float]:
        spread = np.prod([run() for run in variances])
        return [between() / np.sqrt(spread) if spread > 0 else 0.0]

    return job.again(released)


def units(job: Job) -> Draws:
    run = number(len(np.unique(job.column)), job.epsilon)
    return job.again(lambda: [run()])


def ratio(job: Job) -> Draws:
    runs = [
        bounded(BoundedSum, values, limits, job.epsilon / 2)
        for values, limits in zip(job.columns.values(), job.bounds.values(), strict=True)
    ]

    def released() -> list[float]:
        over, under = (run() for run in runs)
        return [over / max(under, 1)]

    return job.again(released)


if __name__ == "__main__":
    serve(
        {
            "count": {"": count},
            "sum": {"": lambda job: one(job, BoundedSum)},
            "mean": {"": lambda job: one(job, BoundedMean)},
            "variance": {"": lambda job: one(job, BoundedVariance)},
            "std": {"": lambda job: one(job, BoundedStandardDeviation)},
            "median": {"": median, "QuantileTree": lambda job: tree(job, 0.5)},
            "quartiles": {
                "": lambda job: percentiles(job, 0.25, 0.5, 0.75),
                "QuantileTree": lambda job: tree(job, 0.25, 0.5, 0.75),
            },
            "quantiles": {
                "": lambda job: percentiles(job, *job.probs),
                "QuantileTree": lambda job: tree(job, *job.probs),
            },
            "histogram": {"": counts},
            "crosstab": {"": counts},
            "mean_by": {"": mean_by},
            "proportion": {"": share_of_mean, "by hand, two counts": share_of_counts},
            "top": {"by hand, noisy counts": lambda job: top(job, 5)},
            "mode": {"by hand, noisy counts": lambda job: top(job, 1)},
            "covariance": {"by hand": covariance},
            "correlation": {"by hand": correlation},
            "units": {"by hand": units},
            "ratio": {"by hand": ratio},
        }
    )
