"""A public file with the same columns: what its values propose, made wider. Only of a file that somebody attests."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from decimal import Decimal
from pathlib import PurePath
from typing import Any

from dprelease.codebook.book import Codebook, Note, Origin, Writing
from dprelease.codebook.fault import CodebookError
from dprelease.model.column import ColumnType
from dprelease.model.encoding import plain
from dprelease.model.missing import CODES
from dprelease.model.report import read_date
from dprelease.model.separators import Ambiguous, Mixed, Settled, separators, settled_by
from dprelease.model.typed import Context, TypedValue, typed
from dprelease.words import phrase, quoted

EXTENSIONS = ("csv", "tsv", "txt", "xlsx", "xlsm")
MAX_BYTES = 50_000_000
FEW = 12
"""A column of so many whole numbers at most holds codes of categories."""
MANY = 200
"""A column of more texts holds free text."""
NINES = re.compile(r"-?9+")
WORDS = frozenset(["NA", "N/A", "NaN", ".", "NS", "NC", "NS/NC"])
"""Words for no answer in a column of numbers or days."""
APART = 2
"""A code of nines is at least so many times as large as any other value."""
NUMBERS = {"type": ColumnType.NUMBER.value}
FINEST = 6
"""Decimals of a resolution that is proposed."""


def read_sample(filename: str, content: bytes, *, public: bool) -> Codebook:
    """Propose from a file's values: types, categories, codes for no answer, and bounds at the next power of ten.

    `public`: whoever asks attests that the file is public, and is not the table itself. Its SHA-256 is kept with what
    is taken over. Raises CodebookError.
    """
    name = PurePath(filename.replace("\\", "/")).name
    if not public:
        raise CodebookError("public", found=phrase("model.nothing"), allowed=phrase("codebook.file_attested_public"))
    lines = _lines(name, content)
    heads = [head.strip() for head in lines[0]] if lines else []
    if len(lines) < 2 or not any(heads):
        allowed = phrase("codebook.public_file_with_rows")
        raise CodebookError(name, found=phrase("codebook.no_column"), allowed=allowed)
    origin = Origin(source=name, version="", digest=hashlib.sha256(content).hexdigest())
    writing = Writing(name)
    columns = {
        head: list(dict.fromkeys(cell for line in lines[1:] if place < len(line) and (cell := line[place].strip())))
        for place, head in enumerate(heads)
        if head
    }
    marks = separators([value for values in columns.values() for value in values])
    for head, values in columns.items():
        own = separators(values)
        _column(writing, head, values, origin, own if isinstance(own, Settled) else marks)
    return writing.done()


def _lines(name: str, content: bytes) -> Sequence[Sequence[str]]:
    ending = PurePath(name).suffix.lower().lstrip(".")
    if len(content) > MAX_BYTES:
        raise CodebookError(
            name,
            found=phrase("codebook.bytes", count=len(content)),
            allowed=phrase("codebook.codebook_at_most_bytes", max_bytes=MAX_BYTES),
        )
    if ending in ("xlsx", "xlsm"):
        from dprelease.codebook.workbook import first_sheet

        return [line for line in first_sheet(name, content) if any(line)]
    if ending in EXTENSIONS:
        from dprelease.codebook.delimited import lines

        return lines(name, content)
    allowed = phrase("codebook.file_ending", ending=", ".join(EXTENSIONS))
    raise CodebookError(name, found=phrase("codebook.file_ending", ending=quoted(ending)), allowed=allowed)


def _column(
    writing: Writing, name: str, values: Sequence[str], origin: Origin, marks: Settled | Ambiguous | Mixed
) -> None:
    """Propose one column from its distinct values; no bounds where nothing says how the file writes numbers."""
    words = [value for value in values if value in WORDS]
    rest = [value for value in values if value not in WORDS]
    days = [day for value in rest if (day := read_date(value)) is not None]
    is_settled = isinstance(marks, Settled)
    context = Context(marks if isinstance(marks, Settled) else settled_by("."))
    found = [typed(value, ColumnType.NUMBER, context) for value in rest if _is_number(value)]
    numbers = [Decimal(each.text) for each in found if isinstance(each, TypedValue)]
    declared: dict[str, Any] = {}
    if rest and len(days) == len(rest):
        declared = {
            "type": ColumnType.DATE.value,
            "lower": f"{min(days).year}-01-01",
            "upper": f"{max(days).year}-12-31",
        }
    elif len(numbers) > FEW and len(numbers) == len(rest):
        codes = _codes(numbers) if is_settled else []
        declared = _numbers([each for each in numbers if each not in codes]) if is_settled else {**NUMBERS}
        words = [*map(_text, codes), *words]
    elif 0 < len(values) <= MANY:
        declared, words = {"type": ColumnType.CATEGORY.value, "categories": sorted(values), "other": True}, []
    else:
        writing.note(Note.TEXT, name)
    if words:
        declared[CODES] = words
        writing.note(Note.MISSING_CODES, name)
    writing.add(name, declared, origin=origin if declared else None)


def _is_number(value: str) -> bool:
    """Return True if a text is a number and no code such as 007."""
    return not re.fullmatch(r"[-+]?0[0-9]+", value)


def _codes(numbers: Sequence[Decimal]) -> list[Decimal]:
    """Return the numbers that are nines alone, and far from all others."""
    found = [each for each in numbers if NINES.fullmatch(_text(each))]
    rest = [each for each in numbers if each not in found]
    reach = max((abs(each) for each in rest), default=Decimal(0))
    if min(rest, default=Decimal(0)) >= 0:
        return [each for each in found if each < 0 or each >= APART * reach]
    return [each for each in found if abs(each) >= APART * reach]


def _numbers(numbers: Sequence[Decimal]) -> dict[str, Any]:
    """Type, resolution, and bounds at the next power of ten outwards; 0 where none is negative."""
    places = max(0, *(-int(each.normalize().as_tuple().exponent) for each in numbers))
    kind = ColumnType.NUMBER if places else ColumnType.INTEGER
    ends = {"lower": plain(_wider(min(*numbers, Decimal(0)))), "upper": plain(_wider(max(*numbers, Decimal(1))))}
    step = {"resolution": plain(Decimal(1).scaleb(-min(places, FINEST)))} if places else {}
    return {"type": kind.value, **ends, **step}


def _wider(value: Decimal) -> Decimal:
    """Return the next power of ten away from 0."""
    size = Decimal(1)
    while size < abs(value):
        size *= 10
    return size.copy_sign(value) if value else Decimal(0)


def _text(value: Decimal) -> str:
    """Return a number as it stands in a cell."""
    return str(plain(value))
