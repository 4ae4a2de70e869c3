"""How much longer a table is counted and published whose columns have a reading, beside the same values as plain texts.

Ten columns: numbers `1.234,56 €`, days `31.12.2020` and words `J`/`N`, each beside a column that the grammar reads as
it is. Three ratios of processor time in one process, in turn: a scan of one tally a column; a publication of the plan
proposed for each table, from its price to its files; and the reading report made when columns are saved, against one
scan of those tallies.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import duckdb

from dprelease.model.plan import Plan
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.statistics.algebra.grouping import each_value
from dprelease.statistics.planning.codebook import codebook
from dprelease.table import Engine
from dprelease.workspace import Workspace
from dprelease.workspace.reading_report import report

GOALS = {"scan": 1.3, "publication": 1.1, "report": 10.0}
NUMBER = {"type": "number", "lower": 0, "upper": 10000, "resolution": 10}
DAY = {"type": "date", "lower": "2020-01-01", "upper": "2021-12-31"}
EUROS = {"decimal": ",", "thousands": ["."], "affixes": ["€"]}
GROUPED = "REPLACE(REPLACE(REPLACE(FORMAT('{{:,.2f}}', {v}), ',', '_'), '.', ','), '_', '.') || ' €'"
KINDS: tuple[tuple[str, str, str, dict[str, Any], dict[str, Any]], ...] = (
    ("({h} % 1000000) / 100.0", "CAST({v} AS VARCHAR)", GROUPED, NUMBER, EUROS),
    (
        "DATE '2020-01-01' + CAST({h} % 730 AS INTEGER)",
        "CAST({v} AS VARCHAR)",
        "STRFTIME({v}, '%d.%m.%Y')",
        DAY,
        {"dates": ["d.m.y"]},
    ),
    (
        "{h} % 2 = 0",
        "CASE WHEN {v} THEN 'yes' ELSE 'no' END",
        "CASE WHEN {v} THEN 'J' ELSE 'N' END",
        {"type": "boolean"},
        {"yes": ["Ja", "J"], "no": ["Nein", "N"]},
    ),
)
"""SQL of a value by a number `h`; of its text, plain and otherwise, by the value `v`; its column and its reading."""


def made(rows: int, folder: Path) -> dict[str, tuple[Path, Schema]]:
    """Writes the two tables; returns where they are and how they are declared."""
    found = {}
    with duckdb.connect() as connection:
        for table in ("plain", "read"):
            listed, declared = [], {}
            for place in range(10):
                value, plain, other, column, reading = KINDS[place % len(KINDS)]
                sql = (plain if table == "plain" else other).format(
                    v=f"({value.format(h=f'hash(range * {place + 3})')})"
                )
                listed.append(f"{sql} AS c{place}")
                declared[f"c{place}"] = column if table == "plain" else {**column, "reading": reading}
            path = folder / f"{table}.parquet"
            connection.execute(f"COPY (SELECT {', '.join(listed)} FROM range({rows})) TO '{path}' (FORMAT parquet)")
            found[table] = path, Schema.parse(declared)
    return found


def seconds(do: Callable[[], object]) -> float:
    """The processor's seconds that something takes."""
    before = process_time()
    do()
    return process_time() - before


def published(workspace: Workspace, table: str, schema: Schema) -> Callable[[], object]:
    """What publishes the plan proposed for a registered table, again each time."""
    plan = Plan.parse(
        {
            "dprelease": 1,
            "dataset": table,
            "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1},
            "columns": schema.to_mapping(),
            "statistics": codebook(schema),
        }
    )
    return lambda: workspace.publish(plan, again=True)


def ratios(folder: Path, rows: int, repetitions: int) -> dict[str, float]:
    """Returns the medians of the ratios, by what is measured."""
    tables = made(rows, folder)
    workspace, engine = Workspace.create(folder / "workspace"), Engine(folder)
    scans, reports, publications = {}, {}, {}
    for table, (path, schema) in tables.items():
        held, tallies = engine.parquet(path), [TallyQuery((each_value(column),)) for column in schema]
        workspace.add_dataset(table, path, columns=schema.to_mapping(), epsilon=1000)
        scans[table] = partial(engine.answer, held, tallies, schema=schema, where=(), unit=PrivacyUnit())
        reports[table] = partial(report, engine, held, table, schema=schema)
        publications[table] = published(workspace, table, schema)
        publications[table]()
    found: dict[str, list[float]] = {name: [] for name in GOALS}
    for _ in range(repetitions):
        plain = seconds(scans["plain"])
        found["scan"].append(seconds(scans["read"]) / plain)
        found["report"].append(seconds(reports["read"]) / plain)
        found["publication"].append(seconds(publications["read"]) / seconds(publications["plain"]))
    return {name: median(each) for name, each in found.items()}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--repetitions", type=int, default=5)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for name, ratio in ratios(Path(scratch), chosen.rows, chosen.repetitions).items():
            print(f"{name}: ratio {ratio:.2f}; goal {GOALS[name]}: {'met' if ratio <= GOALS[name] else 'missed'}.")


if __name__ == "__main__":
    main()
