"""Codebooks as text: a row for each column, or a row for each category of a column."""

from __future__ import annotations

import csv
import io

from dprelease.codebook.book import Codebook
from dprelease.codebook.fault import CodebookError
from dprelease.codebook.rows import read_rows
from dprelease.words import phrase


def read_delimited(source: str, content: bytes, *, by_label: bool) -> Codebook:
    """Reads CSV or TSV with any of the usual delimiters, in UTF-8 or Windows-1252. Raises CodebookError."""
    return read_rows(source, lines(source, content), by_label=by_label)


def lines(source: str, content: bytes) -> list[list[str]]:
    """The rows of a table of text with a cell in them. Raises CodebookError."""
    text = _text(content)
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = max(",;\t|", key=first.count)
    try:
        return [line for line in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if any(line)]
    except csv.Error as cause:
        raise CodebookError(source, found=str(cause), allowed=phrase("codebook.table_text_such_csv")) from None


def _text(content: bytes) -> str:
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16", errors="replace")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")
