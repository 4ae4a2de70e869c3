"""What constraints of a database propose, and which of them say more than bounds or a list."""

from __future__ import annotations

import pytest

from dprelease.codebook import Note
from dprelease.codebook.catalogue import of_catalogue
from dprelease.model.catalogue import CatalogueColumn
from tests.codebook.test_read import declared

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("storage", "check", "found"),
    [
        ("integer", "((x >= 0) AND (x <= 120))", {"type": "integer", "lower": "0", "upper": "120"}),
        ("integer", "((x > 0) AND (x < 10))", {"type": "integer", "lower": "1", "upper": "9"}),
        ("integer", "(x >= '-5'::integer)", {"type": "integer", "lower": "-5"}),
        ("numeric", "(x < (10.5)::numeric(6,2))", {"type": "number", "upper": "10.5"}),
        ("date", "(x >= '2020-01-01'::date)", {"type": "date", "lower": "2020-01-01"}),
        ("text", "(x = ANY (ARRAY['M'::text, 'F'::text]))", {"type": "category", "categories": ["M", "F"]}),
        (
            "character varying",
            "((x)::text = ANY ((ARRAY['a, b'::character varying, 'it''s'::character varying])::text[]))",
            {"type": "category", "categories": ["a, b", "it's"]},
        ),
        ("text", "((x = 'a'::text) OR (x = 'b'::text))", {"type": "category", "categories": ["a", "b"]}),
        ("integer", "(x = ANY (ARRAY[1, 6]))", {"type": "category", "categories": ["1", "6"]}),
        ("integer", "((x IS NULL) OR (x >= 0))", {"type": "integer"}),
        ("integer", "((x >= 0) OR (x <= -9))", {"type": "integer"}),
        ("integer", "(NOT (x > 3))", {"type": "integer"}),
        ("integer", "((x % 2) = 0)", {"type": "integer"}),
        ("integer", "(x <> 5)", {"type": "integer"}),
        ("text", "(length(x) > 3)", {}),
        ("text", "(x ~ '^[0-9]+$'::text)", {}),
    ],
)
def test_a_constraint_declares_bounds_or_values_or_nothing(storage: str, check: str, found: object) -> None:
    book = of_catalogue("t", [CatalogueColumn(name="x", storage=storage, checks=(check,))])
    assert declared(book) == {"x": found}


def test_enumerations_comments_and_tables_of_codes_are_taken_over() -> None:
    columns = [
        CatalogueColumn(name="ward", storage="enum", enum=("A", "B"), comment="Ward of admission"),
        CatalogueColumn(name="town", storage="integer", lookup=(("1", "Madrid"), ("2", "Sevilla"))),
        CatalogueColumn(name="note", storage="text"),
    ]
    book = of_catalogue("t", columns)
    assert declared(book) == {
        "ward": {"type": "category", "categories": ["A", "B"], "description": "Ward of admission"},
        "town": {"type": "category", "categories": ["1", "2"], "description": "1 = Madrid; 2 = Sevilla"},
        "note": {},
    }
    assert book.notes[Note.TEXT] == ("note",)
