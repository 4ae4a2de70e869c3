"""The public number of a privacy unit, by which it is held out or not: the same on every engine, and in Python.

The first 60 bits of the SHA-256 of a fixed text and the identifier, as identifiers are compared (`identifier.py`). It
says nothing about rows, and is no secret: whoever knows an identifier can tell in which part it is.
"""

from __future__ import annotations

from hashlib import sha256

from dprelease.model.tally import UnitPart
from dprelease.table.dialect import Dialect

SALT = "dprelease.held_out.1:"
"""Part of what is published: other text would hold out other units."""
NUMBER = "held"
"""The name of a column with the number of a row's unit."""


def numbered(unit: str, dialect: Dialect) -> list[str]:
    """Return the column with the number of a unit, as SQL: a BIGINT from 0 below 2^60."""
    text = f"({dialect.text(SALT)} || CAST({unit} AS {dialect.text_type}))"
    return [f"{dialect.text_number(text)} AS {NUMBER}"]


def number_of(identifier: str) -> int:
    """The same number of an identifier as it is compared (`identifier.canonical`)."""
    return int(sha256(f"{SALT}{identifier}".encode()).hexdigest()[:15], 16)


def in_part(part: UnitPart | None) -> str:
    """Return a filter, as SQL, that rows of these units pass."""
    return f" WHERE {NUMBER} {'<' if part.below else '>='} {part.limit}" if part else ""
