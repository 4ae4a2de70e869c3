"""Indices and changes worked out a second time: values and grades in fractions, ends by an integral of another kind.

It shares no code with `dprelease.bundle.compared`, which made them: another reading of docs/formats.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from math import ulp
from typing import Any

from dprelease.errors import IntegrityError
from dprelease.verdict.figures import CsvTable, file_of, is_of, plain_text
from dprelease.verdict.grades import Ruler
from dprelease.verdict.noise import ALPHA, RecomputedNoise
from dprelease.words import phrase

ENDS = ("value", "lower95", "upper95")
NOTHING = ["", "", ""]
CLOSE = 1e-6
"""Relative tolerance of a chance of 5 %."""
NINE = Context(prec=9)
"""The digits of an end of a quotient."""


def check_compared(certificate: Mapping[str, Any], asked: Mapping[str, Any], contents: Mapping[str, bytes]) -> int:
    """Check and count the numbers of an index or a change. Raises IntegrityError where one is not what follows."""
    name, plan = asked["id"], certificate["plan"]
    counts, numbers = (
        CsvTable.read(file_of(contents, path)) for path in (f"tables/{asked['of']}.csv", f"derived/{name}.csv")
    )
    told = json.loads(file_of(contents, f"derived/{name}.json"))["rows"]
    noise = RecomputedNoise.of(certificate, asked["of"], counts)
    limits = Fraction(str(certificate["grades"]["caution"])), Fraction(str(certificate["grades"]["unreliable"]))
    less, grade = int("lag" in asked), numbers.heads[-1]
    if [*numbers.heads[:-1], grade.rstrip("_")] != [*counts.heads[: counts.keys + 3], "grade"] or not len(
        numbers.rows
    ) == len(counts.rows) == len(told):
        raise IntegrityError(phrase("verdict.rates_not_of_counts", name=name))
    for row, own, other, json_row in zip(numbers.rows, counts.rows, _others(plan, asked, counts), told, strict=True):
        cells, letter = row[counts.keys : counts.keys + 3], row[-1]
        read = [None if cell == "" else float(cell) for cell in cells]
        right = row[: counts.keys] == own[: counts.keys] and [json_row[end] for end in ENDS] == read
        if not right or json_row[grade] != letter or cells != ["" if each is None else repr(each) for each in read]:
            raise IntegrityError(phrase("verdict.rates_not_of_counts", name=name))
        count, by = int(own[counts.keys]), 0 if other is None else int(other[counts.keys])
        if not _holds(noise, cells, count, by, less, is_base=other is own) or not _is_graded(
            cells, letter, less, limits
        ):
            raise IntegrityError(phrase("verdict.rates_not_of_counts", name=name))
    return len(told)


def _others(plan: Mapping[str, Any], asked: Mapping[str, Any], counts: CsvTable) -> Iterator[Sequence[str] | None]:
    """Yield for each row of counts the row that it is compared with."""
    of = next(each for each in plan["statistics"] if each["id"] == asked["of"])
    columns = [*of.get("by", ()), *of.get("columns", ()), *filter(None, [of.get("column")])]
    heads = [plain_text(head) for head in counts.heads[: counts.keys]]
    owner = [next(column for column in columns if is_of(head, column)) for head in heads]
    along = [place for place, column in enumerate(owner) if column == owner[heads.index(asked["over"])]]
    first, cut = along[0], [place for place in along if heads[place].rstrip("_").endswith("_partial")]
    groups: dict[tuple[str, ...], list[list[str]]] = {}
    for row in counts.rows:
        key = tuple(cell for place, cell in enumerate(row[: counts.keys]) if place not in along)
        groups.setdefault(key, []).append(row)
    places: dict[int, Sequence[str] | None] = {}
    for rows in groups.values():
        for place, row in enumerate(rows):
            if "base" in asked:
                (other,) = (each for each in rows if plain_text(each[first]) == str(asked["base"]))
            else:
                other = rows[place - asked["lag"]] if place >= asked["lag"] else []
            whole = other and not any(each[at] == "yes" for each in (row, other) for at in cut)
            places[id(row)] = other if whole else None
    yield from (places[id(row)] for row in counts.rows)


def _holds(noise: RecomputedNoise, cells: Sequence[str], count: int, by: int, less: int, *, is_base: bool) -> bool:
    """Return True if a row is the quotient, and noise goes beyond each end in 5 of 100 cases, and no less often."""
    if by <= 0:
        return [*cells] == NOTHING
    if is_base:
        return [*map(float, cells)] == [100, 100, 100]
    if float(cells[0]) != _percent(Fraction(max(count, 0), by), less):
        return False

    def chance(r: Fraction) -> float:
        return noise.chance(abs(count - r * by) - max(Fraction(1), r) / 2, [(1, 1), (r, 1)])

    unclear, at_none = noise.chance(by - Fraction(1, 2), [(1, 1)]), chance(Fraction(0))
    if not cells[1] and not cells[2]:
        return unclear >= ALPHA * (1 - CLOSE) or (count < 0 and at_none <= ALPHA * (1 + CLOSE))
    if unclear > ALPHA * (1 + CLOSE):
        return False
    quotient, ends = Fraction(max(count, 0), by), [_quotient(cell, less) for cell in cells[1:3]]

    def is_end(end: Decimal | None, slip: Fraction, *, up: bool) -> bool:
        """Return True if an end is the first of nine digits outwards that is ruled out, wherever in a slip it lies."""
        if end is None:
            return False
        sign = 1 if up else -1
        if sign * (Fraction(end) + sign * slip - quotient) < 0:
            return False
        if not end and not slip:
            return at_none >= ALPHA * (1 - CLOSE)
        inner = (NINE.next_minus if up else NINE.next_plus)(end) if end else end
        outside, inside = max(Fraction(0), Fraction(end) + sign * slip), Fraction(inner) - sign * slip
        within = sign * (inside - quotient) < 0 or chance(inside) >= ALPHA * (1 - CLOSE)
        nothing_below = not outside and at_none >= ALPHA * (1 - CLOSE)
        return within and (nothing_below or chance(outside) <= ALPHA * (1 + CLOSE))

    return all(
        is_end(end, _slip(cell, less), up=up) for end, cell, up in zip(ends, cells[1:3], (False, True), strict=True)
    )


def _slip(cell: str, less: int) -> Fraction:
    """Return how far from an end its percentage may lie, as a double less 100: the digits lost of a tiny quotient."""
    return Fraction(ulp(float(cell))) / 100 if less else Fraction(0)


def _percent(quotient: Fraction, less: int) -> float:
    return float(100 * (quotient - less))


def _quotient(cell: str, less: int) -> Decimal | None:
    """Return the end of a quotient, of nine digits, of which a cell is the percentage; None where there is none."""
    exact = Fraction(cell) / 100 + less
    found = NINE.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    return found if _percent(Fraction(found), less) == float(cell) else None


def _is_graded(cells: Sequence[str], letter: str, less: int, limits: tuple[Fraction, Fraction]) -> bool:
    """An index by itself, a change by its quotient: of which none may not be told from none, and is then unreliable."""
    ruler = Ruler(Fraction(0), None, None)
    index = [str(Decimal(cell) + 100 * less) if cell else "" for cell in cells]
    found = [each for each in "ACUNO" if ruler.is_one(each, *index, limits=limits)]
    return letter in ["U" if less and each == "N" else each for each in found]
