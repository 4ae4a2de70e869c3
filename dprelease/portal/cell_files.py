"""Some cells of a table as files that programs open: a workbook, Parquet."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from datetime import datetime
from io import BytesIO
from typing import Any

import pyarrow
from pyarrow import parquet

from dprelease.bundle import guarantee
from dprelease.bundle.question import Question
from dprelease.portal.cells import Column, Page
from dprelease.portal.cite import citations
from dprelease.portal.shelf import Bundle
from dprelease.words.phrases import visible

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time of a zip file: equal cells give equal bytes."""
WIDEST = 40
ARROW = {"integer": pyarrow.int64(), "number": pyarrow.float64()}


def parquet_file(page: Page, bundle: Bundle, table: str) -> bytes:
    """The page as Parquet; where it is from stands in its metadata."""
    told = {"dprelease.release": bundle.id, "dprelease.table": table}
    fields = [pyarrow.field(each.name, ARROW.get(each.kind, pyarrow.string())) for each in page.columns]
    rows = page.mappings()
    arrays = [pyarrow.array([row[field.name] for row in rows], field.type) for field in fields]
    buffer = BytesIO()
    parquet.write_table(
        pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields, metadata=told)), buffer, compression="zstd"
    )
    return buffer.getvalue()


def workbook(page: Page, bundle: Bundle, table: str) -> bytes:
    """The page as a workbook: the cells, and on a second sheet what they are and what they are protected by.

    No text is ever a formula.
    """
    from openpyxl import Workbook
    from openpyxl.styles import Font

    book = Workbook(write_only=True)
    book.properties.creator = book.properties.title = "dprelease"
    book.properties.created = book.properties.modified = datetime.fromisoformat(bundle.certificate.day)
    cells = book.create_sheet("cells")
    cells.freeze_panes = "A2"
    for place, column in enumerate(page.columns):
        cells.column_dimensions[_letter(place)].width = _width(page, column)
    cells.append([_text(cells, each.name, Font(bold=True)) for each in page.columns])
    for row in page.mappings():
        cells.append([_text(cells, cell) if isinstance(cell, str) else cell for cell in row.values()])
    about = book.create_sheet("about")
    about.column_dimensions["A"].width, about.column_dimensions["B"].width = 16, 100
    for name, told in _about(bundle, table):
        about.append([_text(about, name, Font(bold=True)), _text(about, told)])
    buffer = BytesIO()
    book.save(buffer)
    return _timeless(buffer)


def _about(bundle: Bundle, table: str) -> Sequence[tuple[str, str]]:
    facts, question = bundle.certificate, Question.of(bundle.certificate, table)
    return [
        ("title", facts.title),
        ("release", bundle.id),
        ("published", facts.day),
        ("table", table),
        ("question", question.text),
        ("value", question.measure),
        ("guarantee", guarantee.in_text(facts)),
        ("cite", citations(bundle)["apa"]),
    ]


def _text(sheet: Any, text: str, font: Any = None) -> Any:
    """A cell that holds a text, whatever it begins with."""
    from openpyxl.cell import WriteOnlyCell

    cell = WriteOnlyCell(sheet, visible(text))
    cell.data_type = "s"
    if font is not None:
        cell.font = font
    return cell


def _width(page: Page, column: Column) -> int:
    texts = column.taken(page.rows[:100])
    return min(WIDEST, 2 + max(len(text or "") for text in (column.name, *texts)))


def _letter(place: int) -> str:
    from openpyxl.utils import get_column_letter

    return str(get_column_letter(place + 1))


def _timeless(book: BytesIO) -> bytes:
    """The same files in the same order, without the time at which they were packed."""
    buffer = BytesIO()
    with zipfile.ZipFile(book) as packed, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in packed.namelist():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, packed.read(name))
    return buffer.getvalue()
