"""Files of SPSS (.sav, .zsav, .por), Stata (.dta) and SAS (.sas7bdat): numbers, dates and texts, or labels.

Their dictionary is kept in the metadata of the Parquet file that is made of them.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dprelease.errors import UploadError, need
from dprelease.model.dictionary import Dictionary, DictionaryField, variables
from dprelease.model.reading import LABELLED, Detected, Format, Reading
from dprelease.table.detect_text import beginning_rows
from dprelease.table.duckdb_dialect import DuckDB
from dprelease.table.ingest_excel import excel_row
from dprelease.table.ingest_text import Note, checked_names
from dprelease.words import phrase, verbatim


def units_row(source: Path, reading: Reading, filename: str) -> list[str]:
    """Its cells; none where the file does not reach so far."""
    line = reading.header + 1
    if reading.format is Format.EXCEL:
        return excel_row(source, filename, reading.sheet, line)
    return next((cells for number, cells in beginning_rows(source, reading) if number == line), [])


BATCH = 2**19
"""Cells that are held at a time."""
MAX_COLUMNS = 10_000
SPSS_DATES = ("DATE", "ADATE", "EDATE", "JDATE", "SDATE", "MOYR", "QYR", "WKYR")
SPSS_TIMES = ("DATETIME", "YMDHMS")
SAS_DATES = re.compile(r"DATE|(DDMMYY|MMDDYY|YYMMDD)[BCDNPS]?|[EB]8601DA|IS8601DA|WEEKDAT[EX]|WORDDAT[EX]|JULIAN")
SAS_TIMES = re.compile(r"DATETIME|DTDATE|DATEAMPM|MDYAMPM|[EB]8601D[TN]|IS8601DT")
"""Formats of SAS that print a day: those of pyreadstat 1.3.7 (`sas_date_formats`, `sas_datetime_formats`, which its
compiled module keeps to itself) and WORDDATE, WORDDATX and JULIAN of SAS's own list. DTDATE prints a moment's day."""
SPSS_EPOCH, EPOCH = "1582-10-14", "1960-01-01"
"""Days begin there: of SPSS, and of Stata and SAS alike."""


def detect_labelled(source: Path, format: Format, filename: str) -> Detected:
    """Read the dictionary of the file, no rows."""
    meta = _read(source, format, filename, metadataonly=True)[1]
    return Detected(reading=Reading(format=format), labelled=tuple(meta.variable_value_labels))


def read_meta(source: Path, format: Format, filename: str) -> Any:
    """Return the dictionary of the file, with what it declares as missing. Reads no rows."""
    more = {} if format is Format.SPSS_PORTABLE else {"user_missing": True}
    return _read(source, format, filename, metadataonly=True, **more)[1]


def labelled_batches(source: Path, reading: Reading, filename: str, note: Note) -> Generator[Any, None, None]:
    """Yield a schema, then Arrow batches. Values that the file declares as missing are empty."""
    import pyarrow

    meta = _read(source, reading.format, filename, metadataonly=True)[1]
    width = len(meta.column_names)
    if not 0 < width <= MAX_COLUMNS:
        raise UploadError(filename, found=phrase("model.columns", count=width), allowed=verbatim(f"1 to {MAX_COLUMNS}"))
    names = checked_names(list(meta.column_names), filename)
    kinds = [_kind(meta, name, reading) for name in meta.column_names]
    schema = pyarrow.schema(
        [(name, pyarrow.type_for_alias(TYPES[kind])) for name, kind in zip(names, kinds, strict=True)]
    )
    yield schema
    size, row, rows = max(1, BATCH // width), 0, meta.number_rows or 0
    while True:
        columns, _ = _read(source, reading.format, filename, row_offset=row, row_limit=size)
        count = len(next(iter(columns.values())))
        if count:
            labels = meta.variable_value_labels
            arrays = [
                _array(columns[name], kind, labels.get(name, {}), reading.format)
                for name, kind in zip(meta.column_names, kinds, strict=True)
            ]
            yield pyarrow.record_batch(arrays, schema=schema)
        row += count
        if count < size:
            return
        note(min(1.0, row / max(1, rows)))


TYPES = {"text": "string", "label": "string", "number": "float64", "day": "date32", "time": "timestamp[us]"}


def _kind(meta: Any, name: str, reading: Reading) -> str:
    """Return the kind of value a column becomes, by the file's metadata and never by its values."""
    if reading.labels and meta.variable_value_labels.get(name):
        return "label"
    if meta.readstat_variable_types[name] == "string":
        return "text"
    shown = (meta.original_variable_types.get(name) or "").upper()
    if reading.format is Format.STATA:
        return "day" if shown.startswith(("%TD", "%D")) else "time" if shown.startswith("%TC") else "number"
    bare = shown.rstrip("0123456789.")
    if reading.format is Format.SAS:
        return "day" if SAS_DATES.fullmatch(bare) else "time" if SAS_TIMES.fullmatch(bare) else "number"
    return "day" if bare in SPSS_DATES else "time" if bare in SPSS_TIMES else "number"


def _array(values: Any, kind: str, labels: Mapping[Any, str], format: Format) -> Any:
    import numpy
    import pyarrow

    if kind == "text":
        return pyarrow.array([value or None for value in values], pyarrow.string())
    if kind == "label":
        return pyarrow.array([_label(value, labels) for value in values], pyarrow.string())
    numbers = numpy.array([numpy.nan if value is None else value for value in values], dtype=float)
    if kind == "number":
        return pyarrow.array(numbers, pyarrow.float64(), from_pandas=True)
    per_day, epoch = (86_400, SPSS_EPOCH) if format in (Format.SPSS, Format.SPSS_PORTABLE) else (1, EPOCH)
    if kind == "time":
        per_second = 1000 if format is Format.STATA else 1
        moments = numpy.round(numbers / per_second * 1e6)
        good = numpy.abs(moments) < 2**60
        shifted = numpy.datetime64(epoch, "us") + numpy.where(good, moments, 0).astype("timedelta64[us]")
        return pyarrow.array(shifted, pyarrow.timestamp("us"), mask=~good)
    days = numpy.floor(numbers / per_day)
    good = numpy.abs(days) < 3_000_000
    return pyarrow.array(
        numpy.datetime64(epoch, "D") + numpy.where(good, days, 0).astype("timedelta64[D]"), pyarrow.date32(), mask=~good
    )


def _label(value: Any, labels: Mapping[Any, str]) -> str | None:
    """Return the label of a value; of one without, the value itself."""
    if value is None or value == "" or value != value:
        return None
    label = labels.get(value)
    if label is None:
        return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    return label.strip() or None


def _read(source: Path, format: Format, filename: str, **options: Any) -> tuple[dict[str, Any], Any]:
    need("codebooks", "pyreadstat")
    import pyreadstat

    readers: dict[Format, Any] = {
        Format.SPSS: pyreadstat.read_sav,
        Format.SPSS_PORTABLE: pyreadstat.read_por,
        Format.STATA: pyreadstat.read_dta,
        Format.SAS: pyreadstat.read_sas7bdat,
    }
    with _translated(filename):
        columns, meta = readers[format](source, output_format="dict", disable_datetime_conversion=True, **options)
        return columns, meta


@contextmanager
def _translated(filename: str) -> Iterator[None]:
    from warnings import catch_warnings, simplefilter

    try:
        with catch_warnings():
            simplefilter("ignore")
            yield
    except Exception:  # noqa: BLE001 (pyreadstat raises what it met, and may quote what it read)
        raise UploadError(
            filename,
            found=phrase("table.file_spss_stata_cannot"),
            allowed=phrase("table.whole_sav_zsav_por"),
            remedy=phrase("table.save_anew_export_csv"),
        ) from None


KEY = "dprelease_dictionary"
BRACKETS = re.compile(r"^[(\[](.+)[)\]]$")
FIELD_ID = b"PARQUET:field_id"
"""The one key of a field that the format itself writes."""


def kept(source: Path, reading: Reading, filename: str, names: Sequence[str]) -> str:
    """The option of DuckDB's COPY that keeps what a file says of its columns; nothing if it does not. Reads no rows."""
    if reading.format in LABELLED:
        found = Dictionary(
            variables=variables(read_meta(source, reading.format, filename)),
            by_label=reading.labels,
            hides_codes=reading.format is Format.SPSS_PORTABLE,
            has_formats=reading.format is Format.SAS,
        )
    elif reading.format is Format.PARQUET:
        found = Dictionary(fields=_fields(source))
    elif reading.units:
        found = Dictionary(fields=_units(units_row(source, reading, filename), names))
    else:
        return ""
    return f", KV_METADATA {{{KEY}: {DuckDB().text(found.to_text())}}}" if found.variables or found.fields else ""


def _fields(source: Path) -> tuple[DictionaryField, ...]:
    """Return the fields of a Parquet file, if one of them has metadata."""
    from pyarrow import parquet

    found = []
    for each in parquet.read_schema(source):
        metadata = {key: value for key, value in (each.metadata or {}).items() if key != FIELD_ID}
        said = {_text(key): _text(value) for key, value in metadata.items()}
        found.append(DictionaryField(name=each.name, type=_word(each.type), said=said))
    return tuple(found) if any(each.said for each in found) else ()


def _units(cells: Sequence[str], names: Sequence[str]) -> tuple[DictionaryField, ...]:
    """Return the units of columns, from the row under their names that somebody said holds them."""
    units = [BRACKETS.sub(r"\1", cell.strip()) for cell in cells]
    return tuple(
        DictionaryField(name=name, type="", said={"unit": unit})
        for name, unit in zip(names, units, strict=False)
        if unit
    )


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _word(type: Any) -> str:
    """Return the type of a field in a word of codebooks."""
    from pyarrow import types

    tests = {"boolean": types.is_boolean, "integer": types.is_integer, "date": types.is_date}
    numbers = types.is_floating(type) or types.is_decimal(type)
    return next((word for word, is_of in tests.items() if is_of(type)), "number" if numbers else "")


def dictionary(table: Path) -> Dictionary | None:
    """Return what was kept; None where it is of a file that says nothing of its columns."""
    from pyarrow import parquet

    found = (parquet.read_metadata(table).metadata or {}).get(KEY.encode())
    return None if found is None else Dictionary.of_text(found)
