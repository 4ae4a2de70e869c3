"""What YAML and JSON text may and may not do to a plan."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest

from dprelease.errors import PlanError
from dprelease.model.encoding import MAX_TEXT, canonical, digest, read_mapping
from dprelease.statistics import Plan
from tests.model.plans import EXAMPLE_YAML, small

pytestmark = pytest.mark.quick


def read(text: str | bytes) -> dict[str, Any]:
    return read_mapping(text, error=PlanError, what="plan")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("no", "no"),
        ("yes", "yes"),
        ("on", "on"),
        ("off", "off"),
        ("y", "y"),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("5", 5),
        ("-5", -5),
        ("+5", 5),
        ("0", 0),
        ("007", "007"),
        ("0x1F", "0x1F"),
        ("0o17", "0o17"),
        ("1_000", "1_000"),
        ("1,000", "1,000"),
        ("1:30", "1:30"),
        ("1:30:45", "1:30:45"),
        ("0.1", Decimal("0.1")),
        ("1.", Decimal(1)),
        (".5", Decimal("0.5")),
        ("1e-3", Decimal("0.001")),
        ("1E3", Decimal(1000)),
        ("-1.5e+2", Decimal(-150)),
        (".inf", ".inf"),
        (".nan", ".nan"),
        ("2025-01-01", "2025-01-01"),
        ("2025-01-01 10:00:00", "2025-01-01 10:00:00"),
        ("NO", "NO"),
        ("=", "="),
        ("'5'", "5"),
        ('"true"', "true"),
        ("|-\n  text", "text"),
    ],
)
def test_plain_words_mean_what_they_say(written: str, value: Any) -> None:
    read_value = read(f"key: {written}\n")["key"]
    assert read_value == value
    assert type(read_value) is type(value)


def test_countries_and_codes_stay_text() -> None:
    plan = Plan.parse_text(
        """
        dprelease: 1
        dataset: d
        privacy: {unit: row, neighbors: add_remove, epsilon: 1}
        columns: {country: {type: category, categories: [se, no, dk]}, zip: {type: category, categories: [007, 0123]}}
        statistics: [{id: n, kind: count}]
        """
    )
    assert plan.schema["country"].categories == ("se", "no", "dk")
    assert plan.schema["zip"].categories == ("007", "0123")


def test_a_number_with_leading_zeros_is_not_guessed_at() -> None:
    with pytest.raises(PlanError, match=r"max_rows: found '010'"):
        Plan.parse_text(EXAMPLE_YAML.replace("max_rows: 5", "max_rows: 010"))


def test_decimals_are_exact() -> None:
    plan = Plan.parse_text(EXAMPLE_YAML.replace("epsilon: 1.0", "epsilon: 0.123456789"))
    assert plan.epsilon_nano == 123_456_789


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a: &x 1\nb: *x\n", "an alias at line 2"),
        ("a: !!python/object/apply:os.system ['true']\n", "a tag at line 1"),
        ("a: !!int 5\n", "a tag at line 1"),
        ("a: ! x\n", "a tag at line 1"),
        ("a: 1\na: 2\n", "'a' is repeated"),
        ("a: {b: 1, b: 2}\n", "'b' is repeated"),
        ("true: 1\n'true': 2\n", "'true' is repeated"),
        ("? [a]\n: 1\n", "a key must be a word"),
        ("~: 1\n", "a key must be a word"),
        ("a: [1\n", "line"),
        ("a: 'x\n", "line"),
        ("\ta: 1\n", "line 1"),
        ("a: 1\n--- \nb: 2\n", "plan"),
        ("- a\n- b\n", "a list"),
        ("text", "a single value"),
        ("", "an empty file"),
        ("# only a remark\n", "an empty file"),
        ("a: \x01\n", "plan"),
        (b"a: \xff\n", "not UTF-8"),
        ('{"a": 1, "a": 2}', "repeated"),
        ("a: " + "[" * 30 + "]" * 30, "levels"),
        ('{"a": ' + "[" * 30 + "]" * 30 + "}", "levels|deeper"),
        ("a: " + "{b: " * 500_00 + "}" * 500_00, "levels"),
        ('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}", "plan"),
        ("a: " + "x" * MAX_TEXT, "at most 1000000"),
    ],
)
def test_dangerous_or_unclear_text_is_refused(text: str | bytes, complaint: str) -> None:
    with pytest.raises(PlanError, match=complaint):
        read(text)


def test_a_billion_laughs_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    with pytest.raises(PlanError, match="an alias"):
        read("\n".join(lines))


def test_merge_keys_do_nothing_special() -> None:
    assert read("a: {'<<': 1}\n") == {"a": {"<<": 1}}


def test_a_plan_of_a_megabyte_is_read() -> None:
    statistics = ", ".join(f"{{id: s{index}, kind: count}}" for index in range(2000))
    text = EXAMPLE_YAML[: EXAMPLE_YAML.index("statistics:")] + f"statistics: [{statistics}]\n"
    text += "#" + "x" * (MAX_TEXT - len(text) - 2) + "\n"
    assert len(Plan.parse_text(text).statistics) == 2000


def test_json_is_read_as_json() -> None:
    assert read('{"a": 0.1, "b": [1, null, true], "c": "no"}') == {
        "a": Decimal("0.1"),
        "b": [1, None, True],
        "c": "no",
    }


def test_flow_yaml_that_begins_like_json_is_yaml() -> None:
    assert read("{a: no, b: 0.1}") == {"a": "no", "b": Decimal("0.1")}


@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a": Infinity}', '{"a": 1e999999}', '{"a": -1e-999999}'])
def test_numbers_beyond_use_are_no_epsilon(text: str) -> None:
    value = read(text)["a"]
    with pytest.raises(PlanError, match=r"privacy\.epsilon"):
        Plan.parse(small(privacy={"unit": "row", "neighbors": "add_remove", "epsilon": value}))


def test_a_number_of_ten_thousand_digits_is_refused() -> None:
    with pytest.raises(PlanError):
        read('{"a": ' + "9" * 10_000 + "}")
    with pytest.raises(PlanError, match="more than 80 digits"):
        Plan.parse(small(dprelease=10**10_000))


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
@pytest.mark.parametrize(
    "place",
    [
        lambda text: small(title=text),
        lambda text: small(dataset=text),
        lambda text: small(where=[{"column": "a", "equals": text}]),
        lambda text: small(where=[{"column": text, "equals": 1}]),
        lambda text: small(statistics=[{"id": "s", "kind": "histogram", "column": "a", "edges": [text, 1]}]),
        lambda text: small(statistics=[{"id": "s", "kind": "count", "by": [text]}]),
        lambda text: small(columns={text: {"type": "boolean"}}),
        lambda text: small(columns={"a": {"type": "category", "categories": [text]}}),
        lambda text: small(columns={"a": {"type": "boolean", "description": text}}),
    ],
)
def test_text_that_no_file_could_hold_is_refused(place: Any, text: str) -> None:
    """Half a surrogate pair arrives through JSON escapes and has no UTF-8, so no hash and no certificate."""
    with pytest.raises(PlanError):
        Plan.parse(place(text))
    with pytest.raises(PlanError):
        Plan.parse_text(json.dumps(place(text)))


def test_canonical_json_is_rfc_8785() -> None:
    assert canonical({"b": 1.0, "a": [0.1, 1e21, "é\n"]}) == '{"a":[0.1,1e+21,"é\\n"],"b":1}'.encode()
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest({"a": 1}) == "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
