"""Decimal commas and dates in text cells, written anew as 1234.5 and 2025-12-31, each cell by its own text alone."""

from __future__ import annotations

from collections.abc import Mapping

from dprelease.errors import UploadError
from dprelease.model.reading import TEXTUAL, Dates, Format, Reading
from dprelease.model.report import nearest
from dprelease.table.duckdb_dialect import DuckDB
from dprelease.table.grammar import BLANKS, TIME
from dprelease.words import phrase, quoted

NUMBER = rf"{BLANKS}[+-]?(\d+|\d{{1,3}}([.  '’]\d{{3}})+)(,\d+)?([eE][+-]?\d+)?{BLANKS}"
DATE = rf"{BLANKS}(\d{{1,2}})[./-](\d{{1,2}})[./-](\d{{4}})({TIME})?{BLANKS}"


def rewritten(scan: str, storage: Mapping[str, str], reading: Reading, filename: str) -> str:
    """The scan with the cells rewritten that the reading names; those that are no such number or date stay."""
    unknown = [name for name in reading.columns if name not in storage]
    if unknown:
        raise UploadError(
            filename,
            found=phrase("table.no_column", unknown=quoted(unknown[0])),
            allowed=phrase("table.columns_file"),
            remedy=nearest(unknown[0], storage),
        )
    commas = reading.format is Format.TEXT and reading.decimal == ","
    if reading.format not in TEXTUAL or not (commas or reading.dates is not Dates.ISO):
        return scan
    chosen = reading.columns or tuple(storage)
    cells = []
    for name, kind in storage.items():
        written = DuckDB().name(name)
        x = written
        if name in chosen and kind == "VARCHAR":
            if reading.dates is not Dates.ISO:
                x = _date(x, reading.dates)
            if commas:
                x = _number(x)
        cells.append(f"{x} AS {written}")
    return f"(SELECT {', '.join(cells)} FROM {scan})"


def _number(x: str) -> str:
    bare = f"regexp_replace({x}, {DuckDB().text('[^0-9,eE+-]')}, '', 'g')"
    return f"CASE WHEN regexp_full_match({x}, {DuckDB().text(NUMBER)}) THEN replace({bare}, ',', '.') ELSE {x} END"


def _date(x: str, dates: Dates) -> str:
    pattern = DuckDB().text(DATE)
    order = r"\3-\2-\1" if dates is Dates.DAY_FIRST else r"\3-\1-\2"
    day = f"CAST(TRY_CAST(regexp_replace({x}, {pattern}, '{order}') AS DATE) AS VARCHAR)"
    whole = f"{day} || regexp_extract({x}, {pattern}, 4)"
    return f"COALESCE(CASE WHEN regexp_full_match({x}, {pattern}) THEN {whole} END, {x})"
