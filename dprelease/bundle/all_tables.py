"""Every number of a release in one table, for programs: all.csv and all.parquet.

A row a number, in the order of the tables and their cells; a column for each key of any table. Synthetic rows are left
out, and tables that stand in the release twice. `verdict.all_tables` reads the files a second time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from dprelease.bundle.annotated import Annotated
from dprelease.bundle.derived import DerivedTable
from dprelease.bundle.listing import Content
from dprelease.bundle.row_files import numbers, texts
from dprelease.bundle.tables import chunks, written
from dprelease.model.certificate import Certificate
from dprelease.model.column import Column
from dprelease.model.reference import level_of, reference_of
from dprelease.model.release import CHUNK, Cell, Estimates, Release, plain
from dprelease.statements.counts import copies
from dprelease.statements.question import StatisticLabel

if TYPE_CHECKING:
    import pyarrow

ALL_CSV, ALL_PARQUET = "all.csv", "all.parquet"
BEFORE = ("release", "edition", "table", "period")
NUMBERS = ("value", "lower", "upper")
AFTER = ("measure", "unit", *NUMBERS, "grade", "noise")
ANSWERS = ("answer", "answer_lower", "answer_upper")
"""Columns of values that are words, such as a most common category or a day, and of their ranges; only where a release
has some."""
OWN = frozenset((*BEFORE, *AFTER, *ANSWERS))


@dataclass(frozen=True, slots=True, kw_only=True)
class LongTable:
    """Table of a release, as it stands in the one of all."""

    name: str
    estimates: Estimates
    grades: Iterable[str]
    noise: Iterable[str]
    """Scales of the noise of each row, separated by semicolons; empty for a derived number."""
    measure: str
    unit: str
    period: str
    """Name of the key column with the period of each row, or the days of the edition."""

    @property
    def is_worded(self) -> bool:
        """True if its values are words."""
        return any(isinstance(cell, str) for part in plain(self.estimates.value) for cell in part)

    def keys(self) -> dict[str, list[Cell]]:
        """Return the cells of each key column, by its name there."""
        found: dict[str, list[Cell]] = {}
        outer, inner = 1, len(self.estimates)
        for axis in self.estimates.axes:
            inner = inner // len(axis.cells) if axis.cells else 0
            for place, name in enumerate(axis.names):
                found[name] = [cell[place] for cell in axis.cells for _ in range(inner)] * outer
            outer *= len(axis.cells)
        return found


def all_files(release: Release, rates: Mapping[str, DerivedTable]) -> dict[str, Content]:
    """Return both files by their paths; none of a release that is withheld. `rates`: of `all_derived`."""
    if release.is_withheld:
        return {}
    return {ALL_CSV: _csv(release, rates), ALL_PARQUET: _parquet(release, rates)}


def columns(release: Release, rates: Mapping[str, DerivedTable]) -> tuple[str, ...]:
    """Return the names of the columns in order."""
    every = list(_tables(release, rates))
    keys = dict.fromkeys(key_column(name) for each in every for name in each.estimates.key_names)
    return (*BEFORE, *keys, *AFTER, *(ANSWERS if any(each.is_worded for each in every) else ()))


def key_column(name: str) -> str:
    """Return the name of a key's column: with one more underscore where it is one of ours, or ours with underscores."""
    return f"{name}_" if name.rstrip("_") in OWN else name


def _tables(release: Release, rates: Mapping[str, DerivedTable]) -> Iterator[LongTable]:
    """Yield the tables that are no copies of others, then those derived of them."""
    certificate, twice = release.certificate, copies(release.certificate)
    for name, estimates in release.tables.items():
        if name not in twice:
            annotated = Annotated.of(certificate, name, estimates)
            yield LongTable(
                name=name,
                estimates=estimates,
                grades=annotated.graded,
                noise=("; ".join(map(repr, scales)) for scales in annotated.scales),
                **_facts(certificate, name, estimates),
            )
    for name, rate in rates.items():
        facts = _facts(certificate, rate.asked.of, rate.estimates)
        yield LongTable(
            name=name,
            estimates=rate.estimates,
            grades=rate.grades,
            noise=repeat(""),
            **{**facts, "measure": f"derived({rate.asked.of})", "unit": ""},
        )


def _facts(certificate: Certificate, table: str, estimates: Estimates) -> dict[str, Any]:
    label, asked, plan = StatisticLabel.of(certificate, table), certificate.asked(table), certificate.plan
    of = next(each for each in plan["statistics"] if each["id"] == certificate.statistic(table).id)
    column, by = of.get("column"), reference_of(plan)
    declared: Column | None = certificate.columns.get(column) if label.unit else None
    is_period = bool(level_of(asked, by)) and by in estimates.key_names
    return {
        "measure": of["kind"] if column is None else f"{of['kind']}({column})",
        "unit": "" if declared is None else declared.unit,
        "period": by if is_period else "",
    }


def _parts(release: Release, rates: Mapping[str, DerivedTable], names: Sequence[str]) -> Iterator[list[Sequence[Cell]]]:
    """Yield some thousand rows at a time: the cells of each column, in the order of `names`."""
    certificate = release.certificate
    about = certificate.about
    for table in _tables(release, rates):
        keys = {key_column(name): cells for name, cells in table.keys().items()}
        own, grades, noise = table.estimates, iter(table.grades), iter(table.noise)
        numbers = (chain.from_iterable(plain(each)) for each in (own.value, own.lower95, own.upper95))
        value, lower, upper = map(list, numbers)
        worded, count = table.is_worded, len(own)
        fixed = {"release": release.id, "edition": about.edition, "table": table.name, "measure": table.measure}
        fixed |= {"unit": table.unit, "period": about.reference_period}
        for start in range(0, count, CHUNK):
            part = slice(start, start + CHUNK)
            size = min(CHUNK, count - start)
            cells: dict[str, Sequence[Cell]] = {name: [text or None] * size for name, text in fixed.items()}
            cells |= {name: column[part] for name, column in keys.items()}
            nothing: list[Cell] = [None] * size
            cells |= dict(zip(ANSWERS if worded else NUMBERS, (value[part], lower[part], upper[part]), strict=True))
            cells["grade"] = [str(next(grades)) for _ in range(size)]
            cells["noise"] = [next(noise) or None for _ in range(size)]
            if table.period:
                cells["period"] = keys[key_column(table.period)][part]
            yield [cells.get(name, nothing) for name in names]


def _csv(release: Release, rates: Mapping[str, DerivedTable]) -> Iterator[bytes]:
    names = columns(release, rates)
    yield (",".join(map(written, names)) + "\n").encode()
    for part in _parts(release, rates, names):
        yield from chunks(",".join(row) + "\n" for row in zip(*(map(written, cells) for cells in part), strict=True))


def _parquet(release: Release, rates: Mapping[str, DerivedTable]) -> Iterator[bytes]:
    from pyarrow import RecordBatch, parquet

    names, buffer = columns(release, rates), BytesIO()
    schema = arrow_schema(names)
    with parquet.ParquetWriter(buffer, schema, compression="zstd") as writer:
        for part in _parts(release, rates, names):
            arrays = [(numbers if name in NUMBERS else texts)(cells) for name, cells in zip(names, part, strict=True)]
            writer.write_batch(RecordBatch.from_arrays(arrays, schema=schema))
    yield buffer.getvalue()


def arrow_schema(names: Iterable[str]) -> pyarrow.Schema:
    """Return the types of columns by these names: numbers are floats, everything else is text."""
    import pyarrow

    return pyarrow.schema([(name, pyarrow.float64() if name in NUMBERS else pyarrow.string()) for name in names])
