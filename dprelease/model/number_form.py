"""Written form of a column's numbers, as public contract: text becomes a plain number, or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import Any

from dprelease.model.report import Report, join, sound
from dprelease.model.separators import APOSTROPHES, EDGES, LONGEST, MARKS, MINUS, SPACES
from dprelease.words import phrase

MAX_AFFIXES = 20
LONGEST_AFFIX = 20
FAMILIES = (SPACES, APOSTROPHES)
"""Declaring one of a family means all of it."""
KEYS = ("decimal", "thousands", "affixes", "negative", "exponent", "lakh")
CURRENCY_BEFORE = ("$", "£", "¥", "R$")
"""Units that are usually written before a number."""
INFINITE = "[iI][nN][fF](?:[iI][nN][iI][tT][yY])?"
"""Pattern of infinity as programs write it; a stored value may be infinite."""


class Negative(StrEnum):
    """Notation of a number below zero."""

    SIGN = "sign"
    """A minus before it; a plus before others."""
    AFTER = "after"
    """A minus behind it."""
    BRACKETS = "brackets"


@dataclass(frozen=True)
class NumberForm:
    """A body of digits, its signs, and units that are named. What is written otherwise is not understood."""

    decimal: str = "."
    thousands: tuple[str, ...] = ()
    """Signs between groups of three digits; one of them within a number."""
    affixes: tuple[str, ...] = ()
    """Units that may stand before or after a number: all of them mean the same unit."""
    negative: tuple[Negative, ...] = (Negative.SIGN,)
    exponent: bool = True
    lakh: bool = False
    """True if groups are of two digits but for the last one, as in 12,34,567."""

    @classmethod
    def read(cls, value: object, path: str, report: Report) -> NumberForm:
        """Return the form that a mapping declares."""
        fields = given(report.mapping(value, path, allowed=KEYS))
        thousands = tuple(_texts(fields.get("thousands"), join(path, "thousands"), report))
        decimal = fields.get("decimal", "," if "." in thousands else ".")
        if decimal not in list(MARKS):
            report.add(join(path, "decimal"), found=decimal, allowed=phrase("model.decimal_mark"))
            decimal = "."
        for sign in thousands:
            if sign not in (*MARKS, *SPACES, *APOSTROPHES):
                report.add(join(path, "thousands"), found=sign, allowed=phrase("model.grouping_signs"))
        if decimal in thousands:
            allowed, remedy = phrase("model.grouping_not_decimal"), phrase("model.leave_one_out")
            report.add(join(path, "thousands"), found=decimal, allowed=allowed, remedy=remedy)
        affixes = tuple(_texts(fields.get("affixes"), join(path, "affixes"), report))
        _check_affixes(affixes, join(path, "affixes"), report)
        ways = fields.get("negative", [Negative.SIGN.value])
        read = [report.choice(way, join(path, "negative"), list(Negative)) for way in listed(ways)]
        flags = {key: report.flag(fields[key], join(path, key)) for key in ("exponent", "lakh") if key in fields}
        negative = tuple(Negative(way) for way in dict.fromkeys(read) if way is not None)
        return cls(decimal=decimal, thousands=thousands, affixes=affixes, negative=negative, **flags)

    def to_mapping(self) -> dict[str, Any]:
        """Return the mapping as in a plan, without what goes without saying."""
        said: dict[str, Any] = {"decimal": self.decimal}
        said |= {"thousands": list(self.thousands)} if self.thousands else {}
        said |= {"affixes": list(self.affixes)} if self.affixes else {}
        if self.negative != (Negative.SIGN,):
            said["negative"] = [way.value for way in self.negative]
        said |= {} if self.exponent else {"exponent": False}
        return said | ({"lakh": True} if self.lakh else {})

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """All signs between thousands, with those of their family."""
        signs = (sign for each in self.thousands for sign in next((f for f in FAMILIES if each in f), each))
        return tuple(dict.fromkeys(signs))

    @cached_property
    def body(self) -> str:
        """A pattern of a number without its sign.

        In threes it never leaves open which alternative a digit is of: engines of automata read it in one pass.
        """
        mark, whole = f"[{self.decimal}]", "[0-9]+"
        if self.lakh:
            ends = (literal(sign) for sign in self.groups)
            whole = "|".join([whole, *(f"[1-9][0-9]?(?:{sign}[0-9]{{2}})*{sign}[0-9]{{3}}" for sign in ends)])
        elif self.groups:
            threes = "|".join(f"(?:{literal(sign)}[0-9]{{3}})+" for sign in self.groups)
            whole = f"0[0-9]*|[1-9](?:[0-9](?:[0-9](?:[0-9]+|{threes})?|{threes})?|{threes})?"
        digits = f"(?:{whole})(?:{mark}[0-9]*)?|{mark}[0-9]+"
        power = "(?:[eE][-+]?[0-9]+)?" if self.exponent else ""
        return f"(?:(?:{digits}){power}|{INFINITE})"

    @cached_property
    def patterns(self) -> tuple[tuple[str, bool], ...]:
        """Patterns of whole texts, with the number in the one group; and whether it lies below zero."""
        blanks, unit = among(SPACES) + "*", among(self.affixes)
        before = f"(?:{unit}{blanks})?" if self.affixes else ""
        after = f"(?:{blanks}{unit})?" if self.affixes else ""
        minus, body = among(MINUS), f"({self.body})"
        told = [(f"{before}{body}{after}", False)]
        if Negative.SIGN in self.negative:
            told += [(f"(?:[+]{before}|{before}[+]){body}{after}", False)]
            told += [(f"(?:{minus}{before}|{before}{minus}){body}{after}", True)]
        if Negative.AFTER in self.negative:
            told += [(f"{before}{body}{minus}{after}", True)]
        if Negative.BRACKETS in self.negative:
            told += [(f"{before}[(]{before}{body}{after}[)]{after}", True)]
        return tuple(told)

    def written(self, value: Decimal, *, whole: bool = False) -> tuple[str, ...]:
        """Return a value above zero as written, then the same below zero in each way that is no minus before it."""
        digits, _, part = f"{value:f}".partition(".")
        size, end = 2 if self.lakh else 3, digits[-3:]
        starts = range(len(digits) - 3, 0, -size)
        groups = [digits[max(0, start - size) : start] for start in starts][::-1]
        body = self.thousands[0].join([*groups, end]) if self.thousands else digits
        body += "" if whole else self.decimal + part
        unit = self.affixes[0] if self.affixes else ""
        told = f"{unit}{body}" if unit in CURRENCY_BEFORE else f"{body} {unit}".rstrip()
        ways = {Negative.AFTER: f"{body}-", Negative.BRACKETS: f"({body})"}
        return told, *(ways[way] for way in self.negative if way in ways)

    def canonical(self, text: str) -> str | None:
        """Return the same number with digits, a point and a minus alone; None where it is none of this form."""
        if len(text) > LONGEST:
            return None
        for pattern, below in self.patterns:
            if (found := re.fullmatch(pattern, text.strip(EDGES))) is not None:
                bare: str = found[1]
                for sign in self.groups:
                    bare = bare.replace(sign, "")
                return ("-" if below else "") + bare.replace(self.decimal, ".")
        return None


def literal(text: str) -> str:
    """Return a pattern of one text, in what the regular expressions of all engines have in common."""
    return "".join(
        sign if sign.isalnum() or not sign.isascii() else f"\\{sign}" if sign in "^\\[]" else f"[{sign}]"
        for sign in text
    )


def among(texts: Iterable[str]) -> str:
    """Return a pattern of one among some texts: alternatives, since a range of signs beyond ASCII differs by engine."""
    return f"(?:{'|'.join(map(literal, texts))})"


def given(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys with a value: null is as if the key were left out."""
    return {key: value for key, value in fields.items() if value is not None}


def listed(value: object) -> list[Any]:
    """Return a value as a list: a single value stands for a list of it."""
    return list(value) if isinstance(value, list | tuple) else [value]


def _texts(value: object, path: str, report: Report) -> list[str]:
    """Return a list of different texts; a single one stands for a list of it."""
    if value is None:
        return []
    texts = listed(value)
    if len(texts) > MAX_AFFIXES or not all(isinstance(text, str) and text and sound(text) for text in texts):
        report.add(path, found=value, allowed=phrase("model.few_texts", most=MAX_AFFIXES))
        return []
    return list(dict.fromkeys(texts))


def _check_affixes(affixes: tuple[str, ...], path: str, report: Report) -> None:
    """Check that no unit may be taken for a part of the number beside it."""
    for affix in affixes:
        is_part = any(sign in "0123456789" or sign in f"+()'{MINUS}{APOSTROPHES}" for sign in affix)
        if is_part or affix[0] in MARKS or affix != affix.strip(EDGES) or len(affix) > LONGEST_AFFIX:
            report.add(path, found=affix, allowed=phrase("model.affix", longest=LONGEST_AFFIX))
        elif affix[-1] in MARKS and affix[:-1] in affixes:
            report.add(path, found=affix, allowed=phrase("model.affix_once"))
