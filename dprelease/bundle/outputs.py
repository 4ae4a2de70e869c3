"""Release as bytes for its readers: its certificate and its answers, and their one hash for the ledger.

Each answer is tables (CSV), and where it is more, further files: `rows/ID.synthetic.csv` of synthetic rows,
`models/ID.json` of a fitted function, `measured/ID.json` of noisy integers that the rest is computed from.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import msgspec
from msgspec import Struct

from dprelease.bundle.listing import Content, FileFacts, parts
from dprelease.bundle.tables import (
    Shape,
    answers_chunks,
    csv_chunks,
    is_survey,
    read_csv,
    read_rows,
    row_kinds,
    rows_chunks,
)
from dprelease.errors import InputError, IntegrityError
from dprelease.model.certificate import Certificate
from dprelease.model.encoding import digest, pretty, read_json
from dprelease.model.grade import grades
from dprelease.model.release import Estimates, FittedOutput, MeasuredTables, Output, Release, SyntheticRows, Tables
from dprelease.model.stated import StatedStatistic
from dprelease.words import phrase

CERTIFICATE = "release.json"
ROUND_FOLDER = "federation/"
ROUND_STEPS = ("roster", "offer", "key", "keys", "masked", "sum", "account")
ROUND_FILES = ("federation.json", "plan.json", "sum.i64")
OUTPUT = re.compile(r"release\.json|(?:tables|rows)/[^/]*\.csv|(?:models|measured)/[^/]*\.json")
AS_GIVEN = "/"
"""First character of the path of a file that is kept byte by byte, in base 64."""
File = Callable[[str], bytes]
"""Function that returns a bundle's file by its path. Raises IntegrityError or KeyError where there is none."""


def release_files(release: Release) -> dict[str, Content]:
    """Return release.json and every file of its answers, as they stand in the bundle; the same bytes each time.

    Tables and rows are parts that can be read once.
    """
    files: dict[str, Content] = {CERTIFICATE: pretty(release.certificate.to_mapping())}
    for name, estimates in release.tables.items():
        files[f"tables/{name}.csv"] = csv_chunks(estimates, grades(release.certificate, name, estimates))
        if is_survey(estimates):
            files[f"tables/{name}.answers.csv"] = answers_chunks(estimates)
    for statistic, output in release.outputs.items():
        if isinstance(output, SyntheticRows):
            files[rows_path(statistic)] = rows_chunks(output.columns)
        if isinstance(output, FittedOutput):
            files[model_path(statistic)] = pretty(dict(output.facts))
        if isinstance(output, Estimates | SyntheticRows | MeasuredTables) and has_integers(output):
            files[measured_path(statistic)] = msgspec.json.encode(_Integers(output.integers)) + b"\n"
    return files | dict(release.beside)


def round_paths(certificate: Certificate) -> set[str]:
    """Return the files of the round of several institutions that a release sums; none where it is of one."""
    several = certificate.several
    if several is None:
        return set()
    numbers = range(1, len(several.sites) + 1)
    named = {f"{ROUND_FOLDER}{number}.{step}.json" for number in numbers for step in ROUND_STEPS}
    return named | {f"{ROUND_FOLDER}{name}" for name in ROUND_FILES}


def rows_path(statistic: str) -> str:
    """Return the path of synthetic rows."""
    return f"rows/{statistic}.synthetic.csv"


def model_path(statistic: str) -> str:
    """Return the path of a fitted function."""
    return f"models/{statistic}.json"


def measured_path(statistic: str) -> str:
    """Return the path of the noisy integers that tables are computed from."""
    return f"measured/{statistic}.json"


def has_integers(output: Output) -> bool:
    """Return True if noisy integers stand beside the tables of an answer: always beside rows and measured tables."""
    return isinstance(output, SyntheticRows | MeasuredTables) or (
        isinstance(output, Estimates) and bool(output.integers)
    )


def further_paths(stated: StatedStatistic) -> tuple[str, ...]:
    """Return the paths of an answer's files beside its tables."""
    paths = {"rows": (rows_path, measured_path), "model": (model_path,), "measured": (measured_path,)}
    return tuple(path(stated.id) for path in paths.get(stated.output, ()))


class Packed(Struct):
    """Answers with all that is needed to read them."""

    files: dict[str, str]
    shapes: dict[str, Shape]
    kinds: dict[str, dict[str, str]]


def packed(certificate: Certificate, outputs: Mapping[str, Output], beside: Mapping[str, bytes] | None = None) -> bytes:
    """Pack answers by statistic in one text, every number exactly. `beside`: files kept with them as they are."""
    release = Release(certificate=certificate, outputs=outputs)
    files = {path: b"".join(parts(made)).decode() for path, made in release_files(release).items()}
    shapes = {name: Shape.of(table) for name, table in release.tables.items()}
    kinds = {name: row_kinds(output.columns) for name, output in outputs.items() if isinstance(output, SyntheticRows)}
    files |= {f"{AS_GIVEN}{path}": b64encode(data).decode() for path, data in (beside or {}).items()}
    return msgspec.json.encode(Packed(files, shapes, kinds))


def unpacked(certificate: Certificate, data: bytes) -> dict[str, Output]:
    """Unpack what `packed` wrote."""
    found = msgspec.json.decode(data, type=Packed)
    own = [each for each in certificate.statistics if found.shapes.keys() >= {*each.tables}]
    return read_outputs(own, lambda path: found.files[path].encode(), found.shapes, found.kinds)


def kept_beside(data: bytes) -> dict[str, bytes]:
    """Return the files that were kept with answers as they are."""
    found = msgspec.json.decode(data, type=Packed).files
    return {path.removeprefix(AS_GIVEN): b64decode(text) for path, text in found.items() if path.startswith(AS_GIVEN)}


def read_outputs(
    stated: Iterable[StatedStatistic], file: File, shapes: Mapping[str, Shape], kinds: Mapping[str, Mapping[str, str]]
) -> dict[str, Output]:
    """Read the answers of statistics from files. `shapes`: of their tables; `kinds`: of the columns of their rows.

    Raises IntegrityError where a file is not as it is described.
    """
    return {each.id: _output(each, file, shapes, kinds) for each in stated}


def published(certificate: Certificate) -> Sequence[StatedStatistic]:
    """Return the statistics whose answers are published: none of a release that is withheld."""
    return () if certificate.is_withheld else certificate.statistics


def _output(
    stated: StatedStatistic, file: File, shapes: Mapping[str, Shape], kinds: Mapping[str, Mapping[str, str]]
) -> Output:
    tables = {name: read_table(name, file, shapes) for name in stated.tables}
    if stated.output == "table":
        if [*tables] != [stated.id]:
            raise IntegrityError(phrase("bundle.one_table_name", statistic=stated.id))
        return replace(tables[stated.id], integers=_beside(file, stated.id))
    parts = {name.removeprefix(f"{stated.id}."): table for name, table in tables.items()}
    if len(parts) != len(stated.tables) or any(f"{stated.id}.{part}" not in tables for part in parts):
        raise IntegrityError(phrase("bundle.tables_names", statistic=stated.id))
    if stated.output == "rows":
        columns = read_rows(file(rows_path(stated.id)), kinds.get(stated.id, {}))
        integers = _integers(file(measured_path(stated.id)), stated.id) or ()
        return SyntheticRows(parts=parts, columns=columns, integers=integers)
    if stated.output == "model":
        path = model_path(stated.id)
        return FittedOutput(parts=parts, facts=read_json(file(path), path))
    if stated.output == "measured":
        return MeasuredTables(parts=parts, integers=_integers(file(measured_path(stated.id)), stated.id))
    return Tables(parts=parts)


def _beside(file: File, statistic: str) -> Sequence[Sequence[int]]:
    """Return the noisy integers beside an answer; empty where it has none."""
    try:
        data = file(measured_path(statistic))
    except (IntegrityError, InputError, KeyError):
        return ()
    return _integers(data, statistic)


def _integers(data: bytes, statistic: str) -> Sequence[Sequence[int]]:
    try:
        return msgspec.json.decode(data, type=_Integers).integers
    except msgspec.MsgspecError:
        raise IntegrityError(phrase("bundle.not_noisy_integers", statistic=statistic)) from None


class _Integers(Struct, forbid_unknown_fields=True):
    integers: Sequence[Sequence[int]]


def read_table(name: str, file: File, shapes: Mapping[str, Shape]) -> Estimates:
    """Read one table by its name."""
    if name not in shapes:
        raise IntegrityError(phrase("bundle.datapackage_json_does_describe_tables"))
    return read_csv(file(f"tables/{name}.csv"), shapes[name])


def outputs_hash(files: Mapping[str, FileFacts]) -> str:
    """Return the digest of the SHA-256 of each of these files by its path. Other files of a bundle are left out."""
    return digest({path: file.sha256 for path, file in files.items() if OUTPUT.fullmatch(path)})
