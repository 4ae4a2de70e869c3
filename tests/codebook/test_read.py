"""What codebooks of every format say of columns, and what is left out of them."""

from __future__ import annotations

from typing import Any

import pytest

from dprelease.codebook import Codebook, CodebookError, Note, read
from dprelease.model.schema import Schema
from tests.codebook.files import DDI, ENTITY, PACKAGE, TABLE_SCHEMA, statistical


def declared(book: Codebook) -> dict[str, Any]:
    return {entry.name: dict(entry.declared) for entry in book.entries}


def of_csv(text: str) -> Codebook:
    return read("codebook.csv", text.encode())


def test_a_csv_codebook_declares_columns() -> None:
    book = of_csv(
        "name,type,lower,upper,resolution,unit,categories,other,description\n"
        "age,integer,0,120,,years,,,Age in years\n"
        'region,category,,,,,"n, s",yes,\n'
        "income,number,0,1000,0.5,EUR,,,\n"
    )
    assert declared(book) == {
        "age": {"type": "integer", "lower": "0", "upper": "120", "unit": "years", "description": "Age in years"},
        "region": {"type": "category", "categories": ["n", "s"], "other": True},
        "income": {"type": "number", "lower": "0", "upper": "1000", "resolution": "0.5", "unit": "EUR"},
    }
    Schema.parse(declared(book))


def test_spanish_headers_semicolons_and_decimal_commas_are_read() -> None:
    book = read(
        "libro.csv",
        "Variable;Tipo de dato;Mínimo;Máximo;Paso;Categorías;Descripción\n"
        "nota;número;0;10;0,5;;Calificación\n"
        "sexo;categórica;;;;1 = Mujer | 2 = Hombre;Sexo\n".encode("cp1252"),
    )
    assert declared(book) == {
        "nota": {"type": "number", "lower": "0", "upper": "10", "resolution": "0.5", "description": "Calificación"},
        "sexo": {"type": "category", "categories": ["1", "2"], "description": "Sexo. 1 = Mujer; 2 = Hombre"},
    }
    assert book.notes[Note.LABELS] == ("sexo",)


def test_categories_may_have_a_row_each() -> None:
    book = of_csv("variable,description,value,value_label\nsex,Sex,1,Male\n,,2,Female\nage,Age,,\n")
    assert declared(book)["sex"] == {
        "type": "category",
        "categories": ["1", "2"],
        "description": "Sex. 1 = Male; 2 = Female",
    }
    assert declared(book)["age"] == {"description": "Age"}


@pytest.mark.parametrize(
    ("cell", "categories"),
    [
        ('"n, s"', ["n", "s"]),
        ('"""a, b"", c"', ["a, b", "c"]),
        ('"one\ntwo, three"', ["one", "two, three"]),
        (">=65|<65", [">=65", "<65"]),
    ],
)
def test_lists_are_taken_apart(cell: str, categories: list[str]) -> None:
    assert declared(of_csv(f"name,categories\nx,{cell}\n"))["x"]["categories"] == categories


def test_a_domain_is_given_by_its_name_and_its_parts_can_be_overwritten() -> None:
    book = of_csv("name,domain,upper\nage,age,110\nvisit,dates_2025,\n")
    found = declared(book)
    assert (found["age"]["type"], found["age"]["lower"], found["age"]["upper"]) == ("integer", 0, "110")
    assert found["visit"] == {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31"}
    with pytest.raises(CodebookError, match=r"columns\.age\.domain.*'aeg'.*Did you mean 'age'"):
        of_csv("name,domain\nage,aeg\n")


def test_what_was_observed_is_never_taken_over() -> None:
    """Beside means and counts, minima and maxima are those of the rows."""
    book = of_csv("name,type,min,max,mean,n\nage,integer,17,93,41.2,2000\n")
    assert declared(book) == {"age": {"type": "integer"}}
    assert set(book.notes[Note.STATISTICS]) == {"min", "max", "mean", "n"}


def test_ddi_declares_what_is_declared_and_nothing_that_was_counted() -> None:
    book = read("study.xml", DDI)
    assert declared(book) == {
        "sex": {
            "type": "category",
            "categories": ["1", "2"],
            "description": "Sex of the respondent. 1 = Male; 2 = Female",
        },
        "income": {
            "type": "number",
            "lower": "0",
            "upper": "20000",
            "unit": "EUR",
            "description": "Net income. What do you earn in a month?",
        },
        "remarks": {"description": "Remarks"},
    }
    assert not [counted for counted in ("4711", "3.17", "19876") if counted in str(book)]
    assert book.notes[Note.STATISTICS] == ("sex", "income")
    assert book.notes[Note.RANGES] == ("income",)
    assert book.notes[Note.MISSING_CODES] == ("sex",)


def test_xml_that_reaches_out_is_refused() -> None:
    with pytest.raises(CodebookError, match="entities"):
        read("study.xml", ENTITY)


def test_a_table_schema_declares_columns() -> None:
    book = read("schema.json", TABLE_SCHEMA)
    assert declared(book) == {
        "age": {"type": "integer", "lower": "0", "upper": "120", "description": "Age"},
        "region": {"type": "category", "categories": ["n", "s"]},
        "sex": {"type": "category", "categories": ["1", "2"], "description": "1 = Male; 2 = Female"},
        "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31"},
        "remarks": {},
        "place": {},
    }
    assert book.notes == {
        Note.LABELS: ("sex",),
        Note.MISSING_CODES: ("sex",),
        Note.TEXT: ("remarks",),
        Note.UNKNOWN_TYPE: ("place",),
    }


def test_a_data_package_asks_which_of_its_tables() -> None:
    book = read("datapackage.json", PACKAGE)
    assert (book.resources, list(declared(book))) == (("people", "visits"), ["age"])
    assert list(declared(read("datapackage.json", PACKAGE, resource="visits"))) == ["ward"]


def test_a_plan_file_is_a_codebook() -> None:
    book = read("plan.yaml", b"dprelease: 1\ncolumns:\n  age: {type: integer, lower: 0, upper: 100}\n")
    assert declared(book) == {"age": {"type": "integer", "lower": 0, "upper": 100, "resolution": 1}}


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_labels_of_spss_and_stata_are_read_and_rows_are_not(ending: str) -> None:
    book = read(f"file.{ending}", statistical(ending))
    found = declared(book)
    assert found["sex"]["type"] == "category"
    assert found["sex"]["categories"] == (["1", "2"] if ending == "sav" else ["1", "2", "9"])
    assert found["sex"]["description"].startswith("Sex. 1 = Male; 2 = Female")
    assert found["age"] == {"type": "integer" if ending == "sav" else "number", "description": "Age in years"}
    assert found["note"] == {}
    assert not [value for value in ("3141", "2718", "secret") if value in str(book)]


@pytest.mark.parametrize(
    ("filename", "content"),
    [
        ("codebook.csv", b"a,b\n1,2\n"),
        ("codebook.csv", b""),
        ("codebook.xml", b"<codeBook>"),
        ("codebook.xml", b"<codeBook/>"),
        ("codebook.json", b"{}"),
        ("codebook.json", b"[]"),
        ("codebook.json", b'{"resources": [{"name": "a"}]}'),
        ("codebook.yaml", b"columns: {age: {type: intger}}"),
        ("codebook.sav", b"no such file"),
        ("codebook.pdf", b"%PDF"),
        ("codebook", b""),
    ],
)
def test_what_is_no_codebook_is_refused_in_words(filename: str, content: bytes) -> None:
    with pytest.raises(CodebookError) as refusal:
        read(filename, content)
    assert all(problem.found and problem.allowed for problem in refusal.value.problems)
