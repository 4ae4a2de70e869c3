"""The dictionary of a file of SPSS or Stata, kept in the metadata of the Parquet file that is made of it."""

from __future__ import annotations

from pathlib import Path

from dprelease.model.dictionary import Variable, as_text, of_text, variables
from dprelease.model.reading import LABELLED, Reading
from dprelease.table.duckdb_dialect import DuckDB
from dprelease.table.ingest_labelled import read_meta

KEY = "dprelease_dictionary"


def kept(source: Path, reading: Reading, filename: str) -> str:
    """The option of DuckDB's COPY that keeps it; nothing for other files. Reads no rows."""
    if reading.format not in LABELLED:
        return ""
    found = variables(read_meta(source, reading.format, filename))
    return f", KV_METADATA {{{KEY}: {DuckDB().text(as_text(found, by_label=reading.labels))}}}"


def dictionary(table: Path) -> tuple[tuple[Variable, ...], bool] | None:
    """What was kept, and whether the table holds labels; None where it is of another file."""
    from pyarrow import parquet

    found = (parquet.read_metadata(table).metadata or {}).get(KEY.encode())
    return None if found is None else of_text(found)
