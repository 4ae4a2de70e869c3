"""The order in which a unit's rows are kept: a fixed mix of its identifier and its rows' codes, and of nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dprelease.table.dialect import HALF, WORD, Dialect

ROUND_KEYS = (1597334677, 747796405, 1103515245, 2024237689, 1274126177, 374761393)
"""Constants of the rounds that order a unit's rows. Public: the guarantee holds for every rule of choice."""
FOLD = ((1540483477, 668265263, 2135587861), (1181783497, 829614371, 1779033703))
"""Two multipliers and a start for each half: from small numbers alone, the rounds would not get to large ones."""

Value = tuple[str, int]
"""SQL of a whole number, and what it stays below; it is never negative."""
PLACE_BITS = 62
"""A row's place among those of its unit stays below 2 to this."""
Whole = NDArray[np.int64]


def packed(values: Sequence[Value]) -> list[Value]:
    """Some values in as few numbers below WORD as hold them."""
    words: list[Value] = []
    for value, below in values:
        if words and words[-1][1] * below <= WORD:
            words[-1] = (f"({words[-1][0]} * {below} + {value})", words[-1][1] * below)
        else:
            words.append((value, below))
    return words


def one_to_one(values: Sequence[Value]) -> bool:
    """Return True if rows of one unit that the mix puts in one place have equal values."""
    words = packed(values)
    return not words or (len(words) == 1 and words[0][1] <= HALF + 1)


def mixed(source: str, names: Sequence[str], number: str, values: Sequence[Value], dialect: Dialect) -> str:
    """Return the rows of a source with two numbers l, r to order them by, made of a unit's number and some values.

    Six additive Feistel rounds on 31-bit halves with F(r) = ((r² + k) >> 17) mod 2^31: whole-number arithmetic below
    2^63 that every engine does alike. (Three rounds order the rows of all units alike where identifiers are
    consecutive numbers.)
    """
    kept = ", ".join(names)
    words = [(f"w{place}", word) for place, word in enumerate(packed(values))]
    given = "".join(f", {word[0]} AS {name}" for name, word in words)
    halves = _halves(number, [(name, word[1]) for name, word in words], dialect)
    steps = f"SELECT {kept}{given} FROM {source}{dialect.fence}"
    steps = f"SELECT {kept}, {halves[0]} AS l, {halves[1]} AS r FROM ({steps}) AS packed{dialect.fence}"
    for key in ROUND_KEYS:
        turned = dialect.shifted(f"(r * r + {key})", 17)
        right = f"((l + ({turned} & {HALF})) & {HALF})"
        steps = f"SELECT {kept}, r AS l, {right} AS r FROM ({steps}) AS mixed{dialect.fence}"
    return steps


def places(numbers: Whole, values: Sequence[tuple[Whole, int]]) -> Whole:
    """Does by NumPy what `mixed` says in SQL: l · 2^31 + r of each row, made of its unit's number and its values."""
    words: list[tuple[Whole, int]] = []
    for value, below in values:
        if words and words[-1][1] * below <= WORD:
            words[-1] = (words[-1][0] * below + value, words[-1][1] * below)
        else:
            words.append((value, below))
    parts: list[Whole] = []
    for word, below in words:
        parts += [word] if below <= HALF + 1 else [word & HALF, (word >> 31) & HALF]
    halves = []
    for half, (first, step, start) in zip((numbers, numbers >> 31), FOLD, strict=True):
        total = (half & HALF) + start
        for place, part in enumerate(parts):
            total += (part * (first + 2 * place * step & HALF)) & HALF
        halves.append(total & HALF)
    left, right = halves
    for key in ROUND_KEYS:
        turned = right * right
        turned += key
        turned >>= 17
        turned &= HALF
        turned += left
        turned &= HALF
        left, right = right, turned
    return (left << 31) | right


def ordered(names: Sequence[str]) -> str:
    """Return an ORDER BY that all engines take alike."""
    return ", ".join(f"{name} NULLS LAST" for name in names)


def _halves(number: str, words: Sequence[Value], dialect: Dialect) -> list[str]:
    """Two 31-bit numbers made of a unit's number and of words."""
    parts = []
    for name, below in words:
        parts += [name] if below <= HALF + 1 else [f"({name} & {HALF})", f"({dialect.shifted(name, 31)} & {HALF})"]
    halves = []
    for half, (first, step, start) in zip((number, dialect.shifted(number, 31)), FOLD, strict=True):
        terms = [f"({half} & {HALF})", str(start)]
        terms += [f"(({part} * {(first + 2 * place * step) & HALF}) & {HALF})" for place, part in enumerate(parts)]
        halves.append(f"(({' + '.join(terms)}) & {HALF})")
    return halves
