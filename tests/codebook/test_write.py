"""Declared columns are written as a codebook, and read again as what they were: also how their cells are written."""

from __future__ import annotations

from typing import Any

import pytest

from dprelease.codebook import CodebookError, propose, read
from dprelease.codebook.delimited import write_delimited
from dprelease.codebook.vocabulary import HEADERS, MEANINGS
from dprelease.model.column import ColumnType, keys_of
from dprelease.model.schema import Schema
from dprelease.table.kit.check import DECLARED

pytestmark = pytest.mark.quick
FILLED = "count_missing_as"
BOUNDED: dict[str, Any] = {"type": "number", "lower": 12.125, "upper": "48411.71", "resolution": "0.001"}
COLUMNS: dict[str, Any] = {
    "betrag": {**BOUNDED, "reading": {"decimal": ",", "thousands": ["."], "affixes": ["€"], "negative": ["after"]}},
    "tag": {
        "type": "date",
        "lower": "2020-01-01",
        "upper": "2025-12-31",
        "outside": {"below": "missing"},
        "reading": {"dates": ["d.m.y", "d MMM y"], "months": ["de"]},
    },
    "erwerb": {"type": "boolean", "reading": {"yes": ["J", "Ja; immer"], "no": ["N", ""]}},
    "region": {
        "type": "category",
        "categories": ["Nord = N", "Süd, West", "01"],
        "levels": {"land": {"Land": ["Nord = N", "Süd, West"], "Stadt": ["01"]}},
        "reading": {"spellings": {"01": ["1"]}, "width": 2},
    },
}
KIT = {words: said for words, said in DECLARED.items() if "" not in said.get("categories", ())}
"""The columns of the conformance kit, but for one with an empty category."""


def again(schema: Schema, name: str, content: bytes) -> dict[str, Any]:
    """What a dataset without declarations would be declared as."""
    found = propose(read(name, content), list(schema.columns), {})
    return Schema.parse({each.name: each.then for each in found.changes}).to_mapping()


def plain(columns: dict[str, Any]) -> dict[str, Any]:
    return {name: {**said, **({FILLED: str(said[FILLED])} if FILLED in said else {})} for name, said in columns.items()}


@pytest.mark.parametrize("columns", [COLUMNS, KIT], ids=["offices", "kit"])
def test_what_is_written_as_csv_is_read_as_the_same(columns: dict[str, Any]) -> None:
    schema = Schema.parse(columns)
    assert plain(again(schema, "book.csv", write_delimited(schema).encode())) == plain(schema.to_mapping())


def test_a_category_that_no_cell_of_a_codebook_holds_is_named() -> None:
    schema = Schema.parse({"x": {"type": "category", "categories": ["a", " b"]}})
    with pytest.raises(CodebookError, match=r"columns\.x\.categories: .* b"):
        write_delimited(schema)


@pytest.mark.parametrize("heading", ["reading", "Lectura"])
def test_an_office_writes_how_cells_are_read_in_its_own_codebook(heading: str) -> None:
    book = read("book.csv", f'nombre;tipo;{heading}\npago;número;"{{decimal: "","", thousands: [.]}}"\n'.encode())
    assert book.entries[0].declared["reading"] == {"decimal": ",", "thousands": ["."]}
    with pytest.raises(CodebookError, match=r"columns\.pago\.reading"):
        read("book.csv", f"nombre,tipo,{heading}\npago,número,{{[\n".encode())


def test_every_key_of_a_column_has_a_heading() -> None:
    assert {key for kind in ColumnType for key in keys_of(kind)} <= HEADERS.keys()
    assert len(MEANINGS) == sum(len(words.split()) for words in HEADERS.values()), "a heading has one meaning"
