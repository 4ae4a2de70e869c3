"""Description of the tables for machines: datapackage.json (Frictionless Data Package, version 2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from dprelease.bundle import all_tables, described, row_columns
from dprelease.bundle.annotated import GRADE, free
from dprelease.bundle.derived import DerivedTable, public_path
from dprelease.bundle.listing import FileFacts
from dprelease.bundle.outputs import further_paths, has_integers, measured_path, rows_path
from dprelease.bundle.pmml import pmml_files
from dprelease.bundle.row_dictionary import dictionary_files
from dprelease.bundle.row_files import PARQUET, parquet_path
from dprelease.bundle.tables import NUMBERS, Shape, neutral, row_kinds
from dprelease.model.about import About
from dprelease.model.grade import Grade
from dprelease.model.release import Release, SyntheticRows
from dprelease.statements.question import StatisticLabel
from dprelease.words.phrases import visible
from dprelease.words.releases import say

PROFILE = "https://datapackage.org/profiles/2.0"


def datapackage(release: Release, files: Mapping[str, FileFacts], rates: Mapping[str, DerivedTable]) -> dict[str, Any]:
    """Return the descriptor. `files`: of `release_files` and `row_files`; `rates`: of `all_derived` by id.

    `columns`: those of the table that was asked, as a plan declares them, with how their cells were read.
    """
    certificate = release.certificate
    asked, own = described.resource(certificate), visible(certificate.description.replace("\n", " "))
    return {
        "$schema": f"{PROFILE}/datapackage.json",
        "name": release.id,
        "title": visible(certificate.title),
        "description": " ".join(filter(None, (own, described.withheld(certificate)))),
        "created": f"{certificate.day}T00:00:00Z",
        "sources": [],
        **_about(certificate.about),
        "columns": certificate.columns.to_mapping(),
        "resources": [_resource(release, name, files[f"tables/{name}.csv"]) for name in release.tables]
        + list(_further(release, files))
        + list(_derived(release, rates))
        + list(_every(release, rates))
        + ([] if asked is None else [asked]),
    }


def _about(about: About) -> dict[str, Any]:
    """Return the plan's facts about its publication; empty where it states none."""
    found: dict[str, Any] = {}
    if about.publisher:
        found["contributors"] = [{"title": visible(about.publisher), "roles": ["publisher"]}]
    if about.licence:
        named = {} if about.licence == about.licence_address else {"name": about.licence}
        found["licenses"] = [{**named, "path": about.licence_address}]
    if about.topics:
        found["keywords"] = list(map(visible, about.topics))
    return found


def _resource(release: Release, statistic: str, file: FileFacts) -> dict[str, Any]:
    estimates = release.tables[statistic]
    question = StatisticLabel.of(release.certificate, statistic)
    shape = Shape.of(estimates)
    fields = list(_fields(release, question, shape))
    keys = [field["name"] for field in fields[: len(estimates.key_names)]]
    schema: dict[str, Any] = {"$schema": f"{PROFILE}/tableschema.json", "fields": fields, "missingValues": [""]}
    cells = {entry for axis in estimates.axes for cell in axis.cells for entry in cell}
    if keys and "" not in cells:  # readers take an empty cell for a missing one
        schema["primaryKey"] = keys
    return {
        "name": statistic,
        "type": "table",
        "path": f"tables/{statistic}.csv",
        "title": question.name,
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": file.size,
        "hash": f"sha256:{file.sha256}",
        "axes": [{"names": list(names), "cells": count} for names, count in shape.axes],
        "schema": schema,
    }


def _further(release: Release, files: Mapping[str, FileFacts]) -> Iterator[dict[str, Any]]:
    """Yield descriptions of the files beside tables: models, noisy integers, synthetic rows, PMML."""
    for statistic, output in release.outputs.items():
        title = StatisticLabel.of(release.certificate, statistic).text
        own = further_paths(release.certificate.statistic(statistic))
        beside = [measured_path(statistic)] if has_integers(output) else []
        for path in dict.fromkeys([*own, *beside]):
            kind = path.partition("/")[0].removesuffix("s") if output.kind == "model" else path.partition("/")[0]
            told: dict[str, Any] = {"name": f"{statistic}.{kind}", "path": path, "title": title, "encoding": "utf-8"}
            told |= {"bytes": files[path].size, "hash": f"sha256:{files[path].sha256}"}
            if isinstance(output, SyntheticRows) and path == rows_path(statistic):
                yield told | _rows(release, output)
            else:
                yield told | {"format": "json", "mediatype": "application/json"}
        path = parquet_path(statistic)
        if isinstance(output, SyntheticRows) and path in files:
            told = {"name": f"{statistic}.rows.parquet", "type": "file", "path": path, **_synthetic()}
            told |= {"format": "parquet", "mediatype": PARQUET}
            yield told | {"bytes": files[path].size, "hash": f"sha256:{files[path].sha256}"}
    for path, written in dictionary_files(release).items():
        name = PurePosixPath(path).name.removesuffix(".synthetic.dictionary.json")
        about = {"format": "json", "mediatype": "application/json", "encoding": "utf-8"}
        told = {"name": f"{name}.rows.dictionary", "type": "file", "path": path, **_synthetic(), **about}
        yield told | {"bytes": len(written), "hash": f"sha256:{FileFacts.of(written).sha256}"}
    for path, written in pmml_files(release).items():
        name = PurePosixPath(path).name
        title = StatisticLabel.of(release.certificate, PurePosixPath(path).stem).text
        about = {"format": "pmml", "mediatype": "application/xml", "encoding": "utf-8"}
        file = FileFacts.of(written)
        told = {"name": name, "path": path, "title": title, **about}
        yield told | {"bytes": file.size, "hash": f"sha256:{file.sha256}"}


def _rows(release: Release, output: SyntheticRows) -> dict[str, Any]:
    """Return the description of a file of synthetic rows."""
    fields = [row_columns.field(release.certificate, name, kind) for name, kind in row_kinds(output.columns).items()]
    told = {"type": "table", "format": "csv", "mediatype": "text/csv", **_synthetic()}
    schema = {"$schema": f"{PROFILE}/tableschema.json", "fields": fields, "missingValues": [""]}
    return {**told, "schema": schema}


def _synthetic() -> dict[str, Any]:
    """Return the title and description that all files of synthetic rows share."""
    return {"title": say("synthetic_rows_title"), "description": say("synthetic_rows"), "synthetic": True}


def _derived(release: Release, rates: Mapping[str, DerivedTable]) -> Iterator[dict[str, Any]]:
    """Yield the descriptions of derived tables, and of the public figures that they divide by."""
    for name, own in rates.items():
        shape, keys = Shape.of(own.estimates), own.estimates.key_names
        named = zip((*keys, *NUMBERS), shape.kinds, strict=True)
        fields = [{"name": neutral(column), "type": kind} for column, kind in named]
        fields.append({"name": free(GRADE, own.estimates), "type": "string"})
        told: dict[str, Any] = {"name": f"{name}.rates", "title": own.question.name, "schema": _schema(fields)}
        yield told | _file(own.path, FileFacts.of(own.csv()))
    for figures in release.certificate.public if rates else ():
        source = [{"title": visible(figures.source)}]
        told = {"name": f"{figures.name}.public", "title": visible(figures.value), "sources": source}
        yield told | _file(public_path(figures), FileFacts.of(figures.content.encode()))


def _every(release: Release, rates: Mapping[str, DerivedTable]) -> Iterator[dict[str, Any]]:
    """Yield the descriptions of the table of all numbers, as CSV and as Parquet; no table has a name with a hyphen."""
    if release.is_withheld:
        return
    told = {"title": say("all_title"), "description": say("all_text")}
    fields = [
        {"name": neutral(name), "type": "number" if name in all_tables.NUMBERS else "string"}
        for name in all_tables.columns(release, rates)
    ]
    about = {"type": "table", "path": all_tables.ALL_CSV, "format": "csv", "mediatype": "text/csv", "encoding": "utf-8"}
    yield {"name": "all-numbers", **told, **about, "schema": _schema(fields)}
    about = {"type": "file", "path": all_tables.ALL_PARQUET, "format": "parquet", "mediatype": PARQUET}
    yield {"name": "all-numbers-parquet", **told, **about}


def _file(path: str, file: FileFacts) -> dict[str, Any]:
    about = {"type": "table", "path": path, "format": "csv", "mediatype": "text/csv", "encoding": "utf-8"}
    return {**about, "bytes": file.size, "hash": f"sha256:{file.sha256}"}


def _schema(fields: list[dict[str, str]]) -> dict[str, Any]:
    return {"$schema": f"{PROFILE}/tableschema.json", "fields": fields, "missingValues": [""]}


def _fields(release: Release, question: StatisticLabel, shape: Shape) -> Iterator[dict[str, Any]]:
    """Yield the fields of a table, named as in the file's header: neutralised."""
    names = release.tables[question.id].key_names
    for name, kind in zip(names, shape.kinds, strict=False):
        described = {"name": neutral(name), "type": kind, "description": visible(question.description(name))}
        yield described | _called(release, question, name)
    for name, kind in zip((*NUMBERS, *shape.extra), shape.kinds[len(names) :], strict=True):
        yield {"name": name, "type": kind, "description": say(f"field_{name}", measure=question.measure)}
    name, constraints = free(GRADE, release.tables[question.id]), {"enum": list(Grade)}
    yield {"name": name, "type": "string", "description": say("field_grade"), "constraints": constraints}


def _called(release: Release, question: StatisticLabel, name: str) -> dict[str, Any]:
    """Return the labels of a key column and its codes, in the first language of the plan's texts."""
    texts, column = release.certificate.texts, question.column_of(name)
    if not texts or column is None or column not in texts.columns:
        return {}
    first = texts.languages[0]
    title = texts.said(texts.columns[column].label, first)[0]
    axis = next(each for each in release.tables[question.id].axes if name in each.names)
    cells = [cell[axis.names.index(name)] for cell in axis.cells]
    labels = {str(cell): texts.said(texts.labels(column).get(str(cell), {}), first)[0] for cell in cells}
    categories = [{"value": code, "label": label or code} for code, label in labels.items()]
    return ({"title": title} if title else {}) | ({"categories": categories} if any(labels.values()) else {})
