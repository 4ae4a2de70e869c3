"""How a cell becomes a value, as public contract of a column: the key `reading` of a plan.

A form is a total function of text: to the text that the grammar of docs/formats.md reads, or to nothing.
"""

from __future__ import annotations

from dprelease.model.column import NUMERIC, ColumnType
from dprelease.model.date_form import DateForm
from dprelease.model.number_form import NumberForm
from dprelease.model.report import Report
from dprelease.model.word_form import Spellings, Words
from dprelease.words import phrase

KEY = "reading"
Form = NumberForm | DateForm | Words | Spellings


def read_form(
    value: object, type: ColumnType, path: str, report: Report, *, categories: tuple[str, ...] = ()
) -> Form | None:
    """The form that a column of a type declares. None for texts, which have none."""
    if type in NUMERIC:
        return NumberForm.read(value, path, report)
    if type is ColumnType.DATE:
        return DateForm.read(value, path, report)
    if type is ColumnType.BOOLEAN:
        return Words.read(value, path, report)
    if type is ColumnType.CATEGORY:
        return Spellings.read(value, path, report, categories)
    report.add(path, found=value, allowed=phrase("model.reading_of_values"))
    return None
