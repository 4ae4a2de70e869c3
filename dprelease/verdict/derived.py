"""Rates worked out a second time, from the JSON of a certificate and the bytes of the files beside it.

It shares no code with `dprelease.bundle.derived`, which wrote them: another reading of docs/formats.md, in fractions.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

from dprelease.errors import IntegrityError
from dprelease.words import phrase

ALL = "_T"
ENDS = ("value", "lower95", "upper95")
RUN = "=+-@\t\r\n＝＋－＠"
"""What a cell begins with that has an apostrophe before it in a table."""
Key = tuple[str, ...]


def check_derived(certificate: Mapping[str, Any], contents: Mapping[str, bytes]) -> int:
    """Tells how many rates are what follows from the counts and the public figures.

    Raises IntegrityError where a file is missing, the figures are not those of the plan, or a rate is another one. Of a
    release that is withheld there are none.
    """
    plan = certificate["plan"]
    if not all(each["held"] for each in certificate["criteria"]):
        return 0
    for name, table in plan.get("public", {}).items():
        if _file(contents, f"public/{name}.csv") != table["content"].encode():
            raise IntegrityError(phrase("verdict.public_not_of_plan", name=name))
    return sum(_checked(plan, each, contents) for each in plan.get("derived", ()))


def _checked(plan: Mapping[str, Any], asked: Mapping[str, Any], contents: Mapping[str, bytes]) -> int:
    try:
        return _check(plan, asked, contents)
    except (csv.Error, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
        raise IntegrityError(phrase("verdict.rates_not_of_counts", name=asked["id"])) from None


def _check(plan: Mapping[str, Any], asked: Mapping[str, Any], contents: Mapping[str, bytes]) -> int:
    counts, rates = (
        _Table.read(_file(contents, path)) for path in (f"tables/{asked['of']}.csv", f"derived/{asked['id']}.csv")
    )
    public, times = plan["public"][asked["per"]], Fraction(str(asked.get("times", 1)))
    of = next(each for each in plan["statistics"] if each["id"] == asked["of"])
    figures = _Figures(public, counts, has_totals=bool(of.get("margins")))
    if rates.heads != [*counts.heads[: counts.keys + 3], counts.heads[-1]] or len(rates.rows) != len(counts.rows):
        raise IntegrityError(phrase("verdict.rates_not_of_counts", name=asked["id"]))
    told = json.loads(_file(contents, f"derived/{asked['id']}.json"))["rows"]
    for rate, count, row in zip(rates.rows, counts.rows, told, strict=True):
        figure = figures.of(count)
        ends = count[counts.keys : counts.keys + 3]
        right = [] if figure is None else [float(times * Fraction(end) / figure) for end in ends]
        wanted = [*map(repr, right)] if figure else ["", "", ""]
        letter = count[-1] if figure else "O"
        if rate != [*count[: counts.keys], *wanted, letter]:
            raise IntegrityError(phrase("verdict.rates_not_of_counts", name=asked["id"]))
        if [row[end] for end in ENDS] != (right if figure else [None] * 3) or row[rates.heads[-1]] != letter:
            raise IntegrityError(phrase("verdict.rates_not_of_counts", name=asked["id"]))
    return len(counts.rows)


@dataclass(frozen=True, slots=True)
class _Table:
    """A table's file as texts."""

    heads: list[str]
    rows: list[list[str]]

    @classmethod
    def read(cls, data: bytes) -> _Table:
        heads, *rows = csv.reader(io.StringIO(data.decode(), newline=""))
        return cls(heads, rows)

    @property
    def keys(self) -> int:
        """How many columns come before the numbers."""
        return self.heads.index("value")


class _Figures:
    """The public figure of each row: its own, or of a total the sum of those of its parts."""

    def __init__(self, public: Mapping[str, Any], counts: _Table, *, has_totals: bool) -> None:
        heads, *lines = csv.reader(io.StringIO(public["content"], newline=""))
        keys: Mapping[str, str] = public["keys"]
        self._places = [[_plain(head) for head in counts.heads].index(key) for key in keys]
        columns, number = [heads.index(column) for column in keys.values()], heads.index(public["value"])
        self._figures: dict[Key, Fraction] = {
            tuple(line[place] for place in columns): Fraction(line[number]) for line in lines if line[number]
        }
        if has_totals:
            self._figures = dict(self._summed(self._key(row) for row in counts.rows))

    def _key(self, row: Sequence[str]) -> Key:
        return tuple(_plain(row[place]) for place in self._places)

    def _summed(self, keys: Iterable[Key]) -> Iterator[tuple[Key, Fraction]]:
        """Those of the cells with those of the totals, where no part of one is missing."""
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
        """None where any that it takes is missing, or there is nothing to divide by."""
        return self._figures.get(self._key(row)) or None


def _plain(text: str) -> str:
    """A text without the apostrophe that keeps a spreadsheet from running it."""
    return text[1:] if text.startswith("'") and text.lstrip("'")[:1] in RUN and text.lstrip("'") else text


def _file(contents: Mapping[str, bytes], path: str) -> bytes:
    if path not in contents:
        raise IntegrityError(phrase("verdict.file_missing_2", ledger=path))
    return contents[path]
