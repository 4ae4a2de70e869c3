"""A slow second opinion: codes, kept rows and tallies of a few rows, one value at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from itertools import product
from math import floor, isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.model.column import Column, ColumnType
from dprelease.model.condition import Condition
from dprelease.model.made import code_made
from dprelease.model.privacy import PrivacyUnit
from dprelease.model.schema import Schema
from dprelease.model.tally import Key, ScoreKey, TallyQuery
from dprelease.table.mix import FOLD, ROUND_KEYS

Row = Mapping[str, Any]
WORD = 2**62
HALF = 2**31 - 1
TRUE, FALSE = ("true", "t", "yes", "y", "1"), ("false", "f", "no", "n", "0")


def code_of(column: Column, value: Any) -> int | None:
    """The code of a stored value, from the words of docs/reading.md."""
    if value is None or (isinstance(value, float) and isnan(value)):
        return None
    match column.type:
        case ColumnType.CATEGORY:
            text = text_of(value)
            if text in column.categories:
                return column.categories.index(text)
            return len(column.categories) if column.other else None
        case ColumnType.BOOLEAN:
            text = text_of(value).strip().lower()
            return 1 if text in TRUE else 0 if text in FALSE else None
        case ColumnType.DATE:
            day = day_of(value)
            assert isinstance(column.lower, date)
            return None if day is None else max(0, min(column.lattice.steps, (day - column.lower).days))
        case _:
            number = number_of(value)
            return None if number is None or isnan(number) else nearest(column, number)


def nearest(column: Column, x: float) -> int:
    assert isinstance(column.lower, Decimal)
    assert isinstance(column.upper, Decimal)
    lower, step = float(column.lower), float(column.lattice.resolution)
    if x < float(column.lower + column.lattice.resolution / 2):
        return 0
    return column.lattice.steps if x >= float(column.upper) else floor((x - lower) / step + 0.5)


def text_of(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 2**63 else str(value)


def number_of(value: Any) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


def day_of(value: Any) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    try:
        return value if isinstance(value, date) else date.fromisoformat(value)
    except ValueError:
        return None


def passes(condition: Condition, column: Column, code: int | None) -> bool:
    if code is None:
        return False
    for name, value in condition.tests:
        values = [column.code(item) for item in (value if name == "in" else (value,))]
        first = values[0]
        assert first is not None
        if not {"at_least": code >= first, "at_most": code <= first}.get(name, code in values):
            return False
    return True


def place(identifier: Any, codes: Sequence[int | None], below: Sequence[int]) -> tuple[Any, ...]:
    """What a unit's rows are ordered by: the keyed mix of identifier and codes, then the codes, nulls last."""
    text = text_of(identifier)
    if text.lstrip("-").isdecimal() and str(int(text)) == text and -(2**63) <= int(text) < 2**63:
        number = int(text)
    else:
        number = int(hashlib.sha256(text.encode()).hexdigest()[:15], 16)
    words = [(0, 1)]
    for code, most in zip(codes, below, strict=True):
        word, size = words[-1]
        value = 0 if code is None else code + 1
        if size * (most + 1) <= WORD:
            words[-1] = (word * (most + 1) + value, size * (most + 1))
        else:
            words.append((value, most + 1))
    digits = [digit for word, size in words for digit in ([word] if size <= 2**31 else [word & HALF, word >> 31])]
    halves = [number & HALF, (number >> 31) & HALF]
    for half, (first, step, start) in enumerate(FOLD):
        halves[half] += start
        for index, digit in enumerate(digits):
            halves[half] += (digit * ((first + 2 * index * step) & HALF)) & HALF
        halves[half] &= HALF
    left, right = halves
    for key in ROUND_KEYS:
        left, right = right, (left + (((right * right + key) >> 17) & HALF)) & HALF
    return left, right, *((code is None, code or 0) for code in codes)


def unit_of(value: Any) -> Any:
    """What an identifier is compared by, from the words of docs/privacy.md; None where it is nobody's."""
    if isinstance(value, float):
        return None if isnan(value) or abs(value) >= 2**53 else value
    return value.strip(" \t\n\x0b\f\r") or None if isinstance(value, str) else value


def codes_of(row: Row, used: Sequence[str], schema: Schema) -> dict[str, int | None]:
    """The codes of a row, also of columns that are made of others."""
    codes = {name: code_of(schema[name], row[name]) for name in schema.with_inputs(used) if schema[name].made is None}
    for column in (column for layer in schema.layers(used) for column in layer):
        codes[column.name] = code_made(column, schema.columns, codes)
    return {name: codes[name] for name in used}


def kept_rows(
    rows: Sequence[Row], used: Sequence[str], schema: Schema, where: Sequence[Condition], unit: PrivacyUnit
) -> list[dict[str, int | None]]:
    """The codes of the rows that stay: those that pass `where`, at most max_rows of each unit."""
    groups: dict[Any, list[dict[str, int | None]]] = {}
    for index, row in enumerate(rows):
        codes = codes_of(row, used, schema)
        identifier = index if unit.column is None else unit_of(row[unit.column])
        lost = identifier is None
        if not lost and all(passes(item, schema[item.column], codes[item.column]) for item in where):
            groups.setdefault(identifier, []).append(codes)
    stay: list[dict[str, int | None]] = []
    for identifier, codes_of_unit in groups.items():
        below = [schema[name].codes for name in used]
        order = sorted(codes_of_unit, key=lambda codes: place(identifier, list(codes.values()), below))
        stay += order[: unit.max_rows]
    return stay


def cell_of(key: Key, code: int | None) -> int | None:
    cells = key.cells - 1 if key.missing else key.cells
    if code is None:
        return cells if key.missing else None
    if key.edges:
        return max(cell for cell in range(cells) if code >= key.edges[cell])
    return min(code * cells // key.span, cells - 1)


def score_of(key: ScoreKey, row: Mapping[str, int | None]) -> int | None:
    """The cell of a row's score, from the words of docs/privacy.md."""
    score = Fraction(key.start)
    for addend in key.addends:
        code = row[addend.column]
        if code is None:
            return None
        if addend.firsts:
            score += addend.of_code[sum(code >= first for first in addend.firsts) - 1]
        else:
            score += addend.of_code[code] if addend.of_code else addend.slope * code
    return max(-key.half, min(key.half, floor(score / 2**key.bits + Fraction(1, 2)))) + key.half


def tallies(
    rows: Sequence[Row],
    queries: Sequence[TallyQuery],
    *,
    schema: Schema,
    where: Sequence[Condition] = (),
    unit: PrivacyUnit,
) -> list[NDArray[np.int64]]:
    """What the engine must answer."""
    used = [condition.column for condition in where]
    by_keys: dict[tuple[tuple[Key, ...], ScoreKey | None], list[TallyQuery]] = {}
    for query in queries:
        by_keys.setdefault((query.keys, query.score), []).append(query)
    for (keys, score), shared in by_keys.items():
        used += [key.column for key in keys]
        used += [addend.column for addend in score.addends] if score else []
        for query in dict.fromkeys(shared):
            used += query.measure.columns
    stay = kept_rows(rows, list(dict.fromkeys(used)), schema, where, unit)
    return [tally(stay, query, schema) for query in queries]


def tally(rows: Sequence[Mapping[str, int | None]], query: TallyQuery, schema: Schema) -> NDArray[np.int64]:
    scored = [query.score] if query.score else []
    sums = dict.fromkeys(product(*(range(key.cells) for key in (*query.keys, *scored))), 0)
    for row in rows:
        cell = (
            *(cell_of(key, row[key.column]) for key in query.keys),
            *(score_of(score, row) for score in scored),
        )
        factors = [row[name] for name in query.measure.factors]
        present = [row[name] for name in query.measure.present]
        asked = all(passes(item, schema[item.column], row[item.column]) for item in query.measure.where)
        if asked and None not in (*cell, *factors, *present):
            amount = 1
            for factor in factors:
                assert factor is not None
                amount *= factor
            sums[cell] += amount  # type: ignore[index]
    small = max(sums.values(), default=0) < WORD
    return np.array(list(sums.values()), dtype=np.int64 if small else object).reshape(query.shape)
