"""Tumult Analytics, on Spark, so it needs a Java runtime: the table is repeated, and one query answers every copy.

A row belongs to one copy only, so each group of the query is a release of its own at the whole ε.
"""

from __future__ import annotations

import os
import sys
import tempfile
from functools import lru_cache
from typing import Any

os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable

import numpy as np
import pandas as pd
from pyspark.sql import SparkSession
from tmlt.analytics import (
    AddOneRow,
    AddRowsWithID,
    KeySet,
    MaxGroupsPerID,
    MaxRowsPerID,
    PureDPBudget,
    QueryBuilder,
    Session,
)

from benchmarks.peers.answering import Array, Draws, Job, serve

COPIES = 300
TOGETHER, MAX_ROWS = 1_250_000, 2_500_000
"""Rows of all copies that are asked at once, and in all: of larger tables there are fewer copies, asked in turn."""
WAREHOUSE = tempfile.TemporaryDirectory(prefix="warehouse", ignore_cleanup_errors=True)
"""Where Spark keeps what Tumult has it remember, as long as this runs; by default it is the current folder."""


@lru_cache
def spark() -> SparkSession:
    builder = SparkSession.builder.master("local[2]")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": WAREHOUSE.name,
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "4g",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def wanted(job: Job) -> int:
    return min(job.repetitions, COPIES, max(1, MAX_ROWS // len(job.column)))


def copies(job: Job) -> int:
    return min(wanted(job), max(1, TOGETHER // len(job.column)))


def session(job: Job, change: Any) -> Session:
    times = copies(job)
    columns = {name: np.tile(values, times) for name, values in job.columns.items()}
    columns["copy"] = np.repeat(np.arange(times), len(job.column))
    if "person" in columns:
        columns["person"] = columns["person"] + columns["copy"] * len(job.column)
    frame = spark().createDataFrame(pd.DataFrame(columns)).cache()
    return Session.from_dataframe(PureDPBudget(float("inf")), "t", frame, protected_change=change)


def released(job: Job, queries: list[Any], change: Any = None, keys: tuple[str, ...] | None = None) -> Array:
    """Each query's last column by repetition and cell, ε split evenly over the queries: (repetition, cell, query)."""
    data = session(job, change or AddOneRow())
    order = ["copy", *(job.cells if keys is None else keys)]

    def answer(query: Any) -> Array:
        table = data.evaluate(query, PureDPBudget(job.epsilon / len(queries))).toPandas().sort_values(order)
        return table.drop(columns=order).iloc[:, 0].to_numpy(dtype=float).reshape(copies(job), -1)

    times = -(-wanted(job) // copies(job))
    return np.concatenate([np.stack([answer(query) for query in queries], axis=-1) for _ in range(times)])


def grouped(job: Job) -> Any:
    cells = {name: list(range(cells)) for name, cells in job.cells.items()}
    return QueryBuilder("t").groupby(KeySet.from_dict({"copy": list(range(copies(job))), **cells}))


def one(job: Job, aggregation: str) -> Draws:
    name = next(iter(job.columns))
    query = getattr(grouped(job), aggregation)(name, *map(float, job.limits))
    return released(job, [query])[:, :, 0].tolist()


def quantiles(job: Job, *alphas: float) -> Draws:
    (name,) = job.columns
    queries = [grouped(job).quantile(name, alpha, *map(float, job.limits)) for alpha in alphas]
    values = np.sort(released(job, queries)[:, 0])
    return (np.round(values / job.step) * job.step).tolist()


def counts(job: Job) -> Array:
    return released(job, [grouped(job).count()])[:, :, 0]


def proportion(job: Job) -> Draws:
    (name,) = job.columns
    return released(job, [QueryBuilder("t").groupby(copies_of(job)).average(name, 0, 1)], keys=())[:, :, 0].tolist()


def copies_of(job: Job) -> KeySet:
    return KeySet.from_dict({"copy": list(range(copies(job)))})


def top(job: Job, k: int) -> Draws:
    return np.argsort(-counts(job), axis=1, kind="stable")[:, :k].tolist()


def units(job: Job) -> Draws:
    rows = QueryBuilder("t").enforce(MaxRowsPerID(1)).enforce(MaxGroupsPerID("copy", 1))
    return released(job, [rows.groupby(copies_of(job)).count()], AddRowsWithID("person"))[:, :, 0].tolist()


def ratio(job: Job) -> Draws:
    queries = [grouped(job).sum(name, *map(float, limits)) for name, limits in job.bounds.items()]
    over, under = released(job, queries)[:, 0].T
    return (over / np.maximum(under, 1))[:, None].tolist()


if __name__ == "__main__":
    serve(
        {
            "count": {"": lambda job: counts(job).tolist()},
            "sum": {"": lambda job: one(job, "sum")},
            "mean": {"": lambda job: one(job, "average")},
            "variance": {"": lambda job: one(job, "variance")},
            "std": {"": lambda job: one(job, "stdev")},
            "median": {"": lambda job: quantiles(job, 0.5)},
            "quartiles": {"": lambda job: quantiles(job, 0.25, 0.5, 0.75)},
            "quantiles": {"": lambda job: quantiles(job, *job.probs)},
            "histogram": {"": lambda job: counts(job).tolist()},
            "crosstab": {"": lambda job: counts(job).tolist()},
            "mean_by": {"": lambda job: one(job, "average")},
            "proportion": {"": proportion},
            "top": {"by hand, noisy counts": lambda job: top(job, 5)},
            "mode": {"by hand, noisy counts": lambda job: top(job, 1)},
            "units": {"": units},
            "ratio": {"by hand": ratio},
        }
    )
