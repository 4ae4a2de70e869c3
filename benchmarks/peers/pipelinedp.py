"""PipelineDP: the combiners that its engine runs, given each partition's rows once and asked for noise again and again.

Partitions are declared public, and each row is its own privacy unit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pipeline_dp as pdp
from pipeline_dp import combiners

from benchmarks.peers.answering import Array, Draws, Job, serve

Metrics = pdp.Metrics
SLOW = 1000


def aggregated(
    metrics: list[Any], epsilon: float, parts: Iterable[Array], limits: tuple[float, float]
) -> Callable[[], Array]:
    """A function that releases the metrics of every part, an array (part, metric), as DPEngine.aggregate does."""
    accountant = pdp.NaiveBudgetAccountant(total_epsilon=epsilon, total_delta=1e-12)
    params = pdp.AggregateParams(
        metrics=metrics,
        noise_kind=pdp.NoiseKind.LAPLACE,
        max_partitions_contributed=1,
        max_contributions_per_partition=1,
        min_value=limits[0],
        max_value=limits[1],
    )
    combiner = combiners.create_compound_combiner(params, accountant)
    accountant.compute_budgets()
    gathered = [combiner.create_accumulator(part) for part in parts]
    return lambda: np.array([list(combiner.compute_metrics(each)) for each in gathered], dtype=float)


def one(job: Job, metric: Any, limits: tuple[float, float] | None = None) -> Draws:
    run = aggregated([metric], job.epsilon, [job.column], limits or job.limits)
    return job.again(lambda: run()[0].tolist())


def deviation(job: Job) -> Draws:
    return np.sqrt(np.maximum(one(job, Metrics.VARIANCE), 0)).tolist()


def percentiles(job: Job, *percents: int) -> Draws:
    """Continuous answers, taken to the column's resolution."""
    run = aggregated([Metrics.PERCENTILE(percent) for percent in percents], job.epsilon, [job.column], job.limits)
    return job.again(lambda: (np.round(np.sort(run()[0]) / job.step) * job.step).tolist(), SLOW)


def counts(job: Job) -> Draws:
    shape = tuple(job.cells.values())
    codes = np.ravel_multi_index([job.columns[name] for name in job.cells], shape)
    parts = [np.ones(rows) for rows in np.bincount(codes, minlength=int(np.prod(shape))).tolist()]
    run = aggregated([Metrics.COUNT], job.epsilon, parts, (0.0, 1.0))
    return job.again(lambda: run()[:, 0].tolist())


def mean_by(job: Job) -> Draws:
    ((name, cells),) = job.cells.items()
    parts = [job.column[job.columns[name] == cell] for cell in range(cells)]
    run = aggregated([Metrics.MEAN], job.epsilon, parts, job.limits)
    return job.again(lambda: run()[:, 0].tolist())


def top(job: Job, k: int) -> Draws:
    return np.argsort(-np.array(counts(job)), axis=1, kind="stable")[:, :k].tolist()


def units(job: Job) -> Draws:
    accountant = pdp.NaiveBudgetAccountant(total_epsilon=job.epsilon, total_delta=1e-12)
    params = pdp.AggregateParams(
        metrics=[Metrics.PRIVACY_ID_COUNT],
        noise_kind=pdp.NoiseKind.LAPLACE,
        max_partitions_contributed=1,
        max_contributions_per_partition=1,
    )
    combiner = combiners.create_compound_combiner(params, accountant)
    accountant.compute_budgets()
    gathered = combiner.create_accumulator([1.0])
    for _ in range(len(np.unique(job.column)) - 1):
        gathered = combiner.merge_accumulators(gathered, combiner.create_accumulator([1.0]))
    return job.again(lambda: list(combiner.compute_metrics(gathered)))


def ratio(job: Job) -> Draws:
    runs = [
        aggregated([Metrics.SUM], job.epsilon / 2, [values], limits)
        for values, limits in zip(job.columns.values(), job.bounds.values(), strict=True)
    ]

    def released() -> list[float]:
        over, under = (float(run()[0, 0]) for run in runs)
        return [over / max(under, 1)]

    return job.again(released)


if __name__ == "__main__":
    serve(
        {
            "count": {"": lambda job: one(job, Metrics.COUNT)},
            "sum": {"": lambda job: one(job, Metrics.SUM)},
            "mean": {"": lambda job: one(job, Metrics.MEAN)},
            "variance": {"": lambda job: one(job, Metrics.VARIANCE)},
            "std": {"": deviation},
            "median": {"": lambda job: percentiles(job, 50)},
            "quartiles": {"": lambda job: percentiles(job, 25, 50, 75)},
            "quantiles": {"": lambda job: percentiles(job, *(round(100 * prob) for prob in job.probs))},
            "histogram": {"": counts},
            "crosstab": {"": counts},
            "mean_by": {"": mean_by},
            "proportion": {"": lambda job: one(job, Metrics.MEAN, (0.0, 1.0))},
            "top": {"by hand, noisy counts": lambda job: top(job, 5)},
            "mode": {"by hand, noisy counts": lambda job: top(job, 1)},
            "units": {"": units},
            "ratio": {"by hand": ratio},
        }
    )
