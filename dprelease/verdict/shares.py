"""Shares of rows, columns and tables worked out a second time from the bytes of the CSV, their ends by an integral.

It shares no code with `dprelease.statistics`, which made them: another reading of docs/privacy.md.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any

from dprelease.errors import IntegrityError
from dprelease.verdict.figures import ALL, is_of
from dprelease.verdict.noise import ALPHA, GAUSSIAN, RecomputedNoise
from dprelease.words import phrase

CLOSE = 1e-4
"""Relative tolerance of a chance of 5 %."""
NEAR = 1e-8
"""Tolerance of shares, which are floats."""


def check_shares(certificate: Mapping[str, Any], tables: Mapping[str, bytes]) -> None:
    """Raises IntegrityError where a table that is to have shares lacks them, or they do not follow from its counts."""
    for asked in certificate["plan"]["statistics"]:
        words = asked.get("shares")
        if not words or asked["id"] not in tables:
            continue
        head, *rows = csv.reader(io.StringIO(tables[asked["id"]].decode(), newline=""))
        for word in words:
            names = [f"{word}_share", f"{word}_share_lower95", f"{word}_share_upper95"]
            if not {*names} <= {*head} or not _follow(certificate, asked, word, head, rows, names):
                raise IntegrityError(phrase("verdict.shares_not_of_counts", table=asked["id"]))


def _follow(
    certificate: Mapping[str, Any],
    asked: Mapping[str, Any],
    word: str,
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    names: Sequence[str],
) -> bool:
    columns, keys = asked["columns"], head.index("value")
    last = len(columns) - 1
    shared = {"row": {last}, "column": {0}}.get(word, set(range(len(columns))))
    owner = [next(place for place, name in enumerate(columns) if is_of(key, name)) for key in head[:keys]]
    firsts = [owner.index(place) for place in range(len(columns))]
    margins, (noise, step) = bool(asked.get("margins")), _noise(certificate, asked["id"])
    totals = [[margins and row[first] == ALL for first in firsts] for row in rows]
    sizes = []
    for place in range(len(columns)):
        own = [at for at in range(keys) if owner[at] == place]
        parts = (row for row, is_total in zip(rows, totals, strict=True) if not is_total[place])
        sizes.append(len({tuple(row[at] for at in own) for row in parts}))
    cells = prod(sizes[place] for place in shared)
    wholes: dict[tuple[str, ...], Fraction] = {}
    read = []
    for row, is_total in zip(rows, totals, strict=True):
        group = tuple(row[at] for at in range(keys) if owner[at] not in shared)
        count = Fraction(row[keys]) / step
        summed = prod(size for size, total in zip(sizes, is_total, strict=True) if total)
        is_part = not any(is_total[place] for place in shared)
        read.append((group, count, summed, is_part))
        if is_part:
            wholes[group] = wholes.get(group, Fraction(0)) + count
    places = [head.index(name) for name in names]
    for row, (group, count, summed, is_part) in zip(rows, read, strict=True):
        told = [row[place] for place in places]
        if not is_part or wholes[group] <= 0:
            if any(told):
                return False
        elif not all(told) or not _holds(list(map(float, told)), count, wholes[group], noise, summed, cells):
            return False
    return True


def _noise(certificate: Mapping[str, Any], statistic: str) -> tuple[RecomputedNoise, Fraction]:
    """Return the noise of one count in steps, and what a step is worth."""
    (source,) = (each for each in certificate["measurements"] if each["id"] == statistic)
    (mechanism,) = source["mechanisms"]
    noise = RecomputedNoise(float(mechanism["scale"]), mechanism["name"] == GAUSSIAN)
    return noise, Fraction(str(mechanism["step"]))


def _holds(
    told: Sequence[float], count: Fraction, whole: Fraction, noise: RecomputedNoise, summed: int, cells: int
) -> bool:
    """Return True if a share is the quotient, and noise goes beyond each end in 5 of 100 cases."""
    share, lower, upper = told
    value = min(max(count / whole, Fraction(0)), Fraction(1))
    if abs(share - float(value)) > NEAR or not 0 <= lower <= share <= upper <= 1:
        return False

    def chance(r: float) -> float:
        distance = abs((1 - Fraction(r)) * count - Fraction(r) * (whole - count))
        return noise.chance(float(distance) - max(r, 1 - r) / 2, [(1 - r, summed), (r, summed * (cells - 1))])

    if chance(float(value)) < ALPHA * (1 - CLOSE):
        return (lower, upper) == (0, 1)
    for end, limit in ((lower, 0.0), (upper, 1.0)):
        found = chance(end)
        if found < ALPHA * (1 - CLOSE) or (end != limit and found > ALPHA * (1 + CLOSE)):
            return False
        if end != limit and chance(limit) > ALPHA * (1 + CLOSE):
            return False
    return True
