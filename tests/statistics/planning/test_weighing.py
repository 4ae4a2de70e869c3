"""Weights that are left to the program: what `auto` promises holds over random plans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dprelease.errors import PlanError
from dprelease.model.privacy import Currency
from dprelease.statistics import Plan
from dprelease.statistics.planning.price import Price, price

COLUMNS: dict[str, Any] = {
    "age": {"type": "integer", "lower": 0, "upper": 100},
    "income": {"type": "integer", "lower": 0, "upper": 9000},
    "sex": {"type": "category", "categories": ["F", "M"]},
    "region": {"type": "category", "categories": list("abcdefgh")},
}
numbers = st.sampled_from(["age", "income"])
groups = st.sampled_from([[], ["sex"], ["sex", "region"]])
SHARE: Mapping[str, Any] = {"weight": st.sampled_from([1, 3])}
statistics = st.one_of(
    st.fixed_dictionaries({"kind": st.just("count"), "by": groups}, optional=SHARE),
    st.fixed_dictionaries({"kind": st.sampled_from(["mean", "sum"]), "column": numbers, "by": groups}, optional=SHARE),
    st.fixed_dictionaries({"kind": st.sampled_from(["std", "variance"]), "column": numbers}, optional=SHARE),
    st.fixed_dictionaries(
        {"kind": st.sampled_from(["histogram", "cdf"]), "column": numbers, "bins": st.sampled_from([5, 20])},
        optional=SHARE,
    ),
    st.fixed_dictionaries({"kind": st.just("median"), "column": numbers}, optional={"epsilon": st.just(0.02)}),
    st.just({"kind": "crosstab", "columns": ["region", "sex"]}),
)
plans = st.fixed_dictionaries(
    {
        "asked": st.lists(statistics, min_size=2, max_size=7),
        "epsilon": st.sampled_from([0.2, 1, 4]),
        "rows": st.sampled_from([200, 20_000, 10**6]),
        "neighbors": st.sampled_from(["add_remove", "substitute"]),
    }
)


def priced(
    currency: Currency, weights: str | None, asked: list[Any], *, neighbors: str, epsilon: Any, rows: int
) -> Price:
    privacy = {"unit": "row", "neighbors": neighbors, "epsilon": epsilon, "delta": "1e-6"}
    found = [{"id": f"s{place}", **item} for place, item in enumerate(asked)]
    mapping = {"dprelease": 1, "dataset": "t", "privacy": privacy, "columns": COLUMNS, "expected": {"rows": rows}}
    plan = Plan.parse(mapping | {"statistics": found} | ({} if weights is None else {"weights": weights}))
    return price(plan, currency=currency)


def relative(bill: Price) -> list[float]:
    """Of each statistic without a share of its own, its expected error in that of a typical value."""
    schema, expected = bill.plan.schema, bill.plan.expected
    assert expected is not None
    return [
        (item.error95 or 1.0) / item.statistic.magnitude(schema, expected)
        for item in bill.statistics
        if item.statistic.epsilon_nano is None
    ]


@pytest.mark.full
@pytest.mark.parametrize(("weights", "objective"), [("auto", max), ("minimise", sum)])
@pytest.mark.parametrize("currency", Currency)
@settings(deadline=None, max_examples=25)
@given(plan=plans)
def test_no_objective_comes_to_more_than_without_it(
    currency: Currency, weights: str, objective: Any, plan: dict[str, Any]
) -> None:
    """The largest relative error, or their sum, is at most that by own weights; and nothing more is spent."""
    try:
        own = priced(currency, None, **plan)
    except PlanError:  # a share of its own that is more than there is
        assume(False)
        return
    aimed = priced(currency, weights, **plan)
    if relative(own):
        assert objective(relative(aimed)) <= objective(relative(own)) * (1 + 1e-9)
    assert abs(aimed.loss.nano - own.loss.nano) <= len(plan["asked"])


def test_what_one_measurement_answers_is_weighed_as_one() -> None:
    """Eight statistics of one column and a count by groups: weighed apart, the eight got far more than they need."""
    kinds = ["std", "variance", "mean", "sum"]
    asked = [*({"kind": kind, "column": "income"} for kind in kinds * 2), {"kind": "count", "by": ["sex", "region"]}]
    bill = priced(Currency.PURE, "auto", asked, neighbors="add_remove", epsilon=1, rows=2000)
    errors = relative(bill)
    assert max(errors[:8]) == pytest.approx(errors[8], rel=0.15)
