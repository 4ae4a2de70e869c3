"""The texts that the columns of a table hold, as many as a look at them needs. For whoever may see rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import duckdb

from dprelease.table.answer import Table
from dprelease.table.engine import Engine

ROWS, TEXTS, COLUMNS = 100_000, 300, 1000
"""The first rows, the most frequent texts of a column, and so many columns."""


def sampled_texts(engine: Engine, table: Table, names: Collection[str]) -> Mapping[str, list[str]]:
    """The most frequent texts of those columns that are stored as text, among the first rows."""
    wanted = [name for name in names if table.dialect.is_text(table.storage.get(name, ""))][:COLUMNS]

    def fetch(cursor: duckdb.DuckDBPyConnection) -> Iterator[tuple[str, list[str]]]:
        for name in wanted:
            x = table.dialect.name(name)
            first = f"SELECT CAST({x} AS VARCHAR) AS x FROM {table.source} LIMIT {ROWS}"
            sql = f"SELECT x FROM ({first}) WHERE x IS NOT NULL GROUP BY x ORDER BY COUNT(*) DESC, x LIMIT {TEXTS}"
            yield name, [row[0] for row in cursor.execute(sql).fetchall()]

    return engine.try_to(lambda cursor: dict(fetch(cursor)))  # type: ignore[no-any-return]
