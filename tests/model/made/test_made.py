"""Columns made of columns: what follows from the inputs' declarations, and the code of every row, two ways."""

from __future__ import annotations

import json
from datetime import date, timedelta
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from dprelease.errors import SchemaError
from dprelease.model.column import Column
from dprelease.model.encoding import canonical
from dprelease.model.made import FUNCTIONS, code_made, expression
from dprelease.model.made.days import Civil
from dprelease.model.made.function import Ordered, exact
from dprelease.model.made.whole import Code
from dprelease.model.report import Report
from dprelease.model.schema import Schema
from tests.model.made.columns import FUNCTIONS as TRIED
from tests.model.made.columns import made_columns, rows
from tests.model.made.computed import computed
from tests.tries import tries

pytestmark = pytest.mark.quick


def made(declared: dict[str, Any], **inputs: dict[str, Any]) -> Column:
    return Schema.parse({**inputs, "x": declared})["x"]


def codes(schema: Schema, row: dict[str, int | None]) -> dict[str, int | None]:
    """The row with the codes of all made columns."""
    found = dict(row)
    for column in [column for layer in schema.layers(schema.columns) for column in layer]:
        found[column.name] = code_made(column, schema.columns, found)
    return found


@pytest.mark.one_in(2)
@pytest.mark.parametrize("seed", range(tries(8)))
def test_numbers_and_values_are_the_same_and_lie_between_the_bounds(seed: int) -> None:
    schema = made_columns(seed, 2 * len(TRIED))
    expressions = {c.name: expression(c, schema.columns) for c in schema if c.made is not None}
    for row in rows(schema, seed, 20):
        whole = codes(schema, row)
        for name, each in expressions.items():
            found = computed(each, whole)
            assert found == whole[name], (name, schema[name].to_mapping(), row)
            assert found is None or 0 <= found <= schema[name].lattice.steps


def test_every_function_is_tried_and_documented() -> None:
    assert set(TRIED) == set(FUNCTIONS)
    assert all(each.__doc__ for each in FUNCTIONS.values())


@pytest.mark.parametrize("seed", range(2))
def test_a_declaration_is_written_as_it_is_read(seed: int) -> None:
    schema = made_columns(seed, 2 * len(TRIED))
    written = schema.to_mapping()
    assert Schema.parse(json.loads(canonical(written))) == schema
    backwards = Schema.parse(dict(reversed(written.items())))
    assert backwards.columns == schema.columns
    new = {name: f"{name} 2026" for name in schema.columns}
    for made in (column.made for column in schema if column.made is not None):
        renamed = made.renamed(new)
        assert renamed.inputs == tuple(new[name] for name in made.inputs)
        assert renamed.renamed({then: name for name, then in new.items()}) == made


SMALL = {
    "a": {"type": "date", "lower": "2019-12-30", "upper": "2020-03-02"},
    "b": {"type": "date", "lower": "2020-02-27", "upper": "2021-03-01"},
    "n": {"type": "integer", "lower": -3, "upper": 4},
    "m": {"type": "number", "lower": -1, "upper": 2, "resolution": 0.5},
    "p": {"type": "integer", "lower": 0, "upper": 3},
    "q": {"type": "integer", "lower": 2, "upper": 5},
}


@pytest.mark.parametrize(
    "declared",
    [
        {"days_between": ["a", "b"]},
        {"months_between": ["a", "b"]},
        {"months_between": ["b", "a"]},
        {"years_between": ["a", "b"]},
        {"age": {"born": "a", "on": "2021-02-28"}},
        {"difference": ["n", "m"]},
        {"product": ["n", "m"]},
        {"product": ["n", "n"]},
        {"sum": {"of": {"n": -2, "q": "0.5"}, "plus": "0.1"}},
        {"sum": {"of": {"q": 1, "p": 1}, "ignore_missing": True}},
        {"sum": {"of": {"q": 1, "n": -1}, "ignore_missing": True}},
        {"sum": {"of": {"q": -1}, "ignore_missing": True}},
        {"ratio": {"of": "n", "to": "p", "times": 10}},
        {"ratio": {"of": "n", "to": "q"}},
        {"least": ["n", "m", "q"]},
        {"greatest": ["n", "m", "q"]},
        {"coalesce": ["p", "q"]},
        {"part": {"of": "b", "is": "iso_year"}},
    ],
    ids=str,
)
def test_bounds_are_attained(declared: dict[str, Any]) -> None:
    resolution = {"resolution": 0.5} if "ratio" in declared else {}
    schema = Schema.parse({**SMALL, "x": {"made": declared, **resolution}})
    made = schema["x"].made
    assert made is not None
    values = [[None, *(exact(schema[name], code) for code in range(schema[name].codes))] for name in made.inputs]
    found = [made.value(dict(zip(made.inputs, row, strict=True))) for row in product(*values)]
    numbers = [value for value in found if isinstance(value, Fraction)]
    result = made.result(schema.columns)
    assert isinstance(result, Ordered)
    if declared == {"product": ["n", "n"]}:  # corners are of any two values: no number is the least and the greatest
        assert result.low < min(numbers)
        assert max(numbers) == result.high
        return
    assert (min(numbers), max(numbers)) == (result.low, result.high)


def test_days_of_all_years_are_those_of_the_calendar() -> None:
    ordinal = Code(1, date.max.toordinal(), "day")
    civil = Civil.of(ordinal)
    chosen = {*range(1, 100), *range(1, date.max.toordinal(), 99_973), date.max.toordinal()}
    chosen |= {
        date(year, month, 28).toordinal() + more
        for year in (1900, 2000, 2023, 2024)
        for month in (2, 12)
        for more in range(5)
    }
    for number in chosen:
        day, row = date.fromordinal(number), {"day": number}
        found = [computed(each, row) for each in (civil.year, civil.month, civil.day)]
        assert found == [day.year, day.month, day.day]


@pytest.mark.full
def test_days_of_all_years_are_those_of_the_calendar_each() -> None:
    civil = Civil.of(Code(1, date.max.toordinal(), "day"))
    day = date.min
    for number in range(1, date.max.toordinal() + 1, 7):
        day = date.min + timedelta(days=number - 1)
        found = [computed(each, {"day": number}) for each in (civil.year, civil.month, civil.day)]
        assert found == [day.year, day.month, day.day]


@pytest.mark.parametrize(
    ("born", "on", "years"),
    [
        ("2000-02-29", "2001-02-28", 0),
        ("2000-02-29", "2001-03-01", 1),
        ("2000-02-29", "2004-02-29", 4),
        ("2000-06-15", "1999-06-15", -1),
        ("2000-06-15", "1999-06-14", -2),
        ("2000-06-15", "2000-06-14", -1),
    ],
)
def test_who_is_born_on_a_leap_day_is_older_on_the_first_of_march(born: str, on: str, years: int) -> None:
    days = {"type": "date", "lower": "1990-01-01", "upper": "2010-12-31"}
    schema = Schema.parse({"born": days, "on": days, "x": {"made": {"age": {"born": "born", "on": "on"}}}})
    row = {"born": schema["born"].code(born), "on": schema["on"].code(on)}
    code = code_made(schema["x"], schema.columns, row)
    assert code is not None
    assert schema["x"].value(code) == years
    assert computed(expression(schema["x"], schema.columns), row) == code


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"made": {"days_between": ["a", "n"]}}, "'n', an integer column|column of type date"),
    ({"made": {"days_betwen": ["a", "b"]}}, "Did you mean 'days_between'"),
    ({"made": {"days_between": ["a"]}}, "names of 2 columns"),
    ({"made": {}}, "one of: days_between"),
    ({"made": {"sum": ["n", "p"]}, "upper": 8}, "x.upper.*7 or less, which follows"),
    ({"made": {"sum": ["n", "p"]}, "lower": -4}, "x.lower.*-3 or more, which follows"),
    ({"made": {"sum": ["n", "m"]}, "resolution": 0.1}, "0.5 or more"),
    ({"made": {"sum": ["n", "p"]}, "type": "number"}, "integer, which follows"),
    ({"made": {"ratio": {"of": "n", "to": "q"}}}, "resolution.*the step that its values are rounded to"),
    ({"made": {"ratio": {"of": "q", "to": "n"}}, "resolution": 1}, "lower bound is 0 or more"),
    ({"made": {"cut": {"of": "m", "at": [0.7], "labels": ["a", "b"]}}}, "such as 0.5 or 1"),
    ({"made": {"cut": {"of": "n", "at": [2, 1], "labels": ["a", "b", "c"]}}}, "increasing values"),
    ({"made": {"cut": {"of": "n", "at": [-3], "labels": ["a", "b"]}}}, "increasing values"),
    ({"made": {"cut": {"of": "n", "at": [1], "labels": ["a"]}}}, "2 labels"),
    ({"made": {"recode": {"of": "c", "to": {"z": ["v"]}, "else": "keep"}}}, "declared value of 'c'"),
    ({"made": {"recode": {"of": "c", "to": {"z": ["u", "u"]}, "else": "keep"}}}, "each declared value once"),
    ({"made": {"recode": {"of": "c", "to": {"z": ["u"]}}}}, "found w; allowed: what other values become"),
    ({"made": {"coalesce": ["n", "a"]}}, "columns of one type"),
    ({"made": {"least": ["n", "e"]}}, "columns of one unit"),
    ({"made": {"known": "r"}}, "r, whose answers were changed"),
    ({"made": {"prefix": {"of": "d", "length": 1}}}, "whose categories are"),
    ({"made": {"known": "t"}}, "a text column"),
    ({"made": {"known": "x"}}, "x → x"),
    ({"made": {"known": "n"}, "missing_codes": [1]}, "has no cells"),
    ({"made": {"part": {"of": "one", "is": "year"}}}, "one value in every row: 2020"),
    ({"made": {"product": ["big", "big"]}, "resolution": 10**12}, "found '4000000000000000000';.*narrower bounds"),
    ({"made": {"sum": {"of": {"big": 1, "n": "1e-13"}}}, "resolution": 1}, "numbers below 2.62"),
    ({"made": {"product": ["big", "n"]}}, "steps between the bounds"),
    ({"made": {"sum": {"of": {"n": 0}}}}, "a number other than 0"),
    ({"made": {"holds": [{"column": "n", "at_least": 99}]}}, "declared value"),
]


@pytest.mark.parametrize(("declared", "words"), WRONG, ids=lambda each: str(each))
def test_what_cannot_be_made_is_refused_in_words(declared: dict[str, Any], words: str) -> None:
    inputs = SMALL | {
        "c": {"type": "category", "categories": ["u", "w"]},
        "d": {"type": "category", "categories": "discover"},
        "e": {"type": "integer", "lower": 0, "upper": 5, "unit": "EUR"},
        "r": {
            "type": "boolean",
            "count_missing_as": False,
            "randomized": {"method": "response", "epsilon": 1},
        },
        "t": {"type": "text"},
        "one": {"type": "date", "lower": "2020-01-01", "upper": "2020-12-31"},
        "big": {"type": "integer", "lower": 0, "upper": 2 * 10**9, "resolution": 1},
    }
    with pytest.raises(SchemaError, match=words):
        Schema.parse({**inputs, "x": declared})


def test_columns_are_not_made_in_a_circle_nor_of_too_many_others() -> None:
    circle = {"x": {"made": {"known": "y"}}, "y": {"made": {"known": "x"}}}
    with pytest.raises(SchemaError, match="x → y → x"):
        Schema.parse(circle)
    chain: dict[str, Any] = {"m0": {"type": "boolean"}}
    chain |= {f"m{place}": {"made": {"known": f"m{place - 1}"}} for place in range(1, 5)}
    Schema.parse(chain)
    with pytest.raises(SchemaError, match="at most 4 columns made one of another"):
        Schema.parse(chain | {"m5": {"made": {"known": "m4"}}})


def test_a_column_made_of_columns_that_are_declared_elsewhere_waits_for_them() -> None:
    own = Schema.parse({"stay": {"made": {"days_between": ["a", "b"]}, "lower": 0}})
    assert "stay" not in own
    assert Schema.parse(own.to_mapping()) == own
    whole = Schema.parse({name: SMALL[name] for name in "ab"}).updated(own)
    assert (whole["stay"].lower, whole["stay"].upper) == (0, 427)
    report = Report()
    Schema.parse({"a": SMALL["a"]}).updated(own).check_made(["stay"], report)
    assert [problem.path for problem in report.problems] == ["columns.stay.made"]


def test_what_follows_from_a_column_follows_again_where_that_is_replaced() -> None:
    whole = Schema.parse({**SMALL, "x": {"made": {"sum": ["n", "p"]}}, "y": {"made": {"sum": ["n", "p"]}, "upper": 5}})
    then = whole.updated(Schema.parse({"p": {"type": "integer", "lower": 1, "upper": 2}}))
    assert (then["x"].lower, then["x"].upper) == (-2, 6)
    assert (then["y"].lower, then["y"].upper) == (-2, 5)
