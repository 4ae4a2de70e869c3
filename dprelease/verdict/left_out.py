"""What the declaration of columns makes of rows that lie outside of it or have no value, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dprelease.model.column import ORDERED, Column
from dprelease.model.missing import End, Outside, as_cell, told
from dprelease.model.plan import Plan

MOST = 20
"""Codes that are named; the plan has all of them."""


def left_out(plan: Plan) -> list[str]:
    """A sentence for each thing that happens to a row, with the columns in which it does."""
    columns = list(plan.schema)
    coded = [f"{column.name} ({_codes(column)})" for column in columns if column.missing_codes]
    filled = [f"{column.name} ({as_cell(column.count_missing_as)})" for column in columns if column.complete]
    sentences = [*_outside([column for column in columns if column.type in ORDERED])]
    if plan.unit.missing_codes:
        nobody = ", ".join(plan.unit.missing_codes[:MOST]) + (", …" if len(plan.unit.missing_codes) > MOST else "")
        sentences.append(f"Identifiers that stand for nobody, whose rows are left out: {nobody}.")
    if coded:
        sentences.append(f"Codes for no answer, whose rows count as rows without a value: {', '.join(coded)}.")
    if filled:
        sentences.append(f"Rows without a value count as a declared one: {', '.join(filled)}.")
    return sentences


def _outside(columns: Sequence[Column]) -> Iterable[str]:
    """What values beyond the bounds count as; the columns are named where they are not all alike."""
    kinds = dict.fromkeys(column.outside for column in columns)
    for outside in kinds:
        names = ", ".join(column.name for column in columns if column.outside == outside)
        yield _beyond(outside, f": {names}" if len(kinds) > 1 else "")


def _beyond(outside: Outside, names: str) -> str:
    if outside.below is outside.above is End.CLIP:
        return f"Values outside the declared bounds count as the nearest bound{names}."
    if outside.below is outside.above:
        return f"Values outside the declared bounds count as no value{names}."
    if outside.below is End.MISSING:
        return f"Values below the declared bounds count as no value, values above as that bound{names}."
    return f"Values above the declared bounds count as no value, values below as that bound{names}."


def _codes(column: Column) -> str:
    codes = column.missing_codes or ()
    return told(codes[:MOST]) + (", …" if len(codes) > MOST else "")
