"""Parquet files held against ones written again: their rows, types and metadata, not how Arrow packed them."""

from __future__ import annotations

from io import BytesIO
from typing import Any

SLACK, LEAST = 4, 100_000
"""How many times as many bytes, unpacked, as in the file that is made again, and beyond: more are not read."""


def holds_the_same_rows(found: bytes, made: bytes, *, metadata: bool = True) -> bool:
    """Tells whether a Parquet file holds the rows of another, in the same types and with the same `metadata`.

    Builds of Arrow write the same rows to other bytes. The number of rows and of bytes is compared before any is read.
    """
    if found == made:
        return True
    import pyarrow
    from pyarrow import parquet

    try:
        one, other = (parquet.ParquetFile(BytesIO(data)) for data in (found, made))
        if one.metadata.num_rows != other.metadata.num_rows or one.metadata.num_columns != other.metadata.num_columns:
            return False
        if _unpacked(one) > SLACK * _unpacked(other) + LEAST:
            return False
        alike: bool = one.schema_arrow.equals(other.schema_arrow, check_metadata=metadata)
        return alike and bool(one.read().combine_chunks().equals(other.read().combine_chunks(), check_metadata=False))
    except (pyarrow.ArrowException, OSError, ValueError, MemoryError):
        return False


def _unpacked(file: Any) -> int:
    return sum(file.metadata.row_group(number).total_byte_size for number in range(file.metadata.num_row_groups))
