"""All numbers of a series in one table: the editions that hold, one after another, under the columns of all of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence

from dprelease.bundle.all_tables import AFTER, ALL_CSV, ALL_PARQUET, ANSWERS, BEFORE, arrow_schema
from dprelease.bundle.listing import CHECKSUMS
from dprelease.bundle.tables import chunks, csv_columns, framed, written
from dprelease.portal.series import Series
from dprelease.portal.shelf import Bundle

FILES = (ALL_CSV, ALL_PARQUET)


def bundles_of(series: Series) -> list[Bundle]:
    """Return the bundles of the editions that hold and have such a table, oldest first."""
    return [each.bundle for each in reversed(series.current) if ALL_CSV in each.bundle.sums]


def digest_of(series: Series, name: str) -> str:
    """Return a digest that changes whenever one of FILES would: of the lists of checksums of its bundles."""
    sums = [bundle.sums[CHECKSUMS] for bundle in bundles_of(series)]
    return hashlib.sha256(json.dumps([name, sums]).encode()).hexdigest()


def parts_of(series: Series, name: str) -> Iterator[bytes]:
    """Yield one of FILES, a part after another: one edition is in memory at a time."""
    bundles = bundles_of(series)
    heads = [_heads(bundle) for bundle in bundles]
    keys = dict.fromkeys(name for each in heads for name in each if name not in (*BEFORE, *AFTER, *ANSWERS))
    answered = ANSWERS if any(ANSWERS[0] in each for each in heads) else ()
    columns = (*BEFORE, *keys, *AFTER, *answered)
    return (_csv if name == ALL_CSV else _parquet)(bundles, columns)


def _heads(bundle: Bundle) -> list[str]:
    from pyarrow import parquet

    return [str(name) for name in parquet.ParquetFile(bundle.checked(ALL_PARQUET)).schema_arrow.names]


def _csv(bundles: Sequence[Bundle], columns: Sequence[str]) -> Iterator[bytes]:
    yield f"{','.join(map(written, columns))}\n".encode()
    for bundle in bundles:
        own = _heads(bundle)
        found = csv_columns(bundle.read(ALL_CSV).decode(), len(own))
        count = len(found[0])
        cells = dict(zip(own, found, strict=True))
        rows = zip(*(cells.get(name) or [None] * count for name in columns), strict=True)
        next(rows)
        yield from chunks(",".join("" if cell is None else framed(cell) for cell in row) + "\n" for row in rows)


def _parquet(bundles: Sequence[Bundle], columns: Sequence[str]) -> Iterator[bytes]:
    import pyarrow
    from pyarrow import parquet

    schema, sink = arrow_schema(columns), _Sink()
    with parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
        for bundle in bundles:
            file = parquet.ParquetFile(bundle.checked(ALL_PARQUET))
            for number in range(file.metadata.num_row_groups):
                group = file.read_row_group(number)
                arrays = [
                    group[field.name] if field.name in group.schema.names else pyarrow.nulls(len(group), field.type)
                    for field in schema
                ]
                writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))
                yield sink.taken()
    yield sink.taken()


class _Sink:
    """File that is handed on as it is written."""

    closed = False

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._place = 0

    def write(self, data: bytes) -> int:
        self._parts.append(bytes(data))
        self._place += len(data)
        return len(data)

    def tell(self) -> int:
        return self._place

    def flush(self) -> None:
        """Do nothing: what was written is there."""

    def close(self) -> None:
        """Do nothing, as well."""

    def taken(self) -> bytes:
        """Return what was written since it was last asked."""
        data, self._parts = b"".join(self._parts), []
        return data
