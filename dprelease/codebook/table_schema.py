"""Frictionless Table Schema and data packages, and the columns of plan files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dprelease.codebook.book import Codebook, Note, Writing, without_repeats
from dprelease.codebook.bounds import written_codes
from dprelease.codebook.csvw import is_csvw, read_csvw
from dprelease.codebook.fault import CodebookError
from dprelease.codebook.stated import NOTHING, stated, stated_ends
from dprelease.errors import SchemaError
from dprelease.model.column import ColumnType
from dprelease.model.encoding import read_mapping
from dprelease.model.missing import CODES
from dprelease.model.schema import Schema
from dprelease.words import phrase, verbatim

TYPES = {
    "integer": ColumnType.INTEGER,
    "year": ColumnType.INTEGER,
    "number": ColumnType.NUMBER,
    "boolean": ColumnType.BOOLEAN,
    "date": ColumnType.DATE,
}
MISSING = "missingValues"
LIMITS = {"lower": ("minimum", "exclusiveMinimum"), "upper": ("maximum", "exclusiveMaximum")}
OBSERVED = ("stats", "statistics", "profile", "summary")
"""Keys under which tools write statistics of the rows."""


def read_document(source: str, content: bytes, resource: str | None, *, by_label: bool) -> Codebook:
    """Read JSON or YAML: a Table Schema, a data package, or anything with `columns` as in a plan file."""
    document = read_mapping(content, error=CodebookError, what=source)
    if is_csvw(document):
        return read_csvw(source, document, resource, by_label=by_label)
    if isinstance(document.get("columns"), Mapping) and resource is None:  # also in datapackage.json of a release
        return of_columns(source, document["columns"])
    if isinstance(document.get("fields"), list):
        return _of_fields(Writing(source, by_label=by_label), document)
    if isinstance(document.get("resources"), list):
        return _of_package(Writing(source, by_label=by_label), document, resource)
    allowed = phrase("codebook.table_schema_fields_data")
    raise CodebookError(source, found=phrase("codebook.keys", document=", ".join(list(document)[:10])), allowed=allowed)


def of_columns(source: str, columns: Mapping[str, Any]) -> Codebook:
    """Return the columns of a plan, or of another dataset's schema. Raises CodebookError with every problem."""
    try:
        schema = Schema.parse(columns)
    except SchemaError as error:
        raise CodebookError.from_problems(error.problems) from None
    writing = Writing(source)
    for column in schema:
        declared = column.to_mapping()
        writing.add(column.name, declared, note=declared.pop("description", ""))
    return writing.done()


def _of_package(writing: Writing, package: Mapping[str, Any], wanted: str | None) -> Codebook:
    """Return one table of a data package: the one that is wanted, else the first."""
    tables: dict[str, Mapping[str, Any]] = {}
    for place, item in enumerate(package["resources"]):
        schema = item.get("schema") if isinstance(item, Mapping) else None
        if isinstance(schema, Mapping) and isinstance(schema.get("fields"), list):
            tables[str(item.get("name") or item.get("path") or place + 1)] = schema
    if not tables:
        raise CodebookError(
            writing.source,
            found=phrase("codebook.no_resource_schema"),
            allowed=phrase("codebook.resources_schema_fields"),
        )
    if wanted is not None and wanted not in tables:
        raise CodebookError("resource", found=wanted, allowed=verbatim(", ".join(tables)))
    chosen: Mapping[str, Any] = {MISSING: package.get(MISSING), **tables[wanted or next(iter(tables))]}
    return _of_fields(writing, chosen, tuple(tables) if len(tables) > 1 else ())


def _of_fields(writing: Writing, schema: Mapping[str, Any], resources: tuple[str, ...] = ()) -> Codebook:
    for item in schema["fields"]:
        if isinstance(item, Mapping) and isinstance(item.get("name"), str) and item["name"]:
            _field(writing, item, item.get(MISSING, schema.get(MISSING)))
    return writing.done(resources)


def _field(writing: Writing, item: Mapping[str, Any], missing: Any) -> None:
    """One field. `missing`: what stands for no value in it, if the file says so; an empty cell always does."""
    codes = [value for each in _listed(missing) if (value := _value(each, item))]
    name, kind = item["name"], TYPES.get(str(item.get("type", "")))
    rules = item.get("constraints") if isinstance(item.get("constraints"), Mapping) else {}
    if any(key in item for key in OBSERVED):
        writing.note(Note.STATISTICS, name)
    listed = _listed(item.get("categories")) or _listed(rules.get("enum"))  # type: ignore[union-attr]
    known = set(codes)
    labels = {value: _label(each) for each in listed if (value := _value(each)) not in known}
    told = ((_value(each, item), _label(each)) for each in (*_listed(missing), *listed))
    unanswered = {value: label for value, label in told if label and value in known}
    declared: dict[str, Any] = {}
    typed: dict[str, str] = {}
    if labels and kind is not ColumnType.BOOLEAN:
        declared = {"type": ColumnType.CATEGORY.value, "categories": without_repeats(labels)}
    elif kind is not None:
        declared = {"type": kind.value}
        if kind is not ColumnType.BOOLEAN:
            typed = stated_ends(rules, LIMITS, item)  # type: ignore[arg-type]
    elif str(item.get("type", "string")) in ("string", "any"):
        writing.note(Note.TEXT, name)
    else:
        writing.note(Note.UNKNOWN_TYPE, name)
    if missing is not None and (declared or codes):
        declared[CODES] = codes
        typed |= written_codes(codes, declared.get("type"))
        if codes:
            writing.note(Note.MISSING_CODES, name)
    unit = item.get("unit") or item.get("units")
    if isinstance(unit, str):
        declared["unit"] = unit.strip()
    label, note = (text if isinstance(text := item.get(key), str) else "" for key in ("title", "description"))
    writing.add(name, declared, label=label, note=note, labels=labels, missing=unanswered, typed=typed)


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _value(item: Any, field: Mapping[str, Any] = NOTHING) -> str:
    """Return a value, or one with a label, as a cell has it. `field`: what states how its numbers are written."""
    value = item.get("value") if isinstance(item, Mapping) else item
    if isinstance(value, bool):
        return "true" if value else "false"
    return stated(value, field)


def _label(item: Any) -> str:
    label = item.get("label") if isinstance(item, Mapping) else ""
    return label if isinstance(label, str) else ""
