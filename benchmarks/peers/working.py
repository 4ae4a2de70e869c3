"""A peer's side of benchmarks/speed.py: does the whole work once, and prints seconds and memory as JSON."""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path

from benchmarks.peers.processes import peak_mb, processor

EPSILON = 1.0
SHARE = EPSILON / 7
"""Of each of the seven statistics."""
INCOME, AGE = (0.0, 200_000.0), (0, 100)
BINS = 20
QUARTILES = (0.25, 0.5, 0.75)
MOST = 5
REGIONS = [f"region{index:02d}" for index in range(20)]
SEXES = ["F", "M"]


def at_most(unit: str) -> int:
    """Rows of a unit."""
    return MOST if unit == "person" else 1


def work(run: Callable[[Path, str], object]) -> None:
    """Times `run(path, unit)`, both given on the command line. What a library prints goes to standard error."""
    warnings.filterwarnings("ignore")
    path, unit = Path(sys.argv[1]), sys.argv[2]
    before, began = processor(), time.perf_counter()
    with redirect_stdout(sys.stderr):
        run(path, unit)
    seconds = time.perf_counter() - began
    print(json.dumps({"seconds": seconds, "processor": processor() - before, "peak_mb": peak_mb()}))
