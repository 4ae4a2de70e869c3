"""OpenDP: its Context over Polars, seven queries. Ages are counted by year: it has no bins of its own over a scan.

Quartiles are chosen from 1,001 candidates of income; ours are exact to 1. With a unit of persons, it cuts rows itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import opendp.prelude as dp
import polars as pl

from benchmarks.peers.working import AGE, EPSILON, INCOME, MOST, QUARTILES, REGIONS, SEXES, work

dp.enable_features("contrib")
MAX_LENGTH = 1_000_000_000


def run(path: Path, unit: str) -> object:
    keys = {
        "age": pl.LazyFrame({"age": pl.Series(range(AGE[1] + 1), dtype=pl.Int32)}),
        "region": pl.LazyFrame({"region": REGIONS}),
        "sex": pl.LazyFrame([{"region": region, "sex": sex} for region in REGIONS for sex in SEXES]),
    }
    by_person: dict[str, Any] = {"identifier": pl.col("person_id")} if unit == "person" else {}
    margins = [(), ("age",), ("region",), ("region", "sex")]
    context = dp.Context.compositor(
        data=pl.scan_parquet(path),
        privacy_unit=dp.unit_of(contributions=1, **by_person),
        privacy_loss=dp.loss_of(epsilon=EPSILON),
        split_evenly_over=7,
        margins=[dp.polars.Margin(by=list(by), max_length=MAX_LENGTH) for by in margins],
    )

    def rows() -> Any:
        query = context.query()
        return query.truncate_per_group(MOST) if unit == "person" else query

    income = pl.col("income").fill_null(0.0).fill_nan(0.0)
    low, high = INCOME
    candidates = [low + (high - low) * step / 1000 for step in range(1001)]
    queries = [
        rows().select(dp.len(signed=True)),
        rows().select(income.dp.sum(INCOME)),
        rows().select(income.dp.mean(INCOME)),
        rows().select(*(income.dp.quantile(share, candidates).alias(str(share)) for share in QUARTILES)),
        rows().group_by("age").agg(dp.len(signed=True)).with_keys(keys["age"]),
        rows().group_by("region", "sex").agg(dp.len(signed=True)).with_keys(keys["sex"]),
        rows().group_by("region").agg(income.dp.mean(INCOME)).with_keys(keys["region"]),
    ]
    return [query.release().collect() for query in queries]


if __name__ == "__main__":
    work(run)
