"""How long a page of a table of a million cells takes through the public interface, asked and answered whole."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from starlette.testclient import TestClient

from dprelease.model.plan import Plan
from dprelease.web.alone import application
from dprelease.workspace import Workspace

LIMIT = 0.05
"""Seconds that a page may take."""
COLUMNS: Mapping[str, Mapping[str, Any]] = {
    name: {"type": "category", "categories": [f"{letter}{place:03d}" for place in range(count)]}
    for name, letter, count in (("province", "P", 100), ("place", "M", 1000), ("band", "B", 10))
}
PAGES = {
    "the first page": "",
    "one place": "place=M500",
    "two provinces": "province=P001,P055",
    "one cell": "province=P042&place=M042&band=B007",
    "the last page": "after=999000",
    "the longest page as CSV": "after=500000&limit=5000&format=csv",
    "the longest page as JSON": "band=B001&limit=5000",
}


def published(folder: Path) -> tuple[Path, str]:
    """The public folder of a workspace with one release, and the address of its table of a million cells."""
    workspace = Workspace.create(folder / "home")
    source = folder / "rows.csv"
    source.write_text("province,place,band\nP001,M001,B001\n")
    workspace.add_dataset("rows", source, columns=COLUMNS, epsilon=1)
    plan = Plan.parse(
        {
            "dprelease": 1,
            "title": "A million cells",
            "dataset": "rows",
            "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
            "columns": COLUMNS,
            "statistics": [{"id": "cells", "kind": "crosstab", "columns": list(COLUMNS)}],
        }
    )
    plan_id = workspace.plans.submit(plan)
    workspace.plans.approve(plan_id)
    release = workspace.publish(plan_id)
    return workspace.releases.folder, f"/api/releases/{release.id}/tables/cells"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=15)
    turns = parser.parse_args().turns
    with tempfile.TemporaryDirectory() as folder:
        public, address = published(Path(folder))
        with TestClient(application(public), base_url="http://127.0.0.1") as client:
            start = perf_counter()
            assert client.get(f"{address}?limit=1").json()["found"] == 1_000_000
            print(f"read once: {perf_counter() - start:.2f} s")
            slowest = 0.0
            for name, query in PAGES.items():
                taken = [_seconds(client, f"{address}?{query}") for _ in range(turns)]
                slowest = max(slowest, median(taken))
                low, middle, high = (f"{1000 * each:.0f}" for each in (min(taken), median(taken), max(taken)))
                print(f"{name}: {middle} ms, between {low} and {high}")
    print(f"{'kept' if slowest < LIMIT else 'NOT kept'}: any page in less than {1000 * LIMIT:.0f} ms")


def _seconds(client: TestClient, address: str) -> float:
    start = perf_counter()
    assert client.get(address).status_code == 200
    return perf_counter() - start


if __name__ == "__main__":
    main()
