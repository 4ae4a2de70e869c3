"""Tables that contradict each other beyond their noise are told of, and those of an honest release never."""

from __future__ import annotations

from math import exp, log

import pytest

from dprelease.model.privacy import Currency
from dprelease.model.release import Axis, Estimates
from dprelease.statistics import Plan
from dprelease.statistics.contradiction import RISK, contradictions
from dprelease.statistics.price import Price, price

CELLS = 20


def priced(currency: Currency = Currency.PURE, unit: object = "row") -> Price:
    plan = {
        "dprelease": 1,
        "dataset": "t",
        "privacy": {"unit": unit, "neighbors": "add_remove", "epsilon": 1, "delta": 0 if currency == "pure" else 1e-6},
        "columns": {
            "a": {"type": "integer", "lower": 0, "upper": CELLS - 1},
            "c": {"type": "category", "categories": ["x"]},
        },
        "statistics": [
            {"id": "all", "kind": "count", "epsilon": 0.0125},
            {"id": "parts", "kind": "histogram", "column": "a", "epsilon": 0.0125},
            {"id": "one", "kind": "count", "by": ["c"], "epsilon": 0.0125},
            {"id": "who", "kind": "units", "epsilon": 0.0125},
        ],
    }
    if currency == "zcdp":
        for each in plan["statistics"]:  # type: ignore[attr-defined]
            each["epsilon"] = 0.1
    return price(Plan.parse(plan), currency=currency)


def table(*values: int) -> Estimates:
    axis = Axis(("k",), tuple((place,) for place in range(len(values))))
    return Estimates(axes=(axis,), value=list(values), lower95=[None] * len(values), upper95=[None] * len(values))


def found(priced: Price, size: int | None = None, **tables: Estimates) -> list[str]:
    own = {"all": table(2000), "parts": table(*[100] * CELLS), "one": table(2000), "who": table(900)}
    return contradictions(priced, own | tables, size)


@pytest.mark.parametrize("currency", list(Currency))
def test_what_was_found_by_outsiders_is_told(currency: Currency) -> None:
    own = priced(currency)
    assert found(own, 12_000) == []
    below = found(own, all=table(-500_000))
    assert any("all: -500000 is further below 0" in words for words in below)
    assert any("parts sums to 2000" in words and "-500000" in words for words in below)
    (women,) = [words for words in found(own, 12_000, who=table(9_999_999)) if words.startswith("who")]
    assert "9999999 is more than the declared population can have, 12000" in women
    assert any("sums to" in words for words in found(own, 12_000, parts=table(*[5_000] * CELLS)))


def test_one_unit_may_have_as_many_rows_as_are_kept() -> None:
    own = priced(unit={"column": "id", "max_rows": 5})
    assert found(own, 1000, all=table(4900), one=table(0)) == []
    assert found(own, 1000, all=table(90_000), one=table(0)) != []


@pytest.mark.parametrize("epsilon", ["0.333333333", "0.333333334", "0.7", "1", "3", "1000"])
def test_no_scale_is_one_that_the_bound_cannot_be_computed_for(epsilon: str) -> None:
    """The rates that are tried include 1/scale, as nearly as floats have it: there the noise has no moment."""
    mapping = {
        "dprelease": 1,
        "dataset": "t",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": epsilon, "delta": 0},
        "columns": {"a": {"type": "integer", "lower": 0, "upper": 1}},
        "statistics": [{"id": "all", "kind": "count"}],
    }
    own = price(Plan.parse(mapping), currency=Currency.PURE)
    assert contradictions(own, {"all": table(20_190)}, 20_000) == [
        "all: 20190 is more than the declared population can have, 20000."
    ]
    assert contradictions(own, {"all": table(20_190)}, 30_000) == []


@pytest.mark.parametrize("currency", list(Currency))
def test_the_limit_is_beyond_what_noise_gives_with_the_stated_probability(currency: Currency) -> None:
    """Of one count below 0: by the exact tail, told only where that is below the risk of its claim (10 of them)."""
    own = priced(currency)
    scale = own.statistics[0].mechanisms[0].scale  # type: ignore[attr-defined]
    least = next(step for step in range(1, 10**6) if any("below 0" in words for words in found(own, one=table(-step))))
    if currency is Currency.PURE:
        q = exp(-1 / scale)
        tail = q**least / (1 + q)
        assert log(tail) < log(RISK)
        assert log(tail) > log(RISK) - 9  # and not far beyond: it would tell nothing
    else:
        width = own.statistics[2].mechanisms[0].scale  # type: ignore[attr-defined]
        assert 6 < least / width < 8


def test_sums_of_many_cells_are_given_their_noise() -> None:
    """Twenty cells, each two scales above what is there: likely noise of the cells, told only once it is not."""
    own = priced()
    scale = own.statistics[1].mechanisms[0].scale  # type: ignore[attr-defined]
    assert found(own, parts=table(*[100 + int(scale)] * CELLS)) == []
    assert found(own, parts=table(*[100 + int(4 * scale)] * CELLS)) != []


def test_degenerate_tables_say_nothing() -> None:
    own = priced()
    assert found(own, 1, all=table(0), parts=table(*[0] * CELLS), one=table(0), who=table(0)) == []
    assert contradictions(own, {**{each: table(0) for each in ("all", "one", "who")}, "parts": table()}, None) == []
    assert contradictions(own, {}, 12_000) == []  # a withheld release has no tables


def test_the_least_of_many_cells_is_judged_as_the_least_of_many() -> None:
    """All noise, 100,000 cells: a count so low that one of them is below it once in 10^8 honest tables, and not once in
    10^9, is not told of."""
    cells, scale = 100_000, 1.0
    plan = {
        "dprelease": 1,
        "dataset": "t",
        "privacy": {"unit": "row", "neighbors": "add_remove", "epsilon": 1, "delta": 0},
        "columns": {"a": {"type": "integer", "lower": 0, "upper": cells - 1}},
        "statistics": [{"id": "parts", "kind": "histogram", "column": "a", "bins": cells}],
    }
    own = price(Plan.parse(plan), currency=Currency.PURE)
    assert own["parts"].mechanisms[0].scale == scale
    fitting = int(log(cells / 1e-8 / (1 + exp(-1 / scale))) * scale)
    assert contradictions(own, {"parts": table(-fitting, *[0] * (cells - 1))}, None) == []
    assert contradictions(own, {"parts": table(-2 * fitting, *[0] * (cells - 1))}, None) != []
