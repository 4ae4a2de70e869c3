"""What taking over a codebook would change."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dprelease.codebook import Codebook, ColumnEntry, compatible, propose, read
from dprelease.model.domain import domain, domains
from dprelease.model.schema import Schema
from dprelease.words.language import LANGUAGES, speaking

pytestmark = pytest.mark.quick

ROOT = Path(__file__).resolve().parents[2]
AGE = {"type": "integer", "lower": 0, "upper": 100, "resolution": 1}


def book(**columns: dict[str, object]) -> Codebook:
    return Codebook(source="book", entries=tuple(ColumnEntry(name, said) for name, said in columns.items()))


def test_only_what_differs_is_proposed() -> None:
    said = book(age={"type": "integer", "lower": "0", "upper": "120"}, Region={"categories": ["n"]}, same=AGE, gone=AGE)
    found = propose(said, ["region", "age", "same", "other"], {"age": AGE, "same": AGE})
    assert [(item.name, item.changed) for item in found.changes] == [("region", ("categories",)), ("age", ("upper",))]
    assert found.changes[1].then == {"type": "integer", "lower": "0", "upper": "120", "resolution": 1}
    assert (found.same, found.unknown, found.silent) == (1, ("gone",), ("other",))


def test_a_name_that_could_be_two_columns_is_neither() -> None:
    found = propose(book(AGE=AGE), ["age", "Age"], {})
    assert (found.changes, found.unknown) == ((), ("AGE",))


@pytest.mark.parametrize(
    ("now", "said", "then"),
    [
        (AGE, {"upper": 120}, {**AGE, "upper": 120}),
        (AGE, {"type": "category", "categories": ["a"]}, {"type": "category", "categories": ["a"]}),
        ({"type": "category", "categories": ["a"], "count_missing_as": "a"}, {"type": "text"}, {"type": "text"}),
        ({**AGE, "unit": "years"}, {"type": "date"}, {"type": "date", "unit": "years"}),
        ({}, {"unit": "EUR"}, {"unit": "EUR"}),
        ({**AGE, "levels": {"tens": {"width": 10}}}, {"type": "number"}, {"type": "number"}),
    ],
)
def test_a_new_type_drops_what_it_cannot_have(
    now: dict[str, object], said: dict[str, object], then: dict[str, object]
) -> None:
    assert compatible(now, said) == then


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_ready_domain_is_a_declaration_with_words(code: str) -> None:
    with speaking(code):
        found = {name: item.to_mapping() for name, item in domains().items()}
        assert len(Schema.parse(found).columns) == len(found)
        assert len({str(item.label) for item in domains().values()}) == len(found)
        assert Schema.parse({"day": domain("dates_2020_2029").to_mapping()})["day"].codes == 3653


@pytest.mark.parametrize("path", ["docs/guide/describe-columns.md", "docs/guide/es/describe-columns.md"])
def test_the_guide_lists_every_ready_domain_and_reads_its_example(path: str) -> None:
    text = (ROOT / path).read_text("utf-8")
    assert [name for name in domains() if f"| `{name}` |" not in text] == []
    (example,) = re.findall(r"```csv\n(.*?)```", text, re.DOTALL)
    found = {entry.name: entry.declared for entry in read("codebook.csv", example.encode()).decided().entries}
    assert [column.type for column in Schema.parse(found)] == ["integer", "category", "number"]
