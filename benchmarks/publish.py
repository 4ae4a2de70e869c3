"""How many small releases a second a workspace in memory makes: charged, read, drawn, sealed and signed.

    .venv/bin/python -m benchmarks.publish [--releases 1000]

How fast a large one is stands in `benchmarks.speed`.
"""

from __future__ import annotations

import argparse
import time

import pyarrow as pa

import dprelease
from benchmarks.workload import COLUMNS, plan


def small_releases(count: int) -> float:
    """One-count releases of a 100-row table a second, the same plan again and again."""
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("w", pa.table({"age": range(100)}), epsilon=1_000_000)
    asked = plan("row", columns={"age": COLUMNS["age"]}, statistics=[{"id": "n", "kind": "count"}])
    plan_id = workspace.plans.submit(dprelease.Plan.parse(asked))
    workspace.plans.approve(plan_id)
    workspace.publish(plan_id)
    start = time.perf_counter()
    for _ in range(count):
        workspace.publish(plan_id, again=True)
    return count / (time.perf_counter() - start)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--releases", type=int, default=1000)
    print(f"small releases in memory: {small_releases(options.parse_args().releases):.0f} a second")


if __name__ == "__main__":
    main()
