"""Comparison of a table's column names with those in its file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from dprelease.model.header import clean_name
from dprelease.model.reading import Format, Reading
from dprelease.table.ingest_excel import excel_header
from dprelease.table.ingest_text import decoded, header_cells


def were_mended(source: Path, reading: Reading, filename: str, columns: Sequence[str]) -> bool:
    """Return True if equal or blank names were told apart by numbers."""
    if reading.names or not reading.header or reading.format not in (Format.TEXT, Format.EXCEL):
        return False
    if reading.format is Format.EXCEL:
        cells = excel_header(source, reading, filename)
    else:
        with TemporaryDirectory(prefix="dprelease-") as folder:
            copy = Path(folder) / "head"
            copy.write_text(next(iter(decoded(source, reading.encoding)), ""), "utf-8")
            cells = header_cells(copy, reading, filename)
    return [clean_name(cell) for cell in cells] != list(columns)
