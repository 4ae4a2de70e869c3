"""OpenDP: its Context over Polars, and what a practitioner composes of its parts where it has no call.

A query is resolved once, since finding its noise scale takes over a second and does not depend on the rows, and its
measurement is invoked again and again: each invocation is what `query.release()` gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import opendp.prelude as dp
import polars as pl

from benchmarks.peers.answering import Array, Draws, Job, serve

dp.enable_features("contrib")

MAX_LENGTH = 1_000_000
"""A public guess at the largest size of a table, which OpenDP asks for where floats are added."""
SLOW = 500
RESOLVED: dict[Any, Any] = {}


def released(job: Job, build: Callable[[Any], Any], columns: Mapping[str, Array], *, by: tuple[str, ...] = ()) -> Array:
    """The tables that a query releases, as an array (repetition, row, column), keys left out and rows by key."""
    data = pl.LazyFrame(dict(columns))
    public = (job.bounds, job.cells, job.probs, job.step)
    same = (job.statistic, job.epsilon, tuple(columns), by, repr(public))
    if same not in RESOLVED:
        margins = [dp.polars.Margin(max_length=MAX_LENGTH)]
        if by:
            margins.append(dp.polars.Margin(by=list(by), max_length=MAX_LENGTH))
        context = dp.Context.compositor(
            data=data,
            privacy_unit=dp.unit_of(contributions=1),
            privacy_loss=dp.loss_of(epsilon=job.epsilon),
            split_evenly_over=1,
            margins=margins,
        )
        RESOLVED[same] = build(context.query()).resolve()
    measurement = RESOLVED[same]
    tables = job.again(lambda: measurement(data).collect(), SLOW)
    return np.array([(table.sort(*by).drop(*by) if by else table).to_numpy() for table in tables], dtype=float)


def keys(job: Job) -> pl.LazyFrame:
    """Every declared combination of the coded columns."""
    shape = tuple(job.cells.values())
    codes = np.indices(shape).reshape(len(shape), -1)
    return pl.LazyFrame(dict(zip(job.cells, codes, strict=True)))


def count(job: Job) -> Draws:
    return released(job, lambda query: query.select(dp.len(signed=True)), job.columns)[:, 0].tolist()


def total(job: Job) -> Draws:
    (name,) = job.columns
    return released(job, lambda query: query.select(pl.col(name).dp.sum(job.limits)), job.columns)[:, 0].tolist()


def mean(job: Job) -> Draws:
    (name,) = job.columns
    return released(job, lambda query: query.select(pl.col(name).dp.mean(job.limits)), job.columns)[:, 0].tolist()


def mean_of_indicator(job: Job) -> Draws:
    (name,) = job.columns
    return released(job, lambda query: query.select(pl.col(name).dp.mean((0, 1))), job.columns)[:, 0].tolist()


def quantiles(job: Job, *alphas: float) -> Draws:
    (name,) = job.columns
    candidates = job.lattice()
    parts = [pl.col(name).dp.quantile(alpha, candidates).alias(str(alpha)) for alpha in alphas]
    return np.sort(released(job, lambda query: query.select(*parts), job.columns)[:, 0]).tolist()


def counts(job: Job) -> Array:
    by = tuple(job.cells)
    columns = {name: job.columns[name] for name in by}
    tables = released(
        job, lambda query: query.group_by(*by).agg(dp.len(signed=True)).with_keys(keys(job)), columns, by=by
    )
    return tables[:, :, 0]


def mean_by(job: Job) -> Draws:
    by = tuple(job.cells)
    value = pl.col(next(iter(job.columns))).dp.mean(job.limits)
    tables = released(job, lambda query: query.group_by(*by).agg(value).with_keys(keys(job)), job.columns, by=by)
    return tables[:, :, 0].tolist()


def centred(values: Array, limits: tuple[float, float]) -> tuple[Array, float, float]:
    """Values around the middle of their bounds, which halves the sensitivity of their sum; the middle; the reach."""
    middle, reach = (limits[0] + limits[1]) / 2, (limits[1] - limits[0]) / 2
    return values - middle, middle, reach


def moments(job: Job, columns: Mapping[str, tuple[Array, float]], by: tuple[str, ...] = ()) -> Array:
    """Sums of centred columns over their noisy number: (repetition, group, column). ε is split evenly, and a column is
    given with its reach.
    """
    parts = [dp.len(signed=True), *(pl.col(name).dp.sum((-reach, reach)) for name, (_, reach) in columns.items())]
    data = {name: job.columns[name] for name in by} | {name: values for name, (values, _) in columns.items()}
    if by:
        tables = released(job, lambda query: query.group_by(*by).agg(*parts).with_keys(keys(job)), data, by=by)
    else:
        tables = released(job, lambda query: query.select(*parts), data)
    return tables[:, :, 1:] / np.maximum(tables[:, :, :1], 1)


def centred_mean(job: Job) -> Draws:
    values, middle, reach = centred(job.column, job.limits)
    return (middle + moments(job, {"c": (values, reach)})[:, 0]).tolist()


def centred_mean_by(job: Job) -> Draws:
    values, middle, reach = centred(job.column, job.limits)
    return (middle + moments(job, {"c": (values, reach)}, tuple(job.cells))[:, :, 0]).tolist()


def variance(job: Job) -> Draws:
    values, _, reach = centred(job.column, job.limits)
    squares, middle, half = centred(values**2, (0.0, reach**2))
    first, second = moments(job, {"c": (values, reach), "q": (squares, half)})[:, 0].T
    return (middle + second - first**2)[:, None].tolist()


def deviation(job: Job) -> Draws:
    return np.sqrt(np.maximum(variance(job), 0)).tolist()


def joint(job: Job, *, squares: bool) -> dict[str, Array]:
    """Noisy means of two centred columns c and d, of their product p, and of their squares."""
    (one, other), limits = job.columns.values(), list(job.bounds.values())
    c, _, reach_c = centred(one, limits[0])
    d, _, reach_d = centred(other, limits[1])
    columns = {"c": (c, reach_c), "d": (d, reach_d), "p": (c * d, reach_c * reach_d)}
    middles = {}
    for name, (values, reach) in {"cc": (c, reach_c), "dd": (d, reach_d)}.items() if squares else ():
        square, middles[name], half = centred(values**2, (0.0, reach**2))
        columns[name] = (square, half)
    means = dict(zip(columns, moments(job, columns)[:, 0].T, strict=True))
    return means | {name: means[name] + middle for name, middle in middles.items()}


def covariance(job: Job) -> Draws:
    means = joint(job, squares=False)
    return (means["p"] - means["c"] * means["d"])[:, None].tolist()


def correlation(job: Job) -> Draws:
    means = joint(job, squares=True)
    spread = np.maximum(means["cc"] - means["c"] ** 2, 0) * np.maximum(means["dd"] - means["d"] ** 2, 0)
    covariances = means["p"] - means["c"] * means["d"]
    return np.where(spread > 0, covariances / np.sqrt(np.where(spread > 0, spread, 1)), 0)[:, None].tolist()


def share_of_counts(job: Job) -> Draws:
    none, some = counts(job).T
    return (some / np.maximum(none + some, 1))[:, None].tolist()


def top_counts(job: Job) -> Draws:
    return np.argsort(-counts(job), axis=1, kind="stable")[:, :5].tolist()


def exact_counts(job: Job) -> list[int]:
    (cells,) = job.cells.values()
    return np.bincount(job.column, minlength=cells).tolist()


SCORES = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64", monotonic=True)


def noisy_top(job: Job) -> Draws:
    measurement = dp.m.make_noisy_top_k(*SCORES, dp.max_divergence(), k=5, scale=5 / job.epsilon)
    scores = exact_counts(job)
    return job.again(lambda: measurement(scores))


def mode(job: Job) -> Draws:
    measurement = dp.m.make_noisy_max(*SCORES, dp.max_divergence(), scale=1 / job.epsilon)
    scores = exact_counts(job)
    return job.again(lambda: [measurement(scores)])


def units(job: Job) -> Draws:
    (name,) = job.columns
    data = pl.LazyFrame(dict(job.columns))
    context = dp.Context.compositor(
        data=data,
        privacy_unit=dp.unit_of(contributions=1, identifier=pl.col(name)),
        privacy_loss=dp.loss_of(epsilon=job.epsilon),
        split_evenly_over=1,
    )
    measurement = context.query().truncate_per_group(1).select(dp.len(signed=True)).resolve()
    return job.again(lambda: [measurement(data).collect().item()], SLOW)


def ratio(job: Job) -> Draws:
    parts = [pl.col(name).dp.sum(job.bounds[name]) for name in job.columns]
    over, under = released(job, lambda query: query.select(*parts), job.columns)[:, 0].T
    return (over / np.maximum(under, 1))[:, None].tolist()


if __name__ == "__main__":
    serve(
        {
            "count": {"": count},
            "sum": {"": total},
            "mean": {"": mean, "by hand, centred": centred_mean},
            "variance": {"by hand": variance},
            "std": {"by hand": deviation},
            "median": {"": lambda job: quantiles(job, 0.5)},
            "quartiles": {"": lambda job: quantiles(job, 0.25, 0.5, 0.75)},
            "quantiles": {"": lambda job: quantiles(job, *job.probs)},
            "histogram": {"": lambda job: counts(job).tolist()},
            "crosstab": {"": lambda job: counts(job).tolist()},
            "mean_by": {"": mean_by, "by hand, centred": centred_mean_by},
            "proportion": {"": mean_of_indicator, "by hand, two counts": share_of_counts},
            "top": {"": noisy_top, "by hand, noisy counts": top_counts},
            "mode": {"": mode},
            "covariance": {"by hand": covariance},
            "correlation": {"by hand": correlation},
            "units": {"": units},
            "ratio": {"by hand": ratio},
        }
    )
