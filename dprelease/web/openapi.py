"""The OpenAPI description of the public interface, made of the same list as its routes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dprelease.model.version import VERSION

if TYPE_CHECKING:
    from dprelease.web.operation import Operation

Shape = dict[str, Any]
PLACE = re.compile(r"\{(\w+)\}")
PLACES = {"id": "of a release, or the name of a population or series", "table": "the id of a statistic"}
TEXT: Shape = {"type": "string"}
TEXTS: Shape = {"type": "array", "items": TEXT}
WHOLE: Shape = {"type": "integer"}
NUMBER: Shape = {"type": "number"}
NAMED: Shape = {"type": "object", "additionalProperties": TEXT}
ERROR = "Error"
UNKNOWN = "A parameter or code that the table does not have; the nearest that it has is named"


def shape(**parts: Any) -> Shape:
    """Return a mapping that has these keys, and may have more."""
    return {"type": "object", "required": list(parts), "properties": parts}


def maybe(shape: Shape) -> Shape:
    return {**shape, "type": [shape["type"], "null"]}


STATUS = {
    "status": {"type": "string", "enum": ["current", "corrected", "superseded", "unknown"]},
    "superseded_by": maybe(TEXT),
    "errata": WHOLE,
    "doi": TEXT,
    "notices_missing": WHOLE,
    "notices_refused": WHOLE,
    "known_until": maybe(TEXT),
}
"""Properties of a release's status since it was published."""
LOSS = shape(epsilon=NUMBER, delta=NUMBER)
GUARANTEE = shape(epsilon=NUMBER, delta=NUMBER, unit=TEXT, max_rows=WHOLE, neighbors=TEXT)
CUMULATIVE = shape(epsilon=NUMBER, delta=NUMBER, releases=WHOLE)
SUMMARY = shape(
    id=TEXT,
    title=TEXT,
    description=TEXT,
    published={**TEXT, "format": "date"},
    population=TEXT,
    publisher=maybe(TEXT),
    topics=TEXTS,
    series=maybe(TEXT),
    edition=maybe(TEXT),
    reference_period=maybe(TEXT),
    withheld={"type": "boolean"},
    **STATUS,
    guarantee=GUARANTEE,
    cumulative=CUMULATIVE,
    certificate=TEXT,
    page=TEXT,
    bundle=TEXT,
    notices=TEXT,
    tables=NAMED,
)
CATALOGUE = shape(releases={"type": "array", "items": SUMMARY}, next=maybe(TEXT))
RUN = shape(
    name=TEXT,
    every=TEXT,
    first=TEXT,
    last=TEXT,
    periods=WHOLE,
    at_most=WHOLE,
    factor=WHOLE,
    charge=WHOLE,
    published=TEXTS,
    closed=TEXTS,
)
SERIES = shape(name=TEXT, told={"type": "object"}, run=maybe(RUN), editions={"type": "array", "items": SUMMARY})
CAVEAT = shape(code=TEXT, values={"type": "object"})
CERTIFICATE = shape(
    id=TEXT,
    title=TEXT,
    published=TEXT,
    plan={"type": "object"},
    guarantee=GUARANTEE,
    statistics={"type": "array", "items": {"type": "object"}},
    cumulative=CUMULATIVE,
    caveats={"type": "array", "items": CAVEAT},
)
TABLE = shape(
    release=TEXT,
    statistic=TEXT,
    kind=TEXT,
    question=TEXT,
    measure=TEXT,
    **STATUS,
    guarantee=GUARANTEE,
    columns=TEXTS,
    rows={
        "type": "array",
        "items": shape(
            margin95=maybe(NUMBER),
            noise_scale={"type": "array", "items": NUMBER},
            status={"type": "string", "enum": ["A", "U", "N", "O"]},
            annotation=TEXT,
        ),
    },
)
CELLS = shape(
    release=TEXT,
    table=TEXT,
    found=WHOLE,
    next=maybe(TEXT),
    columns=TEXTS,
    rows={"type": "array", "items": {"type": "object"}},
)
NOTICE = shape(statement={"type": "object"}, signer=TEXT, signature=TEXT)
NOTICES = shape(notices={"type": "array", "items": NOTICE}, **STATUS)
BUDGET = shape(
    population=TEXT,
    unit=TEXT,
    neighbors=TEXT,
    currency=TEXT,
    size=maybe(WHOLE),
    period=maybe(TEXT),
    cap=LOSS,
    spent=LOSS,
    releases=WHOLE,
    checkpoint=shape(size=WHOLE, root=TEXT, on=TEXT),
    signer=TEXT,
)
ROTATIONS = {"type": "array", "items": {"type": "object"}}
CHECKPOINT = shape(checkpoint={"type": "object"}, signer=TEXT, signature=TEXT, rotations=ROTATIONS)


def description(operations: Sequence[Operation]) -> Mapping[str, Any]:
    """Return the document; OpenAPI 3.1."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Statistical releases",
            "version": VERSION,
            "description": "Published statistics with a differential privacy guarantee. Nothing here needs an account. "
            "Whatever never changes may be kept for ever; everything has an ETag, and answers If-None-Match and Range.",
        },
        "paths": {each.path: {"get": _get(each), "head": _head(each)} for each in operations},
        "components": {"schemas": {ERROR: shape(error=TEXT, message=TEXT)}},
    }


def _get(operation: Operation) -> Shape:
    content = {operation.kind: {"schema": _schema(operation)}} | {kind: {"schema": TEXT} for kind in operation.also}
    return {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": _parameters(operation),
        "responses": {
            "200": {"description": operation.summary, "headers": _headers(), "content": content},
            "206": {"description": "The part that Range asks for", "content": {kind: {} for kind in content}},
            "304": {"description": "The bytes that If-None-Match names are still the present ones"},
            **({"400": _unknown()} if operation.keys else {}),
            "404": _missing(),
            "416": {"description": "The part that Range asks for is not there"},
        },
    }


def _head(operation: Operation) -> Shape:
    """The same without a body."""
    answers = {
        "200": {"description": "The headers alone", "headers": _headers()},
        "206": {"description": "The headers of a part"},
        "304": {"description": "Still the present one"},
        **({"400": {"description": UNKNOWN}} if operation.keys else {}),
        "404": {"description": "Nothing is published there"},
        "416": {"description": "The part that Range asks for is not there"},
    }
    return {
        "operationId": f"{operation.name}_head",
        "summary": f"{operation.summary}: headers alone",
        "parameters": _parameters(operation),
        "responses": answers,
    }


def _schema(operation: Operation) -> Shape:
    if operation.kind == "application/json":
        return dict(operation.schema or {"type": "object"})
    return {"type": "string"} if operation.kind.startswith("text/") else {"type": "string", "format": "binary"}


def _parameters(operation: Operation) -> list[Shape]:
    places = [
        {"name": name, "in": "path", "required": True, "description": PLACES[name], "schema": TEXT}
        for name in PLACE.findall(operation.path)
    ]
    queries = [
        {"name": name, "in": "query", "description": told, "schema": operation.shapes.get(name, TEXT)}
        for name, told in operation.queries.items()
    ]
    return [*places, *queries, *([_keys(operation.keys)] if operation.keys else [])]


def _keys(told: str) -> Shape:
    """Parameters of any name."""
    shape = {"type": "object", "additionalProperties": TEXT}
    return {"name": "keys", "in": "query", "description": told, "style": "form", "explode": True, "schema": shape}


def _headers() -> Shape:
    return {name: {"schema": TEXT} for name in ("ETag", "Cache-Control", "Access-Control-Allow-Origin")}


def _unknown() -> Shape:
    more = {"parameter": maybe(TEXT), "nearest": maybe(TEXT), "allowed": TEXTS, "of": WHOLE}
    return {
        "description": UNKNOWN,
        "content": {"application/json": {"schema": shape(error=TEXT, message=TEXT, **more)}},
    }


def _missing() -> Shape:
    schema = {"$ref": f"#/components/schemas/{ERROR}"}
    return {"description": "Nothing is published there", "content": {"application/json": {"schema": schema}}}
