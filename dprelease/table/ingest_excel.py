"""Excel workbooks (.xlsx): one sheet, read row by row, its cells as text."""

from __future__ import annotations

import datetime as dt
import re
import zipfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import Any

from dprelease.errors import UploadError, need
from dprelease.model.reading import Detected, Format, Reading, WorkbookSheet
from dprelease.table.detect_header import find_header
from dprelease.table.detect_text import SHOWN
from dprelease.table.ingest_text import Note, checked_names
from dprelease.words import phrase, quoted

MAX_ROWS = 2**20
"""Maximum rows of a sheet, by the format."""
MAX_UNPACKED = 2**30
MAX_SHARED = 2**27
"""Bytes of a part that is no sheet: the texts that all sheets share are held in memory."""
SAMPLE_ROWS = 200
MAX_COUNTED = 5000
"""Rows of a sheet that are counted before one is chosen."""
MAX_EMPTY, MAX_EMPTY_A_CELL = 5_000_000, 20
"""Empty cells of a sheet that are gone through, and further ones for each cell with a value: each costs as much."""
BATCH = 2**19
"""Cells that are held at a time."""
LARGE = 2**63
"""Whole numbers below are written with all their digits."""
BOOK, SHEETS = "xl/workbook.xml", "xl/worksheets/"
ROW = re.compile(rb"<(?:[^\s<>/!?]+:)?row[\s/>]")
LEAST = len("<row/>")
CHUNK = 2**22


def is_workbook(source: Path) -> bool:
    """Return True if a zip file is an Excel workbook."""
    try:
        with zipfile.ZipFile(source) as archive:
            return BOOK in archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False


def detect_excel(source: Path, filename: str, said: Mapping[str, Any]) -> Detected:
    """Return the visible sheets; the one that holds a table, where only one does, and where its names stand."""
    with _opened(source, filename) as book:
        names = _names(book, filename)
        sampled = {name: _sampled(book[name], filename) for name in names}
        names = [name for name in names if sampled[name]] or names[:1]
        sampled = {name: sampled[name] for name in names}
        headers = {name: find_header(rows[:SAMPLE_ROWS]) for name, rows in sampled.items()}
        sheets = tuple(
            WorkbookSheet(
                name=name,
                columns=each.width,
                rows=_below(sampled[name], each.line),
                is_table=each.is_table,
            )
            for name, each in headers.items()
        )
        tables = [each.name for each in sheets if each.is_table]
        sheet = said.get("sheet") or (tables or list(names))[0]
        if sheet not in headers:
            if sheet not in book.sheetnames:
                raise UploadError(filename, found=phrase("table.no_such_sheet"), allowed=phrase("table.sheet_workbook"))
            sampled[sheet] = _sampled(book[sheet], filename)
            headers[sheet] = find_header(sampled[sheet][:SAMPLE_ROWS])
        found = headers[sheet]
    line = said.get("header", found.line)
    unclear = len(names) > 1 and len(tables) != 1 and "sheet" not in said
    asks = {
        "sheet": unclear,
        "header": not unclear and not found.settled and "header" not in said,
        "units": not unclear and found.units and "units" not in said and line == found.line,
    }
    reading = Reading(format=Format.EXCEL, **{"sheet": sheet, "header": line, **said})
    return Detected(
        reading=reading,
        sheets=sheets,
        asks=tuple(part for part, asked in asks.items() if asked),
        bands=found.bands if line == found.line else (),
        formulas=_formulas(source, filename, sheet, line, sampled[sheet]),
    )


def sheet_names(source: Path, filename: str) -> list[str]:
    """Return the names of the sheets that somebody can see."""
    with _opened(source, filename) as book:
        return _names(book, filename)


def _names(book: Any, filename: str) -> list[str]:
    visible = [sheet.title for sheet in book.worksheets if sheet.sheet_state == "visible"]
    names = visible or [sheet.title for sheet in book.worksheets]
    if not names:
        raise UploadError(filename, found=phrase("table.workbook_without_sheets"), allowed=phrase("table.sheet_table"))
    return names


def first_excel_rows(source: Path, filename: str, reading: Reading) -> list[tuple[int, list[str]]]:
    """Return the first rows of a sheet with cells in them, and their numbers."""
    with _opened(source, filename) as book:
        rows = islice(_rows(book[reading.sheet], filename), SHOWN)
        return [(number, [as_text(cell) or "" for cell in row]) for number, row in rows]


def excel_row(source: Path, filename: str, sheet: str | None, line: int) -> list[str]:
    """Return the cells of one row of a sheet; none where it has no cells."""
    with _opened(source, filename) as book:
        rows = (row for number, row in islice(_rows(book[sheet], filename), line) if number == line)
        return [as_text(cell) or "" for cell in next(rows, ())]


def _sampled(sheet: Any, filename: str) -> list[tuple[int, list[str]]]:
    rows = islice(_rows(sheet, filename), MAX_COUNTED)
    return [(number, [as_text(cell) or "" for cell in row]) for number, row in rows]


def _below(rows: Sequence[tuple[int, list[str]]], line: int) -> int:
    return sum(number > line for number, _ in rows)


def _formulas(source: Path, filename: str, sheet: str, header: int, rows: Sequence[tuple[int, list[str]]]) -> int:
    """Count the columns that hold formulas and nothing else, of which no result is stored."""
    with _opened(source, filename, data_only=False) as book:
        written = [row for number, row in islice(_rows(book[sheet], filename), SAMPLE_ROWS) if number > header]
    filled = {place for number, row in rows if number > header for place, cell in enumerate(row) if cell}
    holds = {
        place for row in written for place, cell in enumerate(row) if isinstance(cell, str) and cell.startswith("=")
    }
    return len(holds - filled)


def excel_batches(source: Path, reading: Reading, filename: str, note: Note) -> Generator[Any, None, None]:
    """Yield a schema, then Arrow batches. Raises UploadError with the row of what cannot be read."""
    import pyarrow

    with _opened(source, filename) as book:
        if reading.sheet not in book.sheetnames:
            raise UploadError(filename, found=phrase("table.no_such_sheet"), allowed=phrase("table.sheet_workbook"))
        rows = _rows(book[reading.sheet], filename)
        first = next((each for each in rows if each[0] >= reading.header), None)
        if first is None or (reading.header and first[0] != reading.header):
            raise UploadError(
                filename,
                found=phrase("table.no_cells_row", max=max(1, reading.header)),
                allowed=phrase("table.table_begins_row_sheet", sheet=quoted(reading.sheet)),
                remedy=phrase("table.say_row_holds_names"),
            )
        width = _width(first[1])
        named = reading.header > 0
        cells = [as_text(cell) or "" for cell in first[1][:width]]
        names = checked_names(cells, filename, named=named, given=reading.names)
        schema = pyarrow.schema([(name, pyarrow.string()) for name in names])
        yield schema
        size = max(1, BATCH // width)
        held = [] if named or _is_left_out(first, reading) else [first[1]]
        for number, row in rows:
            if _is_left_out((number, row), reading):
                continue
            if _width(row) > width:
                raise UploadError(
                    filename,
                    found=phrase("table.row_column_cell_beyond", number=number, width=_width(row)),
                    allowed=phrase("table.cells_sheet_first_columns", sheet=quoted(reading.sheet), width=width),
                )
            held.append(row)
            if len(held) == size:
                yield _batch(held, width, schema)
                held = []
                note(min(1.0, number / MAX_ROWS))
        yield _batch(held, width, schema)


def _is_left_out(row: tuple[int, tuple[Any, ...]], reading: Reading) -> bool:
    """Return True if a row is the row of units under the names, or is left out because of its own cells."""
    if reading.units and row[0] == reading.header + 1 > 1:
        return True
    return bool(reading.skip) and reading.skip.leaves_out([as_text(cell) for cell in row[1]])


def numbered_excel_rows(source: Path, filename: str, reading: Reading) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of the table with cells in them, and their numbers."""
    with _opened(source, filename) as book:
        for number, row in _rows(book[reading.sheet], filename):
            if number > reading.header and not _is_left_out((number, row), reading):
                yield number, [as_text(cell) or "" for cell in row]


def excel_header(source: Path, reading: Reading, filename: str) -> list[str]:
    """Return the cells of the row that holds the names."""
    with _opened(source, filename) as book:
        row = next((row for number, row in _rows(book[reading.sheet], filename) if number >= reading.header), ())
        return [as_text(cell) or "" for cell in row[: _width(row)]]


def _batch(rows: list[tuple[Any, ...]], width: int, schema: Any) -> Any:
    import pyarrow

    columns = [[as_text(row[place]) if place < len(row) else None for row in rows] for place in range(width)]
    return pyarrow.record_batch([pyarrow.array(column, pyarrow.string()) for column in columns], schema=schema)


def _rows(sheet: Any, filename: str) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Yield the rows with a cell in them, and their numbers. Raises UploadError where nearly all cells are empty."""
    sheet.reset_dimensions()  # what a file says of them may be wrong, and every row would be filled up to it
    left = MAX_EMPTY
    for number, row in enumerate(sheet.iter_rows(max_row=MAX_ROWS, values_only=True), start=1):
        empty = row.count(None)
        left += MAX_EMPTY_A_CELL * (len(row) - empty) - empty
        if left < 0:
            raise UploadError(
                filename,
                found=phrase("table.empty_cells", number=number),
                allowed=phrase("table.cells_or_few_empty", most=MAX_EMPTY_A_CELL),
                remedy=phrase("table.save_csv_utf_8"),
            )
        if _width(row):
            yield number, row


def _width(row: tuple[Any, ...]) -> int:
    return next((place for place in range(len(row), 0, -1) if row[place - 1] not in (None, "")), 0)


def as_text(cell: Any) -> str | None:
    """A cell as text: dates as 2025-12-31, numbers as the text of a float begins (docs/reading.md), with all digits.

    None where it is empty or an error.
    """
    if cell is None or cell == "":
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float):
        whole = cell.is_integer() or abs(cell) >= LARGE
        return (str(int(cell)) if abs(cell) < LARGE else repr(cell)) if whole else f"{Decimal(repr(cell)):f}"
    if isinstance(cell, dt.datetime):
        return cell.date().isoformat() if cell.time() == dt.time() else cell.isoformat(" ")
    text = str(cell)
    return None if text in ERRORS else text


ERRORS = ("#N/A", "#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#GETTING_DATA")


@contextmanager
def _opened(source: Path, filename: str, *, data_only: bool = True) -> Iterator[Any]:
    """Yield the workbook, after its unpacked size was checked; the libraries' errors in our words."""
    need("codebooks", "openpyxl")
    from warnings import catch_warnings, simplefilter

    import openpyxl

    book = None
    try:
        _check_size(source, filename)
        with source.open("rb") as file, catch_warnings():
            simplefilter("ignore")  # some quote a cell
            book = openpyxl.load_workbook(file, read_only=True, data_only=data_only, keep_links=False)
            yield book
    except UploadError:
        raise
    except Exception:  # noqa: BLE001 (openpyxl raises what its parsers raise, and quotes what it read)
        raise UploadError(
            filename,
            found=phrase("table.excel_workbook_cannot_read"),
            allowed=phrase("table.whole_xlsx_workbook_without"),
            remedy=phrase("table.open_save_anew_xlsx"),
        ) from None
    finally:
        if book is not None:
            book.close()


def _check_size(source: Path, filename: str) -> None:
    with zipfile.ZipFile(source) as archive:
        parts = archive.infolist()
    held = max(part.file_size for part in parts if not part.filename.startswith(SHEETS))
    if sum(part.file_size for part in parts) > MAX_UNPACKED or held > MAX_SHARED:
        raise UploadError(
            filename,
            found=phrase("table.workbook_too_large_when"),
            allowed=phrase("table.at_most_bytes_bytes", max_unpacked=MAX_UNPACKED, max_shared=MAX_SHARED),
            remedy=phrase("table.save_csv_utf_8"),
        )
    with zipfile.ZipFile(source) as archive:
        sheets = [part for part in parts if part.filename.startswith(SHEETS) and part.file_size > LEAST * MAX_ROWS]
        if any(_has_too_many_rows(archive, part) for part in sheets):
            raise UploadError(
                filename,
                found=phrase("table.sheet_more_rows_than"),
                allowed=phrase("table.at_most_rows", max_rows=MAX_ROWS),
                remedy=phrase("table.save_csv_utf_8"),
            )


def _has_too_many_rows(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bool:
    """Return True if a sheet has more rows than the format allows, whatever their numbers say. Some 300 MB a second."""
    found, tail = 0, b""
    with archive.open(part) as file:
        while found <= MAX_ROWS and (chunk := file.read(CHUNK)):
            text = tail + chunk.replace(b"\0", b"")  # in UTF-16 every other byte is one
            last = text.rfind(b"<")
            found += len(ROW.findall(text, 0, last)) if last > 0 else 0
            tail = text[max(last, 0) :][-CHUNK:]
    return found + len(ROW.findall(tail)) > MAX_ROWS
