"""The grades of a bundle's tables, worked out a second time from the JSON of its certificate and the bytes of its CSV.

It shares no code with `dprelease.model.grade`, which wrote them: another reading of the rule in docs/formats.md, in
fractions of the digits that stand in the file.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from functools import cache, partial
from typing import Any

from dprelease.errors import IntegrityError
from dprelease.words import phrase

Limits = tuple[Fraction, Fraction]
CLOSE = Fraction(1, 10**9)
"""Tolerance of a limit, within which both letters beside it are taken: a float may be on its other side."""
TIMES = {
    "A": (Fraction("2.84310893420120"), Fraction("3.07448714736096")),
    "C": (Fraction("1.30586536052072"), Fraction("1.53724357368048")),
}
"""Least distance of a sum from 0, in reaches: ln(1/2p)/ln 20, and ln(1/p)/ln 20 of what may have either sign."""
WEIGHTED = "survey_weights"
TOTALS = ("lower95_total", "upper95_total")
APPROXIMATE = ("lower", "upper")
"""Columns of an interval that is no 95 %, whose number is C at best."""
VALUE, COUNT = ("value", "lower95", "upper95"), ("count", "count_lower95", "count_upper95")


def check_grades(certificate: Mapping[str, Any], tables: Mapping[str, bytes]) -> int:
    """Check and count the grades of numbers. `tables`: the bytes of each table, by name.

    Raises IntegrityError where a grade is another one, or where a table has none.
    """
    limits = certificate["grades"]
    count = 0
    for name, data in tables.items():
        rows = list(csv.reader(io.StringIO(data.decode(), newline="")))
        last = rows[0][-1].rstrip("_") if rows and rows[0] else ""
        if last != "grade":
            raise IntegrityError(phrase("verdict.grades_column", table=name))
        told = _Told(certificate, name)
        parts = (_exactly(limits["caution"]), _exactly(limits["unreliable"]))
        scale = replace(told.scale, best="C" if told.is_approximate(rows[0]) else "A")
        is_one = cache(partial(scale.is_one, limits=parts))
        own = (VALUE[0], *TOTALS) if told.asked.get("sampling") else VALUE
        own = (VALUE[0], *APPROXIMATE) if told.is_approximate(rows[0]) else own
        places = [rows[0].index(column) for column in (*own, *COUNT) if column in rows[0]]
        why = set(certificate.get("statements", {}).get("reasons", {}).get(name, ()))
        by_rank = set(certificate.get("statements", {}).get("ranks", {}).get(name, {"places": ()})["places"])
        told_of: set[str] = set()
        may: frozenset[str] | None
        for place, row in enumerate(rows[1:]):
            if place in by_rank:
                may = frozenset({"rank"}) if row[-1] == "C" else None
            elif row[places[0]] and told.is_constant(row, is_last=row is rows[-1]):
                may = frozenset({""}) if row[-1] == "A" else None
            else:
                may = is_one(row[-1], *(row[place] for place in places))
            if may is None:
                raise IntegrityError(phrase("verdict.grades_not_of_numbers", table=name))
            if row[-1] == "C" and "statements" in certificate:
                if not may & why:
                    raise IntegrityError(phrase("verdict.reason_not_of_grade", table=name))
                told_of |= may
        if not why <= told_of:
            raise IntegrityError(phrase("verdict.reason_not_of_grade", table=name))
        count += len(rows) - 1
    return count


class _Told:
    """A certificate's statements on one table, as far as grades depend on it."""

    def __init__(self, certificate: Mapping[str, Any], table: str) -> None:
        statistic, _, part = table.partition(".")
        self.asked = next(each for each in certificate["plan"]["statistics"] if each["id"] == statistic)
        self.columns = certificate["plan"].get("columns") or {}
        stated = next(each for each in certificate["statistics"] if each["id"] == statistic)
        self.shown = stated["presentation"]
        drawn = [
            mechanism
            for each in certificate["measurements"]
            if each["id"] in stated["measurements"]
            for mechanism in each["mechanisms"]
        ]
        low, high = self._range()
        step = self._step([_exactly(each["step"]) for each in drawn if each["step"] is not None])
        limits = [_exactly(each["settings"]["threshold"]) for each in drawn if "threshold" in each["settings"]]
        threshold = max(limits) if limits and self.shown["values"] == "noisy" else None
        by_bin = part == "points" and "by_bin" in self.shown["traits"]
        self.scale = Ruler(
            low,
            high,
            step,
            threshold,
            is_share=self.shown["measure"] == "share",
            by_bin=by_bin,
        )

    def is_constant(self, row: Sequence[str], *, is_last: bool) -> bool:
        """Return True if a row is 1 by definition: of a column with itself, or the last share of a cdf."""
        return ("signed" in self.shown["traits"] and row[0] == row[1]) or (self.shown["look"] == "stairs" and is_last)

    def is_approximate(self, head: Sequence[str]) -> bool:
        """Return True if the interval beside a value is none of 95 %."""
        return {*APPROXIMATE} <= {*head[head.index(VALUE[0]) :]}

    def _step(self, steps: Sequence[Fraction]) -> Fraction | None:
        """Return the value of a step of the noise; None of what does not add up."""
        if "additive" not in self.shown["traits"] or self.shown["measure"] == "share":
            return None
        if self.shown["measure"] in ("records", "units") and WEIGHTED not in self.asked:
            return Fraction(1)
        return max(steps, default=Fraction(0))

    def _bounds(self, key: str) -> tuple[Fraction | None, Fraction | None]:
        declared = self.columns.get(self.asked.get(key), {})
        if declared.get("type") not in ("integer", "number", "date"):
            return None, None
        return _value(str(declared["lower"])), _value(str(declared["upper"]))

    def _range(self) -> tuple[Fraction | None, Fraction | None]:
        """Return the least and the greatest that can be; None without end."""
        traits, measure = self.shown["traits"], self.shown["measure"]
        low, high = self._bounds("column")
        if "numerator" in self.asked or ("additive" in traits and measure == "column"):
            if "numerator" in self.asked:
                (low, high), (least, most) = self._bounds("numerator"), self._bounds("denominator")
                if least is not None and most is not None and least > 0 and low is not None and high is not None:
                    every = [top / bottom for top in (low, high) for bottom in (least, most)]
                    return min(every), max(every)
            at_least = Fraction(0) if low is not None and low >= 0 else None
            return at_least, Fraction(0) if high is not None and high <= 0 else None
        if "spread" in traits:
            half = None if low is None or high is None else (high - low) / 2
            return Fraction(0), half if half is None or measure == "column" else half**2
        if measure == "rate":
            return Fraction(0), None if self.asked.get("column") is not None else _exactly(self.asked.get("per", 1000))
        if "signed" in traits:
            return Fraction(-1), Fraction(1)
        if measure == "share":
            return Fraction(0), Fraction(1)
        if "never_negative" in traits:
            return Fraction(0), None
        return (low, high) if measure == "column" else (None, None)


@dataclass(frozen=True, slots=True)
class Ruler:
    """Scale of grades beside intervals: the least and the greatest possible value, None without end."""

    low: Fraction | None
    high: Fraction | None
    step: Fraction | None
    """Value of a step of the noise; None of what does not add up."""
    threshold: Fraction | None = None
    is_share: bool = False
    best: str = "A"
    """The best grade that there may be."""
    by_bin: bool = False
    """Log-odds of the bins of a model, whatever these can be."""

    def is_one(self, letter: str, *cells: str, limits: Limits) -> frozenset[str] | None:
        """Return the reasons that a letter may have as the grade of a row, or of one that lies beside it on a limit.

        None where it is not its grade. `cells`: value, ends of its interval, and the same of a count beside it where
        there is one.
        """
        found = [self._letter(cells, limits, slack) for slack in (Fraction(0), -CLOSE, CLOSE)]
        found = [(self.best, "approximate") if own == "A" and self.best != "A" else (own, why) for own, why in found]
        return frozenset(reason for own, reason in found if own == letter) or None

    def _letter(self, cells: Sequence[str], limits: Limits, slack: Fraction) -> tuple[str, str]:
        if cells[0] == "":
            return "O", ""
        own, beside = cells[:3], cells[3:]
        x, a, b = map(_value, beside if own[1] == own[2] == "" and beside and all(beside) else own)
        if x is None or a is None or b is None:
            return "U", ""
        more, reach = 1 + slack, max(x - a, b - x)
        if self.by_bin:
            if a <= 0 <= b or (b - a) * more >= 1:
                return "U", ""
            return ("A", "") if (b - a) * more < Fraction(1, 5) and -4 <= x <= 4 else ("C", "odds")
        reaches_low = self.low is not None and a <= self.low
        if reaches_low and self.high is not None and b >= self.high:
            return "U", ""
        if self.step is None:
            if self.low is not None and x < self.low - reach * more:
                return "U", ""
            if self.high is not None and x > self.high + reach * more:
                return "U", ""
        if self.low == 0 and self.high is None and a <= 0:
            return "N", ""
        if self.is_share:
            side, width = min(x, 1 - x), (b - a) * more
            if width >= Fraction("0.3") or (width > Fraction("0.05") and width > Fraction("1.3") * side):
                return "U", "side"
            return ("A", "") if side > 0 and reach * more <= limits[0] * side else ("C", "side")
        return max(self._claims(abs(x), x, b - a, reach, limits, more), key=lambda claim: claim[0])

    def _claims(
        self, size: Fraction, x: Fraction, width: Fraction, reach: Fraction, limits: Limits, more: Fraction
    ) -> Iterator[tuple[str, str]]:
        """Yield the grades by each rule that applies, of which the worst counts: C comes after A and U after C."""
        spread = None if self.low is None or self.high is None else self.high - self.low
        if spread is None or (self.low is not None and self.low >= 0):
            yield _one(reach * more, limits[0] * size, limits[1] * size), "amount"
        if spread is not None and self.low != 0:
            yield _one(width * more, spread / 10, spread * 3 / 10), "range"
        if self.low is not None and self.high is not None and spread is not None:
            yield "A" if self.low < x < self.high and width * more <= spread * 3 / 10 else "C", "edge"
        if self.step is not None:
            sides, beyond = int(self.low != 0), (reach + self.step) * more
            letter = "A" if size >= beyond * TIMES["A"][sides] else "C" if size >= beyond * TIMES["C"][sides] else "U"
            yield letter, "nothing"
        if self.threshold is not None and x - reach < self.threshold:
            yield "C", "threshold"


def _one(length: Fraction, reliable: Fraction, caution: Fraction) -> str:
    return "A" if length <= reliable else "C" if length <= caution else "U"


def _exactly(number: object) -> Fraction:
    return Fraction(str(number))


def _value(text: str) -> Fraction | None:
    """Return a number, or a day as its number; None of other texts."""
    try:
        return Fraction(text)
    except ValueError:
        pass
    try:
        return Fraction(date.fromisoformat(text).toordinal())
    except ValueError:
        return None
