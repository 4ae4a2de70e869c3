"""How fast a release is: many small ones in memory, and one of a million rows beside DuckDB alone.

    .venv/bin/python -m benchmarks.publish [--rows 1000000] [--releases 1000]

Prints one line a figure. Machines differ and are shared, so quote the ratios, which come from one run.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

import dprelease
from dprelease.model.schema import Schema
from dprelease.statistics.price import price

REGIONS = [f"region{index:02d}" for index in range(20)]
COLUMNS = {
    "age": {"type": "integer", "lower": 0, "upper": 100},
    "income": {"type": "number", "lower": 0, "upper": 200000, "resolution": 1},
    "region": {"type": "category", "categories": REGIONS},
    "sex": {"type": "category", "categories": ["F", "M"]},
    "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31"},
}
STATISTICS = [
    {"id": "n", "kind": "count"},
    {"id": "ages", "kind": "histogram", "column": "age", "bins": 20, "weight": 2},
    {"id": "mean_income", "kind": "mean", "column": "income"},
    {"id": "total_income", "kind": "sum", "column": "income"},
    {"id": "income_quartiles", "kind": "quantiles", "column": "income", "probs": [0.25, 0.5, 0.75]},
    {"id": "region_sex", "kind": "crosstab", "columns": ["region", "sex"]},
    {"id": "income_by_region", "kind": "mean", "column": "income", "by": ["region"]},
]
NON_PRIVATE = """
    SELECT region, sex, least(floor(age / 5), 19), floor(income / 200), count(*), sum(income)
    FROM read_parquet('{path}')
    GROUP BY GROUPING SETS ((), (region), (region, sex), (least(floor(age / 5), 19)), (floor(income / 200)))
"""


def write_rows(path: Path, rows: int) -> None:
    """A table of the given size, the same for the same size, from DuckDB's hash of the row number."""
    duckdb.sql(f"""
        COPY (
            SELECT (hash(i, 1) % {max(1, rows // 5)})::BIGINT AS person_id,
                   (hash(i, 2) % 101)::INTEGER AS age,
                   (hash(i, 3) % 200001)::DOUBLE AS income,
                   'region' || lpad((hash(i, 4) % 20)::VARCHAR, 2, '0') AS region,
                   CASE WHEN hash(i, 5) % 2 = 0 THEN 'F' ELSE 'M' END AS sex,
                   DATE '2025-01-01' + (hash(i, 6) % 365)::INTEGER AS day
            FROM range({rows}) AS t(i)
        ) TO '{path}' (FORMAT parquet)
    """)


def plan_mapping(unit: Any, epsilon: float = 1.0) -> dict[str, Any]:
    privacy = {"unit": unit, "neighbors": "add_remove", "epsilon": epsilon}
    return {"dprelease": 1, "dataset": "t", "privacy": privacy, "columns": COLUMNS, "statistics": STATISTICS}


def median_seconds(run: Callable[[], object], times: int = 5) -> float:
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def small_releases(count: int) -> float:
    """One-count releases of a 100-row table a second: charged, read, drawn, sealed, signed, in memory."""
    import pandas

    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("t", pandas.DataFrame({"age": range(100)}), epsilon=1_000_000)
    mapping = plan_mapping("row") | {"columns": {"age": COLUMNS["age"]}, "statistics": STATISTICS[:1]}
    plan_id = workspace.submit(dprelease.Plan.parse(mapping))
    workspace.approve(plan_id)
    workspace.publish(plan_id)
    start = time.perf_counter()
    for _ in range(count):
        workspace.publish(plan_id, again=True)
    return count / (time.perf_counter() - start)


def large_release(path: Path, unit: Any) -> float:
    """Median seconds of a release of the whole plan, in memory, after the first. Each plan has its own title, so that
    each release reads the rows.
    """
    workspace = dprelease.Workspace.in_memory()
    workspace.add_dataset("t", path, epsilon=1_000_000, unit_column=None if unit == "row" else unit["column"])
    plans = [
        workspace.submit(dprelease.Plan.parse(plan_mapping(unit) | {"title": f"No. {place}"})) for place in range(7)
    ]
    for plan_id in plans:
        workspace.approve(plan_id)
    waiting = iter(plans)
    workspace.publish(next(waiting))
    return median_seconds(lambda: workspace.publish(next(waiting)))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--releases", type=int, default=1000)
    chosen = options.parse_args()

    print(f"small releases in memory: {small_releases(chosen.releases):.0f} a second")
    plan = dprelease.Plan.parse(plan_mapping("row"))
    price(plan)
    priced = median_seconds(lambda: price(plan, Schema({})))
    print(f"price of {len(STATISTICS)} statistics, calibrated before: {priced * 1000:.1f} ms")
    means = [{"id": f"s{i}", "kind": "mean", "column": "income"} for i in range(300)]
    many = plan_mapping("row") | {"statistics": means}
    start = time.perf_counter()
    price(dprelease.Plan.parse(many))
    print(f"parse and price 300 statistics, first time: {(time.perf_counter() - start) * 1000:.1f} ms")

    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        write_rows(path, chosen.rows)
        connection = duckdb.connect()
        scan = median_seconds(lambda: connection.execute(NON_PRIVATE.format(path=path)).fetchall())
        print(f"{chosen.rows} rows, DuckDB without privacy, one scan: {scan:.3f} s")
        for name, unit in (("row", "row"), ("person, max_rows 5", {"column": "person_id", "max_rows": 5})):
            seconds = large_release(path, unit)
            print(f"{chosen.rows} rows, publish, unit {name}: {seconds:.3f} s, {seconds / scan:.1f} × the scan")


if __name__ == "__main__":
    main()
