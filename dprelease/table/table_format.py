"""Folders of Parquet files that are no table by themselves: a log beside the files says which rows still count."""

from __future__ import annotations

from pathlib import Path

from dprelease.errors import InputError
from dprelease.words import phrase

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
        found=phrase("table.files_table_some_hold", kind=kind),
        allowed=phrase("table.folder_parquet_files_all"),
        remedy=phrase("table.name_table_instead_spark"),
    )


def check_plain(folder: Path) -> None:
    """Raises InputError where a folder, one above it or one below it belongs to a table of another format."""
    for kind, patterns in METADATA.items():
        above = any(next(each.glob(pattern), None) for each in folder.resolve().parents for pattern in patterns)
        if above or any(next(folder.rglob(pattern), None) for pattern in patterns):
            refuse(kind)
