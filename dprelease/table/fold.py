"""Keys with many stretches: counted by each code, and folded to cells afterwards, in exact integers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.errors import InternalError
from dprelease.model.schema import Schema
from dprelease.model.tally import MAX_SCORE, Addend, Key, ScoreKey, TallyQuery
from dprelease.table.dialect import Dialect

FEW_STRETCHES = 16
"""So many are told apart in SQL by comparisons, one within another."""
MAX_LABELLED_CODES = 4_000_000
"""Cells by code that an engine is asked for; with more it looks cells up."""


def is_long(key: Key) -> bool:
    """Return True if a key has many stretches."""
    return len(key.edges) > FEW_STRETCHES + 1


def finest(query: TallyQuery, schema: Schema) -> TallyQuery:
    """Return the query that the engine is asked: by each code of a key with many stretches, where these are few enough.

    Counts and sums of a cell are those of its codes added up. Units are not: one may have rows of several codes.
    """
    if query.units:
        return query
    by_code = replace(query, keys=tuple(_each_code(key, schema) if is_long(key) else key for key in query.keys))
    return by_code if by_code.cells <= MAX_LABELLED_CODES else query


def _each_code(key: Key, schema: Schema) -> Key:
    codes = schema[key.column].codes
    return Key(key.column, codes + key.missing, codes, missing=key.missing)


def folded(wanted: TallyQuery, asked: TallyQuery, cells: NDArray[Any]) -> NDArray[Any]:
    """Return the cell of what is wanted for each cell of what was asked; -1 for none."""
    if wanted == asked:
        return cells
    places = np.unravel_index(cells, asked.shape)
    result, kept = np.zeros(len(cells), dtype=np.int64), np.ones(len(cells), dtype=np.bool_)
    for key, fine, place in zip(wanted.keys, asked.keys, places[: len(wanted.keys)], strict=True):
        own = place if key == fine else cell_of_codes(key)[place]
        kept &= own >= 0
        result = result * key.cells + own
    if wanted.score or wanted.states:
        result = result * wanted.shape[-1] + places[-1]
    return np.where(kept, result, -1)


def cell_of_codes(key: Key) -> NDArray[np.int64]:
    """The cell of each code of a key with edges, and of rows without one where these have a cell; -1 for none."""
    to = key.to or range(len(key.edges) - 1)
    cells = np.repeat(np.array(to, dtype=np.int64), np.diff(key.edges))
    return np.append(cells, key.coded) if key.missing else cells


def compared(code: str, key: Key) -> str:
    """Return SQL of the cell of a code that is not NULL, by comparisons that halve what is left; NULL for none."""
    to = key.to or tuple(range(len(key.edges) - 1))

    def between(first: int, last: int) -> str:
        if last - first == 1:
            return "NULL" if to[first] < 0 else str(to[first])
        middle = (first + last) // 2
        return f"CASE WHEN {code} < {key.edges[middle]} THEN {between(first, middle)} ELSE {between(middle, last)} END"

    return between(0, len(to))


def cell_sql(names: Sequence[str], shape: Sequence[int]) -> str:
    """Return the place of a cell, row-major, as BIGINT; NULL where a key is."""
    cell = f"CAST({names[0]} AS BIGINT)"
    for name, cells in zip(names[1:], shape[1:], strict=True):
        cell = f"({cell} * {cells} + {name})"
    return cell


def score_cell(
    score: ScoreKey, names: Mapping[str, str], schema: Schema, dialect: Dialect, needed: Iterable[str] = ()
) -> str:
    """The cell of a row, as BIGINT; NULL where one of the codes is. `names`: of the columns' codes, as BIGINT.

    `needed`: other columns without whose codes a row has no cell.

    Raises InternalError where the sum, or a part of it, could reach MAX_SCORE: by what is declared, whatever the rows.
    It is clamped before it is divided, so that no engine divides what is negative: they round it differently.
    """
    codes = {name: schema[name].codes for name in score.columns}
    if score.reach(codes) >= MAX_SCORE:
        raise InternalError(f"a score may reach {score.reach(codes)}, and has to stay below {MAX_SCORE}")
    parts = [f"CAST({score.start + score.shift} AS BIGINT)"]
    parts += [_added(addend, names[addend.column], codes[addend.column]) for addend in score.addends]
    most = (score.cells - 1) << score.bits
    cell = dialect.shifted(f"LEAST(GREATEST({' + '.join(parts)}, 0), {most})", score.bits)
    # An engine's GREATEST leaves out what is NULL.
    present = " AND ".join(f"{names[name]} IS NOT NULL" for name in dict.fromkeys((*score.columns, *needed)))
    return f"CASE WHEN {present} THEN {cell} END" if present else cell


def _added(addend: Addend, code: str, codes: int) -> str:
    if not addend.of_code:
        return f"{code} * ({addend.slope})"
    if len(addend.of_code) != len(addend.firsts or range(codes)):
        raise InternalError(f"a score has {len(addend.of_code)} numbers for the codes of {addend.column!r}")
    if addend.firsts:
        return _by_stretch(addend, code)
    listed = " ".join(f"WHEN {place} THEN {number}" for place, number in enumerate(addend.of_code) if number)
    return f"CASE {code} {listed} ELSE 0 END" if listed else "0"


def _by_stretch(addend: Addend, code: str) -> str:
    """Return SQL of the number of the stretch that a code is in."""
    ends = " ".join(f"WHEN {code} < {end} THEN {n}" for end, n in zip(addend.firsts[1:], addend.of_code, strict=False))
    return f"CASE {ends} ELSE {addend.of_code[-1]} END" if ends else f"({addend.of_code[-1]})"
