"""Bounds of codebooks and lists as they are typed: settled by the whole list, asked, or kept as not understood."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from dprelease.codebook import CodebookError, propose, read
from dprelease.codebook.bounds import Typed, read_bounds
from dprelease.model.separators import Ambiguous, Mixed, SeparatorRole, separators
from tests.codebook.files import workbook

pytestmark = pytest.mark.quick

HEAD = "name;type;lower;upper\n"


def upper(text: str, **said: str) -> dict[str, object]:
    book = read("codebook.csv", (HEAD + text).encode()).decided(**said)
    return {entry.name: entry.declared.get("upper") for entry in book.entries}


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (["200.000"], "asked"),
        (["1.000"], "asked"),
        (["200.000", "2,5"], {".": SeparatorRole.GROUPING, ",": SeparatorRole.DECIMAL}),
        (["200.000", "1.000.000"], {".": SeparatorRole.GROUPING}),
        (["200,000", "1,000,000"], {",": SeparatorRole.GROUPING}),
        (["200.000", "12.50"], {".": SeparatorRole.DECIMAL, ",": SeparatorRole.GROUPING}),
        (["0.125"], {".": SeparatorRole.DECIMAL, ",": SeparatorRole.GROUPING}),
        (["1234.567"], {".": SeparatorRole.DECIMAL, ",": SeparatorRole.GROUPING}),
        (["1.234,5"], {".": SeparatorRole.GROUPING, ",": SeparatorRole.DECIMAL}),
        (["1 000 000", "200.000"], "asked"),
        (["1.000.000", "200,000"], "asked"),
        (["2.5", "1.000.000"], "mixed"),
        (["2.5", "2,5"], "mixed"),
        (["5", "2020-01-01", "words"], {}),
    ],
)
def test_what_texts_say_together_of_points_and_commas(texts: list[str], says: object) -> None:
    found = separators(texts)
    if isinstance(found, Ambiguous | Mixed):
        assert says == ("asked" if isinstance(found, Ambiguous) else "mixed")
    else:
        assert dict(found.roles) == says
    assert separators(reversed(texts)) == found or len(texts) > 1


def test_an_answer_decides_for_the_whole_list() -> None:
    cells = [Typed(name, "upper", text, "number") for name, text in (("a", "200.000"), ("b", "1.500"), ("c", "7"))]
    whole = read_bounds(cells, {".": SeparatorRole.GROUPING})
    part = read_bounds(cells, {".": SeparatorRole.DECIMAL})
    assert [value.text for value in whole.values.values()] == ["200000", "1500", "7"]
    assert [value.text for value in part.values.values()] == ["200", "1.5", "7"]


def test_a_codebook_that_nobody_can_be_asked_about_is_refused_with_the_argument_that_answers() -> None:
    with pytest.raises(CodebookError, match=r"numbers: found '200.000'.*200000.*200.*numbers="):
        upper("income;number;0;200.000\n")
    assert upper("income;number;0;200.000\n", numbers="1.234,5") == {"income": "200000"}
    assert upper("income;number;0;200.000\n", numbers="1,234.5") == {"income": "200"}
    assert upper("income;number;0;200.000\nrate;number;0;2,5\n") == {"income": "200000", "rate": "2.5"}
    with pytest.raises(CodebookError, match=r"1\.234,5"):
        upper("income;number;0;200.000\n", numbers="1.234")


def test_days_are_asked_about_unless_one_of_them_says_it() -> None:
    with pytest.raises(CodebookError, match=r"days: found '02/03/2024'.*2024-03-02.*2024-02-03.*days="):
        upper("visit;date;;02/03/2024\n")
    assert upper("visit;date;;02/03/2024\nleft;date;;31/12/2024\n")["visit"] == "2024-03-02"
    assert upper("visit;date;;02/03/2024\n", days="12/31/2025") == {"visit": "2024-02-03"}
    assert upper("visit;date;;02.03.2024\n") == {"visit": "2024-03-02"}


def test_a_bound_that_is_not_understood_is_an_error_that_names_it() -> None:
    with pytest.raises(CodebookError) as caught:
        upper("limit;number;0;1.00.000\nage;integer;about 5;90\n")
    said = str(caught.value)
    assert "columns.limit.upper: found '1.00.000'" in said
    assert "columns.age.lower: found 'about 5'" in said


def test_columns_that_the_table_does_not_have_are_no_obstacle() -> None:
    book = read("codebook.csv", (HEAD + "limit;number;0;1.00.000\nage;integer;0;90\n").encode())
    assert [each.name for each in propose(book, ["age"], {}).changes] == ["age"]
    with pytest.raises(CodebookError, match="limit"):
        propose(book, ["age", "limit"], {})


def test_a_number_that_a_spreadsheet_holds_is_that_number() -> None:
    sheet = workbook({"Columns": [["name", "type", "lower", "upper"], ["rate", "number", 0, 1.234]]})
    book = read("codebook.xlsx", sheet).decided()
    assert book.entries[0].declared["upper"] == "1.234"


def of_schema(field: dict[str, object], **said: str) -> dict[str, object]:
    """What a Table Schema of one field declares."""
    content = json.dumps({"fields": [{"name": "x", "type": "number", **field}]}).encode()
    return dict(read("schema.json", content).decided(**said).entries[0].declared)


def of_csvw(column: dict[str, object], **said: str) -> dict[str, object]:
    """What metadata of CSV on the Web with one column declare."""
    schema = {"columns": [{"name": "x", "datatype": "number", **column}]}
    content = json.dumps({"@context": "http://www.w3.org/ns/csvw", "url": "x.csv", "tableSchema": schema}).encode()
    return dict(read("metadata.json", content).decided(**said).entries[0].declared)


@pytest.mark.parametrize(
    ("declare", "stated"),
    [
        (of_schema, {"constraints": {"minimum": "200.000"}}),
        (of_schema, {"missingValues": ["200.000"]}),
        (of_csvw, {"datatype": {"base": "number", "minInclusive": "200.000"}}),
        (of_csvw, {"null": "200.000"}),
    ],
)
def test_a_text_that_is_a_bound_or_a_code_of_a_standard_is_asked_about(
    declare: Callable[..., dict[str, object]], stated: dict[str, object]
) -> None:
    with pytest.raises(CodebookError, match=r"numbers: found '200.000'.*200000.*200"):
        declare(stated)
    assert declare(stated, numbers="1.234,5").popitem()[1] in ("200000", ["200000"])
    assert declare(stated, numbers="1,234.5").popitem()[1] in ("200", ["200"])


def test_a_number_that_is_a_bound_of_a_standard_is_that_number() -> None:
    ends = {"type": "number", "lower": "0.125", "upper": "1.234"}
    assert of_schema({"constraints": {"minimum": 0.125, "maximum": 1.234}}) == ends
    assert of_csvw({"datatype": {"base": "number", "minimum": 0.125, "maxExclusive": 1.234}}) == ends


def test_signs_that_a_standard_states_settle_its_bounds_and_codes() -> None:
    signs = {"decimalChar": ",", "groupChar": "."}
    found = of_schema({**signs, "constraints": {"minimum": "-2,5", "maximum": "200.000"}, "missingValues": ["9,99"]})
    assert found == {"type": "number", "lower": "-2.5", "upper": "200000", "missing_codes": ["9.99"]}
    found = of_csvw({"datatype": {"base": "number", "format": signs, "maximum": "200.000"}, "null": ["k. A.", "9,99"]})
    assert found == {"type": "number", "upper": "200000", "missing_codes": ["k. A.", "9.99"]}


def test_codes_for_no_answer_are_read_as_the_bounds_beside_them() -> None:
    def codes(cell: str, upper: str = "50", kind: str = "number") -> object:
        quoted = cell.replace('"', '""')
        text = f'name;type;lower;upper;missing_codes\nx;{kind};;{upper};"{quoted}"\n'
        return read("codebook.csv", text.encode()).decided().entries[0].declared["missing_codes"]

    assert codes("9,99; 99,99; NA") == ["9.99", "99.99", "NA"]
    assert codes("99.999; 99.000..99.999", upper="2,5") == ["99999", {"from": "99000", "to": "99999"}]
    assert codes("9, 99") == ["9", "99"]
    assert codes('"9,99"') == ["9,99"]
    assert codes("31/12/2999; -9", upper="", kind="date") == ["2999-12-31", "-9"]
    with pytest.raises(CodebookError, match=r"numbers: found '99.999'"):
        codes("99.999")
    with pytest.raises(CodebookError, match=r"days: found '01/02/1900'"):
        codes("01/02/1900", upper="", kind="date")


def test_ends_in_the_wrong_order_and_codes_for_no_answer_are_seen() -> None:
    ends = {("a", "lower"): "9", ("a", "upper"): "1", ("b", "upper"): "999", ("c", "upper"): "98", ("d", "upper"): "99"}
    found = read_bounds([Typed(name, key, text, "number") for (name, key), text in ends.items()])
    assert found.swapped == ("a",)
    assert found.codes({"c": ["98"]}) == ("b", "c")
    assert found.swap({"a"}).of("a") == {"upper": "9", "lower": "1"}
    assert found.without_upper({"b"}).of("b") == {}
