"""Cells of a table as files that programs open: a workbook, Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from io import BytesIO

import pyarrow
from pyarrow import parquet

from dprelease.bundle import guarantee
from dprelease.bundle.workbook import put
from dprelease.portal.cells import Page, TextColumn
from dprelease.portal.cite import citations
from dprelease.portal.shelf import Bundle
from dprelease.statements.question import StatisticLabel
from dprelease.words.phrases import visible

WIDEST = 40
ARROW = {"integer": pyarrow.int64(), "number": pyarrow.float64()}


def parquet_file(page: Page, bundle: Bundle, table: str) -> bytes:
    """Return the page as Parquet, with its source in the metadata."""
    told = {"dprelease.release": bundle.id, "dprelease.table": table}
    fields = [pyarrow.field(each.name, ARROW.get(each.kind, pyarrow.string())) for each in page.columns]
    rows = page.mappings()
    arrays = [pyarrow.array([row[field.name] for row in rows], field.type) for field in fields]
    buffer = BytesIO()
    parquet.write_table(
        pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields, metadata=told)), buffer, compression="zstd"
    )
    return buffer.getvalue()


def cells_workbook(page: Page, bundle: Bundle, table: str) -> bytes:
    """Return the page as a workbook: the cells, and on a second sheet their description and guarantee.

    No text is ever a formula; equal cells give equal bytes.
    """
    from xlsxwriter import Workbook

    buffer, facts = BytesIO(), bundle.certificate
    made = Workbook(buffer, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    made.set_properties({"title": visible(facts.called), "created": datetime.fromisoformat(f"{facts.day}T00:00:00")})
    strong, plain, text = made.add_format({"bold": True}), made.add_format(), made.add_format({"text_wrap": True})
    cells = made.add_worksheet("cells")
    cells.freeze_panes(1, 0)
    for place, column in enumerate(page.columns):
        cells.set_column(place, place, _width(page, column))
        put(cells, 0, place, column.name, strong)
    for line, row in enumerate(page.mappings(), 1):
        for place, cell in enumerate(row.values()):
            put(cells, line, place, cell, plain)
    about = made.add_worksheet("about")
    about.set_column(0, 0, 16)
    about.set_column(1, 1, 100)
    for line, (name, told) in enumerate(_about(bundle, table)):
        put(about, line, 0, name, strong)
        put(about, line, 1, told, text)
    made.close()
    return buffer.getvalue()


def _about(bundle: Bundle, table: str) -> Sequence[tuple[str, str]]:
    facts, question = bundle.certificate, StatisticLabel.of(bundle.certificate, table)
    return [
        ("title", facts.called),
        ("release", bundle.id),
        ("published", facts.day),
        ("table", table),
        ("question", question.text),
        ("value", question.measure),
        ("guarantee", guarantee.in_text(facts)),
        ("cite", citations(bundle)["apa"]),
    ]


def _width(page: Page, column: TextColumn) -> int:
    texts = column.taken(page.rows[:100])
    return min(WIDEST, 2 + max(len(text or "") for text in (column.name, *texts)))
