"""Selection of the rows of a unit that stay, for identifiers in a narrow integer range: by NumPy, in threads."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.table.mix import PLACE_BITS, places

Integers = NDArray[Any]
THREADS = max(2, min(4, os.cpu_count() or 1))
ROWS_AT_A_TIME = 2**15
"""Number of rows mixed at a time, so that they stay in the processor's cache."""
PART_BITS = 7
"""Keys are sorted in up to 128 parts, for the same reason."""
MIN_BITS = 9
"""Minimum bits of a row's place in a short key: with fewer, too many rows would share one."""
TYPES = {"int64": np.int64, "int32": np.int32, "uint16": np.uint16, "uint8": np.uint8}


@dataclass(frozen=True)
class UnitRange:
    """Range of the identifiers, both ends included, and the layout of a key: unit, then first bits of a row's place."""

    first: int
    last: int

    @property
    def number(self) -> int:
        return self.last - self.first + 1

    @property
    def type(self) -> type[np.signedinteger[Any]]:
        return np.int32 if 31 - self.number.bit_length() >= MIN_BITS else np.int64

    @property
    def shift(self) -> int:
        """Bits of a place in a key."""
        return min(PLACE_BITS, np.iinfo(self.type).bits - 1 - self.number.bit_length())

    @property
    def part(self) -> int:
        """Bits of a key below those that say in which part of the keys it is sorted."""
        return self.shift + max(0, self.number.bit_length() - PART_BITS)

    @property
    def parts(self) -> int:
        return (((self.number - 1) << self.shift) >> self.part) + 1


@dataclass(frozen=True)
class SortKeys:
    """Sort keys of the rows of a batch."""

    each: Integers
    """In the rows' order."""
    parted: Integers
    """Part by part."""
    ends: Integers
    """Start of each part in `parted`, and the end of the last one."""

    def of(self, part: int) -> Integers:
        return self.parted[self.ends[part] : self.ends[part + 1]]


def cut(batches: Iterable[Any], names: Sequence[str], units: UnitRange, below: Sequence[int], most: int) -> list[Any]:
    """Return the named columns of Arrow batches (u, c0, c1, ...) without a unit's rows beyond `most`.

    `below`: what each code + 1 stays below. A row's key is its unit and then the first bits of its place among the
    unit's rows. Sorted keys tell the last key that stays of each unit. Where the next row shares it, whole places, and
    then codes, tell which of them stay.
    """
    with ThreadPoolExecutor(THREADS) as pool:
        tasks = [(batch, pool.submit(_keys, batch, units, below)) for batch in batches]
        read, keys = [batch for batch, _ in tasks], [task.result() for _, task in tasks]
        if not keys:
            return []
        limit = np.full(units.number, np.iinfo(units.type).max, dtype=units.type)
        parts = ([own.of(part) for own in keys] for part in range(units.parts))
        shared = list(pool.map(lambda part: _limits(part, limit, units, most), parts))
        each = [own.each for own in keys]
        tasks.clear()
        keys.clear()  # half of what is in memory
        found = list(pool.map(lambda own: _compared(own, limit, units), each))
        stay, next_ = [stay for stay, _ in found], [next_ for _, next_ in found]
        tied, room = (np.concatenate(part) for part in zip(*shared, strict=True))
        if len(tied):
            _settle(read, each, stay, next_, tied, room, below)
        return list(pool.map(lambda batch, kept: _filtered(batch.select(names), kept), read, stay))


def whole(column: Any) -> Integers:
    """Return an Arrow array of whole numbers by way of its buffer: pyarrow's own way to NumPy imports pandas."""
    type_ = np.dtype(TYPES[str(column.type)])
    return np.frombuffer(column.buffers()[1], type_, len(column), type_.itemsize * column.offset)


def _keys(batch: Any, units: UnitRange, below: Sequence[int]) -> SortKeys:
    keys = np.empty(len(batch), dtype=units.type)
    for start in range(0, len(batch), ROWS_AT_A_TIME):
        rows = slice(start, start + ROWS_AT_A_TIME)
        unit, *codes = _values(batch, rows, below)
        place = places(unit, list(zip(codes, below, strict=True)))
        keys[rows] = ((unit - units.first) << units.shift) | (place >> (PLACE_BITS - units.shift))
    part = (keys >> units.part).astype(np.uint8)
    sizes = np.bincount(part, minlength=units.parts)
    return SortKeys(keys, keys[np.argsort(part, kind="stable")], np.append(0, np.cumsum(sizes)))


def _values(batch: Any, rows: slice | Integers, below: Sequence[int]) -> list[Integers]:
    """Some rows' units, and their codes + 1 or 0 where there is none."""
    unit, *columns = batch.columns[: len(below) + 1]
    found = [whole(unit)[rows]]
    for column in columns:
        value = whole(column)[rows].astype(np.int64)
        value += 1
        if column.null_count:
            known = np.unpackbits(np.frombuffer(column.buffers()[0], np.uint8), bitorder="little")
            value *= known[column.offset : column.offset + len(column)][rows]
        found.append(value)
    return found


def _limits(keys: Sequence[Integers], limit: Integers, units: UnitRange, most: int) -> tuple[Integers, Integers]:
    """Put down the last key that stays of each unit among some keys.

    Where the next row has the same key, the limit is one less: such keys are returned, and for how many rows of each
    there is room.
    """
    ordered = np.concatenate(keys)
    ordered.sort()
    unit = ordered >> units.shift
    begin = _beginnings(unit)
    end = begin + (most - 1)
    full = np.append(begin[1:], len(unit)) > end
    begin, end = begin[full], end[full]
    last = ordered[end]
    more = np.append(ordered, -1)[end + 1] == last
    limit[unit[end]] = last - more
    tied = last[more]
    return tied, most - (np.searchsorted(ordered, tied) - begin[more])


def _order(keys: Integers) -> Integers:
    """`argsort`; short keys are sorted with their places in one word, which is several times faster."""
    if keys.dtype != np.int32:
        return np.argsort(keys)
    words = (keys.astype(np.int64) << 32) | np.arange(len(keys))
    words.sort()
    return words & (2**32 - 1)


def _beginnings(values: Integers) -> Integers:
    """Return the position of the first occurrence of each value in a sorted array."""
    return np.flatnonzero(np.append(True, values[1:] != values[:-1])[: len(values)])


def _compared(keys: Integers, limit: Integers, units: UnitRange) -> tuple[NDArray[np.bool_], Integers]:
    """Return a mask of the rows whose key is within their unit's limit, and the rows whose key is the next one."""
    last = limit[keys >> units.shift]
    stay = keys <= last
    last += 1
    return stay, np.flatnonzero(keys == last)


def _settle(
    batches: Sequence[Any],
    keys: Sequence[Integers],
    stay: Sequence[NDArray[np.bool_]],
    rows: Sequence[Integers],
    tied: Integers,
    room: Integers,
    below: Sequence[int],
) -> None:
    """Let as many of the rows with a tied key stay as there is room for."""
    key = np.concatenate([own[each] for own, each in zip(keys, rows, strict=True)])
    found = [_values(batch, each, below) for batch, each in zip(batches, rows, strict=True)]
    unit, *codes = (np.concatenate(parts) for parts in zip(*found, strict=True))
    place = places(unit, list(zip(codes, below, strict=True)))
    order = _order(key)
    together = key[order][1:] == key[order][:-1]
    if any((each[order][1:] != each[order][:-1])[together].any() for each in (place, *codes)):
        nulls_last = [np.where(code == 0, most, code) for code, most in zip(codes, below, strict=True)]
        order = np.lexsort((*reversed(nulls_last), place, key))
    key = key[order]
    begin = _beginnings(key)
    at = np.minimum(np.searchsorted(tied, key[begin]), len(tied) - 1)
    free = np.where(tied[at] == key[begin], room[at], 0)
    lengths = np.diff(np.append(begin, len(key)))
    kept = np.empty(len(key), dtype=np.bool_)
    kept[order] = np.arange(len(key)) - np.repeat(begin, lengths) < np.repeat(free, lengths)
    parts = np.split(kept, np.cumsum([len(each) for each in rows])[:-1])
    for own, each, part in zip(stay, rows, parts, strict=True):
        own[each] = part


def _filtered(batch: Any, stay: NDArray[np.bool_]) -> Any:
    import pyarrow

    bits = pyarrow.py_buffer(np.packbits(stay, bitorder="little"))
    return batch.filter(pyarrow.Array.from_buffers(pyarrow.bool_(), len(stay), [None, bits]))
