"""SmartNoise SQL: a query grouped by repetition, over exact aggregates handed in, so that one execution draws them all.

Its ε is spent on each noisy column of a query, so it is set such that `get_privacy_cost` is the declared ε. A row of
another repetition is another unit: each group is a release of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from snsql import Privacy, from_df

from benchmarks.peers.answering import Array, Draws, Job, serve

DELTA = 1e-9
FEWEST = 300
MAX_ROWS = 10_000
ROW = {"row_privacy": True, "censor_dims": False, "clamp_counts": False}
UNIT = {"max_ids": 1, "censor_dims": False, "clamp_counts": False}


def released(job: Job, query: str, exact: list[Array], columns: dict[str, Any], settings: dict[str, Any]) -> Array:
    """The last column of the query by repetition and cell. `exact`: what its subquery aggregates, in order, by cell."""
    table = {**settings, "rows": len(job.column), "copy": {"type": "int"}, "cell": {"type": "int"}, **columns}
    frame = pd.DataFrame({name: [0] for name in table if isinstance(table[name], dict)})

    def reader(epsilon: float) -> Any:
        return from_df(frame, metadata={"": {"t": {"t": table}}}, privacy=Privacy(epsilon=epsilon, delta=DELTA))

    spent = reader(1.0).get_privacy_cost(query)[0]
    asked = reader(job.epsilon / float(spent))
    subquery, _ = asked._rewrite(query)
    names = tuple(symbol.name for symbol in subquery._select_symbols)
    cells = len(exact[0])
    copies = min(job.repetitions, max(FEWEST, MAX_ROWS // cells))
    rows = [(copy, cell, *(values[cell].item() for values in exact)) for copy in range(copies) for cell in range(cells)]
    answer = pd.DataFrame(asked.execute(query, pre_aggregated=[names, *rows])[1:]).sort_values([0, 1])
    return np.nan_to_num(answer.iloc[:, -1].to_numpy(dtype=float)).reshape(copies, cells)


def asked(job: Job, expression: str, exact: list[Any], columns: dict[str, Any], settings: Any = None) -> Array:
    query = f"SELECT copy, cell, {expression} AS v FROM t.t GROUP BY copy, cell"
    return released(job, query, [np.atleast_1d(values) for values in exact], columns, settings or ROW)


def bounded(limits: tuple[float, float], kind: str = "float") -> dict[str, Any]:
    return {"type": kind, "lower": limits[0], "upper": limits[1]}


def one(job: Job, expression: str, exact: list[Any]) -> Draws:
    return asked(job, expression, exact, {"x": bounded(job.limits)}).tolist()


def counts(job: Job) -> Array:
    shape = tuple(job.cells.values())
    codes = np.ravel_multi_index([job.columns[name] for name in job.cells], shape)
    return asked(job, "COUNT(*)", [np.bincount(codes, minlength=int(np.prod(shape)))], {})


def mean_by(job: Job) -> Draws:
    ((name, cells),) = job.cells.items()
    codes = job.columns[name]
    sums = np.bincount(codes, weights=job.column, minlength=cells)
    return one(job, "AVG(x)", [sums, np.bincount(codes, minlength=cells)])


def proportion(job: Job) -> Draws:
    exact = [job.column.sum(), len(job.column)]
    return asked(job, "AVG(x)", exact, {"x": bounded((0, 1), "int")}).tolist()


def top(job: Job, k: int) -> Draws:
    return np.argsort(-counts(job), axis=1, kind="stable")[:, :k].tolist()


def units(job: Job) -> Draws:
    exact = [len(np.unique(job.column))]
    return asked(job, "COUNT(DISTINCT person)", exact, {"person": {"private_id": True, "type": "int"}}, UNIT).tolist()


def ratio(job: Job) -> Draws:
    columns = dict(zip(("x", "y"), map(bounded, job.bounds.values()), strict=True))
    return asked(job, "SUM(x) / SUM(y)", [values.sum() for values in job.columns.values()], columns).tolist()


if __name__ == "__main__":
    serve(
        {
            "count": {"": lambda job: one(job, "COUNT(*)", [len(job.column)])},
            "sum": {"": lambda job: one(job, "SUM(x)", [job.column.sum()])},
            "mean": {"": lambda job: one(job, "AVG(x)", [job.column.sum(), len(job.column)])},
            "variance": {
                "": lambda job: one(job, "VAR(x)", [(job.column**2).sum(), len(job.column), job.column.sum()])
            },
            "std": {"": lambda job: one(job, "STDDEV(x)", [(job.column**2).sum(), len(job.column), job.column.sum()])},
            "histogram": {"": lambda job: counts(job).tolist()},
            "crosstab": {"": lambda job: counts(job).tolist()},
            "mean_by": {"": mean_by},
            "proportion": {"": proportion},
            "top": {"by hand, noisy counts": lambda job: top(job, 5)},
            "mode": {"by hand, noisy counts": lambda job: top(job, 1)},
            "units": {"": units},
            "ratio": {"": ratio},
        }
    )
