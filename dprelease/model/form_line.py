"""The form of a column's cells on one line: `decimal:,;thousands:.;affix:€`, which says what the key `reading` says.

Parts stand between semicolons. A part without a colon is a form of days. A part may be repeated where several are
listed. A backslash takes its meaning from a semicolon, an equals sign or a backslash behind it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from dprelease.errors import InputError
from dprelease.model.report import Report, nearest
from dprelease.words import phrase

LISTS = {"affix": "affixes", **{part: part for part in ("thousands", "negative", "months", "yes", "no")}}
"""Parts that may be repeated, with their keys in a plan."""
SINGLE = ("decimal", "exponent", "lakh", "of_period", "century", "time", "width")
DATES, SPELLING, SPELLINGS = "dates", "spelling", "spellings"
PARTS = (*SINGLE, *LISTS, SPELLING)
PIECE = re.compile(r"(?:\\.|[^\\;]|\\\Z)*", re.DOTALL)
UNESCAPED = re.compile(r"((?:\\.|[^\\=])*)=(.*)", re.DOTALL)
FLAGS = {"true": True, "false": False}


def parse_form(line: str, path: str) -> dict[str, Any]:
    """Return the mapping of a line, as under `reading` in a plan. Raises InputError for parts that are none.

    The values of parts are checked where the type of the column is known.
    """
    said: dict[str, Any] = {}
    report = Report()
    for piece in _pieces(line) if line else ():
        part, colon, value = piece.partition(":")
        if not colon:
            said.setdefault(DATES, []).append(_bare(piece))
        elif part in LISTS:
            said.setdefault(LISTS[part], []).append(_bare(value))
        elif part == SPELLING and (found := UNESCAPED.fullmatch(value)) is not None:
            said.setdefault(SPELLINGS, {}).setdefault(_bare(found[1]), []).append(_bare(found[2]))
        elif part in SINGLE and part not in said:
            said[part] = _scalar(_bare(value))
        else:
            report.add(path, found=piece, allowed=phrase("model.form_parts", parts=PARTS), remedy=nearest(part, PARTS))
    report.raise_any(InputError)
    return said


def form_line(said: Mapping[str, Any]) -> str:
    """Return the line of a mapping as under `reading` in a plan: `parse_form` reads it again."""
    parts = {key: part for part, key in LISTS.items()}
    pieces = list(map(_escaped, said.get(DATES, ())))
    for key, value in said.items():
        if key in SINGLE:
            pieces.append(f"{key}:{_escaped(str(value).lower() if isinstance(value, bool) else str(value))}")
        elif key in parts:
            pieces += [f"{parts[key]}:{_escaped(each)}" for each in value]
        elif key == SPELLINGS:
            pieces += [
                f"{SPELLING}:{escaped_name(category)}={_escaped(text)}"
                for category, texts in value.items()
                for text in texts
            ]
    return ";".join(pieces)


def parse_named(text: str, path: str) -> tuple[str, dict[str, Any]]:
    """Return the column and the form of `NAME=FORM`. Raises InputError where it has no equals sign, or no such form."""
    found = UNESCAPED.fullmatch(text)
    if found is None or not found[1]:
        raise InputError(path, found=text, allowed=phrase("model.name_and_form"))
    name = _bare(found[1])
    return name, parse_form(found[2], f"{path} {name}")


def named_line(name: str, said: Mapping[str, Any]) -> str:
    """Return `NAME=FORM`, which `parse_named` reads again."""
    return f"{escaped_name(name)}={form_line(said)}"


def escaped_name(name: str) -> str:
    """Return a name that an equals sign may follow."""
    return _escaped(name).replace("=", "\\=")


def _escaped(text: str) -> str:
    return re.sub(r"[\\;]", lambda sign: f"\\{sign[0]}", text)


def _bare(text: str) -> str:
    return re.sub(r"\\([\\;=])", r"\1", text)


def _pieces(line: str) -> list[str]:
    """Return the parts between semicolons that no backslash stands before, as they are written."""
    pieces, place = [], 0
    while True:
        found = PIECE.match(line, place)
        assert found is not None
        pieces.append(found[0])
        if found.end() >= len(line):
            return pieces
        place = found.end() + 1


def _scalar(text: str) -> object:
    return FLAGS.get(text, int(text) if re.fullmatch("[0-9]{1,9}", text) else text)
