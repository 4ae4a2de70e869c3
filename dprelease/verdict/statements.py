"""Statements of a release on its numbers, worked out a second time from its certificate's JSON and its CSV files.

It shares no code with `dprelease.statements`: another reading of the rules in docs/formats.md. What is claimed of
numbers, and how often noise leads to it, is in `claims`.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from math import prod
from typing import Any

from dprelease.errors import IntegrityError
from dprelease.verdict.claims import ClaimedCells, ClaimedPairs, Law, Tried
from dprelease.verdict.ranks import ranked
from dprelease.words import phrase, quoted

NOISES = ("discrete_laplace", "discrete_gaussian")
CALENDAR = ("day", "week", "month", "quarter", "half", "year")
RECURRING = ("weekday", "month_of_year")
LEFT_OUT = frozenset({"survey_weights", "sampling"})
FAULTS = (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError)
"""Exceptions that hostile files can lead to."""
NOTHING: Mapping[str, bytes] = {}
CLASSES = (
    ("most", "ahead", "least", "stretch", "first_last", "apart", "lowest", "better"),
    ("spread", "envelope", "no_better"),
)


def check_statements(
    certificate: Mapping[str, Any], tables: Mapping[str, bytes], beside: Mapping[str, bytes] = NOTHING
) -> int:
    """Check and count the findings. Raises IntegrityError where one is not that of its table, or one is missing."""
    told, held = certificate.get("statements"), all(each["held"] for each in certificate["criteria"])
    if told is None and not held:
        return 0
    try:
        again = stated(certificate, tables, beside)
    except FAULTS as cause:
        raise IntegrityError(phrase("verdict.statements_cannot_be_told", kind=type(cause).__name__)) from None
    if told is None or not held:
        raise IntegrityError(phrase("verdict.statements_missing"))
    for table in sorted({*told["tables"], *again["tables"]}):
        one, other = (each["tables"].get(table, []) for each in (told, again))
        if len(one) != len(other) or not all(map(_alike, one, other)):
            raise IntegrityError(phrase("verdict.finding_does_not_hold", statistic=quoted(table)))
    if {name: [*each] for name, each in told["quotable"].items()} != again["quotable"]:
        raise IntegrityError(phrase("verdict.quotable_not_of_grades"))
    if told["ranks"] != again["ranks"]:
        raise IntegrityError(phrase("verdict.ranks_do_not_hold"))
    if told["lead"] != again["lead"]:
        raise IntegrityError(phrase("verdict.lead_does_not_hold"))
    return sum(map(len, told["tables"].values()))


def stated(
    certificate: Mapping[str, Any], tables: Mapping[str, bytes], beside: Mapping[str, bytes] = NOTHING
) -> dict[str, Any]:
    """Return the statements of a release. `beside`: the bytes of the files of noisy integers, by statistic."""
    integers = {name: json.loads(data).get("integers", []) for name, data in beside.items()}
    read = {
        name: StatedTable(certificate, name, data, integers.get(name.partition(".")[0], []))
        for name, data in tables.items()
    }
    families = {name: own for name, table in read.items() if (own := list(table.families()))}
    limits = certificate["grades"]

    def found(name: str, part: Fraction) -> list[dict[str, Any]]:
        return [each for family in families[name] for each in family.at(part).found(limits)]

    asked = certificate["plan"].get("lead")
    named = [name for name in tables if asked in (None, name, name.partition(".")[0])]
    chosen = [name for name in named if name in families]
    every = {name: found(name, Fraction(1)) for name in families}
    pairs = [(name, each) for name in chosen if read[name].mostly for each in found(name, Fraction(1, len(chosen)))]
    best: tuple[str, dict[str, Any]] | None = None
    for ways in CLASSES:
        passed = [pair for pair in pairs if pair[1]["way"] in ways]
        best = best or (max(passed, key=lambda pair: float(pair[1]["strength"])) if passed else None)
    order = {name: place for place, name in enumerate(tables)}
    numbers = [(float(each["strength"]) < 1, order[name], each) for name, each in pairs if each["way"] == "share"]
    numbers += [(read[name].letters != ["A"], order[name], {}) for name in named if read[name].is_number]
    if best is None and numbers:
        *_, place, own_finding = min(numbers, key=lambda each: each[:2])
        best = [*tables][place], own_finding
    lead = None
    if best is not None:
        name, first = best
        lead = {"table": name, "way": first.get("way", "number")} | ({"axis": first["axis"]} if "axis" in first else {})
        if first:
            every[name] = [first, *(each for each in every[name] if _slot(each) != _slot(first))]
    counts = {
        name: [sum(letter in "AC" for letter in table.letters), len(table.letters)]
        for name, table in read.items()
        if table.copied not in read
    }
    return {"tables": {name: each for name, each in every.items() if each}, "lead": lead, "quotable": counts} | {
        "ranks": ranked(certificate, tables)
    }


def _slot(found: Mapping[str, Any]) -> tuple[Any, str]:
    return found.get("axis"), found["way"].replace("ahead", "most")


def _alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return True if two are the same but for the last digit of the strength, which is computed in floats."""
    near = abs(float(one["strength"]) - float(other["strength"])) < 3e-6
    return near and {**one, "strength": ""} == {**other, "strength": ""}


class StatedTable:
    """A table of a bundle beside what its certificate says of it."""

    def __init__(
        self, certificate: Mapping[str, Any], name: str, data: bytes, integers: Sequence[Sequence[int]]
    ) -> None:
        head, *self.rows = csv.reader(io.StringIO(data.decode(), newline=""))
        own, self.part = name.split(".")[0], name.partition(".")[2]
        self.certificate, self.asked = certificate, next(s for s in certificate["plan"]["statistics"] if s["id"] == own)
        self.stated = next(each for each in certificate["statistics"] if each["id"] == own)
        self.drawn = [
            noise
            for each in certificate["measurements"]
            if each["id"] in self.stated["measurements"]
            for noise in each["mechanisms"]
        ]
        self.column = {key: place for place, key in enumerate(head)}
        self.letters = [row[-1] for row in self.rows]
        self.keys: list[list[int]] = []
        for place, key in enumerate(head[: self.column["value"]]):
            further = key.rstrip("_").endswith(("_to", "_partial")) and bool(self.keys)
            self.keys[-1].append(place) if further else self.keys.append([place])
        self.head, self.integers = head, integers

    @property
    def copied(self) -> str:
        """The table that one of a statistic of synthetic rows repeats, where they follow another's; else nothing."""
        follows = self.stated["output"] == "rows" and self.stated["id"] not in self.stated["measurements"]
        return f"{self.stated['measurements'][0]}.{self.part}" if follows else ""

    @property
    def mostly(self) -> bool:
        return 2 * sum(letter in "AC" for letter in self.letters) >= len(self.letters)

    @property
    def is_number(self) -> bool:
        """One number that can be quoted, with an interval."""
        if self.keys or len(self.rows) != 1 or "spread" in self.stated["presentation"]["traits"]:
            return False
        return self.letters[0] in "AC" and all(self.rows[0][self.column[end]] for end in ("lower95", "upper95"))

    def families(self) -> Iterator[ClaimedCells | ClaimedPairs | Tried]:
        """Yield the families of cells that are compared."""
        yield from self._quotients()
        yield from self._tried()
        shown, asked = self.stated["presentation"], self.asked
        traits = shown["traits"]
        plain = "additive" in traits and not {"unlike", "ranked"} & {*traits}
        noised = bool(self.drawn) and all(
            each["name"] in NOISES and "threshold" not in each["settings"] for each in self.drawn
        )
        if not (self.keys and plain and noised) or LEFT_OUT & asked.keys():
            return
        margins = bool(asked.get("margins"))
        every: Sequence[int | None] = range(len(self.keys)) if margins else [None]
        chosen = [(axis, [at for at, row in enumerate(self.rows) if self._is_in(row, axis)]) for axis in every]
        chosen = [(axis, places) for axis, places in chosen if 2 <= len(places) <= 400]
        laws, step = self._laws(), self._step()
        records = shown["measure"] == "records" and "max_rows_per_cell" not in asked
        for axis, places in chosen:
            key = axis if axis is not None else 0 if len(self.keys) == 1 else None
            column, level = self._declared(key)
            kind = column.get("type")
            shape = "two" if kind and len(places) == 2 and records else "list"
            if kind not in (None, "category", "boolean"):
                shape = "bins" if records and level not in RECURRING else "list"
                shape = "periods" if kind == "date" and level in CALENDAR else shape
            numbers = [self._number(self.rows[at], laws, step) for at in places]
            if None in numbers:
                continue
            firsts = [self.rows[at][self.keys[key][0]] if key is not None else "" for at in places]
            yield ClaimedCells(
                shape,
                Fraction(1, 20) / len(chosen),
                axis,
                places,
                [each[0] for each in numbers if each],
                [float(self.rows[at][self.column["value"]]) for at in places],
                [laws[at] if laws else each[1] for at, each in zip(places, numbers, strict=True) if each],
                firsts,
                [self._width(self.rows[at], key or 0, column) for at in places] if shape == "bins" else [],
                frozenset(at for at in places if self.letters[at] == "N"),
            )

    def _quotients(self) -> Iterator[ClaimedPairs]:
        """Yield means or shares by group, of the two noisy numbers of each."""
        (own, *others), asked = self.drawn, self.asked
        known = own["name"] in NOISES and not others and "federation" not in self.certificate
        shown = self.stated["presentation"]
        if "quotient" not in shown["traits"] or not known or LEFT_OUT & asked.keys():
            return
        places = [at for at, row in enumerate(self.rows) if self._is_in(row, None)]
        if list(map(len, self.integers)) != [2 * len(self.rows)] or not 2 <= len(places) <= 400:
            return
        pairs = [(self.integers[0][2 * at], self.integers[0][2 * at + 1]) for at in places]
        low, width = Fraction(0), Fraction(1)
        if shown["measure"] == "column":
            column = self.certificate["plan"]["columns"][asked["column"]]
            step, ends = (
                Fraction(str(column.get("resolution", 1))),
                [Fraction(str(column[e])) for e in ("lower", "upper")],
            )
            low, width = int(ends[0] / step) * step, int((ends[1] - ends[0]) / step) * step
        law = (own["name"], float(own["scale"]), 1)
        yield ClaimedPairs(Fraction(1, 20), places, pairs, law, low, width, shown["measure"] == "share")

    def _tried(self) -> Iterator[Tried]:
        """Yield the trial of a model of two classes on units held out."""
        own = self.drawn[-1]
        if self.part != "performance" or "held_out" not in self.asked or not self.integers:
            return
        listed, half = self.integers[-1], len(self.integers[-1]) // 2
        if own["name"] in NOISES and "federation" not in self.certificate and 2 * half == len(listed):
            positive = 0 if self.asked.get("positive") == "first" else 1
            classes = (listed[:half], listed[half:])
            law = (own["name"], float(own["scale"]), 1)
            yield Tried(Fraction(1, 20), classes[positive], classes[1 - positive], law, positive)

    def _is_in(self, row: Sequence[str], axis: int | None) -> bool:
        codes = ({"_T"} if self.asked.get("margins") else set()) | ({"_U"} if self.asked.get("missing") else set())
        for number, places in enumerate(self.keys):
            if axis not in (None, number):
                if row[places[0]] != "_T":
                    return False
            elif row[places[0]] in codes or any(self._partial(place) and row[place] == "yes" for place in places[1:]):
                return False
        return True

    def _partial(self, place: int) -> bool:
        return self.head[place].rstrip("_").endswith("_partial")

    def _declared(self, key: int | None) -> tuple[Mapping[str, Any], str]:
        """Return the column of a key as the plan declares it, and its level."""
        asked = self.asked
        subject = "of_columns" in self.stated["presentation"]["traits"]
        names = [*asked.get("by", []), *([] if subject else asked.get("columns", []))]
        names += [asked["column"]] if "column" in asked else []
        if len(names) != len(self.keys):  # one table of several, whose keys are some of these columns
            heads = [self.head[places[0]] for places in self.keys]
            names = [name for head in heads for name in names if head in (name, f"{name}_from")]
        if key is None or key >= len(names):
            return {}, ""
        columns = self.certificate["plan"].get("columns") or {}
        return columns.get(names[key], {}), asked.get("levels", {}).get(names[key], "")

    def _laws(self) -> list[Law]:
        """Return the noise of each row, where each cell has a draw of its own and totals are their sums; else none."""
        margins, (own, *others) = bool(self.asked.get("margins")), self.drawn
        inner = [{row[places[0]] + "\0" + row[places[-1]] for row in self.rows} for places in self.keys]
        sizes = [len({each for each in own if not each.startswith("_T\0")} if margins else own) for own in inner]
        alone = "own_noise" in self.stated["presentation"]["traits"] or margins
        alone = alone and self.stated["id"] in self.stated["measurements"] and not others and own["step"] is not None
        if not alone or "federation" in self.certificate or prod(own["shape"]) != prod(sizes):
            return []
        draws = (
            prod(size for places, size in zip(self.keys, sizes, strict=True) if margins and row[places[0]] == "_T")
            for row in self.rows
        )
        laws = [(own["name"], float(own["scale"]), many) for many in draws]
        return laws if max((many for *_, many in laws), default=1) <= 10_000 else []

    def _step(self) -> Fraction:
        steps = [Fraction(each["step"]) for each in self.drawn if each["step"] is not None]
        return Fraction(1) if self.stated["presentation"]["measure"] in ("records", "units") else max(steps)

    def _number(self, row: Sequence[str], laws: Sequence[Law], step: Fraction) -> tuple[Fraction, float] | None:
        """Return a number in steps; and how far its noise goes, where only the interval tells."""
        value, lower, upper = (row[self.column[each]] for each in ("value", "lower95", "upper95"))
        if laws:
            raw = row[self.column["raw"]] if "raw" in self.column else value
            return (Fraction(round(Fraction(raw) / Fraction(self.drawn[0]["step"]))), 0.0) if raw else None
        if self.certificate["plan"].get("postprocess") or not (value and lower and upper and step):
            return None
        x, a, b = map(float, (value, lower, upper))
        return Fraction(value) / step, max(x - a, b - x) / float(step) + 1

    def _width(self, row: Sequence[str], key: int, column: Mapping[str, Any]) -> Fraction:
        places = self.keys[key]
        if len(places) < 2:
            return Fraction(1)
        first, last = (row[place] for place in places[:2])
        if column["type"] == "date":
            return Fraction((date.fromisoformat(last) - date.fromisoformat(first)).days + 1)
        return (Fraction(last) - Fraction(first)) / Fraction(str(column.get("resolution", 1))) + 1
