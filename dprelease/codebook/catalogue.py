"""Proposals from a database's catalogue: bounds and categories of constraints, enumerations, tables of codes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from dprelease.codebook.book import Codebook, Note, Writing, number_text, without_repeats
from dprelease.model.catalogue import CatalogueColumn
from dprelease.model.column import ORDERED, ColumnType
from dprelease.model.report import as_decimal, read_date

TYPES = {
    ColumnType.INTEGER: ("smallint", "integer", "bigint"),
    ColumnType.NUMBER: ("numeric", "real", "double precision"),
    ColumnType.BOOLEAN: ("boolean",),
    ColumnType.DATE: ("date",),
}
KINDS = {word: kind for kind, words in TYPES.items() for word in words}
TOKEN = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|::|[<>]=?|=|[\[\],()]|-?[0-9]+(?:\.[0-9]+)?|\w+|\S""")
WORDS = frozenset(["AND", "OR", "ANY", "ARRAY"])
OF_DOMAIN = "VALUE"
"""Name of the column in a constraint of a domain."""
Test = tuple[str, str]
"""A comparison with the column, and the value that it is compared with."""


def of_catalogue(source: str, columns: Iterable[CatalogueColumn]) -> Codebook:
    """Return the catalogue as a codebook. A constraint that is more than bounds or a list of values is left out."""
    writing = Writing(source)
    for column in columns:
        _column(writing, column)
    return writing.done()


def _column(writing: Writing, column: CatalogueColumn) -> None:
    labels = dict(column.lookup) or dict.fromkeys(column.enum, "")
    ends: dict[str, str] = {}
    for tests in (_tests(column.name, check) for check in column.checks):
        if tests and all(sign == "=" for sign, _ in tests):
            labels = labels or {value: "" for _, value in tests}
        else:
            ends |= _ends(tests, KINDS.get(column.storage))
    kind = KINDS.get(column.storage)
    declared: dict[str, Any] = {}
    if labels and kind is not ColumnType.BOOLEAN:
        declared = {"type": ColumnType.CATEGORY.value, "categories": without_repeats(labels)}
    elif kind is not None:
        declared = {"type": kind.value, **(ends if kind in ORDERED else {})}
    else:
        writing.note(Note.TEXT, column.name)
    writing.add(column.name, declared, note=column.comment, labels=labels)


def _ends(tests: Sequence[Test], kind: ColumnType | None) -> dict[str, str]:
    """Return the bounds of comparisons; of whole numbers, those next to an end that is not in."""
    ends: dict[str, str] = {}
    for sign, value in tests:
        number, inward = as_decimal(value), 1 if sign == ">" else -1 if sign == "<" else 0
        if number is not None and kind is ColumnType.INTEGER:
            value = number_text(number + inward)
        if number is not None or read_date(value) is not None:
            ends["lower" if sign.startswith(">") else "upper"] = value
    return ends


def _tests(name: str, check: str) -> list[Test]:
    """The comparisons of a constraint that are joined by AND, or its values joined by OR; none where it says more."""
    words = _plain(TOKEN.findall(check))
    tests: list[Test] = []
    joints: set[str] = set()
    while words:
        if len(words) < 3 or _unquoted(words[0]) not in (name, OF_DOMAIN):
            return []
        sign, rest = words[1], words[2:]
        if sign == "=" and rest[:3] == ["ANY", "ARRAY", "["] and "]" in rest:
            end = rest.index("]")
            tests += [("=", _unquoted(word)) for word in rest[3:end] if word != ","]
            words = rest[end + 1 :]
            joints.add("OR")
        elif sign in (">", "<", ">=", "<=", "=") and rest[0] not in WORDS:
            tests.append((sign, _unquoted(rest[0])))
            words = rest[1:]
        else:
            return []
        if words:
            joints.add(words[0])
            words = words[1:]
    equal = {sign == "=" for sign, _ in tests}
    return tests if (equal == {True} and joints <= {"OR"}) or (equal == {False} and joints <= {"AND"}) else []


def _plain(tokens: list[str]) -> list[str]:
    """Tokens without parentheses and casts."""
    plain: list[str] = []
    place = 0
    while place < len(tokens):
        if tokens[place] == "::":
            place += 1
            while place < len(tokens) and tokens[place] not in WORDS and re.fullmatch(r"\w+", tokens[place]):
                place += 1
            if tokens[place : place + 1] == ["("]:
                place = tokens.index(")", place) + 1
            if tokens[place : place + 2] == ["[", "]"]:
                place += 2
        else:
            plain += [tokens[place]] if tokens[place] not in ("(", ")") else []
            place += 1
    return plain


def _unquoted(word: str) -> str:
    for quote in ("'", '"'):
        if len(word) > 1 and word[0] == word[-1] == quote:
            return word[1:-1].replace(quote * 2, quote)
    return word
