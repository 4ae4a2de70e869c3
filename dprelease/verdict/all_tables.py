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
WORDS = "answer"
NUMERIC = ("value", "lower", "upper")
STRETCHES = ("day", "week", "month", "quarter", "half", "year")
"""Levels of the calendar whose cells are periods one after another."""
Row = dict[str, Any]


def check_all(certificate: Mapping[str, Any], contents: Mapping[str, bytes]) -> int:
    """Check and count the numbers in both files. Raises IntegrityError where one is not that of its table.

    A release that is withheld has no such file, and a bundle of another version may have none.
    """
    if CSV not in contents and PARQUET not in contents:
        return 0
    count = 0
    for path, read in ((CSV, _csv), (PARQUET, _parquet)):
        try:
            heads, rows = read(file_of(contents, path))
            count = _checked(certificate, _expected(certificate, contents), heads, rows)
        except (csv.Error, ValueError, LookupError, TypeError, AttributeError, OSError):
            raise IntegrityError(phrase("verdict.all_not_of_tables", path=path)) from None
    return count


def _csv(data: bytes) -> tuple[list[str], Iterator[Row]]:
    lines = csv.reader(io.StringIO(data.decode(), newline=""))
    heads = list(map(plain_text, next(lines)))
    return heads, (dict(zip(heads, map(plain_text, line), strict=True)) for line in lines)


def _parquet(data: bytes) -> tuple[list[str], Iterator[Row]]:
    from pyarrow import parquet

    file = parquet.ParquetFile(io.BytesIO(data))
    batches = file.iter_batches(batch_size=10_000)
    rows = (row for batch in batches for row in batch.to_pylist())
    return file.schema_arrow.names, ({key: "" if cell is None else cell for key, cell in row.items()} for row in rows)


def _checked(certificate: Mapping[str, Any], expected: Iterator[Row], heads: list[str], rows: Iterator[Row]) -> int:
    """Count the rows, each of which says what is expected, under its heading. Raises ValueError else."""
    own = [head for head in heads if head not in (*FIRST, *REST, WORDS)]
    if [head for head in heads if head != WORDS] != [*FIRST, *own, *REST] or len({*heads}) < len(heads):
        raise ValueError
    units = {each.get("unit", "") for each in (certificate["plan"].get("columns") or {}).values()} | {""}
    made = (each for item in certificate["measurements"] for each in item["mechanisms"])
    scales = {float(each["scale"]) for each in made}
    count = 0
    for wanted, row in zip(expected, rows, strict=True):
        told = {key: cell for key, cell in row.items() if cell != ""}
        unit, noise = told.pop("unit", ""), told.pop("noise", "")
        if unit not in units or not {*map(float, filter(None, noise.split("; ")))} <= scales:
            raise ValueError
        if told.keys() != wanted.keys() or not all(_is_same(key, told[key], cell) for key, cell in wanted.items()):
            raise ValueError
        count += 1
    return count


def _is_same(key: str, found: Any, cell: str) -> bool:
    return float(found) == float(cell) if key in NUMERIC else found == cell


def _expected(certificate: Mapping[str, Any], contents: Mapping[str, bytes]) -> Iterator[Row]:
    """Yield what each row says, cells that are empty left out."""
    plan = certificate["plan"]
    asked = {each["id"]: each for each in plan["statistics"]}
    stated = {each["id"]: each for each in certificate["statistics"]}
    names = [name for each in stated.values() for name in each["tables"]]
    about = plan.get("about") or {}
    fixed = {"release": certificate["id"], "edition": about.get("edition", "")}
    for name in names:
        whole, _, part = name.partition(".")
        own = asked[whole]
        source = stated[whole]["measurements"][0]
        if own["kind"] == "synthetic" and source != whole and f"{source}.{part}" in names:
            continue  # the same table as that of its source
        told = f"({own['column']})" if "column" in own else ""
        facts = {**fixed, "table": name, "measure": own["kind"] + told}
        yield from _rows(facts, own, about, CsvTable.read(file_of(contents, f"tables/{name}.csv")))
    for each in plan.get("derived", ()):
        facts = {**fixed, "table": each["id"], "measure": f"derived({each['of']})"}
        yield from _rows(facts, asked[each["of"]], about, CsvTable.read(file_of(contents, f"derived/{each['id']}.csv")))


def _rows(facts: Row, asked: Mapping[str, Any], about: Mapping[str, Any], table: CsvTable) -> Iterator[Row]:
    heads = [plain_text(head) for head in table.heads]
    keys = heads.index("value")
    reference = (about.get("reference") or {}).get("column", "")
    by_period = (asked.get("levels") or {}).get(reference) in STRETCHES and reference in heads[:keys]
    for row in table.rows:
        cells = [plain_text(cell) for cell in row]
        named = {_free(name): cell for name, cell in zip(heads[:keys], cells, strict=False)}
        period = cells[heads.index(reference)] if by_period else about.get("reference_period", "")
        value = {"value" if _is_number(cells[keys]) else WORDS: cells[keys]}
        ends = {"lower": cells[keys + 1], "upper": cells[keys + 2], "grade": cells[-1]}
        yield {key: cell for key, cell in {**facts, "period": period, **named, **value, **ends}.items() if cell}


def _free(name: str) -> str:
    return f"{name}_" if name.rstrip("_") in (*FIRST, *REST, WORDS) else name


def _is_number(text: str) -> bool:
    try:
        float(text or "0")
    except ValueError:
        return False
    return True
