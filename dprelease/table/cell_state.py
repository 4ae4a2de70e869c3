"""The state of each cell as SQL, and its counts: the reading report out of the scan that counts a plan's tallies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dprelease.model.column import ORDERED, Column, ColumnType
from dprelease.model.missing import CLIPPED, End, Outside
from dprelease.model.reading_report import STATES, CellState
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.table.absent import absent
from dprelease.table.tally import Discovery, Tally

if TYPE_CHECKING:
    from dprelease.table.dialect import Dialect

COLUMNS_A_TALLY = 4
"""States of so many columns are counted together: 7^4 cells are what DuckDB counts in an array."""
MOST_SHAPES, LONGEST_SHAPE = 12, 40
LETTERS = "([A-Za-z]|[^ -~€£¥§°…’−–\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}])+"
"""Of any alphabet: what is neither printable ASCII nor one of the signs that numbers are written with."""
MISSING = Outside(End.MISSING, End.MISSING)
BELOW_MISSING, ABOVE_MISSING = Outside(below=End.MISSING), Outside(above=End.MISSING)
UNDERSTOOD = CellState.UNDERSTOOD


def readable_columns(schema: Schema) -> list[str]:
    """Returns the declared columns that have values: all but identifiers."""
    return [column.name for column in schema if column.type is not ColumnType.TEXT]


def state_queries(columns: Sequence[str], schema: Schema) -> list[TallyQuery]:
    """Returns the tallies that a reading report of some columns is made of: stored and made columns apart."""
    kinds = [[name for name in columns if (schema[name].made is None) is stored] for stored in (True, False)]
    sets = [kind[at : at + COLUMNS_A_TALLY] for kind in kinds for at in range(0, len(kind), COLUMNS_A_TALLY)]
    return [TallyQuery(states=tuple(names)) for names in sets]


def state_counts(tallies: Iterable[Tally | Discovery]) -> dict[str, dict[CellState, int]]:
    """Returns, by column, how many cells are in each state: the margins of the tallies of states among some."""
    found: dict[str, dict[CellState, int]] = {}
    for tally in tallies:
        if not isinstance(tally, Tally) or not tally.query.states:
            continue
        names = tally.query.states
        values = np.reshape(tally.values, (len(STATES),) * len(names))
        for place, name in enumerate(names):
            margin = values.sum(axis=tuple(axis for axis in range(len(names)) if axis != place))
            found[name] = {state: int(count) for state, count in zip(STATES, margin, strict=True)}
    return found


def state_sql(column: Column, storage: str, dialect: Dialect, code: str, read: str = "") -> str:
    """SQL of a cell's place among the states: total, 0 to 6. `code`: SQL of its code, by which most are told.
    `read`: the name of its canonical text, where its column has a form.

    A code that neither clipping nor `count_missing_as` gives is of a value that was understood. Other cells are read
    once more by the same SQL as the codes, so that the report holds whatever the way is in which cells are read.
    """
    if column.discover:
        lost = _without_code(column, storage, dialect, read)
        return f"CASE WHEN {code} IS NOT NULL THEN {_at(UNDERSTOOD)} ELSE {lost} END"
    filled = column.code(column.count_missing_as) if column.complete else None
    tests, ends = list[str](), ""
    if column.type in ORDERED:
        outside, last = column.outside, column.lattice.steps
        clips = [
            (0, BELOW_MISSING, outside.below, CellState.BELOW),
            (last, ABOVE_MISSING, outside.above, CellState.ABOVE),
        ]
        for end, missing, counts_as, state in clips:
            if counts_as is End.CLIP:
                tests.append(f"{code} <> {end}")
                if end != filled:
                    strays = f"{dialect.bare_code(replace(column, outside=missing), storage, read)} IS NULL"
                    ends += f"WHEN {code} = {end} THEN CASE WHEN {strays} THEN {_at(state)} ELSE {_at(UNDERSTOOD)} END "
    if filled is None:
        rest = _without_code(column, storage, dialect, read)
    else:
        tests.append(f"{code} <> {filled}")
        rest = _read_again(column, storage, dialect, read)
    plain = " AND ".join(tests) or f"{code} IS NOT NULL"
    return f"CASE WHEN {plain} THEN {_at(UNDERSTOOD)} {ends}ELSE {rest} END"


def _read_again(column: Column, storage: str, dialect: Dialect, read: str) -> str:
    """SQL of the state of a cell by the cell alone, where its code may be that of another value."""
    own = replace(column, outside=MISSING) if column.type in ORDERED else column
    known = f"{dialect.bare_code(own, storage, read)} IS NOT NULL AND NOT {_coded(column, storage, dialect, read)}"
    return f"CASE WHEN {known} THEN {_at(UNDERSTOOD)} ELSE {_without_code(own, storage, dialect, read)} END"


def _coded(column: Column, storage: str, dialect: Dialect, read: str) -> str:
    """A test that a cell holds a code for no answer; never NULL."""
    tests = absent(column, storage, dialect, read)
    return f"({' OR '.join(f'COALESCE({test}, FALSE)' for test in tests)})" if tests else "FALSE"


def _without_code(column: Column, storage: str, dialect: Dialect, read: str) -> str:
    """SQL of the state of a cell that has no code of its own."""
    x, blank = dialect.name(column.name), ""
    if dialect.is_text(storage):
        blank = f"WHEN {dialect.trimmed(dialect.as_text(x, storage))} = '' THEN {_at(CellState.EMPTY)} "
    lost = _at(CellState.UNDECLARED if column.type is ColumnType.CATEGORY else CellState.UNREADABLE)
    strays = ""
    if column.outside:
        clipped, not_below = (
            dialect.bare_code(replace(column, outside=outside), storage, read) for outside in (CLIPPED, BELOW_MISSING)
        )
        strays = f"WHEN {clipped} IS NOT NULL THEN CASE WHEN {not_below} IS NULL THEN {_at(CellState.BELOW)} "
        strays += f"ELSE {_at(CellState.ABOVE)} END "
    return (
        f"CASE WHEN {dialect.is_void(x, storage)} THEN {_at(CellState.EMPTY)} "
        f"WHEN {_coded(column, storage, dialect, read)} THEN {_at(CellState.MISSING)} {blank}{strays}ELSE {lost} END"
    )


def shape_sql(column: Column, storage: str, dialect: Dialect) -> str:
    """SQL of how a cell is written: `x` for each run of letters, `9` for each digit, other signs as they are."""
    text = f"SUBSTR(COALESCE({dialect.as_text(dialect.name(column.name), storage)}, ''), 1, {LONGEST_SHAPE})"
    for pattern, sign in ((LETTERS, "x"), ("[0-9]{5,}", "9999…"), ("[0-9]", "9")):
        text = dialect.every(text, pattern, sign)
    return text


def made_state_sql(column: Column, unbounded: str) -> str:
    """SQL of the state of a made column's value, by what its code would be without bounds."""
    strays = ""
    if column.type in ORDERED:
        strays = f"WHEN {unbounded} < 0 THEN {_at(CellState.BELOW)} "
        strays += f"WHEN {unbounded} > {column.lattice.steps} THEN {_at(CellState.ABOVE)} "
    return f"CASE WHEN {unbounded} IS NULL THEN {_at(CellState.EMPTY)} {strays}ELSE {_at(UNDERSTOOD)} END"


def joint_sql(states: Sequence[str]) -> str:
    """SQL of one whole number for the states of several cells of a row, the last one's changing fastest."""
    joint = states[0]
    for state in states[1:]:
        joint = f"({joint}) * {len(STATES)} + {state}"
    return joint


def _at(state: CellState) -> int:
    return STATES.index(state)
