"""Column of synthetic rows, described alike in each file beside them: type, values and missing answers.

A row has a value in every column, so that no cell of these files is missing. A code for no answer was left out of
the measurement, or counted as one declared value, whichever code it was: no file can tell codes apart.
"""

from __future__ import annotations

from typing import Any

from dprelease.bundle.tables import neutral
from dprelease.model.certificate import Certificate
from dprelease.model.column import ORDERED, Column, ColumnType
from dprelease.model.missing import as_cell, to_list, told
from dprelease.words.phrases import visible
from dprelease.words.releases import say

READ_AS = {"boolean": "string", "date": "string"}
"""Types of cells that the bundle's own reader takes for text."""


def no_answer(column: Column) -> dict[str, Any]:
    """Describe the treatment of records without an answer, for programs (`as`, `codes`) and people (`about`)."""
    codes = {} if column.missing_codes is None else {"codes": to_list(column.missing_codes)}
    named = told(column.missing_codes or ())
    if not column.complete:
        about = say("rows_without_answer_coded", codes=named) if named else say("rows_without_answer")
        return {"rows": "left_out", **codes, "about": about}
    stands = as_cell(column.count_missing_as)
    about = (
        say("rows_answer_counts_coded", value=stands, codes=named) if named else say("rows_answer_counts", value=stands)
    )
    return {"rows": "counted", "as": column.to_mapping()["count_missing_as"], **codes, "about": about}


def field(certificate: Certificate, name: str, kind: str) -> dict[str, Any]:
    """Describe a column of the CSV file as Table Schema; `kind`: type of its cells where none is declared."""
    column = certificate.columns.get(name)
    if column is None:
        return {"name": neutral(name), "type": kind}
    found: dict[str, Any] = {"name": neutral(name), "type": _type(column)}
    texts, constraints = certificate.texts, {"required": True}
    first = texts.languages[0] if texts.languages else ""
    if name in texts.columns and (title := texts.said(texts.columns[name].label, first)[0]):
        found["title"] = title
    found["description"] = " ".join(filter(None, (visible(column.description), no_answer(column)["about"])))
    declared = column.to_mapping()
    if column.type in ORDERED:
        constraints |= {"minimum": declared["lower"], "maximum": declared["upper"]}
    elif column.type is ColumnType.CATEGORY and not column.discover:
        labels = {code: texts.said(words, first)[0] for code, words in texts.labels(name).items()}
        found["categories"] = [
            {"value": neutral(value), "label": labels.get(value) or value} for value in column.labels
        ]
    told_apart = {key: each for key, each in declared.items() if key in ("unit", "resolution", "levels")}
    return {**found, "constraints": constraints, **told_apart, "noAnswer": no_answer(column)}


def _type(column: Column) -> str:
    if column.type is ColumnType.CATEGORY or column.discover:
        return "string"
    return column.type.value


def read_as(kind: str) -> str:
    """Return the bundle's own reader type for a type of Table Schema."""
    return READ_AS.get(kind, kind)
