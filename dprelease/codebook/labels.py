"""Names, labels and value labels in the files of SPSS and Stata. Their rows are not read."""

from __future__ import annotations

from collections.abc import Iterable
from io import BytesIO
from typing import Any

from dprelease.codebook.book import Codebook, Note, Writing, without_repeats
from dprelease.codebook.fault import CodebookError
from dprelease.model.column import ColumnType
from dprelease.model.dictionary import EXTENDED, Variable, variables
from dprelease.model.missing import CODES
from dprelease.words import phrase

DATES = ("DATE", "ADATE", "EDATE", "JDATE", "SDATE", "%TD", "%D")
"""How the formats of days begin. A moment (DATETIME, %tc) is no day."""
MOMENTS = ("DATETIME", "%TC")


def read_labels(source: str, ending: str, content: bytes, *, by_label: bool) -> Codebook:
    """Reads the dictionary of a .sav, .zsav, .por or .dta file. Raises CodebookError."""
    import pyreadstat

    reader: Any = {"dta": pyreadstat.read_dta, "por": pyreadstat.read_por}.get(ending, pyreadstat.read_sav)
    more = {} if ending == "por" else {"user_missing": True}
    try:
        _, meta = reader(BytesIO(content), metadataonly=True, **more)
    except Exception:  # noqa: BLE001 (the reader raises many kinds, whose texts may quote the file)
        allowed = phrase("codebook.file_spss_stata_wrote")
        raise CodebookError(source, found=phrase("table.file_cannot_read"), allowed=allowed) from None
    found = variables(meta)
    writing = Writing(source, by_label=by_label)
    for variable in found:
        _variable(writing, variable)
        if ending == "por":
            writing.note(Note.CODES_UNREAD, variable.name)
    return writing.done()


def of_dictionary(source: str, found: Iterable[Variable], *, by_label: bool) -> Codebook:
    """Returns what a dictionary says of columns. `by_label`: where the table holds labels, they are the categories."""
    writing = Writing(source, by_label=by_label)
    for variable in found:
        _variable(writing, variable)
    return writing.done()


def _variable(writing: Writing, variable: Variable) -> None:
    name, shown = variable.name, variable.format.upper()
    labels = {value: label for value, label in variable.labels.items() if value not in variable.missing}
    declared: dict[str, Any] = {}
    if labels and not variable.scale:
        declared = {"type": ColumnType.CATEGORY.value, "categories": without_repeats(labels)}
    elif shown.startswith(DATES) and not shown.startswith(MOMENTS):
        declared = {"type": ColumnType.DATE.value}
    elif variable.text:
        writing.note(Note.TEXT, name)
    else:
        declared = {"type": (ColumnType.INTEGER if shown.endswith(".0") else ColumnType.NUMBER).value}
    if not variable.text and any(EXTENDED.fullmatch(value) for value in variable.missing):
        writing.note(Note.EXTENDED_MISSING, name)
    codes = [*variable.codes]
    if writing.by_label:
        codes += [label for value, label in variable.labels.items() if value in variable.missing]
    if codes and "type" in declared:
        declared[CODES] = codes
        writing.note(Note.MISSING_CODES, name)
    missing = {value: label for value, label in variable.labels.items() if value in variable.missing}
    writing.add(name, declared, label=variable.label, labels=labels, missing=missing)
