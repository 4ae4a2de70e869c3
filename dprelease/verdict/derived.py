"""Rates worked out a second time, from the JSON of a certificate and the bytes of the files beside it.

It shares no code with `dprelease.bundle.derived`, which wrote them: another reading of docs/formats.md, in fractions.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dprelease.errors import IntegrityError
from dprelease.verdict.compared import check_compared
from dprelease.verdict.figures import CsvTable, Figures, file_of
from dprelease.verdict.standard import check_standardised
from dprelease.words import phrase

ENDS = ("value", "lower95", "upper95")


def check_derived(certificate: Mapping[str, Any], contents: Mapping[str, bytes]) -> int:
    """Check and count the derived numbers that follow from the counts and the public figures.

    Raises IntegrityError where a file is missing, the figures are not those of the plan, or a rate is another one. Of a
    release that is withheld there are none.
    """
    plan = certificate["plan"]
    if not all(each["held"] for each in certificate["criteria"]):
        return 0
    for name, table in plan.get("public", {}).items():
        if file_of(contents, f"public/{name}.csv") != table["content"].encode():
            raise IntegrityError(phrase("verdict.public_not_of_plan", name=name))
    return sum(_checked(certificate, each, contents) for each in plan.get("derived", ()))


def _checked(certificate: Mapping[str, Any], asked: Mapping[str, Any], contents: Mapping[str, bytes]) -> int:
    try:
        if "over" in asked:
            return check_compared(certificate, asked, contents)
        if "standardise" in asked:
            return check_standardised(certificate, asked, contents)
        return _check(certificate["plan"], asked, contents)
    except (csv.Error, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
        raise IntegrityError(phrase("verdict.rates_not_of_counts", name=asked["id"])) from None


def _check(plan: Mapping[str, Any], asked: Mapping[str, Any], contents: Mapping[str, bytes]) -> int:
    counts, rates = (
        CsvTable.read(file_of(contents, path)) for path in (f"tables/{asked['of']}.csv", f"derived/{asked['id']}.csv")
    )
    public, times = plan["public"][asked["per"]], Fraction(str(asked.get("times", 1)))
    of = next(each for each in plan["statistics"] if each["id"] == asked["of"])
    figures = Figures(public, counts, has_totals=bool(of.get("margins")))
    if rates.heads != [*counts.heads[: counts.keys + 3], counts.heads[-1]] or len(rates.rows) != len(counts.rows):
        raise IntegrityError(phrase("verdict.rates_not_of_counts", name=asked["id"]))
    told = json.loads(file_of(contents, f"derived/{asked['id']}.json"))["rows"]
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
