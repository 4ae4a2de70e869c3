"""SmartNoise SQL over a pandas table, which it puts into SQLite in memory: four queries.

It has no quantiles, so it is asked for none. Ages are put into bins by pandas. Cells without rows, half of region × sex
here, get no answer. Its ε is spent on each noisy number of a row: a mean is a noisy sum over a noisy count.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from snsql import Privacy, from_df

from benchmarks.peers.working import BINS, INCOME, SHARE, work

DELTA = 1e-9
"""It asks for one."""
TABLE: dict[str, Any] = {
    "row_privacy": True,
    "censor_dims": False,
    "clamp_counts": False,
    "bin": {"type": "int", "lower": 0, "upper": BINS - 1},
    "income": {"type": "float", "lower": INCOME[0], "upper": INCOME[1]},
    "region": {"type": "string"},
    "sex": {"type": "string"},
}
QUERIES = (
    "SELECT COUNT(*) AS n, SUM(income) AS total, AVG(income) AS mean FROM t.t",
    "SELECT bin, COUNT(*) AS n FROM t.t GROUP BY bin",
    "SELECT region, sex, COUNT(*) AS n FROM t.t GROUP BY region, sex",
    "SELECT region, AVG(income) AS mean FROM t.t GROUP BY region",
)


def run(path: Path, unit: str) -> object:
    rows = pd.read_parquet(path, columns=["age", "income", "region", "sex"])
    rows["bin"] = (rows.pop("age") // 5).clip(upper=BINS - 1)
    metadata = {"": {"t": {"t": TABLE}}}
    reader = from_df(rows, metadata=metadata, privacy=Privacy(epsilon=SHARE, delta=DELTA))
    return [reader.execute(query) for query in QUERIES]


if __name__ == "__main__":
    work(run)
