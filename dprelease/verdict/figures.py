"""The files of rates as they are read a second time: tables as texts, and public figures as fractions."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from dprelease.errors import IntegrityError
from dprelease.words import phrase

ALL = "_T"
"""The code of a total."""
ENDINGS = ("", "_from", "_to", "_up_to", "_partial")
"""Endings of the names of key columns, after that of a column of the data."""
RUN = "=+-@\t\r\n＝＋－＠"
"""First characters of a cell that has an apostrophe before it in a table."""
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CsvTable:
    """A table's file as texts."""

    heads: list[str]
    rows: list[list[str]]

    @classmethod
    def read(cls, data: bytes) -> CsvTable:
        heads, *rows = csv.reader(io.StringIO(data.decode(), newline=""))
        return cls(heads, rows)

    @property
    def keys(self) -> int:
        """Number of columns before the numbers."""
        return self.heads.index("value")


class Figures:
    """The public figure of each row: its own, or of a total the sum of those of its parts."""

    def __init__(self, public: Mapping[str, Any], counts: CsvTable, *, has_totals: bool) -> None:
        heads, *lines = csv.reader(io.StringIO(public["content"], newline=""))
        keys: Mapping[str, str] = public["keys"]
        self.places = [[plain_text(head) for head in counts.heads].index(key) for key in keys]
        columns, number = [heads.index(column) for column in keys.values()], heads.index(public["value"])
        self._figures: dict[Key, Fraction] = {
            tuple(line[place] for place in columns): Fraction(line[number]) for line in lines if line[number]
        }
        if has_totals:
            self._figures = dict(self._summed(self._key(row) for row in counts.rows))

    def _key(self, row: Sequence[str]) -> Key:
        return tuple(plain_text(row[place]) for place in self.places)

    def _summed(self, keys: Iterable[Key]) -> Iterator[tuple[Key, Fraction]]:
        """Return the figures of the cells with those of the totals, where no part of one is missing."""
        sums: dict[Key, Fraction | None] = {}
        for key in keys:
            if ALL in key:
                continue
            own = self._figures.get(key)
            for whole in product(*((part, ALL) for part in key)):
                before = sums.get(whole, Fraction(0))
                sums[whole] = None if own is None or before is None else before + own
        return ((key, figure) for key, figure in sums.items() if figure is not None)

    def of(self, row: Sequence[str]) -> Fraction | None:
        """Return a row's figure; None where any that it takes is missing, or there is nothing to divide by."""
        return self._figures.get(self._key(row)) or None


def is_of(key: str, column: str) -> bool:
    """Return True if a key column of a table comes from a column of the data."""
    return key.rstrip("_") in {f"{column}{ending}".rstrip("_") for ending in ENDINGS}


def plain_text(text: str) -> str:
    """Return a text without the apostrophe that keeps a spreadsheet from running it."""
    return text[1:] if text.startswith("'") and text.lstrip("'")[:1] in RUN and text.lstrip("'") else text


def file_of(contents: Mapping[str, bytes], path: str) -> bytes:
    if path not in contents:
        raise IntegrityError(phrase("verdict.file_missing_2", ledger=path))
    return contents[path]
