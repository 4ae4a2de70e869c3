"""One published number by the codes of its keys, for readers: what it is, how sure, and in one sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from dprelease.bundle.cells import how_reliable, key_text, said
from dprelease.bundle.question import Question
from dprelease.bundle.words import say
from dprelease.errors import InputError
from dprelease.model.certificate import Certificate
from dprelease.model.grade import COUNT, Grade
from dprelease.model.release import TOTAL, Cell
from dprelease.portal.cells import Asked, Cells
from dprelease.portal.words import tell
from dprelease.words import phrase


@dataclass(frozen=True, slots=True)
class Number:
    """One row of a table in the language that is spoken."""

    path: str
    """Its address below that of its table: `region=north,sex=F`."""
    question: str
    measure: str
    """What the value counts or is in."""
    named: str
    """What its keys say, such as `region north, sex F`; empty where the table has none."""
    value: str
    lower: str
    upper: str
    grade: str
    """How reliable it is, in words; empty where nothing is said."""

    @classmethod
    def of(cls, certificate: Certificate, table: str, cells: Cells, address: str) -> Number:
        """The number at an address. Raises InputError where the table has none there."""
        codes = _codes(cells, address)
        page = cells.page(Asked({name: frozenset([code]) for name, code in codes.items()}, tuple(cells.columns)))
        if page.found != 1:
            raise _nothing(address)
        (row,) = page.mappings()
        question, names = Question.of(certificate, table), dict(zip(cells.keys, cells.names, strict=True))
        keys: dict[str, list[str]] = {}
        for key in cells.keys:  # both ends of a bin are called by its column
            keys.setdefault(question.title(names[key]), []).append(_key(row[key], question))
        named = ", ".join(f"{title} {' – '.join(texts)}" for title, texts in keys.items())
        value, lower, upper, grade = _said(question, row, cells)
        path = ",".join(f"{quote(name, safe='')}={quote(code, safe='')}" for name, code in codes.items())
        return cls(path, question.text, question.measure, named, value, lower, upper, grade)

    @property
    def sentence(self) -> str:
        """What can be quoted: keys, value, interval."""
        named = self.named or self.question
        if not (self.lower and self.upper):
            return tell("number_alone", named=named, value=self.value, measure=self.measure)
        ends = {"lower": self.lower, "upper": self.upper}
        return tell("number_within", named=named, value=self.value, measure=self.measure, **ends)


def _said(question: Question, row: Mapping[str, Any], cells: Cells) -> tuple[str, str, str, str]:
    """Value, interval and grade in words. The letter is the signed one of the table's last column."""
    last = list(cells.columns)[-1]
    grade = Grade(row[last]) if last.rstrip("_") == "grade" else None
    counted = row.get(COUNT[1]) is not None
    value, lower, upper = said(question, row["value"], row["lower95"], row["upper95"], counted=counted, grade=grade)
    return value, lower, upper, "" if grade is None else how_reliable(grade)


def _key(cell: Cell, question: Question) -> str:
    return say("total_cell") if cell == TOTAL and question.margins else key_text(cell)


def _codes(cells: Cells, address: str) -> Mapping[str, str]:
    """By key column, in the order of the table: the code at an address, in which codes may hold commas too."""
    pattern = ",".join(f"{re.escape(name)}=(.*?)" for name in cells.keys)
    match = re.fullmatch(pattern, address, re.DOTALL)
    if match is None:
        raise _nothing(address)
    codes = dict(zip(cells.keys, match.groups(), strict=True))
    if any(code not in cells.columns[name].codes for name, code in codes.items()):
        raise _nothing(address)
    return codes


def _nothing(address: str) -> InputError:
    return InputError("cell", found=address, allowed=phrase("portal.cell_of_table"))
