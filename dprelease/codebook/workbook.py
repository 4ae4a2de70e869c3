"""Codebooks as Excel workbooks: a sheet that describes columns, and sheets or blocks of code lists.

A codebook may have the headings of a CSV codebook, or be the record design of a statistics office: a sheet of
variables, each with the name of a dictionary, and sheets of such dictionaries below one another or side by side.
"""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dprelease.codebook.book import ByLanguage, Codebook, number_text
from dprelease.codebook.bounds import ExactText
from dprelease.codebook.fault import CodebookError
from dprelease.codebook.limits import BYTES, CELLS, CHARACTERS, GAP, TAGS, TEXT
from dprelease.codebook.rows import CodeList, meanings, read_rows
from dprelease.codebook.vocabulary import YES, plain_word
from dprelease.errors import InputError, need
from dprelease.words import phrase, verbatim

CHUNK = 2**20
"""Bytes that are unpacked at a time."""
BEFORE = b"\xef\xbb\xbf\xff\xfe\0 \t\r\n"
"""Bytes allowed before the first `<` of XML: no parser goes on in what begins otherwise, such as a picture."""

HEADING_WITHIN = 60
"""Rows of a sheet among which the heading of its columns is looked for."""
TITLE_WITHIN = 3
"""Rows above the heading of a block of codes among which its name is looked for."""
LABELS = ("value_label", "label", "description")
Grid = Sequence[Sequence[str]]


def read_workbook(source: str, content: bytes, resource: str | None, *, by_label: bool) -> Codebook:
    """Read the sheet of columns that is wanted, else the first, with the code lists that its columns name.

    Formulas are not computed: a cell holds what the program that wrote it computed. Raises CodebookError.
    """
    sheets = _sheets(source, content)
    tables = _tables(sheets)
    if not tables:
        raise CodebookError(
            source,
            found=phrase("codebook.sheets_without_heading", sheets=tuple(sheets)),
            allowed=phrase("codebook.header_name_any_type"),
        )
    if resource is not None and resource not in tables:
        raise CodebookError("resource", found=resource, allowed=verbatim(", ".join(tables)))
    chosen = resource if resource is not None else next(iter(tables))
    lists: dict[str, CodeList] = {}
    for title, grid in sheets.items():
        if title not in tables:
            lists = code_lists(title, grid) | lists
    several = tuple(tables) if len(tables) > 1 else ()
    lines = [row for row in sheets[chosen][tables[chosen] :] if row]
    return read_rows(source, lines, by_label=by_label, lists=lists, resources=several)


def _tables(sheets: Mapping[str, Grid]) -> dict[str, int]:
    """Return the sheets that describe columns, and the row of their heading.

    Where one has no codes, another with a row for each code of a column is a sheet of code lists.
    """
    found = {title: heading for title, grid in sheets.items() if (heading := _heading(grid)) is not None}
    plain = {title: place for title, (place, keys) in found.items() if "value" not in keys}
    return plain or {title: place for title, (place, _) in found.items()}


def _heading(grid: Grid) -> tuple[int, set[str]] | None:
    """The row whose cells are the headings of a table of columns, a name and something beside it; what they mean."""
    for place, row in enumerate(grid[:HEADING_WITHIN]):
        keys = {key for key, _ in meanings([plain_word(cell) for cell in row]).values()}
        if "name" in keys and len(keys) > 1:
            return place, keys
    return None


@dataclass(frozen=True, slots=True)
class Block:
    """Position of a code list in a sheet: the row of its heading, and the content of its columns."""

    row: int
    value: int
    labels: Mapping[int, str]
    """Columns with a label, and its language."""
    missing: int | None = None
    list: int | None = None
    """The column that names the list, where several stand in one block."""

    @property
    def columns(self) -> tuple[int, ...]:
        return (self.value, *self.labels)


def code_lists(title: str, grid: Grid) -> dict[str, CodeList]:
    """Return the code lists of a sheet by name: of their titles, of a column that names them, else of the sheet."""
    blocks = [block for row in range(len(grid)) for block in _blocks(grid, row)]
    found: dict[str, CodeList] = {}
    for place, block in enumerate(blocks):
        later = [each.row for each in blocks[place + 1 :] if each.row > block.row and each.value == block.value]
        end = _title_row(grid, block, later[0]) if later else len(grid)
        name = _title(grid, block) or title
        for key, codes in _read(grid, block, end, plain_word(name)).items():
            found.setdefault(key, codes)
    return found


def _blocks(grid: Grid, row: int) -> Iterator[Block]:
    """Yield the headings of code lists in a row, side by side: a code, then one label or more."""
    if not grid[row]:
        return
    words = [plain_word(cell) for cell in grid[row]]
    found = meanings(words)
    places = [place for place, (key, _) in found.items() if key == "value"]
    for index, place in enumerate(places):
        end = places[index + 1] if index + 1 < len(places) else len(words)
        beside = {each: said for each, said in found.items() if place < each < end}
        labels = {each: language for each, (key, language) in beside.items() if key in LABELS}
        missing = next((each for each, (key, _) in beside.items() if key in ("missing", "missing_codes")), None)
        before = [each for each, (key, _) in found.items() if each < place and key in ("codelist", "name")]
        if labels:
            yield Block(row, place, labels, missing, before[-1] if before else None)


def _cell(grid: Grid, row: int, column: int) -> str:
    return grid[row][column] if 0 <= row < len(grid) and column < len(grid[row]) else ""


def _title_row(grid: Grid, block: Block, heading: int) -> int:
    """Return the end of a block whose column has another one below: at that one's title, if it has one."""
    for row in range(heading - 1, max(block.row, heading - TITLE_WITHIN - 1), -1):
        if _is_title(grid, row, block):
            return row
    return heading


def _title(grid: Grid, block: Block) -> str:
    """Return the name above the heading of a block."""
    for row in range(block.row - 1, max(-1, block.row - TITLE_WITHIN - 1), -1):
        if _is_title(grid, row, block):
            return next(text for column in block.columns if (text := _cell(grid, row, column)))
        if any(_cell(grid, row, column) for column in block.columns):
            return ""
    return ""


def _is_title(grid: Grid, row: int, block: Block) -> bool:
    """Return True if a row has one text alone where a block has its columns."""
    return sum(bool(_cell(grid, row, column)) for column in block.columns) == 1


def _read(grid: Grid, block: Block, end: int, name: str) -> dict[str, CodeList]:
    """The lists of a block. One that names its lists in a column may have empty rows; others end at the first."""
    labels: dict[str, dict[str, ByLanguage]] = {}
    missing: dict[str, set[str]] = {}
    for row in range(block.row + 1, end):
        if block.list is not None:
            name = plain_word(_cell(grid, row, block.list)) or name
        value = _cell(grid, row, block.value)
        if not value:
            if block.list is None and not any(_cell(grid, row, column) for column in block.columns):
                break
            continue
        words = {language: text for column, language in block.labels.items() if (text := _cell(grid, row, column))}
        labels.setdefault(name, {}).setdefault(value, words)
        if block.missing is not None and plain_word(_cell(grid, row, block.missing)) in YES:
            missing.setdefault(name, set()).add(value)
    return {key: CodeList(codes, frozenset(missing.get(key, ()))) for key, codes in labels.items()}


def first_list(source: str, content: bytes) -> CodeList:
    """Return the code list of a workbook that holds one. Raises CodebookError."""
    for title, grid in _sheets(source, content).items():
        for codes in code_lists(title, grid).values():
            return codes
    raise CodebookError(source, found=phrase("codebook.no_code_list"), allowed=phrase("codebook.code_and_label"))


def first_sheet(source: str, content: bytes) -> Grid:
    """Return the cells of the first visible sheet. Raises CodebookError."""
    return next(iter(_sheets(source, content).values()), [])


def _sheets(source: str, content: bytes) -> dict[str, Grid]:
    """Return the visible sheets as rows of texts. Raises CodebookError."""
    from warnings import catch_warnings, simplefilter

    need("codebooks", "openpyxl")
    import openpyxl

    try:
        tags = _tags(source, content)
        with catch_warnings():
            simplefilter("ignore")  # some quote a cell
            book: Any = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True, keep_links=False)
        try:
            shown = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
            counted, met = 0, Met(source)
            found: dict[str, Grid] = {}
            for sheet in shown:
                counted += tags[sheet._worksheet_path]  # several may be of one part
                TAGS.check(source, counted)
                found[sheet.title] = _grid(sheet, met)
        finally:
            book.close()
    except InputError:
        raise
    except Exception:  # noqa: BLE001 (openpyxl raises what its parsers raise, and quotes what it read)
        raise CodebookError(
            source,
            found=phrase("table.excel_workbook_cannot_read"),
            allowed=phrase("table.whole_xlsx_workbook_without"),
            remedy=phrase("table.open_save_anew_xlsx"),
        ) from None
    return found


def _tags(source: str, content: bytes) -> dict[str, int]:
    """Count the `<` of each part of a workbook, before anything reads it. Raises CodebookError."""
    size = count = 0
    found: dict[str, int] = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for part in archive.infolist():
            before, gap, is_xml = count, 0, True
            with archive.open(part) as file:
                while chunk := file.read(CHUNK):
                    size += len(chunk)
                    BYTES.check(source, size)
                    first, *others = map(len, chunk.split(b"<"))
                    count += len(others)
                    TAGS.check(source, count)
                    if not gap and count == before + len(others):
                        is_xml = chunk.lstrip(BEFORE)[:1] in (b"<", b"")
                    if is_xml:
                        GAP.check(source, max(gap + first, *others, 0))
                    gap = others[-1] if others else gap + first
            found[part.filename] = count - before
    return found


@dataclass(slots=True)
class Met:
    """Count of the cells and characters met in the sheets of a workbook."""

    source: str
    cells: int = 0
    characters: int = 0


def _grid(sheet: Any, met: Met) -> Grid:
    """The cells of a sheet as texts, without what is empty at its end; counted with that. Raises CodebookError."""
    sheet.reset_dimensions()  # what a file says of them may be wrong
    grid: list[Sequence[str]] = []
    for row in sheet.iter_rows(values_only=True):
        met.cells += len(row) + 1
        CELLS.check(met.source, met.cells)
        width = len(row)
        while width and row[width - 1] is None:
            width -= 1
        if not width:
            grid.append(())
            continue
        cells = [_text(cell) for cell in row[:width]]
        TEXT.check(met.source, max(map(len, cells)))
        met.characters += sum(map(len, cells))
        CHARACTERS.check(met.source, met.characters)
        while cells and not cells[-1]:
            cells.pop()
        grid.append(cells)
    while grid and not grid[-1]:
        grid.pop()
    return grid


def _text(cell: Any) -> str:
    """Return a cell as a declaration writes it: 1.0 is 1, a day is 2025-12-31."""
    if cell is None or isinstance(cell, bool):
        return "" if cell is None else "true" if cell else "false"
    if isinstance(cell, dt.datetime) and cell.time() == dt.time():
        return cell.date().isoformat()
    return ExactText(number_text(cell)) if isinstance(cell, int | float) else str(cell).strip()
