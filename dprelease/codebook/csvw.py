"""CSV on the Web (W3C, Metadata Vocabulary for Tabular Data): what metadata say of columns. Nothing is fetched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dprelease.codebook.book import UNSTATED, Codebook, Note, Writing, without_repeats
from dprelease.codebook.bounds import written_codes
from dprelease.codebook.fault import CodebookError
from dprelease.codebook.stated import stated, stated_ends
from dprelease.model.column import ORDERED, ColumnType
from dprelease.model.missing import CODES
from dprelease.words import verbatim

NAMESPACE = "http://www.w3.org/ns/csvw"
TYPES = {
    ColumnType.INTEGER: "integer int long short byte nonNegativeInteger positiveInteger nonPositiveInteger "
    "negativeInteger unsignedInt unsignedLong unsignedShort unsignedByte gYear",
    ColumnType.NUMBER: "number decimal double float",
    ColumnType.BOOLEAN: "boolean",
    ColumnType.DATE: "date",
}
KINDS = {word: kind for kind, words in TYPES.items() for word in words.split()}
FREE_TEXT = ("string", "normalizedString", "token", "any", "anyAtomicType")
BOUNDS = {
    "lower": ("minimum", "minInclusive", "minExclusive"),
    "upper": ("maximum", "maxInclusive", "maxExclusive"),
}
NOTES = ("dc:description", "dcterms:description", "schema:description", "rdfs:comment")
WORDS = frozenset(["true", "false"])
"""Words of a boolean where its format names no other signs, such as `Y|N`."""
UNDEFINED = "und"
"""The language of CSVW for a text without one."""


def is_csvw(document: Mapping[str, Any]) -> bool:
    """Return True if a document is metadata of CSV on the Web."""
    context = document.get("@context")
    return context == NAMESPACE or (isinstance(context, list) and NAMESPACE in context)


def read_csvw(source: str, document: Mapping[str, Any], resource: str | None, *, by_label: bool) -> Codebook:
    """Read one table: the one that is wanted, else the first. Raises CodebookError."""
    listed = document.get("tables")
    tables: dict[str, Mapping[str, Any]] = {}
    for place, table in enumerate(listed if isinstance(listed, list) else [document]):
        schema = table.get("tableSchema") if isinstance(table, Mapping) else None
        if isinstance(schema, Mapping) and isinstance(schema.get("columns"), list):
            tables[str(table.get("url") or table.get("@id") or place + 1)] = table
    if resource is not None and resource not in tables:
        raise CodebookError("resource", found=resource, allowed=verbatim(", ".join(tables)))
    writing = Writing(source, by_label=by_label)
    if tables:
        table = tables[resource or next(iter(tables))]
        schema = table["tableSchema"]
        above = [document, table, schema]
        for column in schema["columns"]:
            if isinstance(column, Mapping) and column.get("virtual") is not True:
                _column(writing, column, above, _language(document))
    return writing.done(tuple(tables) if len(tables) > 1 else ())


def _language(document: Mapping[str, Any]) -> str:
    """Return the language of texts that state none."""
    context = document.get("@context")
    for part in context if isinstance(context, list) else ():
        if isinstance(part, Mapping) and isinstance(part.get("@language"), str):
            return str(part["@language"])
    return UNSTATED


def _column(writing: Writing, column: Mapping[str, Any], above: list[Mapping[str, Any]], language: str) -> None:
    """One column. `above`: what it inherits from, the nearest last."""
    titles = _texts(column.get("titles"), language)
    name = column.get("name")
    names = [name] if isinstance(name, str) and name else []
    names += [title for words in titles.values() for title in words if title not in names]
    if not names:
        return
    inherited = {key: value for each in (*above, column) for key, value in each.items() if key in ("datatype", "null")}
    datatype = inherited.get("datatype", "string")
    described = datatype if isinstance(datatype, Mapping) else {"base": datatype}
    signs = described["format"] if isinstance(described.get("format"), Mapping) else {}
    declared, note = _declared(described)
    typed = stated_ends(described, BOUNDS, signs) if declared.get("type") in ORDERED else {}
    if note is not None:
        writing.note(note, names[0])
    nulls = inherited.get("null")
    codes = [code for each in (nulls if isinstance(nulls, list) else [nulls]) if (code := stated(each, signs))]
    if codes:
        declared[CODES] = codes
        typed |= written_codes(codes, declared.get("type"))
        writing.note(Note.MISSING_CODES, names[0])
    label = {spoken: words[0] for spoken, words in titles.items() if words and words[0] != names[0]}
    said = next((found for key in NOTES if (found := _texts(column.get(key), language))), {})
    told = {key: words[0] for key, words in said.items()}
    writing.add(names[0], declared, label=label, note=told, also=names[1:], typed=typed)


def _declared(described: Mapping[str, Any]) -> tuple[dict[str, Any], Note | None]:
    """Return the type that a datatype is derived from."""
    base = str(described.get("base", "string"))
    kind = KINDS.get(base)
    if kind is None:
        return {}, Note.TEXT if base in FREE_TEXT else Note.UNKNOWN_TYPE
    signs = [sign.strip() for sign in str(described.get("format", "")).split("|")]
    if kind is ColumnType.BOOLEAN and len(signs) == len(WORDS) and all(signs) and not WORDS.issuperset(signs):
        return {"type": ColumnType.CATEGORY.value, "categories": without_repeats(signs)}, None
    return {"type": kind.value}, None


def _texts(value: Any, language: str) -> dict[str, list[str]]:
    """A natural language property by language: a text, several, or either by language; or a value with @language."""
    if isinstance(value, Mapping) and "@value" in value:
        value = {str(value.get("@language", language)): value["@value"]}
    said = value if isinstance(value, Mapping) else {language: value}
    found: dict[str, list[str]] = {}
    for spoken, words in said.items():
        texts = [text for text in (words if isinstance(words, list) else [words]) if isinstance(text, str) and text]
        if texts:
            found[UNSTATED if spoken == UNDEFINED else str(spoken)] = texts
    return found
