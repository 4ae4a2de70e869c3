"""The table of all numbers, all.csv and all.parquet, held against the tables: a second reading of docs/formats.md.

It shares no code with `dprelease.bundle.all_tables`, which wrote both files.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from dprelease.errors import IntegrityError
from dprelease.verdict.figures import CsvTable, file_of, plain_text
from dprelease.words import phrase

CSV, PARQUET = "all.csv", "all.parquet"
FIRST = ["release", "edition", "table", "period"]
REST = ["measure", "unit", "value", "lower", "upper", "grade", "noise"]
WORDS = ("answer", "answer_lower", "answer_upper")
NUMERIC = ("value", "lower", "upper")
STRETCHES = ("day", "week", "month", "quarter", "half", "year")
"""Levels of the calendar whose cells are periods one after another."""
BATCH = 10_000


def check_all(certificate: Mapping[str, Any], contents: Mapping[str, bytes], *, parquet: bool = True) -> int:
    """Check and count the numbers in both files, or in all.csv alone.

    A release that is withheld has no such file, and a bundle of another version may have none. Raises IntegrityError
    where a number is not that of its table.
    """
    if CSV not in contents and PARQUET not in contents:
        return 0
    path = CSV
    try:
        heads, *rows = csv.reader(io.StringIO(file_of(contents, CSV).decode(), newline=""))
        heads = [plain_text(head) for head in heads]
        _check_rows(certificate, contents, heads, rows)
        if parquet:
            path = PARQUET
            _check_parquet(heads, rows, file_of(contents, PARQUET))
    except (csv.Error, ValueError, LookupError, TypeError, AttributeError, OSError):
        raise IntegrityError(phrase("verdict.all_not_of_tables", path=path)) from None
    return len(rows)


def _check_rows(
    certificate: Mapping[str, Any], contents: Mapping[str, bytes], heads: list[str], rows: list[list[str]]
) -> None:
    """Raise ValueError unless each row says what its table does, under its heading, and none is missing."""
    own = [head for head in heads if head not in (*FIRST, *REST, *WORDS)]
    if [head for head in heads if head not in WORDS] != [*FIRST, *own, *REST] or len({*heads}) < len(heads):
        raise ValueError
    units = {each.get("unit", "") for each in (certificate["plan"].get("columns") or {}).values()} | {""}
    made = (each for item in certificate["measurements"] for each in item["mechanisms"])
    scales = {float(each["scale"]) for each in made}
    unit, noise = heads.index("unit"), heads.index("noise")
    if not {row[unit] for row in rows} <= {*units}:
        raise ValueError
    if not {float(each) for text in {row[noise] for row in rows} for each in text.split("; ") if each} <= scales:
        raise ValueError
    given = iter(rows)
    for facts, period, table in _expected(certificate, contents):
        keys = [_free(plain_text(head)) for head in table.heads[: table.keys]]
        worded = any(not _is_number(row[table.keys]) for row in table.rows)
        ends = dict(zip(WORDS if worded else NUMERIC, range(table.keys, table.keys + 3), strict=True))
        taken = {**dict(zip(keys, range(table.keys), strict=True)), **ends, "grade": -1}
        taken |= {"period": taken[period]} if period else {}
        fixed = {
            place: facts.get(head, "") for place, head in enumerate(heads) if head not in (*taken, "unit", "noise")
        }
        copied = [(place, taken[head]) for place, head in enumerate(heads) if head in taken]
        if len(copied) < len(taken):
            raise ValueError
        for row in table.rows:
            line = next(given, None)
            if line is None or any(line[place] != row[source] for place, source in copied):
                raise ValueError
            if any(line[place] != text and plain_text(line[place]) != text for place, text in fixed.items()):
                raise ValueError
    if next(given, None) is not None:
        raise ValueError


def _check_parquet(heads: list[str], rows: list[list[str]], data: bytes) -> None:
    """Raise ValueError unless a Parquet file has the rows of the CSV, numbers as floats and the rest as text."""
    from pyarrow import parquet

    file = parquet.ParquetFile(io.BytesIO(data))
    if file.schema_arrow.names != heads or file.metadata.num_rows != len(rows):
        raise ValueError
    begin = 0
    for batch in file.iter_batches(batch_size=BATCH):
        part = rows[begin : begin + len(batch)]
        begin += len(batch)
        for place, head in enumerate(heads):
            found: list[Any] = batch.column(place).to_pylist()
            told: list[Any]
            if head in NUMERIC:
                told = [float(row[place]) if row[place] else None for row in part]
            else:
                told = [plain_text(row[place]) for row in part]
                found = ["" if cell is None else cell for cell in found]
            if found != told:
                raise ValueError


def _expected(
    certificate: Mapping[str, Any], contents: Mapping[str, bytes]
) -> Iterator[tuple[Mapping[str, str], str, CsvTable]]:
    """Yield each table with the cells that all of its rows share, and the heading of its periods, if it has some."""
    plan = certificate["plan"]
    asked = {each["id"]: each for each in plan["statistics"]}
    stated = {each["id"]: each for each in certificate["statistics"]}
    names = [name for each in stated.values() for name in each["tables"]]
    about = plan.get("about") or {}
    shared = {"release": certificate["id"], "edition": about.get("edition", "")}
    shared |= {"period": about.get("reference_period", "")}
    each_one = []
    for name in names:
        whole, _, part = name.partition(".")
        own, source = asked[whole], stated[whole]["measurements"][0]
        if stated[whole]["output"] == "rows" and source != whole and f"{source}.{part}" in names:
            continue  # the same table as that of its source
        told = f"({own['column']})" if "column" in own else ""
        each_one.append((name, own, own["kind"] + told, f"tables/{name}.csv"))
    for each in plan.get("derived", ()):
        each_one.append((each["id"], asked[each["of"]], f"derived({each['of']})", f"derived/{each['id']}.csv"))
    reference = (about.get("reference") or {}).get("column", "")
    for name, own, measure, path in each_one:
        table = CsvTable.read(file_of(contents, path))
        by_period = (own.get("levels") or {}).get(reference) in STRETCHES
        has_column = reference in map(plain_text, table.heads[: table.keys])
        period = _free(reference) if by_period and has_column else ""
        yield {**shared, "table": name, "measure": measure}, period, table


def _free(name: str) -> str:
    return f"{name}_" if name.rstrip("_") in (*FIRST, *REST, *WORDS) else name


def _is_number(text: str) -> bool:
    try:
        float(text or "0")
    except ValueError:
        return False
    return True
