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


def own_plans(count: int) -> float:
    """The same where each has a plan of its own, handed in and approved: releases a second of processor.

    The plans differ in title and ε, so that no price is known from before; they ask the same of the table.
    """
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("w", pa.table({"age": range(100)}), epsilon=1_000_000)
    mapping = plan("row", columns={"age": COLUMNS["age"]}, statistics=[{"id": "n", "kind": "count"}])

    def one(number: int) -> None:
        own = {**mapping, "title": f"W {number}", "privacy": {**mapping["privacy"], "epsilon": 1 + number / 10_000}}
        plan_id = workspace.plans.submit(dprelease.Plan.parse(own))
        workspace.plans.approve(plan_id)
        workspace.publish(plan_id)

    one(0)
    start = time.process_time()
    for number in range(1, count + 1):
        one(number)
    return count / (time.process_time() - start)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--releases", type=int, default=1000)
    count = options.parse_args().releases
    print(f"small releases in memory: {small_releases(count):.0f} a second")
    print(f"each with a plan of its own: {own_plans(count):.0f} a second of processor")


if __name__ == "__main__":
    main()
