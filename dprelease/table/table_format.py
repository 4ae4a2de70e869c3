"""Folders of Parquet files that are no table by themselves: a log beside the files says which rows still count."""

from __future__ import annotations

from pathlib import Path

from dprelease.errors import InputError

METADATA = {
    "Delta": ("_delta_log",),
    "Iceberg": ("metadata/*.metadata.json", "metadata/version-hint.text"),
    "Hudi": (".hoodie",),
}
"""By format, what lies beside the files. Read as plain Parquet, rows that were deleted or changed would count again."""


def refuse(kind: str) -> None:
    """Raises InputError for a folder of some format."""
    raise InputError(
        "table",
        found=f"files of a {kind} table, of which some hold rows that were deleted or changed",
        allowed="a folder of Parquet files that are all of its rows",
        remedy="Name the table instead: spark://host:port/?table=catalog.schema.table.",
    )


def check_plain(folder: Path) -> None:
    """Raises InputError where a folder, one above it or one below it belongs to a table of another format."""
    for kind, patterns in METADATA.items():
        above = any(next(each.glob(pattern), None) for each in folder.resolve().parents for pattern in patterns)
        if above or any(next(folder.rglob(pattern), None) for pattern in patterns):
            refuse(kind)
