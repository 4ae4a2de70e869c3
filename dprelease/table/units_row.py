"""The row under the names of a file that holds units of measure, where somebody said so."""

from __future__ import annotations

from pathlib import Path

from dprelease.model.reading import Format, Reading
from dprelease.table.detect_text import beginning_rows
from dprelease.table.ingest_excel import excel_row


def units_row(source: Path, reading: Reading, filename: str) -> list[str]:
    """Its cells; none where the file does not reach so far."""
    line = reading.header + 1
    if reading.format is Format.EXCEL:
        return excel_row(source, filename, reading.sheet, line)
    return next((cells for number, cells in beginning_rows(source, reading) if number == line), [])
