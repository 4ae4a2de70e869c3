"""PipelineDP: its engine over its local backend, four aggregations with public partitions, in one process.

It is told that each row is a unit of its own, so that it need not bound anyone's rows. Every row is a Python object and
has a quantile tree of its own before these are merged. Count, sum and mean are of one noisy count and one noisy sum.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pipeline_dp as pdp

from benchmarks.peers.columns import coded
from benchmarks.peers.working import BINS, EPSILON, INCOME, QUARTILES, REGIONS, SEXES, work

Metrics = pdp.Metrics
DELTA = 1e-12
"""It asks for one; Laplace noise and public partitions need none."""


def run(path: Path, unit: str) -> object:
    columns = coded(path, unit)
    bins = np.minimum(columns["age"] // 5, BINS - 1)
    fields = (columns["income"], columns["region"], columns["sex"], bins)
    rows = list(zip(*(field.tolist() for field in fields), strict=True))
    accountant = pdp.NaiveBudgetAccountant(total_epsilon=EPSILON, total_delta=DELTA)
    engine = pdp.DPEngine(accountant, pdp.LocalBackend())

    def aggregated(metrics: list[Any], parts: list[Any], part_of: Callable[[Any], Any], weight: int) -> Any:
        params = pdp.AggregateParams(
            metrics=metrics,
            noise_kind=pdp.NoiseKind.LAPLACE,
            max_partitions_contributed=1,
            max_contributions_per_partition=1,
            min_value=INCOME[0],
            max_value=INCOME[1],
            budget_weight=weight,
            contribution_bounds_already_enforced=True,
            public_partitions_already_filtered=True,
        )
        extractors = pdp.DataExtractors(partition_extractor=part_of, value_extractor=lambda row: row[0])
        return engine.aggregate(rows, params, extractors, public_partitions=parts)

    quartiles = [Metrics.PERCENTILE(100 * share) for share in QUARTILES]
    cells = [(region, sex) for region in range(len(REGIONS)) for sex in range(len(SEXES))]
    asked = [
        aggregated([Metrics.COUNT, Metrics.SUM, Metrics.MEAN, *quartiles], ["all"], lambda row: "all", 4),
        aggregated([Metrics.COUNT], list(range(BINS)), lambda row: row[3], 1),
        aggregated([Metrics.COUNT], cells, lambda row: row[1:3], 1),
        aggregated([Metrics.MEAN], list(range(len(REGIONS))), lambda row: row[1], 1),
    ]
    accountant.compute_budgets()
    return [list(each) for each in asked]


if __name__ == "__main__":
    work(run)
