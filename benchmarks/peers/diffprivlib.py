"""diffprivlib: its `tools`, which know the exact number of rows, and its mechanisms where `tools` has no call.

Means, variances and quantiles use the exact n, undisguised, since the interface has no other way: an advantage.
"""

from __future__ import annotations

import numpy as np
from diffprivlib import mechanisms, tools

from benchmarks.peers.answering import Array, Draws, Job, serve

SLOW = 500


def number(rows: int, job: Job) -> Draws:
    """A histogram of one bin: `count_nonzero` cuts its answer at the exact number of rows, which gives that away."""
    given = np.ones(rows)
    return job.again(lambda: [tools.histogram(given, epsilon=job.epsilon, bins=1, range=(0, 2))[0][0]])


def count(job: Job) -> Draws:
    return number(len(job.column), job)


def total(job: Job) -> Draws:
    return job.again(lambda: [tools.sum(job.column, epsilon=job.epsilon, bounds=job.limits)])


def mean(job: Job) -> Draws:
    return job.again(lambda: [tools.mean(job.column, epsilon=job.epsilon, bounds=job.limits)])


def variance(job: Job) -> Draws:
    return job.again(lambda: [tools.var(job.column, epsilon=job.epsilon, bounds=job.limits)])


def deviation(job: Job) -> Draws:
    return job.again(lambda: [tools.std(job.column, epsilon=job.epsilon, bounds=job.limits)])


def quantiles(job: Job, *alphas: float) -> Draws:
    """Continuous answers, taken to the column's resolution."""

    def released() -> list[float]:
        values = np.sort(tools.quantile(job.column, list(alphas), epsilon=job.epsilon, bounds=job.limits), axis=None)
        return (np.round(values / job.step) * job.step).tolist()

    return job.again(released, SLOW)


def histogram(job: Job) -> Draws:
    (cells,) = job.cells.values()
    values = job.column
    return job.again(
        lambda: tools.histogram(values, epsilon=job.epsilon, bins=cells, range=(-0.5, cells - 0.5))[0].tolist(),
        SLOW,
    )


def crosstab(job: Job) -> Draws:
    rows = np.stack(list(job.columns.values()), axis=1)
    limits = [(-0.5, cells - 0.5) for cells in job.cells.values()]
    bins = list(job.cells.values())
    return job.again(
        lambda: tools.histogramdd(rows, epsilon=job.epsilon, bins=bins, range=limits)[0].ravel().tolist(), SLOW
    )


def groups(job: Job) -> list[Array]:
    ((name, cells),) = job.cells.items()
    return [job.column[job.columns[name] == cell] for cell in range(cells)]


def mean_by(job: Job) -> Draws:
    parts = groups(job)
    return job.again(lambda: [tools.mean(part, epsilon=job.epsilon, bounds=job.limits) for part in parts])


def proportion(job: Job) -> Draws:
    return job.again(lambda: [tools.mean(job.column, epsilon=job.epsilon, bounds=(0, 1))])


def top(job: Job) -> Draws:
    return np.argsort(-np.array(histogram(job)), axis=1, kind="stable")[:, :5].tolist()


def mode(job: Job) -> Draws:
    (cells,) = job.cells.values()
    utility = np.bincount(job.column, minlength=cells).tolist()
    mechanism = mechanisms.PermuteAndFlip(epsilon=job.epsilon, sensitivity=1, utility=utility, monotonic=True)
    return job.again(lambda: [mechanism.randomise()])


def joint(job: Job, epsilon: float) -> tuple[float, Array]:
    """A noisy covariance of two columns, of three noisy means of centred columns, and their noisy means."""
    (one, other), ((low, high), (low2, high2)) = job.columns.values(), job.bounds.values()
    c, d = one - (low + high) / 2, other - (low2 + high2) / 2
    reach, reach2 = (high - low) / 2, (high2 - low2) / 2
    first = tools.mean(c, epsilon=epsilon, bounds=(-reach, reach))
    second = tools.mean(d, epsilon=epsilon, bounds=(-reach2, reach2))
    both = tools.mean(c * d, epsilon=epsilon, bounds=(-reach * reach2, reach * reach2))
    return both - first * second


def covariance(job: Job) -> Draws:
    return job.again(lambda: [joint(job, job.epsilon / 3)])


def correlation(job: Job) -> Draws:
    """The covariance for three fifths of ε, each variance for one."""
    columns = list(zip(job.columns.values(), job.bounds.values(), strict=True))

    def released() -> list[float]:
        between = joint(job, job.epsilon / 5)
        spread = np.prod([tools.var(values, epsilon=job.epsilon / 5, bounds=limits) for values, limits in columns])
        return [between / np.sqrt(spread) if spread > 0 else 0.0]

    return job.again(released)


def units(job: Job) -> Draws:
    return number(len(np.unique(job.column)), job)


def ratio(job: Job) -> Draws:
    columns = list(zip(job.columns.values(), job.bounds.values(), strict=True))

    def released() -> list[float]:
        over, under = (tools.sum(values, epsilon=job.epsilon / 2, bounds=limits) for values, limits in columns)
        return [over / max(under, 1)]

    return job.again(released)


if __name__ == "__main__":
    serve(
        {
            "count": {"": count},
            "sum": {"": total},
            "mean": {"": mean},
            "variance": {"": variance},
            "std": {"": deviation},
            "median": {"": lambda job: quantiles(job, 0.5)},
            "quartiles": {"": lambda job: quantiles(job, 0.25, 0.5, 0.75)},
            "quantiles": {"": lambda job: quantiles(job, *job.probs)},
            "histogram": {"": histogram},
            "crosstab": {"": crosstab},
            "mean_by": {"": mean_by},
            "proportion": {"": proportion},
            "top": {"by hand, noisy counts": top},
            "mode": {"": mode},
            "covariance": {"by hand": covariance},
            "correlation": {"by hand": correlation},
            "units": {"by hand": units},
            "ratio": {"by hand": ratio},
        }
    )
