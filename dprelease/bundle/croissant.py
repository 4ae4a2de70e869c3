"""Description of the tables for machine learning: croissant.json (Croissant 1.1, JSON-LD)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from dprelease.bundle.described import Described, DescribedField, DescribedFile
from dprelease.bundle.labels import coded
from dprelease.bundle.listing import FileFacts
from dprelease.bundle.outputs import model_path
from dprelease.bundle.pmml import pmml_files, pmml_path
from dprelease.model.release import FittedOutput
from dprelease.statements.question import StatisticLabel
from dprelease.words.releases import state

VERSION = "http://mlcommons.org/croissant/1.1"
OWN = (
    *("arrayShape", "citeAs", "column", "containedIn", "equivalentProperty", "extract", "field", "fileProperty"),
    *("fileObject", "fileSet", "format", "includes", "isArray", "isLiveDataset", "jsonPath", "key", "md5"),
    *("parentField", "path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate", "separator"),
    *("source", "subField", "transform"),
)
"""Words that Croissant adds to those of schema.org."""
JSON = ("data", "examples")
CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "description": {"@container": "@language"},
    "name": {"@container": "@language"},
    **{word: f"cr:{word}" for word in OWN},
    **{word: {"@id": f"cr:{word}", "@type": "@json"} for word in JSON},
}
TYPES = {"integer": "sc:Integer", "number": "sc:Float", "string": "sc:Text"}
ODD = re.compile(r"[^A-Za-z0-9_]+")


def croissant(described: Described) -> dict[str, Any]:
    """Return the description; files are named relative to it."""
    about = described.about
    maker = {"@type": "sc:Organization", "name": described.publisher}
    return {
        "@context": dict(CONTEXT),
        "@type": "sc:Dataset",
        "conformsTo": VERSION,
        "name": described.title,
        "description": described.description,
        "url": "index.html",
        "license": about.licence_address or "not stated",
        "creator": maker,
        "publisher": maker,
        "datePublished": described.published,
        "version": "1.0.0",
        "keywords": described.topics,
        "inLanguage": "en",
        "isLiveDataset": False,
        "citeAs": state(
            "croissant_citation",
            publisher=described.publisher,
            year=described.published[:4],
            title=described.title,
            id=described.id,
        ),
        "rai:dataReleaseMaintenancePlan": state("croissant_maintenance"),
        "rai:personalSensitiveInformation": described.promise,
        "distribution": [*(_file(table) for table in described.tables), *_models(described)],
        "recordSet": [*(_records(described, table) for table in described.tables), *_enumerations(described)],
    }


def _file(table: DescribedFile) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": table.path,
        "name": f"{table.statistic}.csv",
        "description": table.question,
        "contentUrl": table.path,
        "contentSize": f"{table.size} B",
        "encodingFormat": "text/csv",
        "sha256": table.sha256,
    }


def _models(described: Described) -> Iterator[dict[str, Any]]:
    """Yield the files of models, as functions and in PMML."""
    release = described.release
    made = pmml_files(release)
    for statistic, output in release.outputs.items():
        if not isinstance(output, FittedOutput):
            continue
        path = model_path(statistic)
        found = {path: (described.files[path], "application/json")}
        if written := made.get(pmml_path(statistic)):
            found[pmml_path(statistic)] = (FileFacts.of(written), "application/xml")
        for each, (file, encoding) in found.items():
            yield {
                "@type": "cr:FileObject",
                "@id": each,
                "name": each.partition("/")[2],
                "description": StatisticLabel.of(release.certificate, statistic).text,
                "contentUrl": each,
                "contentSize": f"{file.size} B",
                "encodingFormat": encoding,
                "sha256": file.sha256,
            }


def _records(described: Described, table: DescribedFile) -> dict[str, Any]:
    lists = {name: each for name, each in coded(described.release, table.statistic) if _joins(described, each)}
    fields = [_field(table, place, field, lists) for place, field in enumerate(table.fields)]
    keys = [field["@id"] for field, told in zip(fields, table.fields, strict=True) if told.is_key]
    own = {"key": [{"@id": key} for key in keys]} if keys else {}
    return {
        "@type": "cr:RecordSet",
        "@id": table.statistic,
        "name": table.statistic,
        "description": table.question,
        **own,
        "field": fields,
    }


def _joins(described: Described, name: str) -> bool:
    """Return False where all codes of a list are digits: readers take these for numbers, and `01` joins nothing."""
    return not all(map(str.isdigit, described.release.certificate.texts.codelists[name].codes))


def _enumerations(described: Described) -> Iterator[dict[str, Any]]:
    """Yield each list of codes with its labels by language; a code without a label is its own."""
    release = described.release
    texts = release.certificate.texts
    used = {each for table in release.tables for _, each in coded(release, table)}
    for name in sorted(used):
        own = f"codes-{name}"
        ids = {"": f"{own}/code", **{each: f"{own}/label_{each}" for each in texts.languages}}
        fields = [
            {"@type": "cr:Field", "@id": field, "name": field.partition("/")[2], "dataType": "sc:Text"}
            for field in ids.values()
        ]
        codes = texts.codelists[name].codes
        yield {
            "@type": "cr:RecordSet",
            "@id": own,
            "name": own,
            "description": state("croissant_codes", list=name),
            "dataType": "sc:Enumeration",
            "key": {"@id": ids[""]},
            "field": fields,
            "data": [
                {field: texts.said(codes[code], each)[0] or code if each else code for each, field in ids.items()}
                for code in sorted(codes)
            ],
        }


def _field(table: DescribedFile, place: int, field: DescribedField, lists: Mapping[str, str]) -> dict[str, Any]:
    """Describe one column. An id has only plain letters, as part of an address; its place keeps it unique.

    `lists`: the list of codes of each key column whose codes have labels and can be joined.
    """
    listed = {"references": {"field": {"@id": f"codes-{lists[field.name]}/code"}}} if field.name in lists else {}
    plain = ODD.sub("-", field.name).strip("-") or "column"
    return {
        "@type": "cr:Field",
        "@id": f"{table.statistic}/{place}-{plain}",
        "name": field.name,
        "description": field.text,
        "dataType": TYPES[field.kind],
        "source": {"fileObject": {"@id": table.path}, "extract": {"column": field.name}},
        **listed,
    }
