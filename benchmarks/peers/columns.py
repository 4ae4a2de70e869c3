"""The table as arrays, for peers that know no files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from benchmarks.peers.working import MOST

Columns = dict[str, np.ndarray[Any, Any]]


def coded(path: Path, unit: str) -> Columns:
    """Its columns, categories as codes; of each person's rows at most MOST, whichever they are.

    Decoding is Polars' work, and part of the time, as it is for whoever calls such a library.
    """
    rows = pl.scan_parquet(path)
    if unit == "person":
        rows = rows.filter(pl.int_range(pl.len()).over("person_id") < MOST)
    frame = rows.select(
        "age",
        "income",
        pl.col("region").str.slice(6).cast(pl.Int64),
        (pl.col("sex") == "M").cast(pl.Int64),
    ).collect()
    return {name: frame[name].to_numpy() for name in frame.columns}
