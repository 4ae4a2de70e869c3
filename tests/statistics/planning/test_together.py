"""Tables that would err less if they were planned together: said where it is so, and nothing gets worse by it."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dprelease.model.plan import Plan
from dprelease.model.privacy import Currency
from dprelease.statistics.planning.price import Price, price
from dprelease.statistics.planning.together import together
from tests.tries import tries

COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": 0, "upper": 99, "count_missing_as": 0},
    "day": {"type": "date", "lower": "2024-01-01", "upper": "2024-12-31", "count_missing_as": "2024-01-01"},
    **{
        name: {"type": "category", "categories": [*codes], "count_missing_as": codes[0]}
        for name, codes in (("sex", "fm"), ("region", "abcdefghijkl"), ("edu", "12345"), ("work", "wxyz"))
    },
}
PAIRS: list[dict[str, Any]] = [
    {"kind": "crosstab", "columns": list(pair)} for pair in combinations(("region", "edu", "work", "sex"), 2)
]


def priced(*statistics: dict[str, Any], currency: Currency = Currency.ZCDP, **more: Any) -> Price:
    named = [{"id": f"s{place}", **statistic} for place, statistic in enumerate(statistics)]
    privacy = {"unit": {"column": "person", "max_rows": 2}, "neighbors": "add_remove", "epsilon": 1, "delta": 1e-6}
    plan = {"dprelease": 1, "dataset": "d", "privacy": privacy, "columns": COLUMNS, "expected": {"rows": 10_000}}
    return price(Plan.parse({**plan, "statistics": named, **more}), currency=currency)


@pytest.mark.parametrize("weights", ["", "minimise"])
@pytest.mark.parametrize("currency", [Currency.PURE, Currency.ZCDP])
def test_what_is_said_is_the_price_of_the_plan_that_it_would_be(currency: Currency, weights: str) -> None:
    more = {"weights": weights} if weights else {}
    mean = {"kind": "mean", "column": "age", "id": "mean"}
    before = priced(*PAIRS, mean, currency=currency, **more)
    found = together(before)
    assert found is not None
    assert found.ids == tuple(f"s{place}" for place in range(6))
    after = priced(dict(found.asked), mean, currency=currency, **more)
    assert after["tables"].error95 == found.after < 0.95 * found.most
    assert {*map(frozenset, found.asked["tables"])} == {frozenset(each["columns"]) for each in PAIRS}
    errors = [before[name].error95 for name in found.ids]
    assert (found.least, found.most) == (min(filter(None, errors)), max(filter(None, errors)))
    assert (after["mean"].error95 or 0) <= 1.01 * (before["mean"].error95 or 0)


def test_bins_and_levels_go_along_and_tables_by_other_cells_stay() -> None:
    tables = [{**each, "columns": [*each["columns"], "day"], "levels": {"day": "quarter"}} for each in PAIRS]
    tables.append({"kind": "crosstab", "columns": ["age", "sex"], "bins": {"age": 4}})
    tables.append({"kind": "crosstab", "columns": ["day", "sex"], "levels": {"day": "month"}})
    found = together(priced(*tables))
    assert found is not None
    assert found.ids == tuple(f"s{place}" for place in range(7))
    assert (found.asked["bins"], found.asked["levels"]) == ({"age": 4}, {"day": "quarter"})


@pytest.mark.parametrize(
    "statistics",
    [
        pytest.param([{"kind": "histogram", "column": "age"}], id="one table"),
        pytest.param([{"kind": "mean", "column": "age"}, {"kind": "count"}], id="no table"),
        pytest.param(PAIRS[:1] + PAIRS[5:], id="tables of which nothing is common"),
        pytest.param([{**each, "target_error": {"value": 60}} for each in PAIRS], id="shares of their own"),
        pytest.param([{**each, "margins": True} for each in PAIRS], id="totals"),
        pytest.param([{**each, "shares": ["row"]} for each in PAIRS], id="shares"),
    ],
)
def test_nothing_is_said_where_nothing_is_gained_or_more_is_asked(statistics: list[dict[str, Any]]) -> None:
    assert together(priced(*statistics)) is None


def test_nothing_is_said_of_tables_that_something_else_needs() -> None:
    assert together(priced(*PAIRS, postprocess=["integer"])) is None
    found = together(priced(*PAIRS, accept=[{"statistic": "s0", "error": 100}]))
    assert found is None or "s0" not in found.ids
    rows_left_out = {name: {**each, "count_missing_as": None} for name, each in COLUMNS.items()}
    for each in rows_left_out.values():
        del each["count_missing_as"]
    assert together(priced(*PAIRS, columns=rows_left_out)) is None, "each table leaves out other rows"


@pytest.mark.full
@settings(max_examples=tries(60), deadline=None, derandomize=True)
@given(
    st.lists(
        st.sampled_from(
            [
                *PAIRS,
                *({"kind": "histogram", "column": name} for name in ("age", "sex", "region")),
                {"kind": "cdf", "column": "age", "bins": 10},
                {"kind": "count"},
                {"kind": "mean", "column": "age"},
                {"kind": "count", "by": ["edu"]},
            ]
        ),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from(list(Currency)),
    st.sampled_from(["", "minimise", "equalise"]),
)
def test_nothing_else_gets_worse(statistics: list[dict[str, Any]], currency: Currency, weights: str) -> None:
    more = {"weights": weights} if weights else {}
    before = priced(*statistics, currency=currency, **more)
    found = together(before)
    if found is None:
        return
    kept = [{"id": f"s{place}", **each} for place, each in enumerate(statistics) if f"s{place}" not in found.ids]
    after = priced(dict(found.asked), *kept, currency=currency, **more)
    assert all((after[each["id"]].error95 or 0) <= 1.01 * (before[each["id"]].error95 or 0) for each in kept)
