"""Table in formats for programs: JSON, Parquet and SDMX-CSV 2.0, which statistics offices load.

Each estimate has its margin of error, noise scale, status and annotation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

from dprelease.bundle.annotated import Annotated, Annotation
from dprelease.bundle.notices import PublisherNotices
from dprelease.bundle.sampling import is_left_out
from dprelease.bundle.tables import Shape, chunks, csv_rows, written
from dprelease.model.release import Cell, Release
from dprelease.model.stated import as_json
from dprelease.statements.question import StatisticLabel
from dprelease.words.language import ENGLISH, speaking
from dprelease.words.phrases import visible
from dprelease.words.releases import say

if TYPE_CHECKING:
    import pyarrow

AGENCY = "DPRELEASE"
HEAD = ("STRUCTURE", "STRUCTURE_ID", "ACTION")
OBSERVED = {"value": "OBS_VALUE", "lower95": "LOWER95", "upper95": "UPPER95"}
BESIDE = ("OBS_STATUS", "CONF_STATUS", "MARGIN95", "NOISE_SCALE", "ANNOTATION")
GRADE = "GRADE"
"""Name of our own attribute: CL_OBS_STATUS has one code for both grades, caution and unreliable."""
FREE = "F"
"""Code of CL_CONF_STATUS: free for publication."""
INFORMATION = "I"
"""SDMX action: information about these observations."""
ODD = re.compile(r"[^A-Za-z0-9_]+")


def table_json(release: Release, statistic: str, said: PublisherNotices) -> bytes:
    """Return the table as JSON: its question and guarantee, then one mapping per row."""
    annotated = Annotated.of(release.certificate, statistic, release.tables[statistic])
    with speaking(ENGLISH):
        question = StatisticLabel.of(release.certificate, statistic)
    names = annotated.columns
    facts = {
        "release": release.id,
        "statistic": statistic,
        "kind": annotated.stated.kind,
        "question": question.text,
        "measure": question.measure,
        "published": release.certificate.day,
        **said.to_mapping(),
        "population": release.certificate.population.name,
        "guarantee": as_json(release.certificate.guarantee),
        "cumulative": as_json(release.certificate.cumulative),
        "mechanisms": as_json(release.certificate.mechanisms(annotated.stated)),
        "columns": names,
    }
    if is_left_out(release.certificate, statistic):
        with speaking(ENGLISH):
            facts["note"] = say("sampling_left_out")
    rows = [dict(zip(names, row, strict=True)) for row in _rows(annotated)]
    return (json.dumps({**facts, "rows": rows}, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def table_parquet(release: Release, statistic: str) -> bytes:
    """Return the table as a Parquet file, with its guarantee in the metadata."""
    import pyarrow
    from pyarrow import parquet

    annotated = Annotated.of(release.certificate, statistic, release.tables[statistic])
    fields = [pyarrow.field(name, kind) for name, kind in zip(annotated.columns, _types(annotated), strict=True)]
    guarantee = json.dumps(as_json(release.certificate.guarantee))
    told = {"release": release.id, "statistic": statistic, "guarantee": guarantee}
    schema = pyarrow.schema(fields, metadata={f"dprelease.{key}": value for key, value in told.items()})
    rows = list(_rows(annotated))
    held = [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in fields]
    arrays = [
        pyarrow.array(_fitting(column, field.type), field.type) for column, field in zip(held, schema, strict=True)
    ]
    buffer = BytesIO()
    parquet.write_table(pyarrow.Table.from_arrays(arrays, schema=schema), buffer, compression="zstd")
    return buffer.getvalue()


def _rows(annotated: Annotated) -> Sequence[tuple[Any, ...]]:
    return [
        (
            *map(_plain, row),
            note.margin95,
            list(note.noise_scale),
            note.status,
            note.grade,
            _plain(note.rounded),
            note.annotation,
        )
        for row, note in zip(annotated.estimates.rows(), annotated.notes(), strict=True)
    ]


def _plain(cell: Cell) -> Cell:
    return visible(cell) if isinstance(cell, str) else cell


def _types(annotated: Annotated) -> list[pyarrow.DataType]:
    import pyarrow

    by_kind: Mapping[str, Any] = {"integer": pyarrow.int64(), "number": pyarrow.float64(), "string": pyarrow.string()}
    kinds = [by_kind[kind] for kind in Shape.of(annotated.estimates).kinds]
    value = kinds[len(annotated.estimates.key_names)]
    text = pyarrow.string()
    return [*kinds, pyarrow.float64(), pyarrow.list_(pyarrow.float64()), text, text, value, text]


def _fitting(column: list[Any], kind: pyarrow.DataType) -> list[Any]:
    """Return a column with integers as floats where Arrow would not convert them by itself."""
    floats = str(kind) == "double"
    return [float(cell) if floats and isinstance(cell, int) else cell for cell in column]


def sdmx_chunks(release: Release, statistic: str) -> Iterator[bytes]:
    """Yield the file, a part after another; the same bytes for the same table and certificate."""
    annotated = Annotated.of(release.certificate, statistic, release.tables[statistic])
    structure = ("dataflow", f"{AGENCY}:{identifier(f'{release.id}_{statistic}')}(1.0)", INFORMATION)
    yield (",".join(map(written, (*HEAD, *names(annotated), *_heads(annotated)))) + "\n").encode()
    start, rows = ",".join(map(written, structure)), csv_rows(annotated.estimates)
    yield from chunks(f"{start},{row},{_beside(note)}\n" for row, note in zip(rows, annotated.notes(), strict=True))


def names(annotated: Annotated) -> list[str]:
    """Return unique identifiers of the columns: SDMX takes letters, digits and underscores only."""
    taken = {*HEAD, *_heads(annotated), *OBSERVED.values()}
    found: list[str] = []
    for name in annotated.estimates.columns[: len(annotated.estimates.key_names)]:
        found.append(_free(identifier(name), taken))
    found += OBSERVED.values()
    for name in annotated.estimates.extra:
        found.append(_free(identifier(name), taken))
    return found


def _heads(annotated: Annotated) -> tuple[str, ...]:
    """Return the names of the columns beside the observations."""
    return (*BESIDE, GRADE)


def _beside(note: Annotation) -> str:
    rest = _rest(note.noise_scale, note.annotation)
    return f"{note.status},{FREE},{written(note.margin95)},{rest},{note.grade}"


@lru_cache(maxsize=256)
def _rest(scales: tuple[float, ...], annotation: str) -> str:
    """Return noise scales and annotation as CSV; cached, since most rows have the same."""
    return ",".join(map(written, ("; ".join(map(repr, scales)), annotation)))


def identifier(name: str) -> str:
    """Return a name as SDMX takes it: capital letters, digits and underscores, a letter first."""
    plain = ODD.sub("_", name).strip("_").upper()
    return plain if plain[:1].isalpha() else f"X_{plain}".rstrip("_")


def _free(name: str, taken: set[str]) -> str:
    """Return the name, numbered where it is taken, and mark it as taken."""
    found, number = name, 2
    while found in taken:
        found, number = f"{name}_{number}", number + 1
    taken.add(found)
    return found
