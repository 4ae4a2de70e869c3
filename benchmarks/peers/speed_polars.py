"""Polars, without privacy: the same numbers in one collection of lazy queries; quartiles off 1,000 bins of income.

Where rows are cut it does less: it keeps each person's first rows in the order of the file, whatever they say, where
ours keeps some that depend on the person's own rows alone. `speed_polars_chosen` does that too.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from benchmarks.peers.working import MOST, work

FIRST = pl.int_range(pl.len()).over("person_id") < MOST
CHOSEN = pl.struct("age", "income", "region", "sex").hash().rank("ordinal").over("person_id") <= MOST


def run(path: Path, unit: str, kept: pl.Expr = FIRST) -> object:
    rows = pl.scan_parquet(path)
    if unit == "person":
        rows = rows.filter(kept)
    income = pl.col("income")
    return pl.collect_all(
        [
            rows.select(pl.len(), income.sum().alias("sum"), income.mean().alias("mean")),
            rows.group_by((pl.col("age") // 5).clip(0, 19)).len(),
            rows.group_by("region", "sex").len(),
            rows.group_by((income / 200).floor()).len(),
            rows.group_by("region").agg(income.mean()),
        ]
    )


if __name__ == "__main__":
    work(run)
