"""Synthetic rows that anybody may make of a published release: at no cost, for nothing but its integers is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dprelease.bundle.listing import parts
from dprelease.bundle.outputs import rows_path
from dprelease.bundle.row_dictionary import dictionary, dictionary_path
from dprelease.bundle.row_files import parquet_path, rows_parquet
from dprelease.bundle.tables import csv_chunks, rows_chunks
from dprelease.errors import InputError
from dprelease.model.encoding import pretty
from dprelease.model.release import Estimates, MeasuredTables, Release, SyntheticRows
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from dprelease.model.statistic import read_statistic
from dprelease.statistics.kinds.synthetic import Synthetic
from dprelease.statistics.kinds.workload import Workload
from dprelease.statistics.planning.priced import StatisticPrice
from dprelease.statistics.source_tables import lacking
from dprelease.statistics.synthetic_output import MAX_ORDER, MAX_ROWS
from dprelease.statistics.table_family import TableFamily
from dprelease.verdict.check import Check
from dprelease.verdict.recompute import stated_price
from dprelease.verdict.verify import verify
from dprelease.words import phrase, quoted
from dprelease.words.language import ENGLISH, speaking


@dataclass(frozen=True)
class RowsFrom:
    """Rows that are nobody's, with the release and the statistic of whose integers they are made."""

    release: str
    statistic: str
    rows: SyntheticRows
    files: Mapping[str, bytes]
    """The rows as CSV and as Parquet, their dictionary, and how far they are off: by path, as in a bundle."""
    remarks: tuple[Check, ...] = ()
    """The verdict on the release, where another one took its place, it has errata, or its tables do not fit."""

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(next(iter(self.rows.columns.values())))

    @property
    def report(self) -> Estimates:
        """Error of each table of the rows."""
        return list(self.rows.parts.values())[-1]


def rows_from(
    path: str | Path,
    statistic: str,
    *,
    rows: int | None = None,
    columns: Sequence[str] = (),
    order: int | None = None,
    key: str | None = None,
) -> RowsFrom:
    """Make synthetic rows of a `synthetic` statistic, or of a `workload`, out of a bundle.

    The bundle is verified first; `key` as there. `rows`: how many, as many as the noise lets there be by default.
    `columns`, `order`: of a workload, which of its columns a row has, and over up to how many of these tables are used;
    by default all, and as many as it has tables for, 3 at most. The ε is 0: rows are computed of published integers
    alone, and the same ones are made of the same integers for the same options, wherever that is done. Raises
    InputError where there is no such statistic, or no such tables; IntegrityError where the bundle does not verify.

    Example: `dp.rows_from(bundle, "invented", rows=50)`.
    """
    if rows is not None and (isinstance(rows, bool) or not 0 <= rows <= MAX_ROWS):
        raise InputError("rows", found=rows, allowed=phrase("model.whole_number_from", lowest=0, highest=MAX_ROWS))
    verdict = verify(path, key)
    release = verdict.release
    priced = stated_price(release.certificate)
    schema, by_id = priced.plan.schema, {item.id: item for item in priced.statistics}
    item = by_id.get(statistic)
    if item is None or not isinstance(item.statistic, Synthetic | Workload):
        ids = [name for name, each in by_id.items() if isinstance(each.statistic, Synthetic | Workload)]
        allowed = phrase("verdict.rows_of", known=", ".join(ids)) if ids else phrase("verdict.release_with_tables")
        raise InputError("statistic", found=str(statistic), allowed=allowed)
    output = release.outputs.get(statistic)
    if not isinstance(output, MeasuredTables | SyntheticRows):
        found = phrase("verdict.withheld_release")
        raise InputError("release", found=found, allowed=phrase("verdict.published_tables"))
    own = _asked(item, schema, rows, columns, order)
    measured = item.derivation.measurement
    assert isinstance(measured.statistic, TableFamily)
    drawn = own.drawn_of(measured.statistic, schema, output.integers, measured.mechanisms)
    assert drawn is not None
    made = own.answered_by(measured.statistic, schema, drawn, measured.mechanisms)
    assert isinstance(made, SyntheticRows)
    return RowsFrom(release.id, own.id, made, _files(release, own, made), verdict.remarks)


def _asked(
    item: StatisticPrice, schema: Schema, rows: int | None, columns: Sequence[str], order: int | None
) -> Synthetic:
    """Return the statistic whose rows are made."""
    given = item.statistic
    if isinstance(given, Synthetic):
        for name, found in (("columns", ", ".join(columns) or None), ("order", order)):
            if found is not None:
                raise InputError(name, found=found, allowed=phrase("verdict.rows_as_published", id=quoted(item.id)))
        return replace(given, rows=rows)
    assert isinstance(given, Workload)
    names = tuple(columns) or given.columns
    asked: dict[str, Any] = {"id": item.id, "kind": "synthetic", "columns": list(names), "source": item.id}
    asked |= {} if rows is None else {"rows": rows}
    bins = {name: count for name, count in given.bins if name in names}
    asked |= {"bins": bins} if bins else {}
    why: object = None
    for tried in range(MAX_ORDER, 0, -1) if order is None else (order,):
        try:
            own = _read({**asked, "order": tried}, schema)
        except InputError:
            if order is not None or tried == 1:
                raise
            continue  # too many cells over so many columns, perhaps not over fewer
        why = lacking(own, given, schema)
        if why is None:
            return own
    raise InputError(
        "columns",
        found=why,
        allowed=phrase("statistics.source_same", source=quoted(item.id), names=", ".join(given.columns)),
    )


def _read(asked: Mapping[str, Any], schema: Schema) -> Synthetic:
    report = Report()
    if not 1 <= asked["order"] <= MAX_ORDER:
        allowed = phrase("model.whole_number_from", lowest=1, highest=MAX_ORDER)
        report.add("order", found=asked["order"], allowed=allowed)
    for place, name in enumerate(asked["columns"]):
        if name not in schema:
            allowed = phrase("verdict.columns_of_release", names=", ".join(each.name for each in schema))
            report.add(f"columns[{place}]", found=name, allowed=allowed)
    report.raise_any(InputError)
    own = read_statistic(asked, "rows", report)
    if own is not None:
        own.check("rows", schema, report)
    report.raise_any(InputError)
    assert isinstance(own, Synthetic)
    return own


def _files(release: Release, own: Synthetic, rows: SyntheticRows) -> dict[str, bytes]:
    name, report = own.id, list(rows.parts.values())[-1]
    with speaking(ENGLISH):
        return {
            rows_path(name): b"".join(parts(rows_chunks(rows.columns))),
            parquet_path(name): rows_parquet(release, name, rows),
            dictionary_path(name): pretty(dictionary(release, name, rows)),
            f"tables/{name}.{own.report}.csv": b"".join(parts(csv_chunks(report))),
        }
