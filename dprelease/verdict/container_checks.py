"""Archives and Parquet files held against ones written again: what they hold is compared, not how it was packed."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

LOCAL, CENTRAL, END = 30, 46, 22
"""Bytes of the headers of a ZIP archive, without names."""


def holds_the_same(found: bytes, made: bytes) -> bool:
    """Return True if an archive holds the members of another in their order, and nothing besides.

    Builds of zlib compress the same text to other bytes, and headers name the operating system: neither is part of
    what a release says. Every other byte has to be accounted for, so that no reader finds another workbook in it.
    """
    if found == made:
        return True
    try:
        with ZipFile(BytesIO(found)) as one, ZipFile(BytesIO(made)) as other:
            own, expected = one.infolist(), other.infolist()
            alike = [_facts(info) for info in own] == [_facts(info) for info in expected]
            return (
                alike
                and _is_filled(found, one)
                and all(_member(found, info) == other.read(each) for info, each in zip(own, expected, strict=True))
            )
    except (BadZipFile, zlib.error, struct.error, NotImplementedError, ValueError, EOFError):
        return False


def _facts(info: ZipInfo) -> tuple[object, ...]:
    return (
        *(info.filename, info.date_time, info.compress_type == ZIP_DEFLATED, info.flag_bits),
        *(info.CRC, info.file_size, info.extra, info.comment),
    )


def _is_filled(found: bytes, archive: ZipFile) -> bool:
    """Return True if members, their list and its end follow one another from the first byte to the last."""
    place, names = 0, 0
    for info in archive.infolist():
        called = info.filename.encode()
        length = len(called)
        _, _, flags, method, _, _, *rest = struct.unpack_from("<IHHHHHIIIHH", found, place)
        stated = [info.CRC, info.compress_size, info.file_size, length, 0]
        if info.header_offset != place or [flags, method, *rest] != [info.flag_bits, info.compress_type, *stated]:
            return False
        if found[place + LOCAL : place + LOCAL + length] != called:
            return False
        place, names = place + LOCAL + length + info.compress_size, names + CENTRAL + length
    return place + names + END == len(found)


def _member(found: bytes, info: ZipInfo) -> bytes | None:
    """Return the unpacked content of a member; None where the packed bytes go on after its end."""
    start = info.header_offset + LOCAL + len(info.filename.encode())
    packed = zlib.decompressobj(-zlib.MAX_WBITS)
    content = packed.decompress(found[start : start + info.compress_size], info.file_size + 1)
    return content if packed.eof and not packed.unused_data else None


SLACK, LEAST = 4, 100_000
"""Bound on unpacked bytes: so many times those of the file that is made again, and beyond; more are not read."""


def holds_the_same_rows(found: bytes, made: bytes, *, metadata: bool = True) -> bool:
    """Return True if a Parquet file holds the rows of another, in the same types and with the same `metadata`.

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
