"""What a public file's values propose, and that nobody's file is taken for one."""

from __future__ import annotations

import hashlib

import pytest

from dprelease.codebook import CodebookError, Note
from dprelease.codebook.sample import read_sample
from dprelease.model.schema import Schema
from tests.codebook.files import workbook
from tests.codebook.test_read import declared

pytestmark = pytest.mark.quick

ROWS = [
    ["edad", "renta", "sexo", "nacido", "cp", "nota"],
    *([str(20 + n), f"{n * 731},5", str(1 + n % 2), f"20{n:02d}-05-05", f"0{n}0", f"libre {n}"] for n in range(30)),
    ["999", "-99", "9", "2011-01-01", "080", "más"],
    ["55", "NA", "", "", "", ""],
]


def of(text: str) -> bytes:
    return text.encode("cp1252")


CSV = of("\n".join(";".join(row) for row in ROWS))


def test_values_propose_types_codes_and_wider_bounds() -> None:
    book = read_sample("puf.csv", CSV, public=True)
    found = declared(book)
    line = f"puf.csv (SHA-256 {hashlib.sha256(CSV).hexdigest()[:12]}…)"
    assert found["edad"] == {
        "type": "integer",
        "lower": 0,
        "upper": 100,
        "missing_codes": ["999"],
        "description": line,
    }
    income = {"type": "number", "lower": 0, "upper": 100000, "resolution": 0.1, "missing_codes": ["-99", "NA"]}
    assert found["renta"] == income | {"description": line}
    assert found["sexo"]["categories"] == ["1", "2", "9"]
    assert found["nacido"] == {"type": "date", "lower": "2000-01-01", "upper": "2029-12-31", "description": line}
    assert found["cp"]["type"] == "category", "no number begins with a nought"
    assert book.notes[Note.MISSING_CODES] == ("edad", "renta")
    assert book.entries[0].texts.origin is not None
    Schema.parse(found)


def test_a_workbook_is_read_alike() -> None:
    (sheet,) = [[list(row) for row in ROWS]]
    found = declared(read_sample("puf.xlsx", workbook({"Datos": sheet}), public=True))
    assert (found["edad"]["upper"], found["edad"]["missing_codes"]) == (100, ["999"])


def test_many_texts_are_free_text() -> None:
    text = "a\n" + "\n".join(f"text {n}" for n in range(300))
    book = read_sample("puf.csv", text.encode(), public=True)
    assert declared(book) == {"a": {}}
    assert book.notes == {Note.TEXT: ("a",)}


@pytest.mark.parametrize(
    ("filename", "content", "public"),
    [("puf.csv", CSV, False), ("puf.csv", b"", True), ("puf.csv", b"a;b\n", True), ("puf.pdf", b"%PDF", True)],
)
def test_what_is_no_public_file_is_refused_in_words(filename: str, content: bytes, public: bool) -> None:
    with pytest.raises(CodebookError) as refusal:
        read_sample(filename, content, public=public)
    assert all(problem.found and problem.allowed for problem in refusal.value.problems)
