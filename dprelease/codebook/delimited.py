"""Codebooks as text: a row for each column, or a row for each category of a column. Read, and written again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from dprelease.codebook.book import Codebook
from dprelease.codebook.codes import write_line
from dprelease.codebook.fault import CodebookError
from dprelease.codebook.limits import CELLS, TEXT, WIDTH
from dprelease.codebook.rows import read_rows
from dprelease.codebook.vocabulary import HEADERS, IN_YAML
from dprelease.model.column import Column
from dprelease.model.missing import CODES
from dprelease.model.schema import Schema
from dprelease.model.separators import Ambiguous, evidence
from dprelease.words import phrase

CATEGORIES = "categories"


def read_delimited(source: str, content: bytes, *, by_label: bool) -> Codebook:
    """Read CSV or TSV with any of the usual delimiters, in UTF-8 or Windows-1252. Raises CodebookError."""
    return read_rows(source, lines(source, content), by_label=by_label)


def write_delimited(schema: Schema) -> str:
    """Declared columns as CSV, which `read_delimited` reads as the same: categories in a row each, under their column.

    Raises CodebookError where a category has blanks at its ends, or is empty: a cell of a codebook has none.
    """
    rows = [row for column in schema for row in _rows(column)]
    heads = [key for key in HEADERS if any(key in row for row in rows)]
    target = io.StringIO()
    writer = csv.DictWriter(target, heads, lineterminator="\n")
    writer.writerow({key: HEADERS[key].split()[0] for key in heads})
    writer.writerows(rows)
    return target.getvalue()


def _rows(column: Column) -> Iterator[dict[str, str]]:
    declared = column.to_mapping()
    listed = declared.pop(CATEGORIES, [])
    if not isinstance(listed, str) and (blank := [text for text in listed if text != text.strip() or not text]):
        path, allowed = f"columns.{column.name}.{CATEGORIES}", phrase("codebook.category_without_blanks")
        raise CodebookError(path, found=blank[0], allowed=allowed, remedy=phrase("codebook.write_json"))
    told = {key: _cell(key, value) for key, value in declared.items()}
    yield {"name": column.name, **told, **({CATEGORIES: listed} if isinstance(listed, str) else {})}
    if not isinstance(listed, str):
        yield from ({"value": category} for category in listed)


def _cell(key: str, value: Any) -> str:
    """Write a key's value as a cell; a number so that nobody takes its point for one between thousands."""
    if key in IN_YAML:
        return json.dumps(value, ensure_ascii=False)
    if key == CODES:
        return write_line(value)
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"{text}0" if isinstance(evidence(text)[1], Ambiguous) and not isinstance(value, str) else text


def lines(source: str, content: bytes) -> list[list[str]]:
    """Return the rows of a table of text with a cell in them. Raises CodebookError."""
    text = _text(content)
    first = next((line for line in io.StringIO(text) if line.strip()), "")
    delimiter = max(",;\t|", key=first.count)
    CELLS.check(source, text.count(delimiter) + text.count("\n") + text.count("\r"))
    try:
        found = [line for line in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if any(line)]
    except csv.Error as cause:
        TEXT.check(source, TEXT.most + ("limit" in str(cause)))
        raise CodebookError(source, found=str(cause), allowed=phrase("codebook.table_text_such_csv")) from None
    WIDTH.check(source, max(map(len, found), default=0))
    TEXT.check(
        source, max((len(cell) for line in found for cell in line), default=0)
    )  # csv's own limit is the process's
    return found


def _text(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")
