"""What the declaration of columns makes of rows that lie outside of it or have no value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dprelease.model.column import ORDERED, Column
from dprelease.model.missing import End, Outside, as_cell, told
from dprelease.model.plan import Plan
from dprelease.model.stated import Caveat

MOST = 20
"""Codes that are named; the plan has all of them."""


def left_out(plan: Plan) -> list[Caveat]:
    """Each thing that happens to a row, with the columns in which it does."""
    columns = list(plan.schema)
    coded = [f"{column.name} ({_codes(column)})" for column in columns if column.missing_codes]
    filled = [f"{column.name} ({as_cell(column.count_missing_as)})" for column in columns if column.complete]
    found = [*_outside([column for column in columns if column.type in ORDERED])]
    if plan.unit.missing_codes:
        nobody = ", ".join(plan.unit.missing_codes[:MOST]) + (", …" if len(plan.unit.missing_codes) > MOST else "")
        found.append(Caveat.of("nobody", codes=nobody))
    if coded:
        found.append(Caveat.of("codes", columns=", ".join(coded)))
    if filled:
        found.append(Caveat.of("filled", columns=", ".join(filled)))
    return found


def _outside(columns: Sequence[Column]) -> Iterable[Caveat]:
    """What values beyond the bounds count as; the columns are named where they are not all alike."""
    kinds = dict.fromkeys(column.outside for column in columns)
    for outside in kinds:
        names = ", ".join(column.name for column in columns if column.outside == outside)
        code = f"outside_{_beyond(outside)}"
        yield Caveat.of(f"{code}_of", columns=names) if len(kinds) > 1 else Caveat.of(code)


def _beyond(outside: Outside) -> str:
    if outside.below is outside.above:
        return "clip" if outside.below is End.CLIP else "missing"
    return "missing_below" if outside.below is End.MISSING else "missing_above"


def _codes(column: Column) -> str:
    codes = column.missing_codes or ()
    return told(codes[:MOST]) + (", …" if len(codes) > MOST else "")
