"""Names, labels and value labels in the files of SPSS, Stata and SAS. Their rows are not read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from dprelease.codebook.apart import CATALOGUE, read_apart
from dprelease.codebook.book import Codebook, Note, Writing, number_text, without_repeats
from dprelease.codebook.codes import write_line
from dprelease.codebook.fault import CodebookError
from dprelease.codebook.rows import read_rows
from dprelease.codebook.vocabulary import MEANINGS, plain_word
from dprelease.model.column import ColumnType
from dprelease.model.dictionary import EXTENDED, Dictionary, DictionaryField, Variable, variables_of
from dprelease.model.missing import CODES
from dprelease.words import phrase

NAME, TYPE, CATEGORIES = "name", "type", "categories"


def of_fields(source: str, fields: Iterable[DictionaryField]) -> Codebook:
    """Return what fields say, each as a row under its keys. Raises CodebookError."""
    told = list(fields)
    keys = list(dict.fromkeys(key for field in told for key in field.said if plain_word(key) not in (NAME, TYPE)))
    lines = [[NAME, TYPE, *keys]]
    for field in told:
        stated = {MEANINGS.get(plain_word(key)): text for key, text in field.said.items()}
        kind = stated.get(TYPE, "" if CATEGORIES in stated else field.type)  # codes with labels are no numbers
        lines.append([field.name, kind, *(_cell(key, field.said.get(key, "")) for key in keys)])
    return read_rows(source, lines, by_label=False)


def _cell(key: str, text: str) -> str:
    """Return a value as a cell of a codebook has it: what is JSON, as a list or as codes with their labels."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    if isinstance(value, dict):
        value = [{"value": code, "label": label} for code, label in value.items()]
    if MEANINGS.get(plain_word(key)) == CODES:
        return write_line(_bare(item) for item in value)
    return "\n".join(_labelled(item) for item in value)


def _bare(item: Any) -> str:
    return number_text(item.get("value") if isinstance(item, dict) else item)


def _labelled(item: Any) -> str:
    """Return a category, with its label where it has one."""
    label = item.get("label") if isinstance(item, dict) else None
    return f"{_bare(item)} = {label}" if label else _bare(item)


DATES = (
    *("DATE", "ADATE", "EDATE", "JDATE", "SDATE", "%TD", "%D", "DDMMYY", "MMDDYY", "YYMMDD"),
    *("E8601DA", "B8601DA", "IS8601DA", "WEEKDAT", "WORDDAT", "JULIAN"),
)
"""Beginnings of the day formats, by which `table.ingest_labelled` reads days. A moment (DATETIME) is no day."""
MOMENTS = ("DATETIME", "DATEAMPM", "%TC")


def read_labels(source: str, ending: str, content: bytes, *, by_label: bool) -> Codebook:
    """Read the dictionary of a .sav, .zsav, .por, .dta or .sas7bdat file. Raises CodebookError."""
    told = variables_of(read_apart(source, ending, content))
    return of_dictionary(source, Dictionary(variables=told, by_label=by_label, hides_codes=ending == "por"))


def of_dictionary(source: str, found: Dictionary) -> Codebook:
    """Return what a dictionary says of columns. Raises CodebookError."""
    if found.fields:
        return of_fields(source, found.fields)
    writing = Writing(source, by_label=found.by_label)
    for variable in found.variables:
        _variable(writing, variable)
        if found.hides_codes:
            writing.note(Note.CODES_UNREAD, variable.name)
    return writing.done()


def with_catalogue(found: Dictionary | None, source: str, content: bytes) -> Dictionary:
    """A dictionary of SAS with the labels of a catalogue (.sas7bcat). Raises CodebookError where it is none of SAS."""
    if found is None or not found.has_formats:
        allowed = phrase("codebook.table_of_sas")
        raise CodebookError(source, found=phrase("codebook.catalogue_of_sas"), allowed=allowed)
    return found.with_formats({name: dict(each) for name, each in read_apart(source, CATALOGUE, content).items()})


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
