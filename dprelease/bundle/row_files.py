"""Synthetic rows with their declared types, for programs that read Parquet: rows/ID.synthetic.parquet.

Categories stand in their declared order, days are days, whole numbers are whole. The file states that its rows
are synthetic. Builds of Arrow may write the same rows to other bytes; `verdict` compares what is in them.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from io import BytesIO
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from dprelease.bundle import row_columns
from dprelease.bundle.outputs import rows_path
from dprelease.bundle.tables import row_kinds
from dprelease.model.certificate import Certificate
from dprelease.model.column import Column, ColumnType
from dprelease.model.release import Cell, Release, SyntheticRows
from dprelease.model.stated import as_json
from dprelease.words.language import ENGLISH, speaking
from dprelease.words.releases import say

if TYPE_CHECKING:
    import pyarrow

PARQUET = "application/vnd.apache.parquet"
EPOCH = date(1970, 1, 1).toordinal()


def parquet_path(statistic: str) -> str:
    """Return the path of synthetic rows as Parquet."""
    return rows_path(statistic).removesuffix(".csv") + ".parquet"


def parquet_paths(release: Release) -> tuple[str, ...]:
    """Return the paths of all synthetic rows of a release as Parquet."""
    return tuple(parquet_path(name) for name, output in release.outputs.items() if isinstance(output, SyntheticRows))


def row_files(release: Release) -> dict[str, bytes]:
    """Return each such file by its path; the same bytes for the same release and the same build of Arrow."""
    with speaking(ENGLISH):
        return {
            parquet_path(name): rows_parquet(release, name, output)
            for name, output in release.outputs.items()
            if isinstance(output, SyntheticRows)
        }


def rows_parquet(release: Release, statistic: str, rows: SyntheticRows) -> bytes:
    """Return the rows of a statistic as a Parquet file."""
    import pyarrow
    from pyarrow import parquet

    columns, kinds = release.certificate.columns, row_kinds(rows.columns)
    arrays = [_array(column, columns.get(name), kinds[name]) for name, column in rows.columns.items()]
    fields = [
        pyarrow.field(name, array.type, metadata=_told(release.certificate, columns.get(name)))
        for name, array in zip(rows.columns, arrays, strict=True)
    ]
    told = {
        "synthetic": "true",
        "about": say("synthetic_rows"),
        "release": release.id,
        "statistic": statistic,
        "guarantee": json.dumps(as_json(release.certificate.guarantee)),
    }
    schema = pyarrow.schema(fields, metadata={f"dprelease.{key}": value for key, value in told.items()})
    buffer = BytesIO()
    parquet.write_table(pyarrow.Table.from_arrays(arrays, schema=schema), buffer, compression="zstd")
    return buffer.getvalue()


def _told(certificate: Certificate, column: Column | None) -> Mapping[str, str] | None:
    """Return the declared facts of a column beside its type."""
    told = {} if column is None else {"unit": column.unit, "description": column.description}
    if column is not None:
        told["no_answer"] = json.dumps(row_columns.no_answer(column), ensure_ascii=False)
    return {f"dprelease.{key}": value for key, value in told.items() if value} or None


def _array(cells: Sequence[Cell], column: Column | None, kind: str) -> pyarrow.Array:
    """Return a column's cells in its declared type; without one, in that of its file."""
    import pyarrow

    if column is None or column.discover:
        return {"integer": _integers, "number": numbers, "string": texts}[kind](cells)
    match column.type:
        case ColumnType.CATEGORY:
            place = {label: number for number, label in enumerate(column.labels)}
            codes = _packed(cells, pyarrow.int32(), "i", lambda cell: place[str(cell)])
            return pyarrow.DictionaryArray.from_arrays(codes, texts(column.labels))
        case ColumnType.BOOLEAN:
            true = pyarrow.py_buffer(_bits(cell == "true" for cell in cells))
            return pyarrow.Array.from_buffers(pyarrow.bool_(), len(cells), [_known(cells), true])
        case ColumnType.DATE:
            return _packed(cells, pyarrow.date32(), "i", lambda cell: date.fromisoformat(str(cell)).toordinal() - EPOCH)
        case ColumnType.INTEGER:
            return _integers(cells)
        case _:
            return numbers(cells)


def _integers(cells: Sequence[Cell]) -> pyarrow.Array:
    import pyarrow

    return _packed(cells, pyarrow.int64(), "q", lambda cell: cell)


def numbers(cells: Sequence[Cell]) -> pyarrow.Array:
    """Return a column of numbers as floats."""
    import pyarrow

    return _packed(cells, pyarrow.float64(), "d", float)


def texts(cells: Sequence[Cell]) -> pyarrow.Array:
    """Return a column of texts."""
    import pyarrow

    words = [b"" if cell is None else str(cell).encode() for cell in cells]
    ends = pyarrow.py_buffer(array("i", accumulate(map(len, words), initial=0)))
    return pyarrow.Array.from_buffers(
        pyarrow.string(), len(words), [_known(cells), ends, pyarrow.py_buffer(b"".join(words))]
    )


def _packed(cells: Sequence[Cell], kind: pyarrow.DataType, code: str, number: Callable[[Any], Any]) -> pyarrow.Array:
    """Return numbers of one width. Arrow's own way from lists imports pandas, which takes half a second."""
    import pyarrow

    filled = pyarrow.py_buffer(array(code, [0 if cell is None else number(cell) for cell in cells]))
    return pyarrow.Array.from_buffers(kind, len(cells), [_known(cells), filled])


def _known(cells: Sequence[Cell]) -> pyarrow.Buffer | None:
    """Return the validity bits: True for cells that hold something; None where all do."""
    import pyarrow

    return pyarrow.py_buffer(_bits(cell is not None for cell in cells)) if None in cells else None


def _bits(flags: Iterable[bool]) -> bytes:
    import numpy as np

    return np.packbits(np.fromiter(flags, dtype=bool), bitorder="little").tobytes()
