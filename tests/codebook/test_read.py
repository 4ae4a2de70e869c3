"""What codebooks of every format say of columns, and what is left out of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dprelease.codebook import Codebook, CodebookError, Note, read
from dprelease.codebook.codes import read_line, within, write_line
from dprelease.model.schema import Schema
from dprelease.ui.words import say
from dprelease.words import phrase
from dprelease.words.language import speaking
from tests.codebook.files import DDI, ENTITY, PACKAGE, TABLE_SCHEMA, statistical

pytestmark = pytest.mark.quick


def declared(book: Codebook) -> dict[str, Any]:
    return {entry.name: dict(entry.declared) for entry in book.decided().entries}


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
            "missing_codes": ["9"],
            "description": "Sex of the respondent. 1 = Male; 2 = Female",
        },
        "income": {
            "type": "number",
            "lower": "0",
            "upper": "20000",
            "missing_codes": ["99999", {"to": "-1"}],
            "unit": "EUR",
            "description": "Net income. What do you earn in a month?",
        },
        "remarks": {"description": "Remarks"},
    }
    assert not [counted for counted in ("4711", "3.17", "19876") if counted in str(book)]
    assert book.notes[Note.STATISTICS] == ("sex", "income")
    assert book.notes[Note.RANGES] == ("income",)
    assert book.notes[Note.MISSING_CODES] == ("sex", "income")


def test_xml_that_reaches_out_is_refused() -> None:
    with pytest.raises(CodebookError, match="entities"):
        read("study.xml", ENTITY)


def test_xml_that_defines_entities_of_its_own_is_refused() -> None:
    grows = (
        b'<!DOCTYPE codeBook [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]><codeBook><titl>&b;</titl></codeBook>'
    )
    with pytest.raises(CodebookError, match="entities"):
        read("study.xml", grows)


def test_signs_of_old_codebooks_are_those_of_windows() -> None:
    book = read(
        "libro.csv", "variable;type;lower;upper;description\nnota;number;0;10;Preis – in € „netto“\n".encode("cp1252")
    )
    assert declared(book)["nota"]["description"] == "Preis – in € „netto“"


def test_both_ends_of_a_range_of_codes_are_within_it() -> None:
    codes = ["x", {"from": "7", "to": "9"}, {"from": "97"}]
    values = ("6", "7", "8.5", "9", "10", "96", "97", "120", "x", "y")
    assert within(values, codes) == {"7", "8.5", "9", "97", "120", "x"}
    assert within(values, [{"from": "6", "to": "97"}, {"from": "7", "to": "8"}]) == {*values[:7]}


def test_a_table_schema_declares_columns() -> None:
    book = read("schema.json", TABLE_SCHEMA)
    coded = {"missing_codes": ["-9"]}
    assert declared(book) == {
        "age": {"type": "integer", "lower": "0", "upper": "120", **coded, "description": "Age"},
        "region": {"type": "category", "categories": ["n", "s"], **coded},
        "sex": {"type": "category", "categories": ["1", "2"], **coded, "description": "1 = Male; 2 = Female"},
        "day": {"type": "date", "lower": "2025-01-01", "upper": "2025-12-31", **coded},
        "remarks": coded,
        "place": coded,
    }
    assert book.notes == {
        Note.LABELS: ("sex",),
        Note.MISSING_CODES: ("age", "region", "sex", "day", "remarks", "place"),
        Note.TEXT: ("remarks",),
        Note.UNKNOWN_TYPE: ("place",),
    }


def test_a_data_package_asks_which_of_its_tables() -> None:
    book = read("datapackage.json", PACKAGE)
    assert (book.resources, list(declared(book))) == (("people", "visits"), ["age"])
    assert list(declared(read("datapackage.json", PACKAGE, resource="visits"))) == ["ward"]


def test_codes_of_a_package_a_table_and_a_field_are_taken_from_the_nearest() -> None:
    fields = [
        {"name": "a", "type": "integer"},
        {"name": "b", "type": "number", "missingValues": ["", {"value": "-1", "label": "refused"}]},
        {"name": "c", "type": "boolean", "missingValues": [""]},
    ]
    package = {"missingValues": ["-99"], "resources": [{"name": "t", "schema": {"fields": fields}}]}
    found = declared(read("datapackage.json", json.dumps(package).encode()))
    assert [found[name]["missing_codes"] for name in "abc"] == [["-99"], ["-1"], []]


def test_a_table_of_columns_has_codes_and_asks_what_missing_means() -> None:
    text = "nombre;tipo;códigos sin respuesta;vacío cuenta como;ausente\nedad;entero;-99, 900..999, >= 5000;0;\n"
    book = read("libro.csv", f"{text}renta;número;-;;-1\nsexo;booleano;;;\n".encode())
    codes = ["-99", {"from": "900", "to": "999"}, {"from": "5000"}]
    assert declared(book) == {
        "edad": {"type": "integer", "missing_codes": codes, "count_missing_as": "0"},
        "renta": {"type": "number", "missing_codes": []},
        "sexo": {"type": "boolean"},
    }
    assert book.notes[Note.MISSING_UNCLEAR] == ("renta",)


def test_codes_as_a_line_are_read_back() -> None:
    codes = [-99, "NA", "a, b", "-", {"from": 1}, {"to": -0.5}, {"from": "2025-01-01", "to": "2025-12-31"}, 'say "x"']
    assert [str(each) for each in read_line(write_line(codes))] == [
        str({key: str(end) for key, end in each.items()} if isinstance(each, dict) else each) for each in codes
    ]
    assert read_line("LO THRU -1; 9 to 99;≤ 3") == [{"to": "-1"}, {"from": "9", "to": "99"}, {"to": "3"}]
    assert (read_line("-"), read_line('"-"'), write_line([])) == ([], ["-"], "-")


@pytest.mark.parametrize(
    "code",
    [
        "don't know; refused",
        "1..5",
        "≤5",
        ">= 65",
        "3 to 5",
        "1–5",
        "9 a 10",
        "",
        '"',
        '"x',
        "−99",
        "a\u2028b",
        "a\x85b",
    ],
)
def test_a_code_that_looks_like_several_or_like_a_range_stays_one(code: str) -> None:
    assert read_line(write_line([code, "9"])) == [code, "9"]


@pytest.mark.parametrize("sign", ["-", "−", "–"])
def test_a_minus_of_a_word_processor_is_a_minus(sign: str) -> None:
    """Else `–99` would be all up to 99, and `−99` a text that no number equals."""
    assert read_line(f"{sign}99, {sign}9..{sign}1") == ["-99", {"from": "-9", "to": "-1"}]
    between = {"from": "900", "to": "999"} if sign == "–" else f"900{sign}999"
    assert read_line(f"900{sign}999; to 5; 9 a") == [between, "to 5", "9 a"]


@pytest.mark.parametrize("language", ["en", "es"])
def test_every_note_has_words_on_pages_and_in_the_terminal(language: str) -> None:
    with speaking(language):
        assert all(str(phrase(f"cli.note_{note.value}")) for note in Note)
        assert all(say(f"codebook_note_{note.value}", columns="x") for note in Note)


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
    kind = {"type": "integer", "missing_codes": [{"to": "-1"}, "99"]} if ending == "sav" else {"type": "number"}
    assert found["age"] == kind | {"description": "Age in years"}
    assert found["sex"].get("missing_codes") == (["9"] if ending == "sav" else None)
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
