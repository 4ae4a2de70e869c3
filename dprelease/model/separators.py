"""Decimal and thousands separators: the evidence of some texts together, and the questions that they leave open."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import StrEnum

SPACES = "\u0020\u00a0\u202f\u2009"
APOSTROPHES = "\u0027\u2019"
MINUS = "-\u2212\u2013"
"""Minus signs: any of them stands before a number below zero."""
EDGES = " \t\n\x0b\f\r\u00a0\u202f\u2009\ufeff\u200b\u200e\u200f"
"""Blanks and marks without a width, which are no part of a text where they stand at its ends."""
MARKS = ".,"
"""Signs that are a decimal mark to some and stand between thousands to others."""
LONGEST = 1000
"""Characters of a text that may be a number."""
NUMERAL = re.compile(
    rf"[-+{MINUS[1:]}]?(?P<body>[0-9.,{SPACES}{APOSTROPHES}]*[0-9][0-9.,]*)(?P<power>[eE][-+]?[0-9]+)?", re.ASCII
)
IN_THREES = re.compile(r"[1-9][0-9]{0,2}(?:[.,][0-9]{3})+")
UNCLEAR = re.compile(r"[1-9][0-9]{0,2}[.,][0-9]{3}")


class SeparatorRole(StrEnum):
    """Role of a point or a comma in a number."""

    DECIMAL = "decimal"
    """Sign before the decimals."""
    GROUPING = "grouping"
    """Sign between thousands."""


Roles = Mapping[str, SeparatorRole]
"""Role by sign, as far as it is known."""


@dataclass(frozen=True, slots=True)
class Settled:
    """Number notation that is settled as far as the texts need it."""

    roles: Roles = field(default_factory=dict)

    @property
    def decimal(self) -> str | None:
        return next((sign for sign, role in self.roles.items() if role is SeparatorRole.DECIMAL), None)


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """A number that is a thousand times another one, by what its sign is; no text says which."""

    sign: str
    text: str

    @property
    def whole(self) -> str:
        """The number if the sign stands between thousands."""
        return self.text.replace(self.sign, "")

    @property
    def part(self) -> str:
        """The number if the sign is the decimal mark, without zeros at its end."""
        return self.text.replace(self.sign, ".").rstrip("0").rstrip(".")


@dataclass(frozen=True, slots=True)
class Mixed:
    """Some texts have a point for a decimal mark and others a comma; how many of each."""

    counts: Mapping[str, int]
    """Number of texts by decimal mark."""


EXACT = Settled({".": SeparatorRole.DECIMAL})
"""Notation of numbers as programs write them."""


def settled_by(decimal: str) -> Settled:
    """Return the notation in which one of the marks is the decimal one."""
    return Settled({sign: SeparatorRole.DECIMAL if sign == decimal else SeparatorRole.GROUPING for sign in MARKS})


def separators(texts: Iterable[str], known: Roles | None = None) -> Settled | Ambiguous | Mixed:
    """Return the joint evidence of all texts of a list. `known`: answers of a person, against which no text counts."""
    read = [evidence(text) for text in texts]
    said = {(sign, role) for roles, _ in read for sign, role in roles.items()}
    found = dict(known or {})
    if SeparatorRole.DECIMAL not in found.values() and _is_disputed({each for each in said if each[0] not in found}):
        counts = {decimal: _agree([roles for roles, _ in read if roles], settled_by(decimal)) for decimal in MARKS}
        return Mixed(counts)
    found = dict(said) | found
    decimal = next((sign for sign, role in found.items() if role is SeparatorRole.DECIMAL), None)
    if decimal is not None:
        return settled_by(decimal)
    doubts = [doubt for _, doubt in read if doubt is not None and doubt.sign not in found]
    return doubts[0] if doubts else Settled(found)


def _is_disputed(said: AbstractSet[tuple[str, SeparatorRole]]) -> bool:
    """Return True if a sign has both roles, or both signs stand before decimals."""
    decimals = {sign for sign, role in said if role is SeparatorRole.DECIMAL}
    return len(decimals) > 1 or any((sign, SeparatorRole.GROUPING) in said for sign in decimals)


def _agree(read: Sequence[Roles], settled: Settled) -> int:
    """Return the number of texts whose signs agree with a notation."""
    return sum(roles.items() <= settled.roles.items() for roles in read)


def evidence(text: str) -> tuple[dict[str, SeparatorRole], Ambiguous | None]:
    """Return the evidence of one text on its signs; or that it may be two numbers, a thousandfold apart."""
    bare = text.strip(EDGES)
    numeral = NUMERAL.fullmatch(bare) if len(text) <= LONGEST else None
    if numeral is None:
        return {}, None
    body = numeral["body"]
    signs = [sign for sign in body if sign in MARKS]
    if len(set(signs)) > 1:
        is_last_alone = signs[-1] not in signs[:-1]
        return ({signs[0]: SeparatorRole.GROUPING, signs[-1]: SeparatorRole.DECIMAL} if is_last_alone else {}), None
    if len(signs) > 1:
        return ({signs[0]: SeparatorRole.GROUPING} if IN_THREES.fullmatch(body) else {}), None
    if signs and UNCLEAR.fullmatch(body) and not numeral["power"]:
        return {}, Ambiguous(signs[0], bare)
    return dict.fromkeys(signs, SeparatorRole.DECIMAL), None
