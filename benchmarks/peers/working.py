"""A peer's side of benchmarks/speed.py: does the whole work once, and prints seconds and memory as JSON."""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

EPSILON = 1.0
SHARE = EPSILON / 7
"""Of each of the seven statistics."""
INCOME, AGE = (0.0, 200_000.0), (0, 100)
BINS = 20
QUARTILES = (0.25, 0.5, 0.75)
MOST = 5
REGIONS = [f"region{index:02d}" for index in range(20)]
SEXES = ["F", "M"]

Columns = dict[str, np.ndarray[Any, Any]]


def coded(path: Path, unit: str) -> Columns:
    """The table as arrays, categories as codes; of each person's rows at most MOST, whichever they are.

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


def at_most(unit: str) -> int:
    """Rows of a unit."""
    return MOST if unit == "person" else 1


def work(run: Callable[[Path, str], object]) -> None:
    """Times `run(path, unit)`, both given on the command line. What a library prints goes to standard error."""
    warnings.filterwarnings("ignore")
    path, unit = Path(sys.argv[1]), sys.argv[2]
    wall, processor = time.perf_counter(), time.process_time()
    with redirect_stdout(sys.stderr):
        run(path, unit)
    status = Path("/proc/self/status").read_text()
    peak = int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1000
    found = {"seconds": time.perf_counter() - wall, "processor": time.process_time() - processor, "peak_mb": peak}
    print(json.dumps(found))
