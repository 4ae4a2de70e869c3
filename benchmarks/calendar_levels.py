"""A count by 522 weeks beside the same count by months: one engine, one table, in turns."""

from __future__ import annotations

import argparse
from datetime import date
from time import perf_counter

import numpy as np
import pyarrow as pa

from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.statistics.algebra.levels import level_key
from dprelease.table import Engine

FIRST, LAST = date(2015, 12, 28), date(2025, 12, 28)
SCHEMA = Schema.parse({"day": {"type": "date", "lower": str(FIRST), "upper": str(LAST)}})
LIMIT = 1.3
"""What weeks may take, as a multiple of months."""


def table(rows: int) -> pa.Table:
    """Rows that are nobody's, on days without a pattern."""
    days = np.random.default_rng(17).integers((FIRST - date(1970, 1, 1)).days, (LAST - date(1970, 1, 1)).days + 1, rows)
    return pa.table({"day": pa.array(days.astype(np.int32), pa.int32()).cast(pa.date32())})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--turns", type=int, default=5)
    options = parser.parse_args()
    engine = Engine()
    held = engine.hold(table(options.rows))
    queries = {level: TallyQuery((level_key(SCHEMA["day"], level),)) for level in ("month", "week")}
    taken: dict[str, list[float]] = {level: [] for level in queries}
    for _ in range(options.turns):
        for level, query in queries.items():
            start = perf_counter()
            (tally,) = engine.answer(held, [query], schema=SCHEMA, where=(), unit=PrivacyUnit())
            taken[level].append(perf_counter() - start)
            assert int(tally.values.sum()) == options.rows  # type: ignore[union-attr]
    best = {level: min(times) for level, times in taken.items()}
    ratio = best["week"] / best["month"]
    for level, query in queries.items():
        print(f"{level}: {query.cells} cells, {best[level]:.3f} s")
    print(
        f"weeks take {ratio:.2f} times as long as months; at most {LIMIT}: {'kept' if ratio <= LIMIT else 'NOT kept'}"
    )


if __name__ == "__main__":
    main()
