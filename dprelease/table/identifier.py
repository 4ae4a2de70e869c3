"""Equality of identifiers: the one rule that makes two of them one unit, as SQL for all engines and as Python.

Blanks at the ends do not count, and an empty text is no identifier. What is a number is its value, however it is
written: '7', '7.0', ' 7', '07', '+7' and '0.7e1' are one unit. Everything else is its text, letter by letter. Where
one person may be written in several ways, to tell these apart would give that person several units, each with max_rows
rows of its own: the guarantee would fail by as many times. To take two people for one costs an accuracy that is said
in docs/privacy.md, section 1, and at most one step of substitution.

A float holds whole numbers up to its precision only: beyond, several people's numbers are stored as one. Such values
are no identifiers, and a file that has some is refused when it is registered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING

from dprelease.model.missing import BLANKS

if TYPE_CHECKING:
    from dprelease.table.dialect import Dialect

_PLAIN = "([0-9]+[.]?[0-9]*|[.][0-9]+)"
NUMBER = f"[-+]?{_PLAIN}([eE][-+]?[0-9]{{1,3}})?"
"""Text that is compared by value. An exponent has three digits at most: a longer one is part of a text."""
WHOLE = "0|-?[1-9][0-9]*"
"""Pattern of a text that is already in canonical form."""
POWERED = ".*[eE].*"
MAX_PLACES = 999
"""Places by which an exponent moves a point."""
EXACT_DOUBLE, EXACT_SINGLE = 2**53, 2**24
"""From here on a float stands for several whole numbers."""


def canonical(text: str) -> str | None:
    """Return the canonical form by which an identifier is compared; None where the text is no identifier."""
    bare = text.strip(BLANKS)
    if not re.fullmatch(NUMBER, bare):
        return bare or None
    plain = f"{Decimal(bare):f}"
    sign, digits = ("-", plain[1:]) if plain.startswith("-") else ("", plain)
    short = (digits.rstrip("0").rstrip(".") if "." in digits else digits).lstrip("0")
    if not short:
        return "0"
    return f"{sign}0{short}" if short.startswith(".") else f"{sign}{short}"


def canonical_sql(text: str, dialect: Dialect) -> str:
    """The same of a text, as SQL; NULL where it is NULL."""
    bare = dialect.trimmed(text)
    return (
        f"CASE WHEN NOT {dialect.matches(bare, NUMBER)} THEN NULLIF({bare}, '') "
        f"WHEN {dialect.matches(bare, WHOLE)} THEN {bare} "
        f"WHEN {dialect.matches(bare, POWERED)} THEN {_shortened(_moved(bare, dialect), dialect, point=True)} "
        f"ELSE {_shortened(bare, dialect)} END"
    )


def _shortened(number: str, dialect: Dialect, *, point: bool = False) -> str:
    """A number without a plus, without zeros before it, and without zeros after its point. `point`: it has one."""
    digits = _replaced(number, "^[-+]?0*")
    cut = _replaced(digits, "[.]?0*$")
    short = cut if point else f"CASE WHEN {number} LIKE '%.%' THEN {cut} ELSE {digits} END"
    sign = f"CASE WHEN {number} LIKE '-%' THEN '-' ELSE '' END"
    zero = f"CASE WHEN {dialect.matches(number, '[-+]?0*[.].*')} THEN '0' ELSE '' END"
    return f"CASE WHEN {dialect.matches(number, '[-+]?[0.]+')} THEN '0' ELSE {sign} || {zero} || {short} END"


def _moved(number: str, dialect: Dialect) -> str:
    """Return a number with an exponent, written without: its digits, with the point where the exponent puts it."""
    whole = _replaced(_replaced(number, "[.eE].*$"), "^[-+]")
    fraction = _replaced(_replaced(number, "[eE].*$"), "^[^.]*[.]?")
    power = dialect.small_number(_replaced(number, "^[^eE]*[eE][+]?"))
    zeros = f"REPEAT('0', {MAX_PLACES})"
    digits = f"({zeros} || {whole} || {fraction} || {zeros})"
    place = f"({MAX_PLACES} + LENGTH({whole}) + {power})"
    sign = f"CASE WHEN {number} LIKE '-%' THEN '-' ELSE '' END"
    return f"({sign} || SUBSTR({digits}, 1, {place}) || '.' || SUBSTR({digits}, {place} + 1))"


def _replaced(text: str, pattern: str) -> str:
    """Return a text without the one place that a pattern finds at its beginning or end."""
    return f"REGEXP_REPLACE({text}, '{pattern}', '')"


def without_codes(identifier: str, storage: str, codes: Iterable[str], dialect: Dialect) -> str:
    """Return an identifier as SQL, NULL where it is one of the codes that stand for nobody."""
    known = [found for code in codes if (found := canonical(code)) is not None]
    if storage in dialect.integers:
        listed = [code for code in known if re.fullmatch(WHOLE, code) and -(2**63) < int(code) < 2**63]
    else:
        listed = [dialect.text(code) for code in known]
    return f"CASE WHEN {identifier} IN ({', '.join(listed)}) THEN NULL ELSE {identifier} END" if listed else identifier
