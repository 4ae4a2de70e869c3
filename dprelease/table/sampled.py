"""The texts that the columns of a table hold, as many as a look at them needs. For whoever may see rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import duckdb

from dprelease.model.reading import Reading
from dprelease.table.answer import Table
from dprelease.table.connection import borrowed
from dprelease.table.engine import Engine
from dprelease.table.ingest import SETTINGS, opened

ROWS, TEXTS, COLUMNS, AT_A_TIME = 20_000, 300, 1000, 50
"""The first rows, the first different texts of a column among them, and so many columns, some in a query."""


def sampled_texts(engine: Engine, table: Table, names: Collection[str]) -> Mapping[str, list[str]]:
    """Yield the first different texts of those columns that are stored as text, among the first rows."""
    wanted = [name for name in names if table.dialect.is_text(table.storage.get(name, ""))][:COLUMNS]

    def fetch(cursor: duckdb.DuckDBPyConnection) -> Iterator[tuple[str, list[str]]]:
        for start in range(0, len(wanted), AT_A_TIME):
            part = wanted[start : start + AT_A_TIME]
            cells = ", ".join(f"CAST({table.dialect.name(name)} AS VARCHAR)" for name in part)
            found = cursor.sql(f"SELECT {cells} FROM {table.source} LIMIT {ROWS}").to_arrow_table()
            for name, column in zip(part, found.columns, strict=True):
                texts = column.unique().drop_null()
                yield name, texts[:TEXTS].to_pylist()

    return engine.try_to(lambda cursor: dict(fetch(cursor)))  # type: ignore[no-any-return]


def texts_of_file(source: Path, filename: str, reading: Reading) -> Mapping[str, list[str]]:
    """The same of a file that nobody registered. Raises UploadError where it cannot be read."""
    with borrowed(*SETTINGS) as connection, opened(connection, source, filename, reading) as scan:
        found = connection.sql(f"SELECT * FROM {scan} LIMIT {ROWS}")
        wanted = [name for name, type_ in zip(found.columns, found.types, strict=True) if str(type_) == "VARCHAR"]
        table = found.to_arrow_table()
        return {name: table.column(name).unique().drop_null()[:TEXTS].to_pylist() for name in wanted[:COLUMNS]}
