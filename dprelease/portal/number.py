"""Published number by the codes of its keys, for readers: its name, its uncertainty, and one sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from dprelease.bundle.tables import written
from dprelease.errors import InputError
from dprelease.model.certificate import Certificate
from dprelease.model.grade import Grade
from dprelease.model.release import Cell, Estimates
from dprelease.portal.cells import KEY, CellQuery, TextTable
from dprelease.statements.cell_names import named_key
from dprelease.statements.number import hidden, how_reliable, said, sentence, tail
from dprelease.statements.phrases import record
from dprelease.statements.phrases import say as word
from dprelease.statements.question import StatisticLabel
from dprelease.statements.ranks import rank_of
from dprelease.words import phrase


@dataclass(frozen=True, slots=True)
class NumberPage:
    """Row of a table in the current language."""

    path: str
    """Address below that of its table: `region=north,sex=F`."""
    question: str
    measure: str
    """Quantity or unit of the value."""
    named: str
    """Keys in words, such as `region north, sex F`; empty where the table has none."""
    value: str
    lower: str
    upper: str
    grade: str
    """Grade in words; empty where nothing is said."""
    letter: Grade | None
    """Grade as signed."""
    name: str
    """Name of the table."""
    sentence: str
    """Quotable sentence: name, value and interval."""
    tail: str
    """Confidence level and cause of the interval; empty where none is told."""

    @classmethod
    def of(cls, certificate: Certificate, table: str, cells: TextTable, address: str) -> NumberPage:
        """Read the number at an address. Raises InputError where the table has none there."""
        codes = _codes(cells, address)
        page = cells.page(CellQuery({name: frozenset([code]) for name, code in codes.items()}, tuple(cells.columns)))
        if page.found != 1:
            raise _nothing(address)
        (row,) = page.mappings()
        question, names = StatisticLabel.of(certificate, table), dict(zip(cells.keys, cells.names, strict=True))
        keys: dict[str, list[str]] = {}
        for key in cells.keys:  # both ends of a bin are called by its column
            keys.setdefault(question.title(names[key]), []).append(named_key(question, names[key], row[key]))
        named = ", ".join(f"{title} {' – '.join(texts)}" for title, texts in keys.items())
        letter = _letter(row, cells)
        numbers = row["value"], row["lower95"], row["upper95"]
        value, lower, upper = said(question, *numbers, grade=letter)
        if letter is not None:
            value = hidden(question.coefficients, letter, row["lower95"], row["upper95"]) or value
        called = named if question.is_count else word("named_in", name=question.name, keys=named)
        of = called if named else question.name
        rank = rank_of(certificate, table, int(page.rows[0]), cells.count)
        quoted = sentence(question, record(question.columns.texts), of, *numbers, letter, rank)
        is_sure = row["lower95"] is not None or rank is not None
        ended = tail(is_sample="sampling" in certificate.asked(table)) if is_sure else ""
        grade = "" if letter is None else how_reliable(letter)
        path = ",".join(f"{quote(name, safe='')}={quote(code, safe='')}" for name, code in codes.items())
        return cls(
            path=path,
            question=question.text,
            measure=question.measure,
            named=named,
            value=value,
            lower=lower,
            upper=upper,
            grade=grade,
            letter=letter,
            name=question.name,
            sentence=quoted,
            tail=ended,
        )

    @property
    def quotation(self) -> str:
        """Sentence with its confidence level."""
        return f"{self.sentence} {self.tail}".strip()


def number_path(table: Estimates, row: Sequence[Cell]) -> str:
    """Return the address of the number of a row, below that of its table."""
    others = table.columns[len(table.key_names) :]
    named = zip(table.key_names, row, strict=False)
    return ",".join(
        f"{quote(f'{KEY}{name}' if name in others else name, safe='')}={quote(_coded(cell), safe='')}"
        for name, cell in named
    )


def _coded(cell: Cell) -> str:
    """Return a key as in addresses: as in the file, without the apostrophe against formulas."""
    return cell if isinstance(cell, str) else written(cell)


def _letter(row: Mapping[str, Any], cells: TextTable) -> Grade | None:
    """Return the grade: the signed letter of the table's last column."""
    last = list(cells.columns)[-1]
    return Grade(row[last]) if last.rstrip("_") == "grade" else None


def _codes(cells: TextTable, address: str) -> Mapping[str, str]:
    """Return the code of each key column at an address, in the order of the table; codes may hold commas too."""
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
