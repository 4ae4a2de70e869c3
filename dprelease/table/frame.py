"""Tables that a program hands over, as one stream of Arrow record batches."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from dprelease.errors import UploadError
from dprelease.model.header import named
from dprelease.words import NOTHING, Phrase, phrase, verbatim

if TYPE_CHECKING:
    import pandas
    import pyarrow

MAX_CELLS = 1_000_000
"""Maximum cells of records that come as Python objects: more are passed in columns, by a frame."""


def batches(source: Any) -> pyarrow.RecordBatchReader:
    """Return the rows of a table as record batches, read once and never collected a second time.

    Taken are a pandas DataFrame (an index with a name becomes columns), whatever offers an Arrow stream (a polars
    DataFrame, a DuckDB relation, an Arrow table, reader, dataset or record batch), `(connection, "table")` of DuckDB
    or of a driver that answers in Arrow, an iterable of record batches, and up to a million cells as a list of
    mappings or a mapping of lists. Columns that are called alike are told apart by numbers, as those of files are.

    Raises UploadError that names what was given, or the column whose cells cannot be stored.
    """
    import pyarrow

    reader = _reader(source)
    names = named(reader.schema.names)
    if list(names) == reader.schema.names:
        return reader
    schema = pyarrow.schema([field.with_name(name) for field, name in zip(reader.schema, names, strict=True)])
    renamed = (pyarrow.RecordBatch.from_arrays(batch.columns, schema=schema) for batch in reader)
    return pyarrow.RecordBatchReader.from_batches(schema, renamed)


def _reader(source: Any) -> pyarrow.RecordBatchReader:
    import pyarrow

    if _is_pandas(source):
        return _of_pandas(source).to_reader()
    if hasattr(source, "__arrow_c_stream__"):
        return pyarrow.RecordBatchReader.from_stream(source)
    if hasattr(source, "__arrow_c_array__"):
        batch = pyarrow.record_batch(source)
        return pyarrow.RecordBatchReader.from_batches(batch.schema, [batch])
    if callable(scanner := getattr(source, "scanner", None)):
        return scanner().to_reader()
    if callable(getattr(source, "collect", None)):
        raise _refused(source, phrase("table.lazy_frame_remedy"))
    if isinstance(source, tuple) and len(source) == 2 and isinstance(source[1], str):
        return _of_connection(*source)
    if isinstance(source, Mapping) and all(_is_list(cells) for cells in source.values()):
        return _of_columns({str(name): list(cells) for name, cells in source.items()})
    if _is_list(source) and source and all(isinstance(row, Mapping) for row in source):
        names = list(dict.fromkeys(name for row in source for name in row))
        return _of_columns({str(name): [row.get(name) for row in source] for name in names})
    if isinstance(source, Iterable) and not isinstance(source, str | bytes | Mapping) and not hasattr(source, "read"):
        return _of_batches(source)
    raise _refused(source)


def _is_pandas(source: Any) -> bool:
    """Return True if the source is a DataFrame of pandas, without loading pandas for anything else."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(source, pandas.DataFrame)


def _is_list(cells: Any) -> bool:
    return isinstance(cells, Sequence) and not isinstance(cells, str | bytes)


def _of_pandas(frame: pandas.DataFrame) -> pyarrow.Table:
    """Its columns, and before them an index with a name. One without is dropped if it numbers rows, else refused."""
    import pandas

    index = frame.index
    levels = [index.get_level_values(place) for place in range(index.nlevels)]
    if any(level.name is not None for level in levels):
        if any(level.name is None for level in levels):
            raise _refused(frame, phrase("table.unnamed_index_remedy"))
    elif index.nlevels == 1 and pandas.api.types.is_integer_dtype(index):
        levels = []  # numbers of rows, all of them or those that a filter left
    else:
        raise _refused(frame, phrase("table.unnamed_index_remedy"), phrase("table.frame_with_unnamed_index"))
    columns = [(str(name), frame.iloc[:, place]) for place, name in enumerate(frame.columns)]
    return _stored([*((str(level.name), level) for level in levels), *columns])


def _of_columns(columns: Mapping[str, list[Any]]) -> pyarrow.RecordBatchReader:
    lengths = {len(cells) for cells in columns.values()}
    if len(lengths) != 1:
        raise UploadError("table", found=phrase("table.columns_of_other_lengths"), allowed=phrase("table.one_length"))
    if len(columns) * lengths.pop() > MAX_CELLS:
        raise UploadError("table", found=phrase("table.many_python_cells"), allowed=phrase("table.cells_as_frame"))
    return _stored(list(columns.items())).to_reader()


def _stored(columns: Sequence[tuple[str, Any]]) -> pyarrow.Table:
    """Columns as Arrow stores them. Raises UploadError that names one whose cells are of several types."""
    import pyarrow

    arrays = []
    for name, cells in columns:
        try:
            arrays.append(pyarrow.array(cells, from_pandas=True))
        except (pyarrow.ArrowException, AttributeError, ArithmeticError, TypeError, ValueError):
            raise _of_a_column(name, verbatim(str(getattr(cells, "dtype", "object")))) from None
    schema = pyarrow.schema([(name, array.type) for (name, _), array in zip(columns, arrays, strict=True)])
    return pyarrow.Table.from_arrays(arrays, schema=schema)


def _of_connection(connection: Any, table: str) -> pyarrow.RecordBatchReader:
    """All rows of a table of DuckDB, or of a driver that answers as ADBC does. Its name is quoted part by part."""
    import pyarrow

    if not callable(getattr(connection, "cursor", None)):
        raise _refused(connection)
    parts = ".".join('"' + part.replace('"', '""') + '"' for part in table.split("."))
    cursor = connection.cursor()
    query = f"SELECT * FROM {parts}"
    try:
        if callable(getattr(cursor, "sql", None)):
            return pyarrow.RecordBatchReader.from_stream(cursor.sql(query))
        if callable(getattr(cursor, "fetch_record_batch", None)):
            cursor.execute(query)
            reader: pyarrow.RecordBatchReader = cursor.fetch_record_batch()
            return reader
    except Exception:  # noqa: BLE001 (each driver has errors of its own)
        found = phrase("table.table_of_connection_unread", table=table)
        raise UploadError("table", found=found, allowed=phrase("table.readable_table_of_connection")) from None
    raise _refused(connection, phrase("table.no_arrow_remedy"), phrase("table.connection_without_arrow"))


def _of_batches(source: Iterable[Any]) -> pyarrow.RecordBatchReader:
    import pyarrow

    rest = iter(source)
    first = next(rest, None)
    if not isinstance(first, pyarrow.RecordBatch):
        kind = (
            None
            if first is None
            else phrase("table.container_of", container=type(source).__name__, kind=type(first).__name__)
        )
        raise _refused(source, found=kind)
    return pyarrow.RecordBatchReader.from_batches(first.schema, _alike(chain([first], rest), first.schema))


def _alike(every: Iterator[Any], schema: pyarrow.Schema) -> Iterator[pyarrow.RecordBatch]:
    for batch in every:
        if getattr(batch, "schema", None) != schema:
            raise UploadError(
                "table", found=phrase("table.batches_of_other_schemas"), allowed=phrase("table.one_schema")
            )
        yield batch


def _refused(source: Any, remedy: Phrase = NOTHING, found: Phrase | None = None) -> UploadError:
    """Names what was handed over by its type, and that of what is in it; never by its values."""
    said = verbatim(type(source).__name__) if found is None else found
    return UploadError("source", found=said, allowed=phrase("table.frames_allowed"), remedy=remedy)


def _of_a_column(name: str, kind: Phrase) -> UploadError:
    found = phrase("table.column_of_type", column=name, type=kind)
    return UploadError("table", found=found, allowed=phrase("table.columns_that_each_hold_one_type"))
