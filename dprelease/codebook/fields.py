"""Column descriptions in a Parquet file, in the metadata of its fields: read as a codebook of headings."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from dprelease.codebook.book import Codebook, number_text
from dprelease.codebook.codes import write_line
from dprelease.codebook.rows import read_rows
from dprelease.codebook.vocabulary import MEANINGS, plain_word
from dprelease.model.dictionary import DictionaryField
from dprelease.model.missing import CODES

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
