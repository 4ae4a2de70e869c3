"""Intervals of quantiles found a second time, from the JSON of a certificate and the bytes of two tables.

It shares no code with `dprelease.statistics.planning.bounding`, which made them: another reading of docs/privacy.md.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from datetime import date
from fractions import Fraction
from itertools import accumulate
from typing import Any

from dprelease.errors import IntegrityError
from dprelease.verdict.figures import Table, file_of
from dprelease.words import phrase

QUARTILES = ("0.25", "0.5", "0.75")
WHISKERS = ("0.05", "0.95")
KINDS = ("quantiles", "median", "five_numbers")


def check_between(certificate: Mapping[str, Any], contents: Mapping[str, bytes]) -> int:
    """Tells how many intervals of quantiles are those that the shares of other tables allow.

    Raises IntegrityError where the shares are not of the same rows, or an interval is another one. Of a release that is
    withheld there are none.
    """
    plan = certificate["plan"]
    if not all(each["held"] for each in certificate["criteria"]):
        return 0
    asked, found = {each["id"]: each for each in plan["statistics"]}, 0
    for stated in certificate["statistics"]:
        if "bounded_by" not in stated:
            continue
        own, by = asked[stated["id"]], asked.get(stated["bounded_by"], {})
        table, shares = (
            Table.read(file_of(contents, f"tables/{name}.csv")) for name in (own["id"], stated["bounded_by"])
        )
        try:
            right = _is_bounded(own, by, table, shares, plan["columns"][own["column"]])
        except (ValueError, LookupError, TypeError, ArithmeticError):
            right = False
        if not right:
            raise IntegrityError(phrase("verdict.not_bounded_by_shares", table=own["id"], shares=stated["bounded_by"]))
        found += len(table.rows)
    return found


def _is_bounded(
    own: Mapping[str, Any], by: Mapping[str, Any], table: Table, shares: Table, column: Mapping[str, Any]
) -> bool:
    if by["kind"] != "cdf" or own["kind"] not in KINDS or own["column"] != by["column"]:
        return False
    if own.get("by") or own.get("interval"):
        return False
    low, high = _number(str(column["lower"])), _number(str(column["upper"]))
    step = Fraction(str(column.get("resolution", 1)))
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
    """The α of each row."""
    if asked["kind"] == "quantiles":
        return [Fraction(str(share)) for share in asked["probs"]]
    if asked["kind"] == "median":
        return [Fraction(1, 2)]
    low, high = asked.get("whiskers", WHISKERS)
    return [Fraction(str(share)) for share in (low, *QUARTILES, high)]


def _number(text: str) -> Fraction:
    """A number, or a day as its number."""
    try:
        return Fraction(text)
    except ValueError:
        return Fraction(date.fromisoformat(text).toordinal())
