"""Dictionary of the columns of synthetic rows, as a plan declares them: rows/ID.synthetic.dictionary.json.

Types, bounds and steps, categories in their order, codes of no answer, levels, labels by language; and the tables that
were measured, from which numbers are to be taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dprelease.bundle import row_columns
from dprelease.bundle.outputs import further_paths, rows_path
from dprelease.bundle.row_files import parquet_path
from dprelease.model import families
from dprelease.model.certificate import Certificate
from dprelease.model.column import LISTED
from dprelease.model.encoding import pretty
from dprelease.model.release import Release, SyntheticRows
from dprelease.model.stated import StatedStatistic
from dprelease.words.language import ENGLISH, speaking
from dprelease.words.releases import say

VERSION = 2


def dictionary_path(statistic: str) -> str:
    """Return the path of the dictionary of a statistic's rows."""
    return rows_path(statistic).removesuffix(".csv") + ".dictionary.json"


def dictionary_paths(release: Release) -> tuple[str, ...]:
    """Return the paths of all dictionaries of a release."""
    return tuple(dictionary_path(name) for name, output in release.outputs.items() if isinstance(output, SyntheticRows))


def shown_paths(stated: StatedStatistic) -> tuple[str, ...]:
    """Return the paths of an answer's files beside its tables, for readers."""
    own = further_paths(stated)
    if stated.output != "rows":
        return own
    return own[0], parquet_path(stated.id), dictionary_path(stated.id), *own[1:]


def dictionary_files(release: Release) -> dict[str, bytes]:
    """Return each dictionary by its path; the same bytes for the same release."""
    with speaking(ENGLISH):
        return {
            dictionary_path(name): pretty(dictionary(release, name, output))
            for name, output in release.outputs.items()
            if isinstance(output, SyntheticRows)
        }


def dictionary(release: Release, statistic: str, rows: SyntheticRows) -> dict[str, Any]:
    """Return all facts about the rows of a statistic that a program or a reader needs."""
    path = rows_path(statistic)
    return {
        "dictionary": VERSION,
        "synthetic": True,
        "about": say("synthetic_rows"),
        "use": say("synthetic_rows_beside", path=path),
        "release": release.id,
        "statistic": statistic,
        "files": {"csv": path, "parquet": parquet_path(statistic)},
        "rows": len(next(iter(rows.columns.values()), ())),
        "measured": _measured(release.certificate, statistic),
        "columns": [{"name": name, **_column(release.certificate, name)} for name in rows.columns],
    }


def _measured(certificate: Certificate, statistic: str) -> list[dict[str, Any]]:
    """Return the tables that rows were made from, by their columns; and the one with the error of the rows."""
    tables: Mapping[str, Mapping[str, Any]] = families.parts(certificate.asked(statistic))
    found = []
    for name in certificate.statistic(statistic).tables:
        asked = tables.get(name.partition(".")[2], {})
        told = {"columns": asked["columns"]} if "columns" in asked else {"report": True} if asked else {}
        found.append({**told, "path": f"tables/{name}.csv"})
    return found


def _column(certificate: Certificate, name: str) -> dict[str, Any]:
    """Describe a column as it is declared, with its values and their labels where these are listed."""
    column, texts = certificate.columns.get(name), certificate.texts
    if column is None:
        return {}
    told = column.to_mapping()
    if column.type in LISTED and not column.discover:
        told["values"] = list(column.labels)
    own = texts.columns.get(name)
    called = {} if own is None else {key: each for key, each in own.to_mapping().items() if key != "codelist"}
    labels = {code: dict(words) for code, words in texts.labels(name).items()}
    own_answer = {"no_answer": row_columns.no_answer(column)}
    return {**told, **own_answer, **({"called": called} if called else {}), **({"labels": labels} if labels else {})}
