"""Nine statistics of one column are two measurements: each as exact as it is said to be, none worse than alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dprelease.model.plan import Plan
from dprelease.model.privacy import Currency
from dprelease.model.release import Estimates
from dprelease.statistics.answer import answers, draw
from dprelease.statistics.planning import sharing
from dprelease.statistics.planning.price import Price, price
from tests.statistics.ready import ready
from tests.tries import tries

COLUMNS: dict[str, Any] = {
    "x": {"type": "number", "lower": -20, "upper": 80, "resolution": 0.5},
    "big": {"type": "number", "lower": 0, "upper": 10_000_000, "resolution": 0.01, "count_missing_as": 0},
    "sex": {"type": "category", "categories": ["f", "m"], "other": True},
    "group": {"type": "category", "categories": ["i", "j", "k"], "count_missing_as": "i"},
    "region": {"type": "category", "categories": ["n", "s", "e", "w"], "count_missing_as": "n"},
}
ALL = ("std", "variance", "mean", "sum", "histogram", "cdf", "count", "median", "quantiles")


def priced(*statistics: dict[str, Any], currency: Currency = Currency.PURE, neighbors: str = "add_remove") -> Price:
    named = [{"id": f"s{place}", **statistic} for place, statistic in enumerate(statistics)]
    privacy = {"unit": {"column": "person", "max_rows": 3}, "neighbors": neighbors, "epsilon": 1, "delta": 1e-6}
    plan = {"dprelease": 1, "dataset": "d", "privacy": privacy, "columns": COLUMNS, "statistics": named}
    return price(Plan.parse({**plan, "expected": {"rows": 10_000}}), currency=currency)


@contextmanager
def apart() -> Iterator[None]:
    """Each statistic pays for a measurement of its own."""
    before, sharing.ON = sharing.ON, False
    try:
        yield
    finally:
        sharing.ON = before


def of(column: str, kind: str, **others: Any) -> dict[str, Any]:
    extra = {"histogram": {"bins": 20}, "cdf": {"bins": 20}, "quantiles": {"probs": [0.25, 0.5, 0.75]}}.get(kind, {})
    return {"kind": kind, "column": column, **extra, **others}


@pytest.mark.parametrize("column", ["x", "big"])
def test_nine_statistics_of_one_column_err_far_less_than_apart(column: str) -> None:
    """At ε = 1: std a quarter, sum 1/3.5, mean 1/1.8, histogram and cumulative shares 1/1.8 of before."""
    statistics = [of(column, kind) for kind in ALL]
    together = priced(*statistics)
    with apart():
        alone = priced(*statistics)
    gained = {
        kind: float(other.error95 or 0) / float(one.error95 or 1)
        for kind, one, other in zip(ALL, together.statistics, alone.statistics, strict=True)
    }
    assert together.loss == alone.loss
    assert gained["std"] >= 4
    assert gained["sum"] >= 3.5
    assert min(gained["mean"], gained["histogram"], gained["cdf"]) >= 1.8
    assert min(gained.values()) >= 0.999


def test_statistics_without_a_column_in_common_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the price of many statistics grows with their number, and not with its square."""
    compared: list[Any] = []
    monkeypatch.setattr(sharing, "source", lambda *given: compared.append(given))
    monkeypatch.setattr(sharing, "of_moments", lambda *given: compared.append(given))
    columns = [f"x{place}" for place in range(20)]
    declared = {name: {"type": "integer", "lower": 0, "upper": 9, "count_missing_as": 0} for name in columns}
    kinds = ("histogram", "sum", "mean", "std")
    asked = [{"id": f"{kind}{name}", "kind": kind, "column": name} for kind in kinds for name in columns]
    privacy = {"unit": "row", "neighbors": "add_remove", "epsilon": 1}
    plan = {"dprelease": 1, "dataset": "d", "privacy": privacy, "columns": declared, "statistics": asked}
    price(Plan.parse(plan))
    assert 0 < len(compared) <= 10 * len(asked)
    assert all(len({statistic.column for statistic in given[:2]}) == 1 for given in compared)


def test_a_certificate_states_of_what_each_is_computed() -> None:
    bill = priced(*(of("x", kind) for kind in ALL[:7]))
    stated = [item.stated(bill.plan.schema) for item in bill.statistics]
    assert [(each.derivation, each.measurements[0]) for each in stated] == [
        ("own", "s0"),
        ("same", "s0"),
        ("moments", "s0"),
        ("sums", "s0"),
        ("own", "s4"),
        ("same", "s4"),
        ("counts", "s0"),
    ]
    assert [each.id for each in bill.measurements] == ["s0", "s4"]


def test_cumulative_shares_keep_their_histogram_where_a_finer_table_would_give_it() -> None:
    """The finer table does so once another one follows from it, too: by then the shares rest on the histogram."""
    finer = {"kind": "crosstab", "columns": ["big", "group", "region"], "bins": {"big": 4}, "weight": 200}
    beside = {"kind": "crosstab", "columns": ["group", "region"], "weight": 180}
    bins = {"bins": 4}
    bill = priced(finer, beside, of("big", "histogram", weight=90, **bins), of("big", "cdf", weight=2, **bins))
    assert [item.derivation.name for item in bill.statistics] == ["own", "counts", "own", "same"]


PAIRS = [
    ("same rows, other column", of("x", "std"), of("big", "mean")),
    ("weights", of("x", "std"), of("x", "mean", survey_weights="big")),
    ("another noise", of("x", "std"), of("x", "sum", noise="laplace")),
    ("a textbook's method", of("x", "std"), of("x", "mean", method="centred")),
    ("a share of its own", of("x", "std"), of("x", "sum", epsilon=0.25)),
    ("other groups", of("x", "std", by=["region"]), of("x", "mean", by=["sex"])),
    ("other bins", of("x", "histogram"), of("x", "cdf", bins=7)),
    ("rows that have a group only", of("big", "mean", by=["sex"]), of("x", "sum")),
]


@pytest.mark.parametrize(("why", "one", "other"), PAIRS, ids=[each[0] for each in PAIRS])
def test_what_does_not_follow_is_measured(why: str, one: dict[str, Any], other: dict[str, Any]) -> None:
    assert [item.source for item in priced(one, other).statistics] == [None, None], why


def moments(codes: NDArray[np.int64], top: int) -> list[int]:
    whole = codes.astype(object)
    return [int((whole**2).sum()), int((2 * whole * (top - whole)).sum()), int(((top - whole) ** 2).sum())]


def exactly(bill: Price, *integers: Any) -> dict[str, Estimates]:
    """What is published of integers without noise."""
    drawn = {each.id: [np.asarray(own)] for each, own in zip(bill.measurements, integers, strict=True)}
    return {item.id: item.answered(bill.plan.schema, drawn) for item in bill.statistics}  # type: ignore[misc]


@pytest.mark.parametrize("values", [[3.5], [-20, 80], [0, 0, 0, 12.5], list(range(-20, 80))], ids=len)
def test_without_noise_each_is_what_the_rows_give(values: list[float]) -> None:
    rows = np.array(values, dtype=np.float64)
    codes = np.round((rows + 20) / 0.5).astype(np.int64)
    bill = priced(*(of("x", kind) for kind in ("std", "mean", "sum", "count", "variance")))
    assert len(bill.measurements) == 1
    found = exactly(bill, moments(codes, 200))
    published = [found[f"s{place}"].value[0] for place in range(5)]
    assert published == pytest.approx([rows.std(), rows.mean(), rows.sum(), len(rows), rows.var()], abs=1e-5)


def test_sums_and_counts_of_divided_moments_are_right_to_a_step() -> None:
    """Squares beyond 2^31 are divided by a power of two."""
    codes = np.array([1, 999_999_999, 123_456_789, 500_000_000])
    bill = priced(*(of("big", kind) for kind in ("std", "sum", "count")))
    by = 2**29
    found = exactly(bill, [each // by for each in moments(codes, 10**9)])
    assert found["s2"].value[0] == 4
    assert found["s1"].value[0] == pytest.approx(codes.sum() / 100, abs=0.03)
    assert found["s1"].value[0] != 0


def test_parts_of_groups_add_up_to_a_sum_in_all() -> None:
    bill = priced(of("x", "mean", by=["region"], weight=9), of("x", "sum"), of("x", "count"))
    assert [item.derivation.name for item in bill.statistics] == ["own", "sums", "counts"]
    codes = [np.array([3, 8]), np.array([200]), np.array([], dtype=np.int64), np.array([77])]
    found = exactly(bill, [[int(part.sum()), int((200 - part).sum())] for part in codes])
    assert found["s1"].value[0] == sum(float((part * 0.5 - 20).sum()) for part in codes)
    assert found["s2"].value[0] == 4


@pytest.mark.full
@pytest.mark.parametrize(("currency", "rows"), list(product(Currency, [0, 3, 2000])))
def test_intervals_of_what_follows_cover(currency: Currency, rows: int) -> None:
    """600 releases a case, six cases of three numbers: coverage below 91 % with probability below 1e-5 in all."""
    codes = np.arange(rows) * 13 % 201
    bill = priced(*(of("x", kind) for kind in ("std", "mean", "sum", "count")), currency=currency)
    truth = [None if rows == 0 else float((codes * 0.5 - 20).mean()), float((codes * 0.5 - 20).sum()), rows]
    inputs = ready(bill, (np.array(moments(codes, 200), dtype=object),))
    hits = np.zeros(3)
    for _ in range(600):
        found = answers(bill, draw(bill, inputs))
        for place, value in enumerate(truth):
            table = found[f"s{place + 1}"]
            assert isinstance(table, Estimates)
            hits[place] += value is None or table.lower95[0] <= value <= table.upper95[0]  # type: ignore[operator]
    assert hits.min() >= 0.91 * 600


STATISTICS = st.lists(
    st.one_of(
        st.builds(
            lambda kind, column, by, weight: of(column, kind, weight=weight, **({"by": by} if by else {})),
            st.sampled_from(["std", "variance", "mean", "sum", "count"]),
            st.sampled_from(["x", "big"]),
            st.sampled_from([[], ["region"], ["sex", "region"]]),
            st.sampled_from([1, 2, 7]),
        ),
        st.builds(
            lambda kind, column, bins, weight: of(column, kind, bins=bins, weight=weight),
            st.sampled_from(["histogram", "cdf"]),
            st.sampled_from(["x", "big"]),
            st.sampled_from([4, 20]),
            st.sampled_from([1, 3]),
        ),
        st.just({"kind": "crosstab", "columns": ["region", "sex"], "weight": 2}),
        st.builds(
            lambda column, weight: {
                "kind": "crosstab",
                "columns": [column, "region"],
                "bins": {column: 20},
                "weight": weight,
            },
            st.sampled_from(["x", "big"]),
            st.sampled_from([1, 5, 40]),
        ),
        st.just({"kind": "count"}),
        st.builds(
            lambda kind, column, weight: of(column, kind, weight=weight),
            st.sampled_from(["median", "five_numbers", "quantiles"]),
            st.sampled_from(["x", "big"]),
            st.sampled_from([1, 2]),
        ),
        st.builds(
            lambda kind, bins: of("x", kind, bins=bins),
            st.sampled_from(["histogram", "cdf"]),
            st.sampled_from([100, 201]),
        ),
    ),
    min_size=2,
    max_size=9,
)


PLANS = (STATISTICS, st.sampled_from(list(Currency)), st.sampled_from(["add_remove", "substitute"]))
WHOLE = ("count", "histogram", "crosstab", "sum")
"""Kinds whose errors are whole steps."""


def errs_no_more(statistics: list[dict[str, Any]], currency: Currency, relation: str) -> None:
    """By 1 % at most, and of whole numbers by a step."""
    together = priced(*statistics, currency=currency, neighbors=relation)
    with apart():
        alone = priced(*statistics, currency=currency, neighbors=relation)
    assert together.loss.nano == pytest.approx(alone.loss.nano, abs=len(statistics))
    for one, other in zip(together.statistics, alone.statistics, strict=True):
        assert one.error95 is not None
        step = float(one.statistic.lattice_step(together.plan.schema, 0)) if one.kind in WHOLE else 0.0
        assert one.error95 <= 1.01 * (other.error95 or 0) + step, (one.id, one.derivation.name)


@pytest.mark.full
@settings(max_examples=tries(60), deadline=None)
@given(*PLANS)
def test_no_statistic_errs_more_than_apart(statistics: list[dict[str, Any]], currency: Currency, relation: str) -> None:
    errs_no_more(statistics, currency, relation)


@pytest.mark.full
@settings(max_examples=tries(500), deadline=None)
@given(*PLANS)
def test_of_500_plans_too(statistics: list[dict[str, Any]], currency: Currency, relation: str) -> None:
    errs_no_more(statistics, currency, relation)
