"""Standardised rates worked out a second time: values and grades in fractions, reaches by an integral of another kind.

It shares no code with `dprelease.model.standard`, `dprelease.bundle.derived` and `dprelease.statistics`.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any

from dprelease.errors import IntegrityError
from dprelease.verdict.figures import ALL, CsvTable, Figures, file_of, plain_text
from dprelease.verdict.grades import Ruler
from dprelease.verdict.noise import ALPHA, RecomputedNoise
from dprelease.words import phrase

CLOSE, DIGITS = 1e-6, 1e-8
"""Relative tolerances: of a chance of 5 %, and of a reach for its digits."""
NOTHING = [None, None, None]
Terms = tuple[tuple[Fraction, int], ...]
"""Factors of counts, each with the number of noises that its count is the sum of."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One rate: None without a value, else Σ factor · count with the noises of the counts."""

    value: Fraction | None
    terms: Terms


def check_standardised(certificate: Mapping[str, Any], asked: Mapping[str, Any], contents: Mapping[str, bytes]) -> int:
    """Check and count standardised rates of a table. Raises IntegrityError where one is not what follows."""
    name, plan = asked["id"], certificate["plan"]
    counts, rates = (
        CsvTable.read(file_of(contents, path)) for path in (f"tables/{asked['of']}.csv", f"derived/{name}.csv")
    )
    told = json.loads(file_of(contents, f"derived/{name}.json"))["rows"]
    first, beyond = _columns(plan["public"][asked["per"]], counts, asked["standardise"]["over"])
    heads = [*counts.heads[:first], *counts.heads[beyond : counts.keys + 3]]
    wanted = dict(_rows(plan, asked, counts, first, beyond))
    reaches, noise = certificate["reaches"][name], RecomputedNoise.of(certificate, asked["of"], counts)
    limits = Fraction(str(certificate["grades"]["caution"])), Fraction(str(certificate["grades"]["unreliable"]))
    if [*rates.heads[:-1], rates.heads[-1].rstrip("_")] != [*heads, "grade"] or not len(rates.rows) == len(
        wanted
    ) == len(reaches) == len(told):
        raise IntegrityError(phrase("verdict.rates_not_of_counts", name=name))
    for rate, row, reach, (key, own) in zip(rates.rows, told, reaches, wanted.items(), strict=True):
        if (own.value is None) != (reach is None) or (reach is not None and not _is_reach(reach, own.terms, noise)):
            raise IntegrityError(phrase("verdict.reach_not_of_noise", name=name))
        ends = _ends(own.value, reach)
        numbers, letter = [*map(repr, ends)] or ["", "", ""], rate[-1]
        step = max((abs(factor) for factor, _ in own.terms), default=Fraction(0))
        if rate[:-1] != [*key, *numbers] or not Ruler(Fraction(0), None, step).is_one(letter, *numbers, limits=limits):
            raise IntegrityError(phrase("verdict.rates_not_of_counts", name=name))
        if [row[end] for end in ("value", "lower95", "upper95")] != (ends or NOTHING) or row[rates.heads[-1]] != letter:
            raise IntegrityError(phrase("verdict.rates_not_of_counts", name=name))
    return len(wanted)


def _ends(value: Fraction | None, reach: float | None) -> list[float]:
    """Return value and interval, each to the nearest double; nothing without a value."""
    if value is None or reach is None:
        return []
    return [float(value + sign * Fraction(str(reach))) for sign in (0, -1, 1)]


def _columns(per: Mapping[str, Any], counts: CsvTable, over: str) -> tuple[int, int]:
    """Return the range of the groups' columns in the table of counts: up to the next that begins a key."""
    first = [plain_text(head) for head in counts.heads].index(over)
    others = [place for place in range(first + 1, counts.keys) if plain_text(counts.heads[place]) in per["keys"]]
    return first, min(others, default=counts.keys)


def _rows(
    plan: Mapping[str, Any], asked: Mapping[str, Any], counts: CsvTable, first: int, beyond: int
) -> Iterator[tuple[tuple[str, ...], _Row]]:
    """Yield each rate by its keys, from the rows of counts, of which totals are such sums already."""
    of = next(each for each in plan["statistics"] if each["id"] == asked["of"])
    has_totals = bool(of.get("margins"))
    figures, weights = Figures(plan["public"][asked["per"]], counts, has_totals=has_totals), _weights(plan, asked)
    times = Fraction(str(asked.get("times", 1)))
    groups: dict[tuple[str, ...], list[tuple[Fraction, int, int] | None]] = {}
    sizes = [len({row[place] for row in counts.rows} - ({ALL} if has_totals else set())) for place in figures.places]
    for row in counts.rows:
        own, group = (*row[:first], *row[beyond : counts.keys]), plain_text(row[first])
        into = groups.setdefault(own, [])
        if has_totals and group == ALL:
            continue
        figure = figures.of(row)
        summed = prod(
            size for size, place in zip(sizes, figures.places, strict=True) if has_totals and row[place] == ALL
        )
        if weights[group]:
            into.append(None if figure is None else (times * weights[group] / figure, int(row[counts.keys]), summed))
    for key, parts in groups.items():
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            yield key, _Row(None, ())
        else:
            value = sum((factor * count for factor, count, _ in known), Fraction(0))
            yield key, _Row(value, tuple((factor, summed) for factor, _, summed in known))


def _weights(plan: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Fraction]:
    """Return the part of each group in the standard population."""
    table = plan["public"][asked["standardise"]["weights"]]
    column = dict(table["keys"])[asked["standardise"]["over"]]
    rows = list(csv.DictReader(io.StringIO(table["content"], newline="")))
    whole = sum(Fraction(row[table["value"]]) for row in rows)
    return {row[column]: Fraction(row[table["value"]]) / whole for row in rows}


def _is_reach(reach: float, terms: Terms, noise: RecomputedNoise) -> bool:
    """Return True if noise goes beyond a reach, less half a step, in 5 of 100 cases, and no less often."""
    half = float(max(factor for factor, _ in terms)) / 2
    nearer = max(0.0, reach * (1 - DIGITS) - half) * (1 - 2 * DIGITS)
    return noise.chance(reach - half, terms) <= ALPHA * (1 + CLOSE) and noise.chance(nearer, terms) >= ALPHA * (
        1 - CLOSE
    )
