"""python-dp (Google's C++ library). Counts of bins and cells are noisy counts of rows that NumPy has counted.

It has no unit but a row over one list: where a person is the unit, each algorithm is told of five rows, cut before.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from pydp.algorithms.laplacian import BoundedMean, BoundedSum, Count
from pydp.algorithms.quantile_tree import QuantileTree

from benchmarks.peers.columns import coded
from benchmarks.peers.working import BINS, INCOME, QUARTILES, REGIONS, SEXES, SHARE, at_most, work


def run(path: Path, unit: str) -> object:
    columns, most = coded(path, unit), at_most(unit)
    region, listed = columns["region"], columns["income"].tolist()
    limits: dict[str, Any] = {"lower_bound": INCOME[0], "upper_bound": INCOME[1], "dtype": "float"}

    def counted(rows: int) -> Any:
        algorithm = Count(epsilon=SHARE / most, dtype="float")
        return algorithm.quick_result([1.0] * rows)

    def mean(values: list[float]) -> Any:
        return BoundedMean(epsilon=SHARE / most, **limits).quick_result(values)

    bins = np.bincount(np.minimum(columns["age"] // 5, BINS - 1), minlength=BINS)
    cells = np.bincount(region * len(SEXES) + columns["sex"], minlength=len(REGIONS) * len(SEXES))
    tree = QuantileTree(INCOME[0], INCOME[1], 4, 16)
    for value in listed:
        tree.add_entry(value)
    return [
        counted(len(listed)),
        BoundedSum(epsilon=SHARE / most, **limits).quick_result(listed),
        mean(listed),
        [counted(int(rows)) for rows in bins],
        [counted(int(rows)) for rows in cells],
        tree.compute_quantiles(
            epsilon=SHARE,
            delta=0.0,
            max_partitions_contributed=1,
            max_contributions_per_partition=most,
            quantiles=list(QUARTILES),
            noise_type="laplace",
        ),
        [mean(columns["income"][region == code].tolist()) for code in range(len(REGIONS))],
    ]


if __name__ == "__main__":
    work(run)
