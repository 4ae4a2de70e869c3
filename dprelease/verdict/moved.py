"""Differences of numbers to the release that replaces one, worked out a second time from both bundles' files.

It shares no code with `dprelease.portal.moved`, which wrote the statement.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from statistics import median
from typing import Any

from dprelease.bundle.read import ReadBundle
from dprelease.errors import IntegrityError
from dprelease.verdict.claims import Law, least_apart
from dprelease.verdict.figures import CsvTable, file_of, plain_text
from dprelease.words import phrase

RISK = Fraction(1, 20)
CLOSE = 1e-6
"""Tolerance of a stated number, relative to it."""
ROUNDED = 6e-3
"""Tolerance of the median, which is stated with three digits."""
Cells = dict[tuple[str, ...], tuple[float, float | None]]


def check_moved(told: Mapping[str, Any], before: ReadBundle, after: ReadBundle) -> int:
    """Check how much numbers moved and count those that were compared. IntegrityError where the statement is not so."""
    try:
        return _checked(told, before, after)
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError):
        raise IntegrityError(phrase("verdict.moved_not_of_numbers", by=after.release.certificate.id)) from None


def _checked(told: Mapping[str, Any], before: ReadBundle, after: ReadBundle) -> int:
    both = [bundle.release.certificate.to_mapping() for bundle in (before, after)]
    _check_tables(told, both, [before.contents, after.contents])
    pairs: list[tuple[str, float, float | None, Law, Law, Fraction]] = []
    for table in told["tables"]:
        one, other = (_cells(bundle.contents, table) for bundle in (before, after))
        (law, step), (old_law, _) = (_law(each, table) for each in (both[1], both[0]))
        shared = [key for key in other if key in one]
        pairs += [(table, other[key][0] - one[key][0], other[key][1], law, old_law, step) for key in shared]
    if told["cells"] != len(pairs):
        raise ValueError
    halves = {
        table: (least_apart(law, old, RISK / max(1, len(pairs)) / 2) - 1) * float(step)
        for table, law, old, step in {(table, law, old, step) for table, _, _, law, old, step in pairs}
    }
    beyond = [(abs(change), table) for table, change, *_ in pairs if abs(change) > halves[table] * (1 + CLOSE)]
    shares = [abs(change) / width for _, change, width, *_ in pairs if width]
    most = told["most"]
    if told["moved"] != len(beyond) or (most is None) != (not beyond):
        raise ValueError
    if most is not None:
        half = halves[most["table"]]
        change = float(most["difference"])
        ends = {"lower": change - half, "upper": change + half}
        stated = _is_near(abs(change), max(beyond)[0])
        if not stated or not all(abs(float(most[end]) - each) <= CLOSE * max(1, half) for end, each in ends.items()):
            raise ValueError
    if (told["median"] is None) != (not shares):
        raise ValueError
    if shares and abs(float(told["median"]) - median(shares)) > ROUNDED * median(shares) + CLOSE:
        raise ValueError
    return len(pairs)


def _check_tables(told: Mapping[str, Any], both: list[Any], contents: list[Mapping[str, bytes]]) -> None:
    """Check that every table of both is compared, or differs in what its plans declare, or cannot be tested."""
    differ = [each["table"] for each in told["differ"]]
    named = [*told["tables"], *differ, *told["untested"]]
    shared = {path[7:-4] for path in contents[0] if path[:7] == "tables/" and path in contents[1]}
    own = {each for each in shared if not each.endswith(".answers") and not any(_is_copy(one, each) for one in both)}
    if len({*named}) < len(named) or {*named} != own:
        raise ValueError
    plans = [each["plan"] for each in both]
    for table in differ:
        asked = [next(s for s in plan["statistics"] if s["id"] == table.partition(".")[0]) for plan in plans]
        rest = [(plan.get("columns"), plan.get("where"), plan["privacy"]["unit"]) for plan in plans]
        if asked[0] == asked[1] and rest[0] == rest[1]:
            raise ValueError
    for table in told["untested"]:
        if all(_is_testable(each, table, files) for each, files in zip(both, contents, strict=True)):
            raise ValueError


def _is_testable(certificate: Any, table: str, files: Mapping[str, bytes]) -> bool:
    """Return True if each cell surely has one draw of its own: a count by groups that nothing was taken from."""
    own = next(each for each in certificate["plan"]["statistics"] if each["id"] == table.partition(".")[0])
    stated = next(each for each in certificate["statistics"] if each["id"] == own["id"])
    plain = "counts_rows" in stated["presentation"]["traits"] and own.keys() <= {"id", "kind", "by", "title"}
    whole = stated["measurements"] == [own["id"]] and not certificate.get("several")
    return plain and whole and file_of(files, f"tables/{table}.csv").count(b"\n") <= 10_000


def _is_copy(certificate: Any, table: str) -> bool:
    """Return True if a table is that of the family of tables that rows were made from."""
    own, _, part = table.partition(".")
    stated = next(each for each in certificate["statistics"] if each["id"] == own)
    source = stated["measurements"][0]
    every = [name for each in certificate["statistics"] for name in each["tables"]]
    return stated["output"] == "rows" and source != own and f"{source}.{part}" in every


def _law(certificate: Any, table: str) -> tuple[Law, Fraction]:
    """Return the noise of each cell and its step. Raises ValueError where it is not one draw."""
    stated = next(each for each in certificate["statistics"] if each["id"] == table.partition(".")[0])
    (name,) = stated["measurements"]
    (mechanism,) = next(each for each in certificate["measurements"] if each["id"] == name)["mechanisms"]
    return (mechanism["name"], float(mechanism["scale"]), 1), Fraction(mechanism["step"])


def _cells(contents: Mapping[str, bytes], table: str) -> Cells:
    """Return noisy value and width of the interval by the keys; a period of which all is there needs no mark."""
    found = CsvTable.read(file_of(contents, f"tables/{table}.csv"))
    heads = [plain_text(head) for head in found.heads]
    at = heads.index("value")
    value = heads.index("raw") if "raw" in heads else at
    whole = [place for place in range(at) if heads[place].rstrip("_").endswith("_partial")]
    return {
        tuple(cell for place, cell in enumerate(row[:at]) if not (place in whole and cell == "no")): (
            float(row[value]),
            float(row[at + 2]) - float(row[at + 1]) if row[at + 1] and row[at + 2] else None,
        )
        for row in found.rows
        if row[value]
    }


def _is_near(one: float, other: float) -> bool:
    return abs(one - other) <= CLOSE * max(1.0, abs(other))
