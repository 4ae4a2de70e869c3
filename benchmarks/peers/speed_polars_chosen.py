"""Polars, without privacy, keeping of each person the rows that a hash of their values puts first."""

from __future__ import annotations

from benchmarks.peers.speed_polars import CHOSEN, run
from benchmarks.peers.working import work

if __name__ == "__main__":
    work(lambda path, unit: run(path, unit, CHOSEN))
