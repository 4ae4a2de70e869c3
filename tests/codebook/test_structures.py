"""Codebooks of CSV on the Web and SDMX: `written/` holds what the formats' own libraries wrote, or found valid."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dprelease.codebook import Codebook, CodebookError, EntryTexts, Note, propose, read
from tests.codebook.test_read import declared

pytestmark = pytest.mark.quick

WRITTEN = Path(__file__).parent / "written"
STRUCTURE = (WRITTEN / "structure.xml").read_text()
METADATA = (WRITTEN / "survey.csv-metadata.json").read_text()


def texts(book: Codebook, name: str) -> EntryTexts:
    return next(entry.texts for entry in book.entries if entry.name == name)


def test_csvw_declares_types_bounds_and_codes_for_no_answer() -> None:
    book = read("survey.csv-metadata.json", METADATA.encode())
    assert declared(book) == {
        "edad": {
            "type": "integer",
            "lower": "0",
            "upper": "120",
            "missing_codes": ["-99"],
            "description": "Edad",
        },
        "sex": {"type": "category", "categories": ["1", "6"], "missing_codes": ["-99"], "description": "sexo"},
        "gasto": {"type": "number", "lower": "0", "missing_codes": ["NA"], "description": "Gasto total"},
        "nacido": {"type": "date", "missing_codes": ["-99"]},
        "notas": {"missing_codes": ["-99"]},
    }
    assert book.notes == {Note.TEXT: ("notas",), Note.MISSING_CODES: ("edad", "sex", "gasto", "nacido", "notas")}
    assert texts(book, "edad").label == {"es": "Edad", "en": "Age"}
    assert texts(book, "gasto") == EntryTexts(note={"es": "Gasto total"})


def test_a_column_of_csvw_is_found_by_its_titles_too() -> None:
    book = read("survey.csv-metadata.json", METADATA.encode())
    found = propose(book, ["EDAD", "sexo", "renta"], {})
    assert [each.name for each in found.changes] == ["EDAD", "sexo"]
    assert found.unknown == ("gasto", "nacido", "notas")
    assert found.silent == ("renta",)


def test_csvw_asks_which_of_its_tables() -> None:
    def table(url: str, name: str) -> dict[str, Any]:
        return {"url": url, "tableSchema": {"columns": [{"titles": name, "datatype": "gYear"}, {"virtual": True}]}}

    group = {"@context": "http://www.w3.org/ns/csvw", "tables": [table("a.csv", "x"), table("b.csv", "y")]}
    content = json.dumps(group).encode()
    assert (read("m.json", content).resources, list(declared(read("m.json", content)))) == (("a.csv", "b.csv"), ["x"])
    assert declared(read("m.json", content, resource="b.csv")) == {"y": {"type": "integer"}}
    with pytest.raises(CodebookError, match=r"a\.csv, b\.csv"):
        read("m.json", content, resource="c.csv")


def test_a_data_structure_of_sdmx_declares_its_components() -> None:
    bounded = STRUCTURE.replace('textType="Decimal"', 'textType="Decimal" minValue="0" maxValue="90000"')
    book = read("structure.xml", bounded.encode())
    assert declared(book) == {
        "town": {
            "type": "category",
            "categories": ["1", "5"],
            "description": "Size of the town. 1 = Over 100,000 inh.; 5 = Under 10,000 inh.",
        },
        "band": {"type": "category", "categories": ["0-4 años"], "description": "0-4 años = 0 to 4"},
        "spent": {"type": "number", "lower": "0", "upper": "90000", "description": "Expenditure"},
    }
    assert texts(book, "town") == EntryTexts(
        label={"en": "Size of the town", "es": "Tamaño del municipio"},
        values={
            "1": {"en": "Over 100,000 inh.", "es": "Más de 100 000 hab."},
            "5": {"en": "Under 10,000 inh.", "es": "Menos de 10 000 hab."},
        },
    )


def test_references_of_sdmx_3_are_followed() -> None:
    """As the schema of 3.0 has them: an address in the place of an element Ref."""
    reference = (
        "<str:ConceptIdentity>urn:sdmx:org.sdmx.infomodel.conceptscheme.Concept=TEST:CONCEPTS(1.0).town"
        "</str:ConceptIdentity>"
    )
    start = STRUCTURE.index("<str:ConceptIdentity>")
    end = STRUCTURE.index("</str:ConceptIdentity>") + len("</str:ConceptIdentity>")
    book = read("structure.xml", (STRUCTURE[:start] + reference + STRUCTURE[end:]).encode())
    assert texts(book, "town").label["es"] == "Tamaño del municipio"


def test_code_lists_of_sdmx_alone_are_columns_by_their_names() -> None:
    start, end = STRUCTURE.index("<str:DataStructures>"), STRUCTURE.index("</mes:Structures>")
    book = read("codes.xml", (STRUCTURE[:start] + STRUCTURE[end:]).encode())
    assert [entry.name for entry in book.entries] == ["TOWN", "BAND"]
    assert [each.name for each in propose(book, ["town", "CL_BAND"], {}).changes] == ["town", "CL_BAND"]


@pytest.mark.parametrize(
    ("filename", "content"),
    [
        ("structure.xml", b'<Structure xmlns="http://www.sdmx.org/resources/sdmxml/schemas/v2_1/message"/>'),
        ("structure.xml", STRUCTURE[:900].encode()),
        ("m.json", b'{"@context": "http://www.w3.org/ns/csvw", "tables": []}'),
        ("m.json", b'{"@context": "http://www.w3.org/ns/csvw", "tableSchema": {"columns": [7, {"name": 7}]}}'),
    ],
)
def test_what_is_no_codebook_is_refused_in_words(filename: str, content: bytes) -> None:
    with pytest.raises(CodebookError) as refusal:
        read(filename, content)
    assert all(problem.found and problem.allowed for problem in refusal.value.problems)
