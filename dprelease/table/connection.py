"""DuckDB connections, and the SQL to read a file, or a folder of Parquet files that is a table by itself."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import duckdb

from dprelease.errors import InputError
from dprelease.table.duckdb_dialect import DuckDB
from dprelease.words import phrase

SETTINGS = (
    "SET GLOBAL perfect_ht_threshold = 18",
    "SET GLOBAL TimeZone = 'UTC'",
    "SET autoinstall_known_extensions = false",
    "SET autoload_known_extensions = false",
    "SET preserve_insertion_order = false",
    "SET GLOBAL allocator_flush_threshold = '8MB'",  # what a query took goes back to the system after it
    "SET GLOBAL allocator_bulk_deallocation_flush_threshold = '32MB'",
)
METADATA = {
    "Delta": ("_delta_log",),
    "Iceberg": ("metadata/*.metadata.json", "metadata/version-hint.text"),
    "Hudi": (".hoodie",),
}
"""Metadata files by table format. Read as plain Parquet, rows that were deleted or changed would count again."""


KEPT = 4
"""Databases that `kept` leaves open: to open one costs 25 ms of processor, for its catalogue of functions."""
FRAME = "incoming"
"""The view under which rows that arrive are registered."""
_idle: dict[tuple[str, ...], duckdb.DuckDBPyConnection] = {}  # one for each settings that were borrowed
_one_at_a_time = threading.Lock()


def connect(*settings: str) -> duckdb.DuckDBPyConnection:
    """Return an embedded DuckDB that loads no extensions; its settings are locked."""
    connection = duckdb.connect()
    for setting in (*SETTINGS, *settings, "SET lock_configuration = true"):
        connection.execute(setting)
    return connection


@contextmanager
def borrowed(*settings: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give an embedded DuckDB to one use at a time, and keep it for the next. One whose use failed is closed."""
    key = (str(os.getpid()), *SETTINGS, *settings)
    with _one_at_a_time:
        connection = _idle.pop(key, None)
    connection = connection or connect(*settings)
    try:
        yield connection
        connection.unregister(FRAME)  # with the rows that it refers to
    except BaseException:
        connection.close()
        raise
    with _one_at_a_time:
        spare = _idle.setdefault(key, connection) is not connection
    if spare:
        connection.close()


def kept(*settings: str, anew: bool = False) -> duckdb.DuckDBPyConnection:
    """Return the embedded DuckDB of these settings, which holds no tables and is shared by all that ask for the same.

    `anew`: the one there was no longer works.
    """
    if anew:
        _kept.cache_clear()
    return _kept((str(os.getpid()), *SETTINGS, *settings))


@lru_cache(maxsize=KEPT)
def _kept(key: tuple[str, ...]) -> duckdb.DuckDBPyConnection:
    return connect(*key[1 + len(SETTINGS) :])


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C as what it is, during a use of DuckDB: it makes an error of its own of it, also below a stream of ours."""
    try:
        yield
    except (RuntimeError, duckdb.Error) as cause:
        if str(cause) == "Query interrupted" or "KeyboardInterrupt" in str(cause):
            raise KeyboardInterrupt from None
        raise


def file_text(path: Path) -> str:
    """Return a path as SQL text that means this one file: DuckDB takes `*`, `?` and `[` for patterns otherwise."""
    return DuckDB().text(re.sub(r"([*?\[])", r"[\1]", str(path)))


def parquet_scan(path: Path) -> str:
    """Read a Parquet file, or all of them below a folder, and nothing from their paths.

    Raises InputError where the folder is a table of another format.
    """
    if path.is_dir():
        check_plain(path)
    text = file_text(path)[:-1] + "/**/*.parquet'" if path.is_dir() else file_text(path)
    return f"read_parquet({text}, hive_partitioning = false)"


def refuse(kind: str) -> None:
    """Raise InputError for a folder of some format."""
    raise InputError(
        "table",
        found=phrase("table.files_table_some_hold", kind=kind),
        allowed=phrase("table.folder_parquet_files_all"),
        remedy=phrase("table.name_table_instead_spark"),
    )


def check_plain(folder: Path) -> None:
    """Raise InputError where a folder, one above it or one below it belongs to a table of another format."""
    for kind, patterns in METADATA.items():
        above = any(next(each.glob(pattern), None) for each in folder.resolve().parents for pattern in patterns)
        if above or any(next(folder.rglob(pattern), None) for pattern in patterns):
            refuse(kind)
