"""Intervals of quantiles found a second time, from the JSON of a certificate and the bytes of two tables.

And of quantiles that are read from published counts or shares their values too. It shares no code with
`dprelease.statistics`, which made them: another reading of docs/privacy.md.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from itertools import accumulate
from typing import Any

from dprelease.errors import IntegrityError
from dprelease.verdict.figures import CsvTable, file_of
from dprelease.words import phrase

QUARTILES = ("0.25", "0.5", "0.75")
WHISKERS = ("0.05", "0.95")
SLACK = Fraction(1, 10**12)
"""Tolerance of shares that are worked out again of counts, in other steps than the first time."""


def check_between(certificate: Mapping[str, Any], contents: Mapping[str, bytes]) -> int:
    """Check and count the quantiles that are those, or have the intervals, that other tables allow.

    Raises IntegrityError where these are not of the same rows, or a value or an interval is another one. Of a release
    that is withheld there are none.
    """
    plan = certificate["plan"]
    if not all(each["held"] for each in certificate["criteria"]):
        return 0
    shown = {each["id"]: each.get("presentation") for each in certificate["statistics"]}
    asked, found = {each["id"]: {**each, "shown": shown.get(each["id"])} for each in plan["statistics"]}, 0
    for stated in certificate["statistics"]:
        is_read = stated.get("derivation") == "ranks"
        if not is_read and "bounded_by" not in stated:
            continue
        source = stated["measurements"][0] if is_read else stated["bounded_by"]
        own, by = asked[stated["id"]], asked.get(source, {})
        table, shares = (CsvTable.read(file_of(contents, f"tables/{name}.csv")) for name in (own["id"], source))
        try:
            right = (_is_read if is_read else _is_bounded)(own, by, table, shares, plan["columns"][own["column"]])
        except (ValueError, LookupError, TypeError, ArithmeticError):
            right = False
        if not right:
            raise IntegrityError(phrase("verdict.not_bounded_by_shares", table=own["id"], shares=source))
        found += len(table.rows)
    return found


def _is_bounded(
    own: Mapping[str, Any], by: Mapping[str, Any], table: CsvTable, shares: CsvTable, column: Mapping[str, Any]
) -> bool:
    if not _is_cdf(by) or "quantile" not in own["shown"]["traits"] or own["column"] != by["column"]:
        return False
    return not own.get("by") and not own.get("interval") and _have_ends(own, table, shares, column)


def _is_read(
    own: Mapping[str, Any], by: Mapping[str, Any], table: CsvTable, shares: CsvTable, column: Mapping[str, Any]
) -> bool:
    """Return True if each value is where the shares reach α, even within the bin that does; by shares of a cdf, only if
    it has the interval that these allow too."""
    is_counts = "counts_rows" in by["shown"]["traits"] and not by.get("by") and shares.keys > 0
    if not (_is_cdf(by) or is_counts) or "quantile" not in own["shown"]["traits"] or own["column"] != by["column"]:
        return False
    if own.get("by") or own.get("candidates"):
        return False
    low, high, step = _bounds(column)
    if not is_counts:
        firsts = [low, *(_number(row[0]) + step for row in shares.rows)]
        told, slack = [Fraction(float(row[shares.keys])) for row in shares.rows], Fraction(0)
    else:
        firsts, slack = [*(_number(row[0]) for row in shares.rows), high + step], SLACK
        place = shares.heads.index("raw" if "raw" in shares.heads else "value")
        told = _increasing([int(row[place]) for row in shares.rows])
    for share, row in zip(_shares(own), table.rows, strict=True):
        least, most = (_reached(told, firsts, step, share + side * slack) for side in (-1, 1))
        if not least <= _number(row[table.keys]) <= most:
            return False
    return is_counts or _have_ends(own, table, shares, column)


def _is_cdf(asked: Mapping[str, Any]) -> bool:
    """Return True if the numbers of a table are shares up to the end of each bin."""
    return bool(asked["shown"]["look"] == "stairs")


def _reached(told: Sequence[Fraction], firsts: Sequence[Fraction], step: Fraction, share: Fraction) -> Fraction:
    """Return the value at which shares up to the end of each bin come to a share."""
    place = next((place for place, up_to in enumerate(told) if up_to >= share), len(told) - 1)
    before = told[place - 1] if place else Fraction(0)
    values = int((firsts[place + 1] - firsts[place]) / step)
    part = (share - before) / (told[place] - before) if told[place] > before else Fraction(0)
    return firsts[place] + step * max(0, min(values - 1, int(part * values)))


def _increasing(counts: Sequence[int]) -> list[Fraction]:
    """Return shares up to each bin: the nearest that never fall, within 0 and 1, of which the last is 1."""
    whole, up_to = sum(counts), list(accumulate(counts))
    shares = [Fraction(part, whole) if whole > 0 else Fraction(i + 1, len(counts)) for i, part in enumerate(up_to)]
    blocks: list[tuple[Fraction, int]] = []
    for each in shares:
        mean, many = each, 1
        while blocks and blocks[-1][0] >= mean:
            other, others = blocks.pop()
            mean, many = (mean * many + other * others) / (many + others), many + others
        blocks.append((mean, many))
    told = [min(Fraction(1), max(Fraction(0), mean)) for mean, many in blocks for _ in range(many)]
    return [*told[:-1], Fraction(1)]


def _bounds(column: Mapping[str, Any]) -> tuple[Fraction, Fraction, Fraction]:
    """Return the least and the greatest value, and the step between two."""
    low, high = (_number(str(column[end])) for end in ("lower", "upper"))
    return low, high, Fraction(str(column.get("resolution", 1)))


def _have_ends(own: Mapping[str, Any], table: CsvTable, shares: CsvTable, column: Mapping[str, Any]) -> bool:
    """Return True if each interval is the one that shares with their intervals allow."""
    low, high, step = _bounds(column)
    places = [shares.heads.index(name) for name in ("lower95", "upper95")]
    ends = [(_number(row[0]), *(Fraction(float(row[place])) for place in places)) for row in shares.rows[:-1]]
    # What is told of an end counts only where it is told of all ends before it: below by the greatest so far, above
    # by the least from there on. Both are in order, so that either side is found by halving.
    most = list(accumulate((upper for _, _, upper in ends), max))
    least = list(accumulate((lower for _, lower, _ in reversed(ends)), min))[::-1]
    keys = table.keys
    for share, row in zip(_shares(own), table.rows, strict=True):
        passed, before = bisect_left(most, share), bisect_right(least, share)
        first = ends[passed - 1][0] + step if passed else low
        last = ends[before][0] if before < len(ends) else high
        value, lower, upper = map(_number, row[keys : keys + 3])
        if (lower, upper) != (min(first, value), max(last, value)):
            return False
    return True


def _shares(asked: Mapping[str, Any]) -> Sequence[Fraction]:
    """Return the α of each row."""
    if asked["shown"]["look"] != "boxes":
        return [Fraction(str(share)) for share in asked.get("probs", ("0.5",))]
    low, high = asked.get("whiskers", WHISKERS)
    return [Fraction(str(share)) for share in (low, *QUARTILES, high)]


def _number(text: str) -> Fraction:
    """Return a number, or a day as its number."""
    try:
        return Fraction(text)
    except ValueError:
        return Fraction(date.fromisoformat(text).toordinal())
