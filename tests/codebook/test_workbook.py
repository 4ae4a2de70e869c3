"""Codebooks in Excel: the headings of the CSV ones, and the record designs of statistics offices."""

from __future__ import annotations

import io
import zipfile

import pytest

from dprelease.codebook import CodebookError, EntryTexts, Note, read
from tests.codebook.files import DESIGN, workbook
from tests.codebook.test_read import declared

pytestmark = pytest.mark.quick

HEADS: list[object] = ["nombre", "tipo", "mínimo", "máximo", "categorías", "códigos sin respuesta", "etiqueta"]


def test_a_sheet_has_the_headings_of_a_csv_codebook() -> None:
    rows = [["Encuesta 2025"], [], HEADS, ["edad", "entero", 0, 120, None, -99, "Edad"]]
    book = read("libro.xlsx", workbook({"Notas": [["versión 3"]], "Variables": rows}))
    assert declared(book) == {
        "edad": {"type": "integer", "lower": "0", "upper": "120", "missing_codes": ["-99"], "description": "Edad"}
    }
    assert book.entries[0].texts == EntryTexts(label={"": "Edad"})


def test_a_record_design_finds_its_dictionaries_side_by_side_below_and_in_a_list() -> None:
    book = read("dr.xlsx", workbook(DESIGN))
    found = declared(book)
    assert found == {
        "SEXO": {
            "type": "category",
            "categories": ["1", "6"],
            "description": "Sexo del sustentador principal. 1 = Hombre; 6 = Mujer",
        },
        "EDAD": {
            "type": "integer",
            "lower": "0",
            "upper": "120",
            "missing_codes": ["999"],
            "description": "Edad en años",
        },
        "TAMAMU": {
            "type": "category",
            "categories": ["1", "5"],
            "missing_codes": ["9"],
            "description": "Tamaño del municipio. 1 = Más de 100 000 hab.; 5 = Menos de 10 000 hab.",
        },
        "GASTO": {"type": "number", "description": "Gasto total anual"},
        "OBS": {"description": "Observaciones"},
    }
    assert book.notes[Note.TEXT] == ("OBS",)
    assert book.notes[Note.MISSING_CODES] == ("EDAD", "TAMAMU")
    texts = {entry.name: entry.texts for entry in book.entries}
    assert texts["TAMAMU"] == EntryTexts(
        note={"": "Tamaño del municipio"},
        values={
            "1": {"es": "Más de 100 000 hab.", "en": "Over 100,000 inh."},
            "5": {"es": "Menos de 10 000 hab.", "en": "Under 10,000 inh."},
        },
        missing={"9": {"es": "No consta", "en": "Not stated"}},
    )
    assert texts["EDAD"].missing == {"999": {"": "No consta"}}


def test_a_sheet_of_values_belongs_to_the_columns_it_names() -> None:
    values: list[list[object]] = [["Variable", "Value", "Label"], ["ward", "A", "Surgery"], ["ward", "B", "Medicine"]]
    columns: list[list[object]] = [
        ["Variable", "Type", "Label"],
        ["ward", "nominal", "Ward"],
        ["age", "integer", "Age"],
    ]
    book = read("codebook.xlsx", workbook({"Values": values, "Variables": columns}))
    assert declared(book)["ward"]["categories"] == ["A", "B"]
    assert book.entries[0].texts.values == {"A": {"": "Surgery"}, "B": {"": "Medicine"}}
    assert book.entries[0].texts.label == {"": "Ward"}
    assert book.resources == ()


def test_several_sheets_of_columns_are_asked_about() -> None:
    sheets: dict[str, list[list[object]]] = {
        "Hogar": [["Variable", "Tipo"], ["tam", "entero"]],
        "Persona": [["Variable", "Tipo"], ["edad", "entero"]],
    }
    book = read("dr.xlsx", workbook(sheets))
    assert (book.resources, list(declared(book))) == (("Hogar", "Persona"), ["tam"])
    assert list(declared(read("dr.xlsx", workbook(sheets), resource="Persona"))) == ["edad"]
    with pytest.raises(CodebookError, match="Hogar, Persona"):
        read("dr.xlsx", workbook(sheets), resource="Vivienda")


def test_a_formula_is_not_computed() -> None:
    rows: list[list[object]] = [["name", "type", "upper"], ["age", "integer", "=100+20"]]
    assert declared(read("codebook.xlsx", workbook({"s": rows}))) == {"age": {"type": "integer"}}


@pytest.mark.full
def test_a_workbook_that_unpacks_to_too_much_is_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", bytes(2**28 + 1))
    with pytest.raises(CodebookError, match="bytes"):
        read("codebook.xlsx", file.getvalue())


@pytest.mark.parametrize(
    "content",
    [b"no zip", workbook({"s": [["a", "b"], [1, 2]]}), workbook({"s": []}), workbook({"s": [["name"], ["x"]]})],
)
def test_what_is_no_codebook_is_refused_in_words(content: bytes) -> None:
    with pytest.raises(CodebookError) as refusal:
        read("codebook.xlsx", content)
    assert all(problem.found and problem.allowed for problem in refusal.value.problems)
