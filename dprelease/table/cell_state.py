"""The state of each cell as SQL, and its counts: the reading report out of the scan that counts a plan's tallies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dprelease.model.column import ORDERED, Column, ColumnType
from dprelease.model.missing import End, OutsideAnswer
from dprelease.model.reading_report import STATES, CellState
from dprelease.model.schema import Schema
from dprelease.model.tally import TallyQuery
from dprelease.table.absent import absent
from dprelease.table.tally import Discovery, Tally

if TYPE_CHECKING:
    from dprelease.table.dialect import Dialect

COLUMNS_A_TALLY = 4
"""States of so many columns are counted together: 7^4 cells are what DuckDB counts in an array."""
MAX_SHAPES, LONGEST_SHAPE = 12, 40
LETTERS = "([A-Za-z]|[^ -~€£¥§°…’−–\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}])+"
"""Pattern of letters of any alphabet: neither printable ASCII nor a sign that numbers are written with."""
MISSING = OutsideAnswer(End.MISSING, End.MISSING)
UNDERSTOOD = CellState.UNDERSTOOD


def readable_columns(schema: Schema) -> list[str]:
    """Return the declared columns that have values: all but identifiers."""
    return [column.name for column in schema if column.type is not ColumnType.TEXT]


def state_queries(columns: Sequence[str], schema: Schema) -> list[TallyQuery]:
    """Return the tallies that a reading report of some columns is made of: stored and made columns apart."""
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
    """Return SQL of a cell's place among the states: total, 0 to 6. `code`: SQL of its code, by which most are told.
    `read`: the name of its value or its canonical text, where it has one.

    Of other cells the number or day is compared with the same ends as in the codes, so that the report holds whatever
    the way is in which cells are read.
    """
    known = f"CASE WHEN {plain_sql(column, code)} THEN {_at(UNDERSTOOD)}"
    if column.complete and not column.discover:
        return f"{known} ELSE {_read_again(column, storage, dialect, read)} END"
    known += f" WHEN {code} IS NULL THEN {_without_code(column, storage, dialect, read)}"
    if column.type in ORDERED:
        known += _beyond(column, storage, dialect, read)
    return f"{known} ELSE {_at(UNDERSTOOD)} END"


def plain_sql(column: Column, code: str) -> str:
    """A test that a code is one that neither clipping nor `count_missing_as` gives: its cell was understood."""
    tests = []
    if column.type in ORDERED and column.outside != MISSING:
        first = 1 if column.outside.below is End.CLIP else 0
        last = column.lattice.steps - (1 if column.outside.above is End.CLIP else 0)
        tests.append(f"{code} BETWEEN {first} AND {last}")
    if column.complete:
        tests.append(f"{code} <> {column.code(column.count_missing_as)}")
    return " AND ".join(tests) or f"{code} IS NOT NULL"


def _read_again(column: Column, storage: str, dialect: Dialect, read: str) -> str:
    """Return SQL of the state of a cell by the cell alone, where its code may be that of another value."""
    own = replace(column, outside=MISSING) if column.type in ORDERED else column
    known = f"{dialect.bare_code(own, storage, read)} IS NOT NULL AND NOT {_coded(column, storage, dialect, read)}"
    return f"CASE WHEN {known} THEN {_at(UNDERSTOOD)} ELSE {_without_code(own, storage, dialect, read)} END"


def _coded(column: Column, storage: str, dialect: Dialect, read: str) -> str:
    """Return SQL of a test that a cell holds a code for no answer; never NULL."""
    tests = absent(column, storage, dialect, read)
    return f"({' OR '.join(f'COALESCE({test}, FALSE)' for test in tests)})" if tests else "FALSE"


def _without_code(column: Column, storage: str, dialect: Dialect, read: str) -> str:
    """Return SQL of the state of a cell that has no code of its own."""
    x, lost = dialect.name(column.name), CellState.UNREADABLE
    told = f"CASE WHEN {dialect.is_void(x, storage)} THEN {_at(CellState.EMPTY)}"
    if column.missing_codes:
        told += f" WHEN {_coded(column, storage, dialect, read)} THEN {_at(CellState.MISSING)}"
    if dialect.is_text(storage):
        told += f" WHEN {dialect.trimmed(dialect.as_text(x, storage))} = '' THEN {_at(CellState.EMPTY)}"
    if column.outside:
        told += _beyond(column, storage, dialect, read)
    if column.type is ColumnType.CATEGORY:
        lost = CellState.UNDECLARED
    return f"{told} ELSE {_at(lost)} END"


def _beyond(column: Column, storage: str, dialect: Dialect, read: str) -> str:
    """Branches of a CASE of cells whose value lies beyond an end."""
    below, above = dialect.beyond(column, storage, read)
    return f" WHEN {below} THEN {_at(CellState.BELOW)} WHEN {above} THEN {_at(CellState.ABOVE)}"


def shape_sql(column: Column, storage: str, dialect: Dialect) -> str:
    """Return SQL of how a cell is written: `x` for each run of letters, `9` for each digit, other signs as they are."""
    text = f"SUBSTR(COALESCE({dialect.as_text(dialect.name(column.name), storage)}, ''), 1, {LONGEST_SHAPE})"
    for pattern, sign in ((LETTERS, "x"), ("[0-9]{5,}", "9999…"), ("[0-9]", "9")):
        text = dialect.every(text, pattern, sign)
    return text


def made_state_sql(column: Column, unbounded: str) -> tuple[str, str]:
    """A test that a made value was understood, and SQL of its state, by what its code would be without bounds."""
    plain, strays = f"{unbounded} IS NOT NULL", ""
    if column.type in ORDERED:
        plain = f"{unbounded} BETWEEN 0 AND {column.lattice.steps}"
        strays = f"WHEN {unbounded} < 0 THEN {_at(CellState.BELOW)} "
        strays += f"WHEN {unbounded} > {column.lattice.steps} THEN {_at(CellState.ABOVE)} "
    return plain, f"CASE WHEN {unbounded} IS NULL THEN {_at(CellState.EMPTY)} {strays}ELSE {_at(UNDERSTOOD)} END"


def joint_sql(states: Sequence[tuple[str, str]], dialect: Dialect) -> str:
    """Return SQL of one whole number for the states of several cells of a row, the last one's changing fastest.

    `states`: of each cell the test of `plain_sql`, and its state. In most rows all cells pass, which is told first.
    """
    joint = states[0][1]
    for _, state in states[1:]:
        joint = f"({joint}) * {len(STATES)} + {state}"
    plain = " AND ".join(test for test, _ in states)
    joint = f"CASE WHEN {plain} THEN {_at(UNDERSTOOD)} ELSE {joint} END"
    return dialect.narrow(joint, len(STATES) ** len(states))


def _at(state: CellState) -> int:
    return STATES.index(state)
