"""Which rows of a unit stay, read off a stream of rows in order: memory does not grow with the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprelease.model.privacy import MAX_ROWS


def first_of_each(batches: Iterable[Any], names: Sequence[str], most: int) -> Iterator[Any]:
    """Arrow batches of the first rows of each unit, at most so many. The first column is the unit; units are together.

    A row is too much where the row `most` places before it is of the same unit.
    """
    import pyarrow

    if most > MAX_ROWS:  # no plan asks for so many: all are wanted
        yield from (batch.select(names) for batch in batches)
        return
    tail: Any = None
    for batch in batches:
        unit = batch.column(0)
        joined = unit if tail is None else pyarrow.concat_arrays([tail, unit])
        kept = _differs(joined, most)[len(joined) - len(unit) :]
        tail = joined.slice(max(0, len(joined) - most))
        bits = pyarrow.py_buffer(np.packbits(kept, bitorder="little"))
        mask = pyarrow.Array.from_buffers(pyarrow.bool_(), len(kept), [None, bits])
        yield batch.select(names).filter(mask)


def _differs(values: Any, by: int) -> NDArray[np.bool_]:
    """Whether each value differs from the one so many places before it; true where there is none."""
    found = np.ones(len(values), dtype=np.bool_)
    if len(values) <= by:
        return found
    if str(values.type) == "int64":  # by way of its buffer: pyarrow's own way to NumPy imports pandas
        numbers = np.frombuffer(values.buffers()[1], np.int64, len(values), 8 * values.offset)
        found[by:] = numbers[by:] != numbers[:-by]
        return found
    import pyarrow.compute

    answer = pyarrow.compute.not_equal(values.slice(by), values.slice(0, len(values) - by))
    bits = np.unpackbits(np.frombuffer(answer.buffers()[1], np.uint8), bitorder="little")
    found[by:] = bits[answer.offset : answer.offset + len(answer)]
    return found
