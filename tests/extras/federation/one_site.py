"""One site of a round in a process of its own, told by lines what to do, without noise: sums can be compared.

`python -m tests.extras.federation.one_site HOME SOURCE SHARED`: prints its key, and after a line each, that it joined,
and that all signed the sum.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import dprelease
from dprelease.mechanisms import DiscreteGaussian
from dprelease.mechanisms.mechanism import clamped

COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": 0, "upper": 100},
    "sex": {"type": "category", "categories": ["F", "M"]},
    "ward": {"type": "category", "categories": ["a", "b", "c"]},
}
PLAN: dict[str, Any] = {
    "dprelease": 1,
    "dataset": "people",
    "privacy": {
        "unit": {"column": "person", "max_rows": 2},
        "neighbors": "add_remove",
        "epsilon": 0.9,
        "delta": 1e-6,
    },
    "statistics": [
        {"id": "n", "kind": "count", "by": ["sex"]},
        {"id": "m", "kind": "mean", "column": "age", "by": ["ward"]},
        {"id": "v", "kind": "variance", "column": "age"},
        {"id": "t", "kind": "crosstab", "columns": ["ward", "age"], "bins": {"age": 20}},
        {"id": "c", "kind": "cdf", "column": "age"},
        {"id": "w", "kind": "workload", "columns": ["sex", "ward"], "order": 2},
    ],
}
TERMS: dict[str, Any] = {
    "columns": COLUMNS,
    "unit_column": "person",
    "unit": "person",
    "currency": "zcdp",
    "epsilon": 1,
    "delta": 1e-5,
}
SECONDS = 900
"""Then a site that waits for the others gives up."""


def main() -> None:
    home, source, shared = sys.argv[1:]
    DiscreteGaussian.release = lambda self, integers: clamped(integers)  # type: ignore[method-assign]
    site = dprelease.Workspace.create(home)
    site.add_dataset("people", source, **TERMS)
    print(site.public_key, flush=True)
    input()
    site.federations.join(shared)
    print("joined", flush=True)
    input()
    end, seen = time.monotonic() + SECONDS, None
    while time.monotonic() < end:
        there = sorted(each.name for each in Path(shared).iterdir())
        if there == seen:
            time.sleep(0.2)
            continue
        seen = there
        told = site.federations.contribute(shared, dprelease.Plan.parse(PLAN))
        if (told.step, told.waiting) == ("sum", ()):
            print("signed", flush=True)
            return
    raise SystemExit("the others did not answer")


if __name__ == "__main__":
    main()
