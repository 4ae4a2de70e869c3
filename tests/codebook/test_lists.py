"""Ready code lists, and an office's own: what they hold, where they are from, what they say of a column."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from dprelease.codebook import CodebookError, read
from dprelease.codebook.codefile import of_codes, read_codes
from dprelease.codebook.ready import NAMES, ready
from dprelease.model.schema import Schema
from tests.codebook.files import workbook
from tests.codebook.test_read import declared

pytestmark = pytest.mark.quick

OWN = "Código;Etiqueta_es;Label_en;Sin respuesta\n1;Más de 100 000;Over 100,000;\n9;No consta;Not stated;x\n"


@pytest.mark.parametrize("name", NAMES)
def test_a_ready_list_states_its_source_version_licence_and_digest(name: str) -> None:
    found = ready(name)
    canonical = json.dumps(dict(found.codes), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert hashlib.sha256(canonical.encode()).hexdigest() == found.origin.digest
    assert found.standard.startswith("ISO ")
    assert found.origin.source
    assert found.origin.version.startswith("pycountry ")
    assert "LGPL-2.1-only" in found.origin.licence
    assert all(words["en"] and words["es"] for words in found.codes.values())


def test_ready_lists_hold_what_their_standards_do() -> None:
    assert ready("countries").codes["DE"] == {"en": "Germany", "es": "Alemania"}
    assert ready("countries-3").codes["ESP"]["es"] == "España"
    assert ready("countries_numeric").codes["724"]["en"] == "Spain"
    assert ready("currencies").codes["EUR"] == {"en": "Euro", "es": "euro"}
    assert ready("languages").codes["ca"] == {"en": "Catalan", "es": "catalán"}
    spanish = ready("subdivisions_ES").codes
    assert len(spanish) == 69
    assert spanish["ES-BI"] == {"en": "Bizkaia", "es": "Vizcaya"}


def test_a_list_that_there_is_not_is_refused_with_the_nearest() -> None:
    with pytest.raises(CodebookError, match=r"'contries'.*Did you mean 'countries'"):
        ready("contries")
    with pytest.raises(CodebookError, match="subdivisions_es"):
        ready("subdivisions_xx")


def test_a_codebook_names_a_ready_list() -> None:
    book = read("codebook.csv", b"name,codelist,label\npais,countries,Country of birth\nmoneda,nowhere,\n")
    found = declared(book)
    assert (found["pais"]["type"], len(found["pais"]["categories"])) == ("category", 249)
    assert found["pais"]["description"].startswith("Country of birth. pycountry (Debian iso-codes)")
    assert book.entries[0].texts.origin == ready("countries").origin
    assert found["moneda"] == {}
    Schema.parse({"pais": found["pais"]})


@pytest.mark.parametrize(
    ("filename", "content"),
    [
        ("tamuni.csv", OWN.encode()),
        ("tamuni.txt", OWN.encode("utf-16")),
        ("tamuni.xlsx", workbook({"Lista": [["Municipios"], *[line.split(";") for line in OWN.splitlines()]]})),
    ],
)
def test_an_offices_own_list_keeps_its_source_version_and_digest(filename: str, content: bytes) -> None:
    codes = read_codes(filename, content, source="INE", version="2016")
    assert codes.origin is not None
    assert (codes.origin.source, codes.origin.version) == ("INE", "2016")
    assert codes.origin.digest == hashlib.sha256(content).hexdigest()
    book = of_codes("tamaño", codes)
    entry = book.entries[0]
    assert dict(entry.declared) == {
        "type": "category",
        "categories": ["1"],
        "missing_codes": ["9"],
        "description": f"INE, 2016 (SHA-256 {codes.origin.digest[:12]}…). 1 = Más de 100 000",
    }
    assert entry.texts.values == {"1": {"es": "Más de 100 000", "en": "Over 100,000"}}
    assert entry.texts.missing == {"9": {"es": "No consta", "en": "Not stated"}}


def test_a_code_list_of_sdmx_is_read() -> None:
    content = (Path(__file__).parent / "written" / "structure.xml").read_bytes()
    codes = read_codes("structure.xml", content, source="TEST", version="1.0")
    assert codes.labels["5"] == {"en": "Under 10,000 inh.", "es": "Menos de 10 000 hab."}


@pytest.mark.parametrize(
    ("filename", "content", "source", "version"),
    [
        ("codes.csv", OWN.encode(), "", "2016"),
        ("codes.csv", OWN.encode(), "INE", " "),
        ("codes.csv", b"a,b\n1,2\n", "INE", "1"),
        ("codes.csv", b"", "INE", "1"),
        ("codes.pdf", b"%PDF", "INE", "1"),
        ("codes.xml", b"<a/>", "INE", "1"),
        ("codes.xlsx", b"no zip", "INE", "1"),
    ],
)
def test_what_is_no_code_list_is_refused_in_words(filename: str, content: bytes, source: str, version: str) -> None:
    with pytest.raises(CodebookError) as refusal:
        read_codes(filename, content, source=source, version=version)
    assert all(problem.found and problem.allowed for problem in refusal.value.problems)
