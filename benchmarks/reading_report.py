"""How much longer the scan of a plan's first tallies takes where the reading report comes out of it too.

Twelve columns of every type, of which some hundredths of the cells are empty, coded, unreadable or outside. The plan is
what is proposed for them. Both scans are of one process, in turn; the figure is the ratio of their processor times.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import duckdb

from dprelease.model.plan import Plan
from dprelease.model.schema import Schema
from dprelease.model.tally import Query
from dprelease.statistics.answer import queries
from dprelease.statistics.planning.codebook import codebook
from dprelease.statistics.planning.price import price
from dprelease.table import Engine
from dprelease.table.cell_state import readable_columns, state_counts, state_queries

GOAL = 1.25
DIRECTIONS = ["North", "South", "East", "West"]
TYPES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("CAST({h} % 103 AS INTEGER)", {"type": "integer", "lower": 0, "upper": 100}),
    ("({h} % 1010000) / 100.0", {"type": "number", "lower": 0, "upper": 10000, "resolution": 10}),
    (
        "CASE {h} % 50 WHEN 0 THEN '1.234,5 €' ELSE CAST({h} % 101 AS VARCHAR) END",
        {"type": "integer", "lower": 0, "upper": 100},
    ),
    (f"({DIRECTIONS})[CAST(1 + {{h}} % 4 AS BIGINT)]", {"type": "category", "categories": DIRECTIONS}),
    ("CAST({h} % 2 AS BOOLEAN)", {"type": "boolean"}),
    ("DATE '2020-01-01' + CAST({h} % 740 AS INTEGER)", {"type": "date", "lower": "2020-01-01", "upper": "2021-12-31"}),
)
"""SQL of a cell by a number `h`, and how its column is declared."""


def made(rows: int, path: Path) -> Schema:
    """Writes the table; returns its columns."""
    listed, declared = [], {}
    for place in range(12):
        sql, column = TYPES[place % len(TYPES)]
        cell = f"hash(range * {2 * place + 3})"
        listed.append(f"CASE WHEN {cell} % 97 = 0 THEN NULL ELSE {sql.format(h=cell)} END AS c{place}")
        declared[f"c{place}"] = column
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT {', '.join(listed)} FROM range({rows})) TO '{path}' (FORMAT parquet)")
    return Schema.parse(declared)


def ratios(engine: Engine, path: Path, schema: Schema, repetitions: int) -> Iterator[tuple[float, float]]:
    """Yields the seconds of processor of both scans, without and with the report."""
    plan = {
        "dprelease": 1,
        "dataset": "rows",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 10},
        "columns": schema.to_mapping(),
        "statistics": codebook(schema),
    }
    asked, table = queries(price(Plan.parse(plan))), engine.parquet(path)
    unit = Plan.parse(plan).unit

    def seconds(wanted: list[Query]) -> float:
        before = process_time()
        found = engine.answer(table, wanted, schema=schema, where=(), unit=unit)
        spent = process_time() - before
        assert len(state_counts(found)) in (0, len(schema.columns))
        return spent

    both = [*asked, *state_queries(readable_columns(schema), schema)]
    for _ in range(repetitions):
        yield seconds(list(asked)), seconds(both)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, default=10_000_000)
    options.add_argument("--repetitions", type=int, default=5)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "rows.parquet"
        schema = made(chosen.rows, path)
        found = list(ratios(Engine(Path(scratch)), path, schema, chosen.repetitions))
    ratio = median(after / before for before, after in found)
    first, second = (median(each) for each in zip(*found, strict=True))
    print(f"{chosen.rows:,} rows, 12 columns: {first:.2f} s without and {second:.2f} s with the report, of processor.")
    print(f"Ratio {ratio:.2f}; goal {GOAL}: {'met' if ratio <= GOAL else 'missed'}.")


if __name__ == "__main__":
    main()
