"""A form on one line says what the mapping of a plan says, whatever signs stand in it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dprelease.errors import InputError
from dprelease.model.form import FORMS
from dprelease.model.form_line import form_line, named_line, parse_form, parse_named
from dprelease.model.report import Report
from tests.model.test_form import WELL

pytestmark = pytest.mark.quick

TEXTS = st.text(st.sampled_from("aä,.;:=\\ '\u00a0€%|\n"), min_size=1, max_size=6)
SOME = st.lists(TEXTS, min_size=1, max_size=4, unique=True)
NUMBERS = st.fixed_dictionaries(
    {"decimal": st.sampled_from(",.")},
    optional={
        "thousands": st.lists(st.sampled_from(" ',."), min_size=1, max_size=3, unique=True),
        "affixes": SOME,
        "negative": st.lists(st.sampled_from(["sign", "after", "brackets"]), min_size=1, unique=True),
        "exponent": st.just(False),
        "lakh": st.just(True),
    },
)
DAYS = st.fixed_dictionaries(
    {"dates": st.lists(st.sampled_from(["d.m.y", "d MMM yy", "m/d/y", "iso", "iso-week", "y-00-00"]), min_size=1)},
    optional={
        "months": st.lists(st.sampled_from(["en", "de", "pt-BR"]), min_size=1, unique=True),
        "of_period": st.just("last"),
        "century": st.integers(1, 9900),
        "time": st.just("any"),
    },
)
WORDS = st.fixed_dictionaries({"yes": SOME, "no": st.one_of(SOME, st.just([""]))})
SPELT = st.fixed_dictionaries(
    {}, optional={"spellings": st.dictionaries(TEXTS, SOME, min_size=1, max_size=3), "width": st.integers(1, 40)}
)


@given(name=TEXTS, said=st.one_of(NUMBERS, DAYS, WORDS, SPELT))
def test_any_form_is_read_again_as_it_was_written(name: str, said: dict[str, Any]) -> None:
    assert parse_form(form_line(said), "--column") == said
    assert parse_named(named_line(name, said), "--column") == (name, said)


@pytest.mark.parametrize(("type", "declared"), WELL)
def test_every_form_that_columns_have_is_the_same_object_by_its_line(type: str, declared: dict[str, Any]) -> None:
    report = Report()
    both = [FORMS[type].read(said, "", report) for said in (declared, parse_form(form_line(declared), ""))]  # type: ignore[index]
    assert both[0] == both[1]
    assert report.problems == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("income=decimal:,;thousands:.;affix:€", {"decimal": ",", "thousands": ["."], "affixes": ["€"]}),
        ("visit=d.m.y;d MMM yy;months:de;century:1930", {"dates": ["d.m.y", "d MMM yy"], "months": ["de"]}),
        ("employed=yes:J;yes:Ja;no:N;no:", {"yes": ["J", "Ja"], "no": ["N", ""]}),
        (r"region=spelling:A\=B=a;spelling:A\=B=b\;c;width:2", {"spellings": {"A=B": ["a", "b;c"]}, "width": 2}),
        ("region=", {}),
    ],
)
def test_lines_are_written_by_hand(line: str, said: dict[str, Any]) -> None:
    found = parse_named(line, "--column")[1]
    found.pop("century", None)
    assert found == said


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("income", "--column: found 'income'; allowed: the name of a column, an equals sign"),
        ("=decimal:,", "--column: found '=decimal:,'"),
        ("income=decimals:,", "--column income: found 'decimals:,'"),
        ("income=decimals:,", "Did you mean 'decimal'?"),
        ("income=decimal:,;decimal:.", "found 'decimal:.'"),
        ("region=spelling:North", "found 'spelling:North'"),
    ],
)
def test_what_is_no_form_is_refused_by_its_part(text: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_named(text, "--column")
    assert told in str(caught.value)
