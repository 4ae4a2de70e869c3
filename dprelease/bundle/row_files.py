"""rows/ID.synthetic.parquet: rows that are nobody's with their declared types, for programs that read Parquet.

Categories stand in their declared order, days are days, whole numbers are whole. The file says of itself that its rows
are synthetic. Builds of Arrow may write the same rows to other bytes; `verdict` compares what is in them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from io import BytesIO
from typing import TYPE_CHECKING, Any

from dprelease.bundle import row_columns
from dprelease.bundle.outputs import rows_path
from dprelease.bundle.tables import row_kinds
from dprelease.model.certificate import Certificate
from dprelease.model.column import Column, ColumnType
from dprelease.model.release import Cell, Release, Rows
from dprelease.model.stated import as_json
from dprelease.words.language import ENGLISH, speaking
from dprelease.words.releases import say

if TYPE_CHECKING:
    import pyarrow

PARQUET = "application/vnd.apache.parquet"


def parquet_path(statistic: str) -> str:
    """Tells where rows that are nobody's stand as Parquet."""
    return rows_path(statistic).removesuffix(".csv") + ".parquet"


def parquet_paths(release: Release) -> tuple[str, ...]:
    """Those of all rows of a release."""
    return tuple(parquet_path(name) for name, output in release.outputs.items() if isinstance(output, Rows))


def row_files(release: Release) -> dict[str, bytes]:
    """Each such file by its path; the same bytes for the same release and the same build of Arrow."""
    with speaking(ENGLISH):
        return {
            parquet_path(name): rows_parquet(release, name, output)
            for name, output in release.outputs.items()
            if isinstance(output, Rows)
        }


def rows_parquet(release: Release, statistic: str, rows: Rows) -> bytes:
    """The rows of a statistic as a Parquet file."""
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
    """What is declared of a column beside its type."""
    told = {} if column is None else {"unit": column.unit, "description": column.description}
    if column is not None:
        told["no_answer"] = json.dumps(row_columns.no_answer(column), ensure_ascii=False)
    return {f"dprelease.{key}": value for key, value in told.items() if value} or None


def _array(cells: Sequence[Cell], column: Column | None, kind: str) -> pyarrow.Array:
    """A column's cells in its declared type; without one, in that of its file."""
    import pyarrow

    if column is None or column.discover:
        plain: Any = {"integer": pyarrow.int64(), "number": pyarrow.float64(), "string": pyarrow.string()}[kind]
        return pyarrow.array(list(cells), plain)
    match column.type:
        case ColumnType.CATEGORY:
            place = {label: number for number, label in enumerate(column.labels)}
            codes = [None if cell is None else place[str(cell)] for cell in cells]
            return pyarrow.DictionaryArray.from_arrays(
                pyarrow.array(codes, pyarrow.int32()), pyarrow.array(column.labels, pyarrow.string())
            )
        case ColumnType.BOOLEAN:
            return pyarrow.array([None if cell is None else cell == "true" for cell in cells], pyarrow.bool_())
        case ColumnType.DATE:
            days = [None if cell is None else date.fromisoformat(str(cell)) for cell in cells]
            return pyarrow.array(days, pyarrow.date32())
        case ColumnType.INTEGER:
            return pyarrow.array(list(cells), pyarrow.int64())
        case _:
            numbers = [None if cell is None else float(cell) for cell in cells]
            return pyarrow.array(numbers, pyarrow.float64())
